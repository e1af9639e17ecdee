"""What an exact world is to the rest of the toolkit: it makes its problems, solves them, and puts them into words.

A world is one class, :class:`World`. What it may do without is beside it in :class:`Extras`: what it draws
(:class:`Figures`), what ``srt mutate`` plants (:class:`~srt.worlds.kit.mutation.Faults`), what language models need.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from srt.io.errors import UserError
from srt.io.records import Lang, Problem, Refusal
from srt.language.trace import Step, Trace, Truth
from srt.worlds.kit.mutation import Faults

Sampler = Callable[[int], Problem]
"""Problem number ``index`` of a specification: the same index gives the same problem on every machine.

It can be pickled: other processes draw with it too.
"""

NEEDED = "needed"
"""The plan that every world has, its default."""
CLAIMS = "claims"
"""The text style that every world has, its default."""
ASSERTIONS = "assertions"
"""The other one: each claim as the sentence that :meth:`World.assertion` says."""

Kind = Literal["plan", "text style", "pieces"]
"""What a world offers by name: plans, styles, and splittings, which recipes call ``pieces``."""

REFUSALS: Mapping[str, str] = {
    "no_world": "no world knows problems of this shape",
    "unknown_wording": "a sentence, an option or a field is not understood",
    "not_unique": "it leaves several solutions, or several right options",
    "disagrees_with_gold": "its gold answer is not the solution",
    "no_such_plan": "the world, or this problem, has no trace with this plan",
    "not_proved": "there is a trace, which the checker does not prove",
    "not_lifted": "an equation of a free trace has no reading, or several, or its answer is another",
    "process_killed": "the process that worked on it was killed",
}
"""Why a problem of any world is refused; a world adds its own in :attr:`Extras.refusals`."""


class Refused(Exception):
    """A problem that a world will not solve. ``detail`` names the clue or the field and its text.

    ``reason`` is one of :data:`REFUSALS` or of the world's own.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    def record(self, problem_id: str) -> Refusal:
        """The refusal as it is written to the refusals file."""
        return Refusal(problem_id=problem_id, reason=self.reason, detail=self.detail)


class TextStyle(NamedTuple):
    """A way to write the steps of a trace; ``about`` describes it in one line.

    ``last_step_answers``: the last step works the letters out one by one, so its line is trained on as part of the
    answer (a weight of the answer in the loss is for both).
    """

    about: str
    last_step_answers: bool = False


class FreeForm(NamedTuple):
    """A derivation as people and models write it, twice: sentence ``n`` of ``prose`` says what step ``n`` says."""

    prose: str
    steps: tuple[Step, ...]


class Splitting(NamedTuple):
    """What may become one token of a new tokenizer; ``about`` describes it in one line.

    ``pattern`` matches the pieces that no longer token reaches into (a regular expression of the ``tokenizers``
    package). What is between two of them may be one token, too.
    """

    about: str
    pattern: str


class Reading(NamedTuple):
    """What stands at one place of a picture, and the short question that asks for it: seen, with nothing to derive."""

    question: str
    answer: int


@dataclass(frozen=True)
class Figures:
    """What a world draws."""

    picture: Callable[[Problem], bytes | None] | None = None
    """What a problem shows, as a PNG; ``None`` where its text is all. ``srt generate`` writes it beside the file.

    Raises a :class:`ValueError` where the problem has figures that cannot be drawn.
    """
    readings: Callable[[Problem], list[Reading]] = lambda problem: []
    """Questions about single places of the picture; none where it shows nothing."""
    solved: Callable[[Problem], str] | None = None
    """The solved problem as an SVG picture. Raises as :meth:`World.solve`."""


@dataclass(frozen=True)
class Extras:
    """What a world may do without."""

    dimensions: tuple[str, ...] = ()
    """Keys of ``problem.meta`` by which results are broken down, the most telling first."""
    traits: Callable[[Problem], dict[str, str]] = lambda problem: {}
    """The values of :attr:`dimensions`, read off the text of a problem; empty where it cannot be read."""
    refusals: Mapping[str, str] = field(default_factory=dict)
    """Its own reasons for refusing a problem, beside :data:`REFUSALS`, each with a line of description."""
    figures: Figures = Figures()
    faults: Callable[[], Faults] | None = None
    """What ``srt mutate`` plants in its traces: a function, because no other command needs to load it."""
    lift: Callable[[Problem, Trace], Trace] | None = None
    """A free trace as a trace of this world, where each of its equations has one reading. Raises :class:`Refused`."""
    prompts: Path | None = None
    """The folder of the prompts with which language models write traces of this world.

    It holds ``<lang>/teacher_<name>.md``, ``form_<name>.md`` and ``rules_<name>.md``
    (:mod:`srt.teaching.teach_prompts`). Without it they write free traces.
    """
    splittings: Mapping[str, Splitting] = field(default_factory=dict)
    """How a new tokenizer may split its texts, beside the splittings that suit any text."""
    retired: Mapping[Kind, Mapping[str, str]] = field(default_factory=dict)
    """What it offered once: by kind and name, the last commit that has it."""


class World(ABC):
    """A family of problems with an exact model; ``docs/extending.md`` shows a small one in full.

    Its docstring begins with one line that says what its problems are: ``srt gallery`` shows it.
    """

    plans: Mapping[str, str] = {NEEDED: "the steps that the question needs, and no others"}
    """Which steps a trace can have, each with a line of description; a world adds its own after this one."""
    styles: Mapping[str, TextStyle] = {
        CLAIMS: TextStyle("each step states a claim in the world's language"),
        ASSERTIONS: TextStyle("each step states its claim as a sentence"),
    }
    """How the steps of a trace can be written; a world that adds a style of its own writes it in :meth:`respell`."""
    extras = Extras()

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
        different from that of every problem of another split. Its ``group_id`` is one of its split keys.

        Raises:
            UserError: a field is unknown or has a wrong value. The sampler may raise it too, where the specification
                allows no problem.
        """

    @abstractmethod
    def split_keys(self, problem: Problem) -> tuple[str, ...]:
        """What tells ``problem``, sampled or not, from others, whatever its names and the order of its sentences.

        First its split key: problems that have the same are in the same split. Then other keys, if the world can
        group its samples by them. Empty where the problem cannot be read or has no single solution.
        """

    @abstractmethod
    def solve(self, problem: Problem, plan: str = NEEDED) -> Trace:
        """The exact trace of ``problem``, with the steps of ``plan``, every one proved by its premises.

        Raises:
            Refused: the problem is not understood, contradicts itself, has several solutions, its gold answer is not
                the solution, or it has no trace with this plan.
        """

    @abstractmethod
    def explain(self, problem: Problem, trace: Trace, *, terse: bool = False, style: str = CLAIMS) -> str:
        """``trace`` (of this world, of ``problem``) as prose; ``terse`` for the fewest words.

        Prose that is not terse goes into as much detail as the trace does in ``style``. Raises as :meth:`solve`.
        """

    def free_form(self, problem: Problem, trace: Trace) -> FreeForm:
        """How ``problem`` may be solved in another order, with steps skipped, merged, repeated and taken back.

        For the arms ``cot-free`` and ``srt-free``. The id of ``trace`` (of this world, of ``problem``) seeds it; the
        answer is that of ``trace``.

        Raises:
            UserError: the world has no free form, or none of this problem.
            Refused: as :meth:`solve`.
        """
        raise UserError(f"the world {self.name!r} has no free form")

    @abstractmethod
    def assertion(self, claim: str, lang: Lang) -> str:
        """``claim`` as a sentence for people; raises a :class:`ValueError` for text that is no claim."""

    def respell(self, problem: Problem, trace: Trace, style: str) -> Iterable[Trace]:
        """``trace``, of ``problem``, in one of this world's own styles: as finely as the style wants, then coarser.

        Written more finely, not every trace stays proved: the first of them that is proved is trained on.

        Raises:
            UserError: a claim cannot be read, or a step cites one that does not come before it.
        """
        raise NotImplementedError(f"the world {self.name!r} lists the style {style!r} and does not write it")

    def truth(self, problem: Problem, trace: Trace | None = None) -> Callable[[str], Truth]:
        """Whether a claim is true in the solved problem, whatever it was derived from.

        Where a scene has symmetries, positions are those that ``trace`` chose. The function returns ``unknown`` for a
        claim that it cannot read, and for every claim where the problem is not solved.
        """
        return lambda claim: "unknown"
