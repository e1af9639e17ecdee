"""Finds the claims in a text: chains of sides joined by relation signs, with the text around them.

A chain ends where the sentence goes on: at a word, a full stop, a comma outside brackets, the end of a line that no
operator continues. Where the neighbour may change the meaning (``3 + 4 = 7 dozen``, ``twice 3 = ...``) or is not
understood, the side that touches it is not read.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from srt.io.records import Lang
from srt.maths.syntax.expression import number
from srt.maths.syntax.lexing.lexer import tokens_of
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.syntax.spellings import OPERAND_ENDS, OPERAND_STARTS
from srt.maths.units.unit_spellings import FORMULA_UNITS
from srt.maths.words import word_set
from srt.prose.claims.side_ends import SideEnds, apart_or_together

_OPENS = {"open": "close", "lbrace": "rbrace", "langle": "rangle"}
_MARK_OF_REMARK = frozenset({"rel", "word", "stop", "line", "dirty"})
_VALUE_ENDS = word_set("number close rbrace degree superscript")
_NUMBERED = re.compile(r"\d\.([1-9]\d{0,4})$")
_BEFORE_NUMBER = re.compile(r"(?:^|[\n;；:：。])[ $]*$")


@dataclass(frozen=True)
class Side:
    """One side of a relation. ``variants``: the tokens it may be, the likeliest first; none if it cannot be read.

    ``doubtful``: it may be the tail of something longer; such a side can prove, never refute.
    """

    start: int
    end: int
    variants: tuple[tuple[Token, ...], ...]
    doubtful: bool = False
    glued: bool = False
    """It may be the end of one statement and the beginning of the next: ``y = 1 z = 2``."""


@dataclass(frozen=True)
class Chain:
    """``sides[0] relations[0] sides[1] relations[1] ...``; an empty side at either end is left out."""

    sides: tuple[Side, ...]
    relations: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Prose:
    """A text as claims see it: its tokens, and its chains in order."""

    text: str
    tokens: tuple[Token, ...]
    chains: tuple[Chain, ...]


def read_prose(text: str, lang: Lang | None = None) -> Prose:
    """The chains of ``text``. Never raises."""
    tokens = tokens_of(text, lang)
    finder = _Finder(text, tokens)
    finder.scan(0, len(tokens))
    return Prose(text, tokens, tuple(sorted(finder.chains, key=lambda chain: chain.start)))


class _Finder:
    def __init__(self, text: str, tokens: tuple[Token, ...]) -> None:
        self.text, self.tokens = text, tokens
        self.match = _matches(tokens)
        self.marks = _counts(tokens)
        self.formulas = _formulas(tokens)
        self.ends = SideEnds(tokens)
        self.chains: list[Chain] = []

    def scan(self, low: int, high: int) -> None:
        """Find the chains of ``tokens[low:high]``, and those inside brackets that hold a remark."""
        todo = [(low, high)]
        while todo:
            todo.extend(self.level(*todo.pop()))

    def level(self, low: int, high: int) -> list[tuple[int, int]]:
        inner: list[tuple[int, int]] = []
        run = _Run(self, low)
        at = low
        while at < high:
            token = self.tokens[at]
            closing = self.match.get(at)
            if token.kind in _OPENS and closing is not None and closing < high:
                # A whole pair of brackets at once: the number of a part, a factor of the side, or a remark, which has
                # claims or words in it and is searched by itself.
                if self.numbering(at, closing):
                    run.cut(right=True, left=True)
                elif not self.is_remark(at, closing):
                    run.add(range(at, closing + 1))
                else:
                    inner.append((at + 1, closing))
                    boxed = token.kind == "lbrace" and not self.argument(at)
                    run.cut(
                        right=(token.kind == "open" and not run.empty_side() and self.ends.ends_at(closing)) or boxed,
                        left=token.kind == "open" or boxed,
                    )
                at = closing + 1
                continue
            if token.kind == "rel":
                run.relation(token)
            elif token.kind in _OPENS or token.kind in _OPENS.values():  # Its counterpart is missing here.
                before = self.tokens[at - 1].kind if at else "stop"
                after = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
                opens = token.kind in _OPENS
                run.cut(right=opens or after is None or after.kind not in ("op", "superscript"),
                        left=opens and before not in ("op", "number", "frac", "sqrt", "func"))  # fmt: skip
            elif token.kind == "line":
                if not self.continues(at, run):
                    run.cut(right=True, left=True)
                    run.after_line = True
            elif token.kind == "edge":
                if self.apart(at):
                    run.cut(right=True, left=True)
            elif token.kind == "comma":
                # The comma of ``1, 000`` may stand inside one number: neither side of it may be read.
                whole = not self.ends.thousands(at)
                listing = run.is_listed_value()
                run.cut(right=whole, left=whole, listed=self.ends.listed(at))
                run.in_list = listing
            elif token.kind in ("word", "stop"):
                if run.empty_side() or not self.ends.counted_noun(at):
                    run.cut(
                        self.ends.right_clean(at),
                        self.ends.left_clean(at, bool(run.relations)),
                        doubtful=token.text.startswith(("或", "or")),
                    )
                    run.after_word = token.kind == "word"
                    run.after_of = token.text in ("of", "between")
            elif token.kind in ("dirty", "under"):  # Neither neighbour may be read: it may change both.
                run.cut(right=False, left=False)
            else:
                if run.relations and self.next_computation(at):
                    run.cut(right=True, left=True)
                run.add(range(at, at + 1))
            at += 1
        run.cut(right=True, left=True)
        return inner

    def next_computation(self, at: int) -> bool:
        """``12 × 5 = 60 cm 60 × 4 = 240``: a number after a blank, where the side before it has ended."""
        if at < 2 or self.tokens[at].kind != "number" or not self.tokens[at].gap or not self.ends.unit_before(at):
            return False
        # ``1 hour 30 minutes`` is one quantity.
        return self.ends.kind(at + 1) != "unit" or self.ends.kind(at + 2) in ("op", "rel")

    def numbering(self, at: int, closing: int) -> bool:
        """``= 5 (cm)  (2) 3 × 4``: the number of the next part, not a factor."""
        if closing != at + 2 or self.tokens[at + 1].kind != "number" or not self.tokens[at].gap:
            return False
        after = self.tokens[closing + 1].kind if closing + 1 < len(self.tokens) else ""
        ended = self.tokens[at - 1].kind in OPERAND_ENDS
        return at > 1 and ((self.ends.unit_before(at) and after in OPERAND_STARTS) or (ended and after == "number"))

    def argument(self, at: int) -> bool:
        """Whether the brace at ``at`` holds what a command or a sign takes."""
        before = self.tokens[at - 1] if at else None
        return before is not None and (
            before.kind in ("frac", "sqrt", "under", "binom", "func", "rbrace", "close") or before.text == "^"
        )

    def is_remark(self, at: int, closing: int) -> bool:
        return self.marks[closing] > self.marks[at + 1]

    def continues(self, at: int, run: _Run) -> bool:
        """Whether the formula goes on after the end of line at ``at``."""
        before, after = self.ends.neighbour(at, -1), self.ends.neighbour(at, 1)
        if before is None or after is None:
            return False
        if before.kind == "rel" or (before.kind == "op" and before.text != "-"):
            return True
        if after.kind == "rel":
            return before.kind in OPERAND_ENDS
        return after.kind == "op" and after.text in "+×·/*" and before.kind in OPERAND_ENDS

    def apart(self, at: int) -> bool:
        """Whether the delimiter at ``at`` stands between two formulas."""
        before, after = self.ends.neighbour(at, -1), self.ends.neighbour(at, 1)
        if before is None or after is None:
            return False
        if after.kind == "unit" or (after.kind == "open" and self.match.get(self.tokens.index(after, at))):
            return False
        return before.kind in OPERAND_ENDS and after.kind in OPERAND_STARTS and not self.is_factor(at)

    def is_factor(self, at: int) -> bool:
        """Whether the formula beside the delimiter at ``at`` is a factor: ``2$\\sqrt{3}$``, ``$\\frac12$AC``."""
        formula, after = self.formulas.get(at), self.tokens[at + 1]
        if formula is None or self.tokens[at].gap or after.gap or after.text in FORMULA_UNITS:
            return False
        return not any(token.kind in _MARK_OF_REMARK or token.kind == "comma" for token in formula)


class _Run:
    """The chain that is being collected."""

    def __init__(self, finder: _Finder, at: int) -> None:
        self.finder = finder
        self.after_line = self.after_word = self.after_of = self.in_list = False
        self.left_clean = True
        self._clear()

    def _clear(self) -> None:
        self.sides: list[list[Token]] = [[]]
        self.relations: list[Token] = []

    def empty_side(self) -> bool:
        return not self.sides[-1]

    def is_listed_value(self) -> bool:
        """Whether what stands before a comma is a number of a list, ``LCM of 16, 10, 8 = 80``, not a claim."""
        side = self.sides[0]
        lone = len(side) == 1 and side[0].kind == "number"
        return not self.relations and bool(side) and (lone or self.after_of)

    def add(self, places: range) -> None:
        self.sides[-1].extend(self.finder.tokens[place] for place in places)

    def relation(self, token: Token) -> None:
        self.relations.append(token)
        self.sides.append([])

    def cut(self, right: bool, left: bool, doubtful: bool = False, listed: bool = False) -> None:
        """End the chain. ``right``: its last side ends here in meaning; ``left``: the next may begin here.

        ``doubtful``: the text goes on with an alternative. ``listed``: with the next value of a list.
        """
        if self.relations:
            self._finish(right, doubtful, listed)
        self._clear()
        self.left_clean = left
        self.after_line = self.after_word = self.after_of = self.in_list = False

    def _finish(self, right: bool, doubtful: bool, listed: bool) -> None:
        sides, relations = self.sides, [token.text for token in self.relations]
        last = len(sides) - 1
        built = [
            self._side(
                tokens,
                at == 0,
                0 < at < last,
                (at > 0 or self.left_clean) and (at < last or right),
                (doubtful and at == last) or (at == 0 and len(tokens) > 2 and _run_together(tokens)),
                (0 < at < last and _run_together(tokens)) or (listed and at == last and len(sides[0]) == 1),
            )
            for at, tokens in enumerate(sides)
        ]
        if not sides[0]:
            built, relations = built[1:], relations[1:]
        if built and not sides[-1]:
            built, relations = built[:-1], relations[:-1]
        if len(built) > 1 and all(built):
            kept = tuple(side for side in built if side is not None)
            self.finder.chains.append(Chain(kept, tuple(relations), kept[0].start, kept[-1].end))

    def _side(
        self, tokens: list[Token], first: bool, middle: bool, clean: bool, doubtful: bool, glued: bool
    ) -> Side | None:
        if not tokens:
            return None
        start, end = tokens[0].start, tokens[-1].end
        signed = tokens[0].kind == "op"
        if signed and first and (self.after_word and tokens[0].text != "-"):
            clean = False
        doubtful |= signed and first and (self.after_line or self.after_word)
        doubtful |= first and _may_be_time(tokens)
        if not clean or (first and self.in_list and len(tokens) == 1 and tokens[0].kind == "number"):
            return Side(start, end, ())
        if first and _is_argument(self.finder.text, tokens):
            return Side(start, end, ())
        variants = [tuple(tokens), *apart_or_together(self.finder.text, tokens, middle)]
        label = first and _label(tokens)
        if label:
            variants.insert(0, tuple(tokens[label:]))
            start = tokens[label].start
        if first and (numbered := _numbered(self.finder.text, tokens)):
            variants.append(numbered)
        return Side(start, end, tuple(variants), doubtful or glued, glued)


def _is_argument(text: str, tokens: Sequence[Token]) -> bool:
    """Whether a side is one number or name in brackets after a word, the ``(4)`` of ``Area (4) = 16``, 面积(4)=16."""
    alone = [token.kind for token in tokens] in (["open", "number", "close"], ["open", "name", "close"])
    return alone and text[: tokens[0].start].rstrip(" $")[-1:].isalpha()


def _run_together(tokens: Sequence[Token]) -> bool:
    """``AB = 3 AC = 4``: two statements that a space parts, or a product (``2 C D`` in a text that spaces all)."""
    gaps = sum(token.gap for token in tokens[1:])
    for at, (before, token) in enumerate(itertools.pairwise(tokens), 1):
        if token.kind != "name" or token.text == "pi" or before.kind not in _VALUE_ENDS:
            continue
        if before.text == "1" and (at == 1 or tokens[at - 2].kind == "op"):
            return True  # Nobody writes ``1z``.
        whole = token.text.startswith("→") or token.end - token.start == len(token.text)
        if token.gap and whole and (gaps == 1 or _bare(tokens[:at], tokens[at:])):
            return True
    return False


def _bare(value: Sequence[Token], name: Sequence[Token]) -> bool:
    """Whether a value without names stands before a name or a product of two."""
    kinds = [token.kind for token in name]
    return not any(token.kind == "name" for token in value) and kinds in (["name"], ["name", "op", "name"])


def _may_be_time(tokens: Sequence[Token]) -> bool:
    """``3:45``, or ``Step 2 : 3 + 4``: a colon that may be none of a ratio."""
    for before, colon, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if colon.kind == "ratio" and before.kind == after.kind == "number":
            return colon.gap or (len(after.text) == 2 and len(before.text) < 3 and int(after.text) < 60)
    return False


def _label(tokens: Sequence[Token]) -> int:
    """How many tokens of a numbering, ``(2)``, stand before the side; 0 if none."""
    if (
        len(tokens) > 3
        and [t.kind for t in tokens[:3]] == ["open", "number", "close"]
        and tokens[3].kind in OPERAND_STARTS
    ):
        return 3 if len(tokens[1].text) <= 2 else 0
    return 0


def _numbered(text: str, tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The side without the number of its line, ``2.5×6`` as ``5×6``; empty where none may stand before it."""
    found = _NUMBERED.match(tokens[0].text) if tokens[0].kind == "number" and len(tokens) > 1 else None
    if found is None or not _BEFORE_NUMBER.search(text[max(0, tokens[0].start - 8) : tokens[0].start]):
        return ()
    return (replace(tokens[0], text=found[1], number=number(int(found[1]))), *tokens[1:])


def _matches(tokens: Sequence[Token]) -> dict[int, int]:
    """Where each bracket closes; brackets that do not match are left out."""
    match: dict[int, int] = {}
    stack: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind in _OPENS:
            stack.append(at)
        elif token.kind in _OPENS.values():
            for depth in range(len(stack) - 1, max(-1, len(stack) - 6), -1):
                if _OPENS[tokens[stack[depth]].kind] == token.kind:
                    match[stack[depth]] = at
                    del stack[depth:]
                    break
    return match


def _formulas(tokens: Sequence[Token]) -> dict[int, Sequence[Token]]:
    """The tokens of the formula that each delimiter opens or closes."""
    found: dict[int, Sequence[Token]] = {}
    edges = [at for at, token in enumerate(tokens) if token.kind == "edge"]
    for first, last in zip(edges[::2], edges[1::2], strict=False):
        found[first] = found[last] = tokens[first + 1 : last]
    return found


def _counts(tokens: Sequence[Token]) -> list[int]:
    """How many tokens before each place would make a bracket a remark."""
    counts = [0]
    for token in tokens:
        counts.append(counts[-1] + (token.kind in _MARK_OF_REMARK and token.text != ";"))
    return counts
