"""The derivation of a trace as prose: the arms ``cot`` and ``cot-terse``.

Each step becomes one sentence, in the same order and with the same facts, so that the arms differ in form alone.
``cot`` says why, as a teacher would at the board; ``cot-terse`` notes down what was found and nothing else. Neither has
operation words or references to steps: a fact that a step leans on is said again where a reader needs it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from srt.io.records import Lang
from srt.language.premises import Premise, parse_premise
from srt.language.trace import Step, Trace
from srt.worlds.seating.claim_language import (
    BLANK,
    Atom,
    Claim,
    Equal,
    Member,
    Nobody,
    Place,
    RightOptions,
    atom_names,
    names_of,
)
from srt.worlds.seating.derivation.lookups import claims_of, seats_until
from srt.worlds.seating.reading.problem_reader import Puzzle
from srt.worlds.seating.writing.phrases import PROSE_EN, PROSE_ZH, TERSE_EN, TERSE_ZH, Lexicon


def explain(puzzle: Puzzle, trace: Trace, *, terse: bool = False, lettered: bool = False) -> str:
    """The prose of ``trace``: ``terse`` one line of notes, else a paragraph each for reading, placing and answering.

    The last sentence names the right option or options. ``lettered``, as traces of that text style
    (:mod:`srt.worlds.seating.derivation.lookups`): who sits on a seat is found by going through the seats of all, and
    the letter by going through the options.

    Raises:
        UserError: the trace has a step whose claim cannot be read.
    """
    steps = [
        _Step(_part(step, claim, lettered), claim, tuple(map(parse_premise, step.args)))
        for step, claim in zip(trace.steps, claims_of(trace), strict=True)
    ]
    english = puzzle.lang == "en"
    if terse:
        lexicon, stop = (TERSE_EN, ". ") if english else (TERSE_ZH, "。")
        return stop.join(lexicon.clause(step.claim) for step in steps) + stop.strip()
    gap = " " if english else ""
    words, lexicon = _CONNECTIVES[puzzle.lang], PROSE_EN if english else PROSE_ZH
    writer = _ProseWriter(words, lexicon, steps, puzzle.options, gap, lettered, len(puzzle.names))
    paragraphs = itertools.groupby(steps, key=lambda step: step.part)
    return "\n".join(gap.join(map(writer.sentence, paragraph)) for _, paragraph in paragraphs)


@dataclass(frozen=True)
class _Step:
    """A step with its claim and premises taken apart. ``part``: which paragraph of the prose it belongs to."""

    part: str
    claim: Claim
    premises: tuple[Premise, ...]

    @property
    def reads(self) -> Premise | None:
        """The one thing that a reading step reads."""
        return self.premises[0] if self.part == "read" and len(self.premises) == 1 else None

    @property
    def places(self) -> bool:
        """Whether the claim says nothing but who sits where."""
        return all(isinstance(atom, Place) for atoms in self.claim for atom in atoms)


@dataclass(frozen=True)
class _Grounds:
    """What a step leans on: ``reasons`` as clauses, and the names of those whose places were narrowed down before."""

    reasons: list[str]
    unsure: list[str]


def _places_of(step: _Step, names: set[str]) -> tuple[Atom, ...]:
    """The atoms of ``step`` that place one of ``names``."""
    return tuple(atom for atom in step.claim[0] if isinstance(atom, Place) and atom.name in names)


_PARTS = {"CORRELATE": "read", "CONSTRAIN": "place", "INFER": "answer"}


def _part(step: Step, claim: Claim, lettered: bool) -> str:
    """The paragraph of ``step``; to go through the options is a paragraph, as it is a step of a trace."""
    return "options" if lettered and isinstance(claim[0][0], RightOptions) else _PARTS[step.op]


_CONNECTIVES: dict[Lang, dict[str, str]] = {
    "en": {
        "clue": "Clue {number} says that {clause}.",
        "question_term": "The question asks for {term}.",
        "question_who": "The question asks who {clause}.",
        "question": "The question asks us to fill the blank so that {clause}.",
        "that_is_term": "That is {term}.",
        "that_is": "That is, {clause}.",
        "freely": "Turning the whole scene changes nothing, so we may say that {clause}.",
        "freely_with": "Turning the whole scene changes nothing, and {reasons}, so we may say that {clause}.",
        "since": "Since {reasons}, {clause}.",
        "given": "Given where {names} can be, {clause}.",
        "given_since": "Given where {names} can be, and since {reasons}, {clause}.",
        "either": "either {clause}",
        "so": "So {clause}.",
        "left_over": "Every other seat is taken, so {clause}.",
        "together": "Together, {clause}.",
        "taken": "{seats} are taken",
        "one_taken": "{seats} is taken",
        "look_for": "we look for {term}",
        "look_at": "we look for whoever is at {seats}",
        "scan": "Who is at {seat}? {clause}.",
        "any_of": " or ",
        "fills": "{names} fills the blank",
        "fill": "{names} fill the blank",
        "is_option": "{name} is option {letter}",
        "no_other": "no other option fits",
        "options": "Going through the options: {reasons}.",
        "option_fits": "{option} yes",
        "option_fails": "{option} no",
        "nobody_wanted": "nobody fills the blank",
        "answer": "the answer is {letters}",
        "answers": "the answers are {letters}",
        "for": "{reasons}, so {clause}.",
        "listing": ", ",
        "last": " and ",
        "reasons": " and ",
    },
    "zh": {
        "clue": "线索{number}说，{clause}。",
        "question_term": "题目问的是{term}。",
        "question_who": "题目问谁{clause}。",
        "question": "题目要求填空，使得{clause}。",
        "that_is_term": "也就是{term}。",
        "that_is": "也就是说，{clause}。",
        "freely": "整个场景转动后不变，不妨设{clause}。",
        "freely_with": "整个场景转动后不变，而{reasons}，不妨设{clause}。",
        "since": "因为{reasons}，所以{clause}。",
        "given": "按{names}可能的座位，{clause}。",
        "given_since": "按{names}可能的座位，又因为{reasons}，所以{clause}。",
        "either": "{clause}",
        "so": "所以{clause}。",
        "left_over": "其余座位都已有人，所以{clause}。",
        "together": "合起来，{clause}。",
        "taken": "{seats}已有人",
        "one_taken": "{seats}已有人",
        "look_for": "要找的是{term}",
        "look_at": "要找的位于{seats}",
        "scan": "谁位于{seat}？{clause}。",
        "any_of": "或",
        "fills": "{names}符合",
        "fill": "{names}都符合",
        "is_option": "{name}是选项{letter}",
        "no_other": "其他选项都不符合",
        "options": "逐个看选项：{reasons}。",
        "option_fits": "{option}符合",
        "option_fails": "{option}不符合",
        "nobody_wanted": "无人符合",
        "answer": "答案是{letters}",
        "answers": "答案是{letters}",
        "for": "{reasons}，所以{clause}。",
        "listing": "、",
        "last": "和",
        "reasons": "，",
    },
}
"""The words that connect clauses; the clauses themselves come from the lexicon."""


@dataclass(frozen=True)
class _ProseWriter:
    """Writes the sentences of one trace: ``steps`` are all of its steps, ``options`` map letters to names,
    ``people`` are as many as there are seats.

    ``gap`` is between two sentences; ``lettered`` as in :func:`explain`.
    """

    words: Mapping[str, str]
    lexicon: Lexicon
    steps: Sequence[_Step]
    options: Mapping[str, str | None]
    gap: str
    lettered: bool
    people: int

    def sentence(self, step: _Step) -> str:
        """One step as one sentence."""
        read = step.reads
        if read is not None and read.kind == "given":
            form = self.words["so" if self._is_read_again(step) else "clue"]
            return form.format(number=str(read.number), clause=self.lexicon.clause(step.claim))
        if read is not None and read.kind == "question":
            return self._question(step.claim, again=self._is_read_again(step))
        if isinstance(step.claim[0][0], RightOptions):
            return self._answer(step.claim[0][0].letters)
        if any(premise.kind == "wlog" for premise in step.premises):
            reasons = self._grounds(step).reasons
            form = self.words["freely_with"] if reasons else self.words["freely"]
            return form.format(reasons=self._join(reasons), clause=self.lexicon.clause(step.claim))
        if self.lettered and (passed := self._passed_until_found(step)):
            scans = [
                self.words["scan"].format(seat=places[-1].seat, clause=self.lexicon.clause((tuple(places),)))
                for places in passed
            ]
            return self.gap.join([*scans, self.words["so"].format(clause=self._fillers(step.claim))])
        return self._derived(self._sought(step) if step.part == "answer" else self._grounds(step), step)

    def _passed_until_found(self, step: _Step) -> list[list[Place]]:
        """For each that a step finds by their seat: the seats that are known, up to theirs. Empty for other steps."""
        cited = self._cited(step)
        by_seat = any(names_of(other.claim) == (BLANK,) and other.places for other in cited)
        found = [atoms[0].right for atoms in step.claim if len(atoms) == 1 and isinstance(atoms[0], Equal)]
        known = [atom for other in cited if other.places and len(other.claim) == 1 for atom in other.claim[0]]
        seats = {atom.name: atom.seat for atom in known if isinstance(atom, Place) and atom.name != BLANK}
        if not by_seat or len(found) != len(step.claim) or not seats.keys() >= set(found):
            return []
        return [seats_until(str(name), seats) for name in found]

    def _is_read_again(self, step: _Step) -> bool:
        """Whether the step before reads the same clue."""
        at = next(place for place, other in enumerate(self.steps) if other is step)
        return at > 0 and self.steps[at - 1].reads == step.reads

    def _question(self, claim: Claim, again: bool) -> str:
        clause = self.lexicon.clause(claim)
        match claim:
            case ((Equal(left, right, False),),) if BLANK in (left, right):
                form = self.words["that_is_term" if again else "question_term"]
                return form.format(term=self.lexicon.term(right if left == BLANK else left))
            case _ if again:
                return self.words["that_is"].format(clause=clause)
            case ((Member(name) | Place(name),),) if name == BLANK:
                return self.words["question_who"].format(clause=clause.removeprefix(self.lexicon.blank).strip())
        return self.words["question"].format(clause=clause)

    def _derived(self, grounds: _Grounds, step: _Step) -> str:
        clause = self._fillers(step.claim) if step.part == "answer" else self.lexicon.clause(step.claim)
        reasons = [reason for reason in grounds.reasons if reason != clause]
        if step.part == "place" and len(step.claim) > 1:
            clause = self.words["either"].format(clause=clause)
        if not grounds.reasons and self._only_joins(step):
            form = self.words["together"]
        elif grounds.unsure:
            form = self.words["given_since"] if reasons else self.words["given"]
        elif reasons:
            form = self.words["since"]
        elif grounds.reasons or step.part == "answer" or not self._seats_everybody(step):
            form = self.words["so"]
        else:
            form = self.words["left_over"]
        return form.format(
            names=self._list(list(dict.fromkeys(grounds.unsure))), reasons=self._join(reasons), clause=clause
        )

    def _seats_everybody(self, step: _Step) -> bool:
        """Whether ``step`` and those that it cites seat all: else nobody is left over, whatever it no longer cites."""
        seated = {atom for one in (*self._cited(step), step) if len(one.claim) == 1 for atom in one.claim[0]}
        return len({atom.name for atom in seated if isinstance(atom, Place)}) == self.people

    def _only_joins(self, step: _Step) -> bool:
        """Whether a step seats everyone that its premises are about, and one of those steps leaves no choice."""
        cited = self._cited(step)
        known = {name for other in cited for name in names_of(other.claim)}
        certain = any(other.places and len(other.claim) == 1 for other in cited)
        return step.part == "place" and certain and known == set(names_of(step.claim))

    def _grounds(self, step: _Step) -> _Grounds:
        """Why somebody sits somewhere: the relations used, and where those who stand in them sit."""
        cited = self._cited(step)
        relations = [other for other in cited if other.part == "read" or not other.places]
        named = {name for other in relations for name in names_of(other.claim)}
        if not step.places:  # It looks a function up, in the seats of the people that it names.
            named.update(names_of(step.claim))
        grounds, taken = _Grounds([], []), list[str]()
        for other in cited:
            if other in relations:
                continue
            if len(other.claim) > 1:
                grounds.unsure.extend(names_of(other.claim))
            elif placed := _places_of(other, named):
                grounds.reasons.append(self.lexicon.clause((placed,)))
            elif named:
                taken += [atom.seat for atom in other.claim[0] if isinstance(atom, Place)]
        grounds.reasons.extend(self.lexicon.clause(other.claim) for other in relations)
        if taken:
            form = self.words["one_taken" if len(taken) == 1 else "taken"]
            grounds.reasons.append(form.format(seats=self._list(taken)))
        return grounds

    def _sought(self, step: _Step) -> _Grounds:
        """Why the blank is where it is: what is known of the people that the search has reached, from the first on."""
        cited = self._cited(step)
        asked = {name for other in cited if BLANK in names_of(other.claim) for name in names_of(other.claim)}
        sought = asked | set(names_of(step.claim))
        grounds = _Grounds([], [])
        for other in cited:
            if BLANK in names_of(other.claim):
                continue
            if not other.places:
                grounds.reasons.append(self.lexicon.clause(other.claim))
            elif len(other.claim) > 1:
                grounds.unsure.extend(names_of(other.claim))
            elif placed := _places_of(other, sought):
                placed = tuple(sorted(placed, key=lambda atom: atom_names(atom)[0] not in asked))
                grounds.reasons.append(self.lexicon.clause((placed,)))
        return grounds

    def _fillers(self, claim: Claim) -> str:
        """What a claim about the blank comes to; names that fill it are said as a list."""
        names: list[str] = []
        seats = [atoms[0].seat for atoms in claim if len(atoms) == 1 and isinstance(atoms[0], Place)]
        if len(seats) == len(claim) and names_of(claim) == (BLANK,):
            return self.words["look_at"].format(seats=self._list(seats, self.words["any_of"]))
        for atoms in claim:
            match atoms:
                case (Equal(left, right, False),) if left == BLANK and isinstance(right, str):
                    names.append(right)
                case (Equal(left, right, False),) if left == BLANK and len(claim) == 1:
                    return self.words["look_for"].format(term=self.lexicon.term(right))
                case (*_, Nobody()):
                    return self.words["nobody_wanted"]
                case _:
                    return self.lexicon.clause(claim)
        form = self.words["fills"] if len(names) == 1 else self.words["fill"]
        return form.format(names=self._list(names))

    def _answer(self, letters: tuple[str, ...]) -> str:
        if letters:
            form = self.words["answer" if len(letters) == 1 else "answers"]
            found = form.format(letters=self._list(list(letters)))
        else:
            found = self.lexicon.clause(((RightOptions(()),),))
        if self.lettered:
            walk = self.words["options"].format(reasons=self.words["listing"].join(self._each_option(letters)))
            return self.gap.join([walk, self.words["so"].format(clause=found)])
        if not letters:
            return self.words["so"].format(clause=found)
        reasons = [
            self.words["no_other"]
            if self.options.get(letter) is None
            else self.words["is_option"].format(name=str(self.options[letter]), letter=letter)
            for letter in letters
        ]
        text = self.words["for"].format(reasons=self._list(reasons), clause=found)
        return text[:1].upper() + text[1:]

    def _each_option(self, letters: tuple[str, ...]) -> Iterator[str]:
        """Whether each option fits; the name of one that does is said, as a trace does."""
        for letter, name in self.options.items():
            fits = letter in letters
            option = f"{letter} {name}" if fits and name is not None else letter
            yield self.words["option_fits" if fits else "option_fails"].format(option=option)

    def _cited(self, step: _Step) -> list[_Step]:
        numbers = [premise.number for premise in step.premises if premise.kind == "step"]
        return [self.steps[number - 1] for number in numbers if number <= len(self.steps)]

    def _join(self, reasons: list[str]) -> str:
        return self.words["reasons"].join(dict.fromkeys(reasons))

    def _list(self, words: list[str], last: str | None = None) -> str:
        if len(words) < 2:
            return "".join(words)
        return self.words["listing"].join(words[:-1]) + (last or self.words["last"]) + words[-1]
