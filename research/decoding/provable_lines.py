"""The lines of some forms that the checker proves after a text, for problems of a booth: what a mask of tokens allows.

The forms are those of the traces with the plan ``running`` and the text ``anchored``, with any people, seats, functions
and premises in them, right or wrong::

    CORRELATE (k): left(right(A)) = B          != too, and A in beside(B), A notin beside(B); the question with ? in it
    CONSTRAIN [scene|wlog] [#i] [#j]: A@S1 & B@N1 & ...
    INFER [scene] #i [#j]: [A@S1 & [B@N1 &]] ?@S2      also ? = A, ? = left(A), ? = none; two ways: .. | ..
    INFER A B C D #i [#j] [A [B]]: options = {..}
    ANSWER: ..

Which of them are proved is the judge's to say (:func:`srt.judging.prefix.judge_prefix`), in the light of the lines
before. It is asked when a line is wanted, and only of those that follow by the world's relations, in all ways to sit
that the cited steps allow: there are some 100,000 lines of these forms, and it takes half a millisecond for each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations, permutations, product, takewhile
from typing import NamedTuple

from srt.io.records import Problem
from srt.judging.output_text import read_prefix
from srt.judging.prefix import judge_prefix
from srt.language.text import answer_line, read_answer_line, step_line
from srt.language.trace import Operation, Step
from srt.worlds.seating.claim_language import (
    BLANK,
    Claim,
    Nobody,
    RightOptions,
    format_claim,
    names_of,
    parse_claim,
    rename,
)
from srt.worlds.seating.derivation.solver import right_options
from srt.worlds.seating.reading.problem_reader import read_problem
from srt.worlds.seating.relations import asked_set, holds
from srt.worlds.seating.scenes import Scene
from srt.worlds.world import Refused

_BOOTH = Scene("booth", "none")
_FUNCTIONS = ("left", "right", "across", "diag", "front_left", "front_right")
_PEOPLE = ("P0", "P1", "P2", "P3")
"""What the people are called in claims that are made once for all problems."""

Fillers = tuple[frozenset[str], ...]
"""Who fills the blank, in each way to sit."""


class _Said(NamedTuple):
    """Claims that say the same: the ways to sit (bits) in which they hold but for what they say of the blank, and who
    fills the blank in each, if they speak of one."""

    claims: tuple[str, ...]
    ways: int
    fillers: Fillers | None


class _Cited(NamedTuple):
    """Steps that are cited together: ``#1 #4``, the ways to sit that they allow, and who fills the blank by one."""

    words: tuple[str, ...]
    ways: int
    fillers: Fillers | None


def is_booth(problem: Problem) -> bool:
    """Whether there are lines here for ``problem``: four people in a booth without a compass."""
    try:
        return read_problem(problem).scene == _BOOTH
    except Refused:
        return False


class ProvableLines:
    """The provable lines for one problem of a booth, which is without its gold answer."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._puzzle = problem, read_problem(problem)
        self._to_people = dict(zip(self._puzzle.names, _PEOPLE, strict=True))
        self._tables = {make: [self._named(one) for one in make()] for make in _TABLES}
        self._made: dict[str, list[bytes]] = {}
        self._proved: dict[tuple[str, str], bool] = {}

    def begins(self, text: str, line: bytes) -> bool:
        """Whether a line that is proved after ``text``, whose own lines are, begins with ``line``, which may end within
        a character."""
        lines = self.candidates(text)
        at = bisect_left(lines, line)
        return any(self.proved(text, one.decode()) for one in takewhile(lambda one: one.startswith(line), lines[at:]))

    def proved(self, text: str, line: str) -> bool:
        """Whether ``line`` is one of these lines, and proved after ``text``; an answer line, together with all."""
        if (text, line) not in self._proved:
            lines = self.candidates(text)
            at = bisect_left(lines, line.encode())
            found = at < len(lines) and lines[at] == line.encode()
            if found and self.ends(line):
                found = judge_prefix(self._problem, text + line, ended=True).whole
            elif found:
                found = judge_prefix(self._problem, f"{text}{line}\n").kept
            self._proved[text, line] = found
        return self._proved[text, line]

    def ends(self, line: str) -> bool:
        """Whether ``line`` is an answer line."""
        return read_answer_line(line) is not None

    def candidates(self, text: str) -> list[bytes]:
        """The lines that may be proved after ``text``, in order."""
        if text not in self._made:
            said = [self._said(parse_claim(step.claim or "")) for step in read_prefix(text).steps]
            lang = self._problem.lang
            lines = {answer_line(", ".join(letters), lang) for letters in _subsets(tuple(self._puzzle.options))}
            for op, words, claims in self._steps(said):
                head = step_line(Step(op=op, args=words, claim=BLANK), lang)[: -len(BLANK)]
                lines |= {head + claim for claim in claims}
            self._made[text] = sorted(map(str.encode, lines))
        return self._made[text]

    def _steps(self, said: Sequence[_Said]) -> Iterator[tuple[Operation, tuple[str, ...], Iterable[str]]]:
        """Operation, premises, and claims that can follow from them."""
        for clue in self._puzzle.clues:
            ways, relations = self._said(clue.claim).ways, self._tables[_relations]
            yield "CORRELATE", (f"({clue.number})",), _claims(one for one in relations if one.ways == ways)
        fillers = self._said(self._puzzle.question).fillers
        yield "CORRELATE", ("question",), _claims(one for one in self._tables[_questions] if one.fillers == fillers)
        for cited in _citations([(n, one) for n, one in enumerate(said, 1) if one.fillers is None and one.ways]):
            entailed = _claims(one for one in self._tables[_placings] if not cited.ways & ~one.ways)
            for word in ("scene", "") if cited.words else ("scene",):
                yield "CONSTRAIN", _premises(word, cited), entailed
            if len(cited.words) < 2:
                chosen = _claims(one for one in self._tables[_placings] if not cited.ways & ~_turned(one.ways))
                yield "CONSTRAIN", _premises("wlog", cited), chosen
        for cited in _citations([(n, one) for n, one in enumerate(said, 1) if one.ways]):
            if cited.fillers is None or not cited.ways:
                continue
            there = [way for way in range(len(_ways())) if cited.ways >> way & 1]
            of = [cited.fillers[way] for way in there]
            found = _claims(
                one
                for one in self._tables[_blanks]
                if not cited.ways & ~one.ways and one.fillers and [one.fillers[way] for way in there] == of
            )
            for word in ("scene", ""):
                yield "INFER", _premises(word, cited), found
            if len(set(of)) == 1:
                names = {person: name for name, person in self._to_people.items()}
                filled = [names[person] for person in sorted(of[0])]
                right = format_claim(((RightOptions(right_options(self._puzzle.options, filled)),),))
                for given in chain.from_iterable(permutations(filled, count) for count in range(len(filled) + 1)):
                    yield "INFER", (*self._puzzle.options, *cited.words, *given), [right]

    def _said(self, claim: Claim) -> _Said:
        return _say(rename(claim, self._to_people), ())

    def _named(self, said: _Said) -> _Said:
        claims = list(said.claims)
        for name, person in self._to_people.items():
            claims = [claim.replace(person, name) for claim in claims]
        return said._replace(claims=tuple(claims))


def _claims(said: Iterable[_Said]) -> list[str]:
    return [claim for one in said for claim in one.claims]


def _premises(word: str, cited: _Cited) -> tuple[str, ...]:
    return (word, *cited.words) if word else cited.words


def _citations(said: Sequence[tuple[int, _Said]]) -> Iterator[_Cited]:
    """None, one and two of the steps that were ``said``, by their numbers."""
    for together in chain([()], combinations(said, 1), combinations(said, 2)):
        ways = (1 << len(_ways())) - 1
        for _, one in together:
            ways &= one.ways
        # The later of two steps about the blank says more of it.
        fillers = next((one.fillers for _, one in reversed(together) if one.fillers is not None), None)
        yield _Cited(tuple(f"#{number}" for number, _ in together), ways, fillers)


def _subsets(items: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(items, count) for count in range(1, len(items) + 1))


@cache
def _ways() -> list[dict[str, str]]:
    """The ways to sit."""
    return [dict(zip(_PEOPLE, seats, strict=True)) for seats in permutations(_BOOTH.seats)]


def _say(claim: Claim, claims: tuple[str, ...]) -> _Said:
    """What ``claim`` says; of right options, nothing."""
    if isinstance(claim[0][0], RightOptions):
        return _Said(claims, 0, None)
    fillers, known = None, claim
    if BLANK in names_of(claim) or ((Nobody(),),) == (claim[-1][-1:],):
        fillers = tuple(asked_set(claim, _BOOTH, way) for way in _ways())
        known = tuple(
            tuple(atom for atom in atoms if BLANK not in names_of(((atom,),)) and not isinstance(atom, Nobody))
            for atoms in claim
        )
    return _Said(claims, sum(holds(known, _BOOTH, way) << n for n, way in enumerate(_ways())), fillers)


def _alike(claims: Sequence[str]) -> _Said:
    return _say(parse_claim(claims[0]), tuple(claims))


@cache
def _turned(ways: int) -> int:
    """The ``ways`` and those that a turn of the booth makes of them."""
    every, found = _ways(), ways
    for symmetry in _BOOTH.symmetries:
        turn = {seat: _BOOTH.seats[symmetry[n]] for n, seat in enumerate(_BOOTH.seats)}
        for n, way in enumerate(every):
            if ways >> n & 1:
                found |= 1 << every.index({person: turn[seat] for person, seat in way.items()})
    return found


def _between(pairs: Sequence[tuple[str, str]]) -> list[_Said]:
    """What one may say of the other: equations of up to two functions, and benches."""
    found = [_alike([f"{one} {word} beside({other})"]) for one, other in pairs for word in ("in", "notin")]
    for one, other in pairs:
        once = [f"{function}({one})" for function in _FUNCTIONS]
        twice = [f"{function}({inner})" for function, inner in product(_FUNCTIONS, once)]
        for term, sign in product([*once, *twice], ("=", "!=")):
            found.append(_alike([f"{term} {sign} {other}", f"{other} {sign} {term}"]))
    return found


@cache
def _relations() -> list[_Said]:
    """What a clue may say of two people."""
    return _between(list(permutations(_PEOPLE, 2)))


@cache
def _questions() -> list[_Said]:
    """What may be asked about a person."""
    return _between([*((BLANK, person) for person in _PEOPLE), *((person, BLANK) for person in _PEOPLE)])


def _placed(counts: Iterable[int]) -> list[list[str]]:
    """So many people at seats."""
    return [
        [f"{person}@{seat}" for person, seat in zip(people, seats, strict=True)]
        for count in counts
        for people, seats in product(combinations(_PEOPLE, count), permutations(_BOOTH.seats, count))
    ]


@cache
def _placings() -> list[_Said]:
    """Who may sit where, in all orders."""
    return [_alike([" & ".join(order) for order in permutations(each)]) for each in _placed((1, 2, 3, 4))]


@cache
def _blanks() -> list[_Said]:
    """What may be said of the blank, behind the seats of up to two people, and in two ways; in all orders."""
    at = [f"{BLANK}@{seat}" for seat in _BOOTH.seats]
    named = [f"{BLANK} = {person}" for person in _PEOPLE]
    functions = [f"{BLANK} = {function}({person})" for function, person in product(_FUNCTIONS, _PEOPLE)]
    found = [
        _alike([" & ".join((*order, blank)) for order in permutations(each)])
        for blank, each in product([*at, *named, *functions, f"{BLANK} = none"], _placed((0, 1, 2)))
    ]
    sitting = [f"{seat} & {name}" for seat, name in product(at, named)]
    found += [_alike([each]) for each in sitting]
    ways = [*combinations(sitting, 2)]
    for each, both in product(_placed((0, 1)), combinations(at, 2)):
        one, other = (" & ".join((*each, blank)) for blank in both)
        ways.append((one, other))
    return found + [_alike([f"{one} | {other}", f"{other} | {one}"]) for one, other in ways]


_TABLES = (_relations, _questions, _placings, _blanks)
