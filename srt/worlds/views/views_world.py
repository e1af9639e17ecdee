"""The views world as the rest of the toolkit sees it (:class:`srt.worlds.world.World`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from srt.io.records import Lang, Problem
from srt.language.trace import Trace, Truth
from srt.worlds.kit.mutation import Faults
from srt.worlds.views.canonical_key import key_of
from srt.worlds.views.claim_language import ClaimSyntaxError, parse_claim
from srt.worlds.views.derivation.exact_teacher import make_trace
from srt.worlds.views.drawing.picture import problem_picture
from srt.worlds.views.faults.fitting_models import FittingModels
from srt.worlds.views.faults.planted_faults import PLANTS
from srt.worlds.views.faults.views_subject import views_subject
from srt.worlds.views.sampling.sampler import ViewsSampler, ViewsSpec
from srt.worlds.views.writing.assertion import assertion
from srt.worlds.views.writing.derivation_prose import explain
from srt.worlds.views.writing.square_readings import readings
from srt.worlds.world import CLAIMS, NEEDED, Extras, Figures, Refused, Sampler, World

_DIMENSIONS = ("kind", "shown", "size")


def _traits(problem: Problem) -> dict[str, str]:
    return {key: str(problem.meta[key]) for key in _DIMENSIONS if key in problem.meta}


class ViewsWorld(World):
    """Solids of unit cubes and their views: ``docs/views.md``."""

    name = "views"
    extras = Extras(
        dimensions=_DIMENSIONS,
        traits=_traits,
        refusals={
            "unknown_scene": "a figure is missing, or not one that the question can be asked of",
            "contradictory_clues": "no solid has the views that are shown",
        },
        figures=Figures(problem_picture, readings),
        prompts=Path(__file__).parent / "prompts",
        faults=lambda: Faults(tuple(PLANTS), views_subject),
    )

    def recognises(self, problem: Problem) -> bool:
        """Whether ``problem`` keeps its figures as this world does."""
        return problem.source == self.name and "figures" in problem.meta

    def sampler(self, fields: Mapping[str, object]) -> Sampler:
        """The problems of a :class:`~srt.worlds.views.sampling.sampler.ViewsSpec`."""
        return ViewsSampler(ViewsSpec.parse(fields))

    def split_keys(self, problem: Problem) -> tuple[str, ...]:
        """The canonical key: :mod:`srt.worlds.views.canonical_key`."""
        key = key_of(problem)
        return () if key is None else (key,)

    def solve(self, problem: Problem, plan: str = NEEDED) -> Trace:
        """The exact trace of ``problem``; raises :class:`~srt.worlds.world.Refused`."""
        trace = make_trace(problem)
        gold = problem.answer
        if gold is not None and gold.value not in ([trace.answer], _number(trace.answer)):
            raise Refused("disagrees_with_gold", f"solved: {trace.answer}; gold: {gold.value}")
        return trace

    def explain(self, problem: Problem, trace: Trace, *, terse: bool = False, style: str = CLAIMS) -> str:
        """``trace`` as prose."""
        return explain(trace, terse)

    def assertion(self, claim: str, lang: Lang) -> str:
        """``claim`` as a sentence."""
        return assertion(claim, lang)

    def truth(self, problem: Problem, trace: Trace | None = None) -> Callable[[str], Truth]:
        """Whether a claim holds in all solids that fit the problem, or in none; ``unknown`` if in some."""
        try:
            models = FittingModels(problem)
        except Refused:
            return lambda claim: "unknown"

        def truth_of(text: str) -> Truth:
            try:
                return models.truth(parse_claim(text))
            except ClaimSyntaxError:
                return "unknown"

        return truth_of


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None
