"""Where a side of a claim ends in meaning: words beside it that change it (``twice 3``, ``7 dozen``), and commas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from srt.maths.syntax.expression import number
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.syntax.spellings import OPERAND_ENDS
from srt.maths.words import word_set

_NEAR = 12
_VALUE = word_set("number frac sqrt lbrace rbrace unit degree edge")
_CHANGES_LEFT = word_set(
    "twice half double triple thrice times plus minus squared cubed square cube root percent divided "
    "multiplied remaining less mod modulo quarter third log ln negative"
)
_CHANGES_WITH_OF = word_set(
    "square squares cube root roots half third quarter sum product difference ratio percent reciprocal "
    "multiple power logarithm sine cosine tangent times quotient twice thirds quarters opposite inverse fifth "
    "sixth"
)
_CHANGES_RIGHT = word_set(
    "times percent hundred thousand million billion dozen remainder mod modulo plus minus squared cubed of "
    "r degrees degree score pairs pair half halves thirds quarters dollars cents per the its"
)
_OPERATED_BY = word_set("divided multiplied raised increased decreased reduced times")
_HAN_LEFT = re.compile(r"(?:[加减乘除比倍半]|以上|分之|平方|立方|一半|开方|负|根号|百分之)$")
_HAN_RIGHT = re.compile(
    r"^(?:的(?!长|体|面|表|侧|底|高|圆|球|正|长方|小|大)|倍|分之|万|亿|千(?!米|克)|百|十|余|多|几|又|次方|的平方|的立方|"
    r"[该此原大小外内上下]?(?:圆|球|扇形|圆[柱锥])?[底侧]?面?的?(?:周长|弧长|面积|体积|半径|直径|高|边长|棱长|母线|圆周)(?![为是]))"
)
_BEFORE = re.compile(r"(?<![\d.])(\d{1,3}(?:，\d{3}){0,5})，$")
_AFTER = re.compile(r"((?:，\d{3})+)(?!\d)")
_ONE_COMMA = re.compile(r"(\d+)([,．])(\d+)")
_REACH = 24


class SideEnds:
    """The tokens of a text, and what stands beside each of their places."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens

    def neighbour(self, at: int, step: int) -> Token | None:
        """The next token that is no delimiter of a formula, ``None`` where none stands near."""
        for _ in range(_NEAR):
            at += step
            if not 0 <= at < len(self.tokens):
                return None
            if self.tokens[at].kind not in ("edge", "line"):
                return self.tokens[at]
        return None

    def kind(self, at: int) -> str:
        """The kind of the token at ``at``; the empty string past the end."""
        return self.tokens[at].kind if at < len(self.tokens) else ""

    def unit_before(self, at: int) -> bool:
        """Whether a unit, ``cm`` or ``(cm)``, stands right before the token at ``at``."""
        return self.tokens[at - 1].kind == "unit" or (
            self.tokens[at - 1].kind == "close" and self.tokens[at - 2].kind == "unit"
        )

    def right_clean(self, at: int) -> bool:
        """Whether a side that ends at the word ``at`` ends there in meaning."""
        token, after = self.tokens[at], self.neighbour(at, 1)
        if token.kind == "word" and token.text.casefold() in ("more", "less"):
            return not any(
                self.kind(at + step) == "word" and self.tokens[at + step].text == "than" for step in (1, 2, 3)
            )
        if token.text == "of" and self.unit_before(at):
            return True  # ``= 366 m² of tiles``
        if token.kind == "word" and (token.text.casefold() in _CHANGES_RIGHT or _HAN_RIGHT.match(token.text)):
            return False
        return after is None or not (after.kind in ("op", "superscript") and after.text not in "-+")

    def left_clean(self, at: int, related: bool) -> bool:
        """Whether a side that begins after the word ``at`` begins there in meaning.

        ``related``: what stands before it is a chain of its own.
        """
        token, before = self.tokens[at], self.neighbour(at, -1)
        if token.kind == "word":
            word, after = token.text.casefold(), self.neighbour(at, 1)
            if word in _CHANGES_LEFT or _HAN_LEFT.search(word):
                return False
            if word == "by" and before is not None:
                return before.kind == "word" and before.text.casefold() not in _OPERATED_BY
            if word == "of" and before is not None:
                return before.kind == "word" and before.text.casefold() not in _CHANGES_WITH_OF
            listed = before is not None and before.kind in ("number", "unit") and not related
            if word in ("and", "和", "与") and listed and after is not None and after.kind == "number":
                return False
        elif token.text == "." and token.gap and before is not None and before.kind == "number":
            return False  # ``2 . 3 = 6``
        elif token.text == ":" and before is not None and before.kind in OPERAND_ENDS:
            after, earlier = self.neighbour(at, 1), self.neighbour(self.tokens.index(before, max(0, at - 8)), -1)
            if before.kind == "close" and after is not None and after.kind == "name":
                return True
            if before.kind == "name":
                return after is None or after.kind != "name"
            labelled = before.kind in ("number", "close") and (
                earlier is None or earlier.kind not in ("op", "ratio", "rel")
            )
            if related:  # ``V = 12: ...`` goes on, ``c = -0.5: 1.5`` divides.
                return before.kind != "number" or after is None or after.kind != "number"
            return labelled and before.kind == "number" and (earlier is None or earlier.kind in ("word", "stop"))
        return before is None or before.kind != "op"

    def ends_at(self, closing: int) -> bool:
        """Whether the side before a remark ends there in meaning: ``7（箱）……35（千克）`` is one quotient."""
        after = self.neighbour(closing, 1)
        if after is None:
            return True
        if after.kind == "word":
            return after.text.casefold() not in ("remainder", "r") and not after.text.startswith("余")
        return after.kind not in ("dirty", "superscript") and not (after.kind == "op" and after.text not in "-+")

    def listed(self, comma: int) -> bool:
        """Whether a lone value stands after a comma: ``x, y = 1, 2`` and ``x = 1, 2``."""
        at = comma + 1
        while self.kind(at) in ("edge", "op") and (self.kind(at) == "edge" or self.tokens[at].text == "-"):
            at += 1
        if self.kind(at) == "dirty" and self.tokens[at].text[0].isdigit():
            return True  # ``1, 1,2``: the rest may be a decimal comma.
        if self.kind(at) not in ("number", "frac", "sqrt"):
            return False
        while self.kind(at) in _VALUE:
            at += 1
        ended = self.kind(at) in ("", "comma", "stop", "line") or self.tokens[at].text in ("and", "or", "和", "或")
        return ended and not (self.kind(at) == "stop" and self.tokens[at].text == "∴")

    def thousands(self, comma: int) -> bool:
        """Whether the comma may stand inside one number: ``12, 500``, but not ``12， 500``."""
        before, after = self.tokens[comma - 1], self.neighbour(comma, 1)
        if (
            comma == 0
            or self.tokens[comma].text == "，"
            or before.kind != "number"
            or len(before.text) > 3
            or after is None
        ):
            return False
        return after.kind in ("number", "dirty") and after.gap and re.fullmatch(r"\d{3}", after.text) is not None

    def counted_noun(self, at: int) -> bool:
        """``12 edges × 3``: the noun of a count says nothing about the value."""
        before, after = self.neighbour(at, -1), self.neighbour(at, 1)
        word = self.tokens[at].text
        if before is None or after is None or before.kind != "number" or self.tokens[at].kind != "word":
            return False
        if word.casefold() in _CHANGES_RIGHT or _HAN_RIGHT.match(word) or (not word.isascii() and len(word) > 2):
            return False
        return after.kind == "op" and after.text in "×*"


def apart_or_together(text: str, tokens: Sequence[Token], middle: bool) -> Iterator[tuple[Token, ...]]:
    """The other senses of the side ``tokens`` of ``text``, where a comma parts a list or the thousands of one number.

    ``5×4=20,100÷20=5`` has a comma of thousands for most readers, and two equations for its writer; with
    ``12，300×2=24，600`` it is the other way round. The rarer sense never shows that a claim is right, but keeps it
    from being refuted.

    Its numbers at the ends with what stands beyond their commas; and the parts of a number with a comma, where that is
    in the ``middle`` of a chain: the end of one equation and the beginning of the next.
    """
    first, last = tokens[0], tokens[-1]
    before = _BEFORE.search(text[max(0, first.start - _REACH) : first.start]) if len(first.text) == 3 else None
    after = _AFTER.match(text, last.end)
    if first.kind == "number" and first.text.isdigit() and before:
        tokens = (_number(first, before[1] + first.text), *tokens[1:])
    if last.kind == "number" and last.text.isdigit() and len(last.text) <= 3 and after:
        tokens = (*tokens[:-1], _number(tokens[-1], tokens[-1].text + after[1]))
    if tokens[0] is not first or tokens[-1] is not last:
        yield tuple(tokens)
    for at, token in enumerate(tokens if middle else ()):
        written = _ONE_COMMA.fullmatch(text[token.start : token.end]) if token.kind == "number" else None
        if written:
            yield (*tokens[:at], _number(token, written[1]))
            yield (_number(token, written[3]), *tokens[at + 1 :])


def _number(token: Token, digits: str) -> Token:
    plain = re.sub(r"\D", "", digits)
    return replace(token, text=plain, number=number(Fraction(plain)))
