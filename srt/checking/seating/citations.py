"""What a step cites: the premises looked up, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from srt.checking.seating.claims import Meaning
from srt.checking.seating.problems import Case
from srt.language.premises import Premise, parse_premise


@dataclass(slots=True)
class Citations:
    """The premises of a step.

    ``meanings`` are what the cited clues, steps and question say; ``steps`` are the numbers of the steps among them.
    ``reads``: the only premise is a clue or the question. ``unread``: some cited wording could not be read. ``faults``
    says what is wrong, the first first; a step with a fault proves nothing.
    """

    missing_letters: set[str]
    meanings: list[Meaning] = field(default_factory=list)
    steps: set[int] = field(default_factory=set)
    scene: bool = False
    wlog: bool = False
    reads: bool = False
    unread: bool = False
    faults: list[str] = field(default_factory=list)


def cite(words: tuple[str, ...], case: Case, earlier: Sequence[Meaning | None]) -> Citations:
    """Look up the premises ``words`` of the step that follows the steps ``earlier`` of a trace of ``case``."""
    cited = Citations(missing_letters=set(case.letters))
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
        elif premise.kind in ("given", "question"):
            cited.reads = len(words) == 1
            if premise.number > len(case.clues):
                cited.faults.append(f"there is no clue {word}")
                continue
            meaning = case.clues[premise.number - 1] if premise.kind == "given" else case.question
            if meaning is None:
                cited.unread = True
                cited.faults.append(f"the wording of {word} is not known")
            else:
                cited.meanings.append(meaning)
        elif premise.kind == "scene":
            cited.scene = True
        elif premise.kind == "wlog":
            cited.scene = cited.wlog = True
        elif premise.kind == "option":
            cited.missing_letters.discard(premise.name)
            if premise.name not in case.letters:
                cited.faults.append(f"there is no option {word}")
        elif premise.name not in case.tokens:
            cited.faults.append(f"{word} is nobody of this problem")
    return cited


@lru_cache(maxsize=16384)
def _premises(words: tuple[str, ...]) -> tuple[Premise, ...]:
    return tuple(parse_premise(word) for word in words)
