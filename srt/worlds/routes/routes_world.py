"""The world ``routes``: problems, exact derivations, prose and drawings of walks on a grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from srt.io.records import Lang, Problem
from srt.io.yaml_config import parse_config
from srt.language.trace import Trace, Truth
from srt.worlds.kit.mutation import Faults
from srt.worlds.routes.derivation.claims import parse_claim
from srt.worlds.routes.derivation.solve_route import LEGS_FIRST, answer_of, solve_route, truth_of
from srt.worlds.routes.reading.read_route import looks_like_a_route, read_route
from srt.worlds.routes.sampling.sample_route import RoutesSettings, sample_route
from srt.worlds.routes.walk import canonical_key
from srt.worlds.routes.writing.assertions import assertion
from srt.worlds.routes.writing.drawing import draw_route
from srt.worlds.routes.writing.prose import full_prose, terse_prose
from srt.worlds.world import CLAIMS, NEEDED, Extras, Figures, Refused, Sampler, World


def _traits(problem: Problem) -> dict[str, str]:
    try:
        route = read_route(problem)
    except Refused:
        return {}
    return {"asked": route.asked, "legs": str(len(route.walk.moves))}


def _drawing(problem: Problem) -> str:
    route, _ = answer_of(problem)
    return draw_route(route.asked, route.walk)


def _faults() -> Faults:
    from srt.worlds.routes.routes_faults import PLANTED, RouteSubject

    return Faults(PLANTED, RouteSubject)


class RoutesWorld(World):
    """Walks on a grid with turns: where they end, which way the walker faces, how far the start is, the way back."""

    name = "routes"
    plans: Mapping[str, str] = {**World.plans, LEGS_FIRST: "all legs are worked out before the first place is"}
    extras = Extras(
        dimensions=("asked", "legs"),
        traits=_traits,
        refusals={
            "no_whole_number": "the straight line is no whole number of steps",
            "no_option_fits": "no option says what is right",
        },
        figures=Figures(solved=_drawing),
        faults=_faults,
        prompts=Path(__file__).parent / "prompts",
    )

    def recognises(self, problem: Problem) -> bool:
        """Somebody faces a direction in the first sentence, and the last asks what this world can answer."""
        return looks_like_a_route(problem)

    def sampler(self, fields: Mapping[str, object]) -> Sampler:
        """Problems by :class:`~srt.worlds.routes.sampling.sample_route.RoutesSettings`."""
        return partial(sample_route, parse_config(RoutesSettings, fields, self.name))

    def split_keys(self, problem: Problem) -> tuple[str, ...]:
        """The key of the walk and what is asked (:func:`~srt.worlds.routes.walk.canonical_key`)."""
        try:
            route = read_route(problem)
        except Refused:
            return ()
        return (canonical_key(route.asked, route.walk),)

    def solve(self, problem: Problem, plan: str = NEEDED) -> Trace:
        """The exact trace (:func:`~srt.worlds.routes.derivation.solve_route.solve_route`)."""
        return solve_route(problem, plan)

    def explain(self, problem: Problem, trace: Trace, *, terse: bool = False, style: str = CLAIMS) -> str:
        """Every step as a sentence with its reason, or in a few words."""
        route = read_route(problem)
        claims = [parse_claim(step.claim or "") for step in trace.steps]
        return terse_prose(claims, problem.lang) if terse else full_prose(claims, route, problem.lang)

    def assertion(self, claim: str, lang: Lang) -> str:
        """The claim as a sentence that counts sentences as the claim does."""
        return assertion(parse_claim(claim), lang)

    def truth(self, problem: Problem, trace: Trace | None = None) -> Callable[[str], Truth]:
        """By all facts of the walk; places are seen from the start, so no trace has a choice."""
        return truth_of(problem)
