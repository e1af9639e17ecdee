"""Long texts on which a pattern is slow if any are: its own pieces, repeated, before something that does not match."""

from __future__ import annotations

import itertools
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from types import FrameType
from typing import Any

LENGTH = 10_000
MOST_S = 0.1
_MOST_TEXTS = 24
_REPEATS = {ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT}
_CHARACTERS = {ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN}
_KNOWN = [*"aAnzZx10 5\n\t.,;:=-+*/^_'\"()[]{}<>|&#$%\\?!~@×·°√π中的角一二，。、：；（）é\xa0\u2028\u3000"]
Parsed = Sequence[tuple[Any, Any]]


@dataclass(frozen=True)
class Pumped:
    """``before``, then each of ``pieces`` many times, then ``end``."""

    before: str
    pieces: tuple[str, ...]
    end: str

    def text(self, length: int) -> str:
        """The text of about ``length`` characters."""
        share = (length - len(self.before)) // len(self.pieces)
        return self.before + "".join(piece * (share // len(piece)) for piece in self.pieces) + self.end


def slowest(pattern: re.Pattern[str], methods: set[str], *, thorough: bool) -> tuple[float, str, str]:
    """The most seconds of the processor that a method of ``pattern`` takes on a pumped text, with both.

    Where one takes more than :data:`MOST_S`, it is stopped, and the search is over.
    """
    worst = (0.0, "", "")
    for pumped in texts(pattern, thorough=thorough):
        short, long = pumped.text(LENGTH // 4), pumped.text(LENGTH)
        for method in methods:
            run: Callable[[str], object] = getattr(pattern, "findall" if method == "search" else method)
            # What is fast on a quarter is no slower than this on the whole, if it grows with the third power.
            if _timed(lambda run=run, text=short: run(text)) < MOST_S / 64:  # type: ignore[misc]
                continue
            seconds = min(_timed(lambda run=run, text=long: run(text)) for _ in range(2))  # type: ignore[misc]
            worst = max(worst, (seconds, method, long))
            if seconds >= MOST_S:
                return worst
    return worst


def texts(pattern: re.Pattern[str], *, thorough: bool) -> list[Pumped]:
    """Texts for every repeat of ``pattern``; if ``thorough``, for pairs of them and of its characters, too."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    repeats = list(_repeats(tree, ("",)))
    found = [("", (_sample(tree, pick),)) for pick in range(6 if thorough else 2)]
    bodies: dict[str, None] = {}
    for before, body in repeats:
        for pick in range(6 if thorough else 2):
            text = _sample(body, pick)
            bodies[text] = None
            found += [("", (text,)), *((one, (text,)) for one in before), *(("", (one + text,)) for one in before)]
    alphabet = list(_alphabet(tree))
    if repeats:
        found += [("", (char,)) for char in alphabet]
    pairs = list(itertools.permutations(filter(None, bodies), 2))
    if thorough:
        pairs += itertools.permutations(alphabet[:24], 2)
    found += [("", pair) for pair in pairs[: None if thorough else 6]]
    if thorough:
        found += [("", (one + other,)) for one, other in pairs]
    ends = ("", "\x00") if thorough else ("\x00",)
    texts = [Pumped(*one, end) for one in dict.fromkeys(found) if all(one[1]) for end in ends]
    return texts if thorough else texts[:_MOST_TEXTS]


def _repeats(tree: Parsed, before: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Parsed]]:
    """The bodies of the long repeats, with texts that lead up to each."""
    for op, value in tree:
        if op in _REPEATS and value[1] >= 10:
            yield before, value[2]
        for inner in _inside(op, value):
            yield from _repeats(inner, before)
        ways = itertools.cycle(before)
        before = tuple(
            dict.fromkeys(way + _sample([(op, value)], pick) for pick, way in zip(range(3), ways, strict=False))
        )


def _inside(op: Any, value: Any) -> list[Parsed]:
    if op in _REPEATS:
        return [value[2]]
    if op is ops.SUBPATTERN:
        return [value[3]]
    if op is ops.ATOMIC_GROUP:
        return [value]
    if op in (ops.BRANCH, ops.ASSERT, ops.ASSERT_NOT):
        return list(value[1]) if op is ops.BRANCH else [value[1]]
    return []


def _sample(tree: Parsed, pick: int) -> str:
    """A short text that ``tree`` may match; another one for each ``pick``, as far as it leaves a choice."""
    text = ""
    for op, value in tree:
        if op in _CHARACTERS:
            found = _characters(op, value)
            text += found[pick % len(found)] if found else ""
        elif op in _REPEATS:
            least, most, body = value
            text += _sample(body, pick) * min(20, least if pick % 2 else max(least, min(most, 1)))
        elif op is ops.BRANCH:
            text += _sample(value[1][pick % len(value[1])], pick)
        elif op in (ops.SUBPATTERN, ops.ATOMIC_GROUP):
            text += _sample(_inside(op, value)[0], pick)
    return text


def _alphabet(tree: Parsed) -> dict[str, None]:
    found: dict[str, None] = {}
    for op, value in tree:
        if op in _CHARACTERS:
            chars = _characters(op, value)
            found |= dict.fromkeys((*chars[:4], *chars[-1:]))
        for inner in _inside(op, value):
            found |= _alphabet(inner)
    return found


def _characters(op: Any, value: Any) -> list[str]:
    """Characters that one place of a pattern matches."""
    if op is ops.LITERAL:
        return [chr(value)]
    if op is ops.NOT_LITERAL:
        return [char for char in _KNOWN if char != chr(value)][:3]
    if op is ops.ANY:
        return ["a", " ", "中"]
    negated = value[0][0] is ops.NEGATE
    own = [chr(one if kind is ops.LITERAL else one[0]) for kind, one in value if kind in (ops.LITERAL, ops.RANGE)]
    return [char for char in dict.fromkeys([*_KNOWN, *([] if negated else own)]) if _is_in(char, value) != negated]


def _is_in(char: str, members: Any) -> bool:
    categories = {
        ops.CATEGORY_DIGIT: r"\d", ops.CATEGORY_NOT_DIGIT: r"\D", ops.CATEGORY_SPACE: r"\s",
        ops.CATEGORY_NOT_SPACE: r"\S", ops.CATEGORY_WORD: r"\w", ops.CATEGORY_NOT_WORD: r"\W",
    }  # fmt: skip
    for kind, value in members:
        if kind is ops.LITERAL and value == ord(char):
            return True
        if kind is ops.RANGE and value[0] <= ord(char) <= value[1]:
            return True
        if kind is ops.CATEGORY and re.match(categories[value], char):
            return True
    return False


class _Slow(Exception):
    pass


def _timed(run: Callable[[], object]) -> float:
    """Seconds of the processor, :data:`MOST_S` if it takes longer: then it is stopped."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise _Slow

    before = signal.signal(signal.SIGVTALRM, stop)
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
        run()
        return time.process_time() - began
    except _Slow:
        return MOST_S
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
