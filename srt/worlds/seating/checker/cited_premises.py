"""The premises that a step cites, looked up, and their faults."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from srt.language.premises import Premise, parse_premise
from srt.worlds.seating.checker.claim_sets import Meaning
from srt.worlds.seating.checker.reading.problem_text import SeatingProblem


@dataclass(slots=True)
class Citations:
    """The premises of a step.

    ``meanings`` are what the cited clues, steps and question say, and ``words`` how each of them is cited;
    ``relations`` counts the relations in them, where what one clue says counts as one. ``steps`` are the numbers of the
    steps among them. ``quoted`` are the cited clues and ``question``, ``letters`` the options,
    ``entities`` the names. ``reads``: the only premise is a clue or the question. ``unread``: some cited wording could
    not be read. ``faults`` says what is wrong, the first first; a step with a fault proves nothing.
    """

    meanings: list[Meaning] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    relations: int = 0
    steps: set[int] = field(default_factory=set)
    quoted: list[str] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    scene: bool = False
    wlog: bool = False
    reads: bool = False
    unread: bool = False
    faults: list[str] = field(default_factory=list)


def cite(
    words: tuple[str, ...], problem: SeatingProblem, earlier: Sequence[Meaning | None], readings: Collection[int]
) -> Citations:
    """Look up the premises ``words`` of the step that follows the steps ``earlier`` of a trace of ``problem``.

    ``readings`` are the numbers of the steps that read one clue or the question faithfully.
    """
    cited = Citations()
    for word, premise in zip(words, _premises(words), strict=True):
        if premise.kind == "step":
            if premise.number > len(earlier):
                cited.faults.append(f"{word} is no earlier step")
                continue
            cited.steps.add(premise.number)
            if (meaning := earlier[premise.number - 1]) is None:
                cited.faults.append(f"the claim of {word} cannot be read")
            else:
                cited.meanings.append(meaning)
                cited.words.append(word)
                relations = meaning.form.relations
                cited.relations += min(1, relations) if premise.number in readings else relations
        elif premise.kind in ("given", "question"):
            cited.reads = len(words) == 1
            cited.quoted.append(word)
            if premise.number > len(problem.clues):
                cited.faults.append(f"there is no clue {word}")
                continue
            meaning = problem.clues[premise.number - 1] if premise.kind == "given" else problem.question
            if meaning is None:
                cited.unread = True
                cited.faults.append(f"the wording of {word} is not known")
            else:
                cited.meanings.append(meaning)
                cited.words.append(word)
        elif premise.kind == "scene":
            cited.scene = True
        elif premise.kind == "wlog":
            cited.scene = cited.wlog = True
        elif premise.kind == "option":
            cited.letters.append(word)
            if premise.name not in problem.letters:
                cited.faults.append(f"there is no option {word}")
        elif premise.name in problem.tokens:
            cited.entities.append(premise.name)
        else:
            cited.faults.append(f"{word} is nobody of this problem")
    return cited


@lru_cache(maxsize=4096)
def _premises(words: tuple[str, ...]) -> tuple[Premise, ...]:
    return tuple(parse_premise(word) for word in words)
