"""What an exact world is to the rest of the toolkit: it makes its problems, solves them, and puts them into words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from srt.io.errors import UserError
from srt.io.records import Lang, Problem, Refusal, RefusalReason
from srt.language.trace import Trace, Truth
from srt.worlds.mutation import MutationSubject

Sampler = Callable[[int], Problem]
"""Problem number ``index`` of a specification: the same index gives the same problem on every machine.

It can be pickled: other processes draw with it too.
"""

Plan = Literal["needed", "running", "read-as-used", "read-as-turns"]
LookupStyle = Literal["restated", "anchored", "scanned", "lettered"]
"""How finely lookups are written out; each is finer than the one before."""
"""Which steps a trace of the exact teacher has: only those that the question needs, or a plan that is carried along.

``read-as-used`` is a running plan in which each clue, and the question, is read right before it is used. In
``read-as-turns``, a clue around a ring is read one thing at a time, down to a turn from whom is seated to who is not;
a seat is found beside the one that it is counted from; and the clues of a ring are taken in their order, and read and
passed by as long as they are about nobody who is seated. A question about left, right or turns on a ring comes down to
a turn from whom it names.
"""


class Refused(Exception):
    """A problem that a world will not solve. ``detail`` names the clue or the field and its text."""

    def __init__(self, reason: RefusalReason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason: RefusalReason = reason
        self.detail = detail

    def record(self, problem_id: str) -> Refusal:
        """The refusal as it is written to the refusals file."""
        return Refusal(problem_id=problem_id, reason=self.reason, detail=self.detail)


class Reading(NamedTuple):
    """What stands at one place of a picture, and the short question that asks for it: seen, with nothing to derive."""

    question: str
    answer: int


class World(ABC):
    """A family of problems with an exact model; ``docs/extending.md`` shows a small one in full.

    What is abstract here every world must define. The rest has a default for worlds that do without.
    """

    dimensions: tuple[str, ...] = ()
    """Keys of ``problem.meta`` by which results are broken down, the most telling first."""

    prompts: Path | None = None
    """The folder of the prompts with which language models write traces of this world.

    It holds ``<lang>/teacher_<name>.md`` and ``<lang>/form_<name>.md`` (:mod:`srt.teaching.teach_prompts`). Without it
    they write free traces.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """The name on the command line; also ``source`` of the problems that the world samples."""

    @abstractmethod
    def recognises(self, problem: Problem) -> bool:
        """Whether ``problem`` belongs to this world.

        Never raises, and claims nothing that another world or a corpus may own: the form alone (options, numbered
        clues) is not enough.
        """

    @abstractmethod
    def sampler(self, fields: Mapping[str, object]) -> Sampler:
        """The problems of the specification ``fields``: ``split``, and whatever else this world understands.

        Each has one right answer, proven. Its ``question``, with the ``diagram_description`` where there is one, is
        different from that of every problem of another split.

        Raises:
            UserError: a field is unknown or has a wrong value. The sampler may raise it too, where the specification
                allows no problem.
        """

    @abstractmethod
    def split_key(self, problem: Problem) -> str | None:
        """The key of ``problem``, sampled or not: problems that differ in names and order alone have the same key.

        ``None`` where it cannot be read or has no single solution.
        """

    def group_keys(self, problem: Problem) -> set[str]:
        """The values of ``group_id`` with which a sampled problem counts as the same as ``problem``.

        By default its split key alone; a world that can group samples by something else adds the key of that.
        """
        key = self.split_key(problem)
        return set() if key is None else {key}

    @abstractmethod
    def solve(self, problem: Problem) -> Trace:
        """The exact trace of ``problem``, every step proved by its premises.

        Raises:
            Refused: the problem is not understood, contradicts itself, has several solutions, or its gold answer is
                not the solution.
        """

    @abstractmethod
    def explain(self, problem: Problem, trace: Trace, terse: bool) -> str:
        """``trace`` (of this world, of ``problem``) as prose; ``terse`` for the fewest words. Raises as ``solve``."""

    @abstractmethod
    def assertion(self, claim: str, lang: Lang) -> str:
        """``claim`` as a sentence for people; raises a :class:`ValueError` for text that is no claim."""

    def traits(self, problem: Problem) -> dict[str, str]:
        """The values of :attr:`dimensions`, read off the text of ``problem``; empty where it cannot be read."""
        return {}

    def solve_with_running_plan(self, problem: Problem, plan: Plan = "running") -> Trace:
        """As :meth:`solve`, in steps that carry a plan along, so that whoever writes them never has to look ahead.

        ``plan`` is one of those other than ``needed``.

        Raises:
            Refused: as :meth:`solve`; ``no_such_plan`` where the world or the problem has no such trace.
        """
        raise Refused("no_such_plan", f"the world {self.name!r} has no traces with a running plan")

    def spell_out_lookups(self, problem: Problem, trace: Trace, style: LookupStyle = "restated") -> Trace:
        """``trace``, of ``problem``, with the key of each lookup written out beside it.

        In the style ``anchored`` those of the steps that place something, too; in ``scanned``, what is found by its
        place is found by going through all places; in ``lettered``, the options are gone through as well. In these
        three not every trace stays proved.

        Raises:
            UserError: this world has no such style.
        """
        raise UserError(f"trace {trace.id}: the world {self.name!r} has no text in the style {style!r}")

    def explain_lookups(self, problem: Problem, trace: Trace, style: LookupStyle) -> str:
        """As :meth:`explain`; of a world with lookups, places and options are gone through where ``style`` does so."""
        return self.explain(problem, trace, terse=False)

    def truth(self, problem: Problem, trace: Trace | None = None) -> Callable[[str], Truth]:
        """Whether a claim is true in the solved problem.

        Where a scene has symmetries, positions are those that ``trace`` chose. The function returns ``unknown`` for a
        claim that it cannot read, and for every claim where the problem is not solved.
        """
        return lambda claim: "unknown"

    def picture(self, problem: Problem) -> bytes | None:
        """What ``problem`` shows, as a PNG; ``None`` where its text is all. ``srt generate`` writes it beside the file.

        Raises:
            ValueError: the problem has figures that cannot be drawn.
        """
        return None

    @property
    def shows_pictures(self) -> bool:
        """Whether problems of this world may have figures: whether it defines :meth:`picture`."""
        return type(self).picture is not World.picture

    @property
    def has_running_plan(self) -> bool:
        """Whether this world defines :meth:`solve_with_running_plan`."""
        return type(self).solve_with_running_plan is not World.solve_with_running_plan

    @property
    def has_lookups(self) -> bool:
        """Whether this world defines :meth:`spell_out_lookups`."""
        return type(self).spell_out_lookups is not World.spell_out_lookups

    def readings(self, problem: Problem) -> list[Reading]:
        """Questions about single places of what :meth:`picture` shows; empty where it shows nothing."""
        return []

    def draw(self, problem: Problem) -> str | None:
        """The solved problem as an SVG picture; ``None`` where this world draws none. Raises as ``solve``."""
        return None

    def mutation_subject(self, problem: Problem, trace: Trace) -> MutationSubject:
        """``trace``, parsed for ``srt mutate``.

        Raises:
            ValueError: the trace is not valid, or this world has no mutations; the message says which.
        """
        raise ValueError(f"the world {self.name!r} has no mutations")
