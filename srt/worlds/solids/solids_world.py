"""The world ``solids``: problems, exact derivations, prose and drawings of solids with measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from srt.io.records import Lang, Problem
from srt.io.yaml_config import parse_config
from srt.language.trace import Trace, Truth
from srt.worlds.kit.mutation import Faults
from srt.worlds.solids.derivation.derive import everything
from srt.worlds.solids.derivation.lift import lift
from srt.worlds.solids.derivation.solve_solid import READ_FIRST, answer_of, solve_solid, truth_of
from srt.worlds.solids.reading.read_solid import looks_like_solids, read_solid
from srt.worlds.solids.sampling.sample_solid import sample_solid
from srt.worlds.solids.sampling.settings import SolidsSettings
from srt.worlds.solids.writing.drawing import draw_solids
from srt.worlds.solids.writing.picture import solid_picture
from srt.worlds.solids.writing.prose import assertion, full_prose, terse_prose
from srt.worlds.world import CLAIMS, NEEDED, Extras, Figures, Refused, Sampler, World


def _traits(problem: Problem) -> dict[str, str]:
    try:
        statement = read_solid(problem).statement
    except Refused:
        return {}
    return {"asked": statement.asked[0], "solids": str(len(statement.solids))}


def _drawing(problem: Problem) -> str:
    read, _, _ = answer_of(problem)
    return draw_solids(read.statement, everything(read.statement))


def _picture(problem: Problem) -> bytes | None:
    return solid_picture(read_solid(problem).statement) if problem.diagram_description else None


def _faults() -> Faults:
    from srt.worlds.solids.faults.planted import PLANTED, SolidSubject

    return Faults(PLANTED, SolidSubject)


class SolidsWorld(World):
    """Measures of solids: volumes, surfaces, edges of single, related, similar, recast, joined and hollowed ones."""

    name = "solids"
    plans: Mapping[str, str] = {**World.plans, READ_FIRST: "all readings come before the first formula"}
    extras = Extras(
        dimensions=("asked", "steps"),
        traits=_traits,
        refusals={
            "not_determined": "the measure asked for does not follow by the table of formulas",
            "no_such_solid": "no solid has the given measures",
            "no_option_fits": "no option says what is right",
        },
        figures=Figures(picture=_picture, solved=_drawing),
        faults=_faults,
        lift=lift,
        prompts=Path(__file__).parent / "prompts",
    )

    def recognises(self, problem: Problem) -> bool:
        """Its source is this world, or ``meta["world"]`` names it, and all of the text is understood."""
        return looks_like_solids(problem)

    def sampler(self, fields: Mapping[str, object]) -> Sampler:
        """Problems by :class:`~srt.worlds.solids.sampling.settings.SolidsSettings`."""
        return partial(sample_solid, parse_config(SolidsSettings, fields, self.name))

    def split_keys(self, problem: Problem) -> tuple[str, ...]:
        """The key of the statement (:meth:`~srt.worlds.solids.statement.SolidStatement.key`)."""
        try:
            return (read_solid(problem).statement.key(),)
        except Refused:
            return ()

    def solve(self, problem: Problem, plan: str = NEEDED) -> Trace:
        """The exact trace (:func:`~srt.worlds.solids.derivation.solve_solid.solve_solid`)."""
        return solve_solid(problem, plan)

    def explain(self, problem: Problem, trace: Trace, *, terse: bool = False, style: str = CLAIMS) -> str:
        """Every step as a sentence with its formula, or the values alone."""
        return terse_prose(trace.steps, problem.lang) if terse else full_prose(trace.steps, problem.lang)

    def assertion(self, claim: str, lang: Lang) -> str:
        """The claim as a sentence."""
        return assertion(claim, lang)

    def truth(self, problem: Problem, trace: Trace | None = None) -> Callable[[str], Truth]:
        """By all measures that follow from the text."""
        return truth_of(problem)
