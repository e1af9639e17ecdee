"""Free steps in words: a sentence for each, in one of eight frames, and as the steps of a free trace.

Who sits where is said in one way (``Ann is at S1``), as in the prose of ``cot``: a name at its seat is one token of a
small tokenizer in all arms then.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from srt.io.records import Lang
from srt.language.trace import Operation, Step
from srt.worlds.seating.claim_language import (
    BLANK,
    Claim,
    Equal,
    Member,
    Nobody,
    Place,
    RightOptions,
    format_claim,
    names_of,
)
from srt.worlds.seating.derivation.free_step import FreeStep, Move
from srt.worlds.seating.reading.problem_reader import Puzzle
from srt.worlds.seating.writing.free_frames_en import FRAMES_EN
from srt.worlds.seating.writing.free_frames_zh import FRAMES_ZH
from srt.worlds.seating.writing.phrases import PROSE_EN, PROSE_ZH

_HEDGE, _NEW_LINE = 0.1, 0.3
_OPERATION: Mapping[Move, Operation] = {
    **dict.fromkeys(("clue", "clues", "question", "recall", "recall question"), "CORRELATE"),
    **dict.fromkeys(("choose", "place", "left over", "so far", "try"), "CONSTRAIN"),
    **dict.fromkeys(("break", "look", "guess", "unguess", "fill", "answer"), "INFER"),
}
_WORDS: Mapping[Lang, Mapping[str, str]] = {
    "en": {
        "either": "either {clause}",
        "applies": "clue {number} applies",
        "that": "whoever makes it true that {clause}",
        "who": "whoever {clause}",
        "fills": "{names} fills the blank",
        "fill": "{names} fill the blank",
        "is_option": "{name} is option {letter}",
        "no_other": "no other option fits",
        "answer": "the answer is {letters}",
        "answers": "the answers are {letters}",
        "reasons": " and ",
        "listing": " and ",
        "or": " or ",
        "gap": " ",
    },
    "zh": {
        "either": "{clause}",
        "applies": "线索{number}成立",
        "that": "使“{clause}”成立的人",
        "who": "{clause}的人",
        "fills": "{names}符合",
        "fill": "{names}都符合",
        "is_option": "{name}是选项{letter}",
        "no_other": "其他选项都不符合",
        "answer": "答案是{letters}",
        "answers": "答案是{letters}",
        "reasons": "，",
        "listing": "和",
        "or": "或",
        "gap": "",
    },
}


def free_trace_steps(steps: Sequence[FreeStep]) -> tuple[Step, ...]:
    """``steps`` as those of a trace: a step each, with what it says again before what it says."""
    return tuple(
        Step(
            op=_OPERATION[step.move],
            args=(*step.words, *(f"#{number}" for number in step.cites), *step.names),
            claim=format_claim(_after_said(step)),
        )
        for step in steps
    )


def _after_said(step: FreeStep) -> Claim:
    return tuple((*(place for place in step.said if place not in atoms), *atoms) for atoms in step.claim)


def free_prose(puzzle: Puzzle, steps: Sequence[FreeStep], chance: random.Random) -> str:
    """``steps`` as prose, a sentence each, some with a hedge before them."""
    writer = _FreeWriter(puzzle, chance)
    text = ""
    for step in steps:
        sentence = writer.sentence(step)
        if chance.random() < _HEDGE:
            sentence = writer.hedged(sentence)
        text += (("\n" if chance.random() < _NEW_LINE else writer.gap) if text else "") + sentence
    return text


class _FreeWriter:
    def __init__(self, puzzle: Puzzle, chance: random.Random) -> None:
        english = puzzle.lang == "en"
        self.gap = " " if english else ""
        self._lexicon = PROSE_EN if english else PROSE_ZH
        self._frames = FRAMES_EN if english else FRAMES_ZH
        self._words = _WORDS[puzzle.lang]
        self._puzzle = puzzle
        self._clues = {clue.number: clue.claim for clue in puzzle.clues}
        self._chance = chance

    def hedged(self, sentence: str) -> str:
        """``sentence`` after a hedge, which says nothing of the problem."""
        return self._chance.choice(self._frames["hedge"]) + self.gap + sentence

    def sentence(self, step: FreeStep) -> str:
        """``step`` as one sentence."""
        number = self._words["listing"].join(map(str, step.clues))
        match step.move:
            case "question" | "recall question":
                return self._framed(step.move, asked=self._asked(step.claim))
            case "clue" | "clues" | "recall" | "break":
                return self._framed(step.move, number=number, clause=self._turned(step.claim))
            case "look":
                return self._resting(step, "look since", "look", asked=self._asked(step.claim))
            case "choose":
                return self._resting(step, "choose since", "choose", clause=self._clause(step.claim))
            case "place" | "fill" | "answer":
                return self._resting(step, "since", "so", clause=self._clause(step.claim))
        return self._framed(step.move, clause=self._clause(step.claim))

    def _framed(self, frame: str, **fields: str) -> str:
        text = self._chance.choice(self._frames[frame]).format(**fields)
        return text[:1].upper() + text[1:]

    def _resting(self, step: FreeStep, since: str, bare: str, **fields: str) -> str:
        reasons = self._reasons(step)
        if not reasons:
            return self._framed(bare, **fields)
        return self._framed(since, reasons=self._words["reasons"].join(reasons), **fields)

    def _reasons(self, step: FreeStep) -> list[str]:
        if isinstance(step.claim[0][0], RightOptions):
            return self._options(step.claim[0][0].letters)
        reasons = [self._lexicon.clause((step.said,))] if step.said else []
        for number in step.clues:
            named = self._words["applies"].format(number=number)
            reasons.append(self._turned(self._clues[number]) if step.says_clues else named)
        return reasons

    def _options(self, letters: tuple[str, ...]) -> list[str]:
        names = [(letter, self._puzzle.options.get(letter)) for letter in letters]
        return [
            self._words["no_other"] if name is None else self._words["is_option"].format(name=name, letter=letter)
            for letter, name in names
        ]

    def _turned(self, claim: Claim) -> str:
        """``claim`` as a clause; an equation with its name first or last, by chance."""
        atoms = [
            Equal(atom.right, atom.left, atom.negated)
            if isinstance(atom, Equal) and isinstance(atom.right, str) and self._chance.random() < 0.5
            else atom
            for atom in claim[0]
        ]
        return self._lexicon.clause((tuple(atoms), *claim[1:]))

    def _asked(self, claim: Claim) -> str:
        """What a claim about the blank looks for, as a noun."""
        match claim:
            case ((Equal(left, right, False),),) if BLANK in (left, right):
                return self._lexicon.term(right if left == BLANK else left)
            case ((Member(name) | Place(name),),) if name == BLANK:
                clause = self._lexicon.clause(claim).removeprefix(self._lexicon.blank).strip()
                return self._words["who"].format(clause=clause)
        places = [atom for atoms in claim for atom in atoms if isinstance(atom, Place)]
        if len(places) == len(claim) and names_of(claim) == (BLANK,):
            first = self._lexicon.clause(((places[0],),)).removeprefix(self._lexicon.blank).strip()
            seats = self._words["or"].join([first, *(place.seat for place in places[1:])])
            return self._words["who"].format(clause=seats)
        return self._words["that"].format(clause=self._lexicon.clause(claim))

    def _clause(self, claim: Claim) -> str:
        """A claim as a clause; those who fill the blank, and letters, are said as a list."""
        first = claim[0][0]
        if isinstance(first, RightOptions):
            form = self._words["answer" if len(first.letters) == 1 else "answers"]
            return form.format(letters=self._words["listing"].join(first.letters))
        if isinstance(first, Nobody):
            return self._lexicon.clause(claim)
        names = [atoms[0].right for atoms in claim if isinstance(atoms[0], Equal) and atoms[0].left == BLANK]
        if len(names) == len(claim):
            form = self._words["fills" if len(names) == 1 else "fill"]
            return form.format(names=self._words["listing"].join(map(str, names)))
        clause = self._lexicon.clause(claim)
        return self._words["either"].format(clause=clause) if len(claim) > 1 else clause
