"""Text to tokens: LaTeX, unicode mathematics, English and Chinese, each token with its place in the text.

A token is mathematics (``number``, ``name``, ``op``, ``rel``, ...), a clean end of it (``word``, ``stop``, ``line``,
``comma``), or ``dirty``: something that may change what stands beside it and that is not understood here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from srt.io.records import Lang
from srt.maths.syntax.expression import Number
from srt.maths.syntax.lexing.command_reader import LOGARITHM_BASE, CommandReader
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.syntax.notations import begins_cell, currency_end, repeating_decimal_at, tells_length
from srt.maths.syntax.spellings import (
    CONSTANT_NAMES,
    ENGLISH,
    ENGLISH_OPERATORS,
    FRACTIONS,
    FUNCTION_SPELLINGS,
    FUNCTIONS,
    GREEK_LETTERS,
    HAN_OPERATORS,
    HAN_RELATIONS,
    LOGARITHMS,
    OPERAND_ENDS,
    OPERATORS,
    RELATIONS,
    SUPERSCRIPTS,
)
from srt.maths.syntax.symbols import NAME_SIGNS, name_at, plain_name_at
from srt.maths.units.unit_spellings import FORMULA_POWER_WORDS, FORMULA_UNITS, HAN_UNITS, unit_named
from srt.maths.work import spend

_NUMBER = re.compile(r"\d{1,3}(?:(?:\{,\}|,\\!|\\,|,)\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")
_DECIMAL_COMMA = re.compile(r"\d+,(?:\d{1,2}|\d{4,60})(?![\d.,])")
"""``3,14``: a decimal comma, or the comma of a list."""
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)(?![a-zA-Z])|\d+-?(?:D|d)(?![a-zA-Z])")
_NEWLINE = re.compile(
    r"\n|\\\\(?!\\?(?:sin|cos|tan|frac|sqrt|cot|pi)(?![A-Za-z]))\*?(?:\[[^\]\n]{0,8}\])?|\\n(?![a-z])"
)
_TAG = re.compile(
    r"<(?:image|img|Image)[^<>\n]{0,40}>|</?[a-z]{1,6}>|\[asy\].*?(?:\[/asy\]|\Z)|```.*?(?:```|\Z)", re.DOTALL
)
"""Pictures, tags, and blocks of code: what stands in them is no claim."""
_RAISED = re.compile(r"<sup>\s*(\d{1,3})\s*</sup>", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+(?:[’'](?:s|t|re|ll)\b)?")
_DEGREE = re.compile(
    r"\^\s*(?:\{\s*\\(?:circ|degree)\s*\}|\\(?:circ|degree)(?![a-z]))|°|\\degree|º|˚|\^\s*[o○](?![a-z])"
)
_HAN = re.compile(r"[\u3400-\u9fff]+")
_CALL = re.compile(r"\\left\(|\(")
_CALL_USED = re.compile(
    r"(?:\\left)?\((?:[^()\n]|\([^()\n]{0,60}\)){0,100}\)\s*+(?:\$\s*+)?(?:[=≈≠<>≤≥+*/×·÷^-]|\\(?:approx|times|cdot))"
)
"""A call whose value is used."""
_SQUARED = re.compile(r"\s?[²³]|\^\{?[23]")
"""``20π m²``: behind π a lone m is a unit only with a power."""
_INDEXED = re.compile(r"\d\(")
_BRACED_POINT = re.compile(r"\{\s*[A-Z]\s*\}\s*_")
_EMPTY = re.compile(r"\{\s*\}")
_ELLIPSIS = re.compile(r"\.\.\.+|…+|⋯+|。。+|\\(?:l|c|v|d)?dots[a-z]?")


_WORK_PER_CHARACTER = 3


def tokens_of(text: str, lang: Lang | None = None) -> tuple[Token, ...]:
    """The tokens of ``text``, in order. Never raises; linear in the length of ``text``.

    ``lang``: the language of the prose; a lone ``a`` before a word is an article unless it is Chinese.
    """
    spend(_WORK_PER_CHARACTER * len(text))
    return _tokens(text, lang != "zh")


@lru_cache(maxsize=64)  # The claims, the numbers and the units of a step are looked for in the same text.
def _tokens(text: str, articles: bool) -> tuple[Token, ...]:
    return tuple(_Lexer(text, articles).run())


class _Lexer(CommandReader):
    def run(self) -> list[Token]:
        # The first reader that knows what stands here takes it, so what has a special sense comes before the general
        # one: ``^\circ`` before commands and signs, ``...`` before the decimal point, words before single signs.
        readers: tuple[Callable[[], bool], ...] = (
            self._space, self._newline, self._tag, self._dollar, self._degree, self._ellipsis, self._command,
            self._han, self._numeral, self._letters, self._sign,
        )  # fmt: skip
        while self.at < len(self.text):
            for reader in readers:
                if reader():
                    break
            else:
                # Never an error: a claim that touches what is unknown is not read, and the rest of the text is.
                self._emit("dirty", self.text[self.at], self.at + 1)
        return self.out

    def _space(self) -> bool:
        char = self.text[self.at]
        if char == "{" and (empty := _EMPTY.match(self.text, self.at)):
            return self._skip(empty.end())
        if char == "&" and self._last(*OPERAND_ENDS) and begins_cell(self.text, self.at + 1):
            return False  # A cell of a table, which no reader knows: the formulas in its cells are kept apart.
        if (char.isspace() and char != "\n") or char in "~&\u200b\ufeff":
            return self._skip(self.at + 1)
        if (amount := currency_end(self.text, self.at)) is not None:
            return self._skip(amount)
        return False

    def _newline(self) -> bool:
        match = _NEWLINE.match(self.text, self.at)
        return bool(match) and self._emit("line", "\n", match.end() if match else 0)

    def _tag(self) -> bool:
        raised = _RAISED.match(self.text, self.at)
        if raised is not None:
            digits = raised[1]
            return self._emit("superscript", digits, raised.end(), Number(Fraction(digits)))
        match = _TAG.match(self.text, self.at)
        # What is raised or lowered otherwise changes what stands before it.
        kind = "dirty" if match and match[0].lower() in ("<sup>", "<sub>") else "stop"
        return bool(match) and self._emit(kind, "tag", match.end() if match else 0)

    def _dollar(self) -> bool:
        if self.conventions.dollars_are_money and self.text[self.at] == "$":
            # ``It costs $5 and $6``: read as delimiters, the words between two prices would be a formula.
            return self._skip(self.at + 1)
        for mark, opens in (("$$", None), ("$", None), (r"\(", True), (r"\[", True), (r"\)", False), (r"\]", False)):
            if self.text.startswith(mark, self.at):
                self.math = not self.math if opens is None else opens
                display = mark in ("$$", r"\[", r"\]")
                return self._emit("line" if display else "edge", mark, self.at + len(mark))
        return False

    def _degree(self) -> bool:
        match = _DEGREE.match(self.text, self.at)
        if match is None:
            return False
        return self._emit("degree", "°", match.end())

    def _ellipsis(self) -> bool:
        match = _ELLIPSIS.match(self.text, self.at)
        return bool(match) and self._emit("dirty", "...", match.end() if match else 0)

    def _han(self) -> bool:
        match = _HAN.match(self.text, self.at)
        if match is None:
            return False
        run = match[0]
        if self._after("number", "close", "rbrace", "name", "unit", "open"):
            for spelling in HAN_UNITS:
                if run.startswith(spelling):
                    return self._unit(FORMULA_UNITS[spelling], self.at + len(spelling))
            if run.startswith("度") and self._last("number"):
                return self._emit("degree", "°", self.at + 1)
        if self._after("name") and self._tells_length(match):
            return self._emit("rel", "=", match.end())
        # 加 or 大于 is a sign between two values only; 增加 and 大于号 are words.
        if self._last("number", "close", "unit", "rbrace", "degree"):
            for words, kind in ((HAN_OPERATORS, "op"), (HAN_RELATIONS, "rel")):
                for word, sign in words.items():
                    after = self.text[self.at + len(word) : self.at + len(word) + 2].lstrip(" $")
                    if run.startswith(word) and re.match(r"[\d\\(√π-]", after):
                        return self._emit(kind, sign, self.at + len(word))
        return self._emit("word", run, match.end())

    def _tells_length(self, verb: re.Match[str]) -> bool:
        name = next(token for token in reversed(self.out) if token.kind == "name")
        return tells_length(self.text, name.text, name.start, verb)

    def _numeral(self) -> bool:
        char = self.text[self.at]
        if char in FRACTIONS:
            return self._emit("number", char, self.at + 1, Number(Fraction(FRACTIONS[char])))
        if char in SUPERSCRIPTS:
            end = self.at
            while end < len(self.text) and self.text[end] in SUPERSCRIPTS:
                end += 1
            digits = "".join(SUPERSCRIPTS[c] for c in self.text[self.at : end])[:30]
            return self._emit("superscript", digits, end, Number(Fraction(digits)))
        if char.isascii() and char.isdigit() and self._last_opens_fraction():
            return self._emit("number", char, self.at + 1, Number(Fraction(char)))
        repeating = repeating_decimal_at(self.text, self.at)
        if repeating is not None and not self._last("number"):
            value, end = repeating
            return self._emit("number", self.text[self.at : end], end, value)
        # Outside brackets ``3,14`` may be a number or a list; inside, it is a pair of coordinates.
        comma = _DECIMAL_COMMA.match(self.source, self.at) if self.depth == 0 else None
        if comma is not None and not self._last("number"):
            return self._emit("dirty", comma[0], comma.end())
        match = _NUMBER.match(self.text, self.at)
        if match is None or (char == "." and self._last("number", "close", *(() if self.gap else ("word",)))):
            return False
        ordinal = _ORDINAL.match(self.text, self.at)
        if ordinal is not None and not self.math:
            return self._emit("word", ordinal[0], ordinal.end())
        spelled, end = match[0], match.end()
        # A full-width comma ends what it stands after: ``5×4=20，100÷20=5`` is two equations.
        listed = self.source.find("，", self.at, end)
        if listed < 0 and "," in spelled and self._in_tuple(spelled, end):
            listed = self.at + spelled.index(",")
        if listed >= 0:
            spelled, end = self.text[self.at : listed], listed
        digits = re.sub(r"[^\d.]", "", spelled)
        if digits[0] == "0" and digits[1:2].isdigit():
            return self._emit("dirty", digits, end)  # ``x + y = 02y - z = 0``: a line end is lost.
        if len(digits) > 60:  # No claim has such a number, and powers of it would take for ever.
            return self._emit("dirty", digits, end)
        decimals = len(digits.partition(".")[2]) or None
        return self._emit("number", digits, end, Number(Fraction(digits), decimals))

    def _last_opens_fraction(self) -> bool:
        """``\\frac12`` is one half: each digit stands for itself."""
        last = self.out[-2:]
        if self._last("frac"):
            return True
        return len(last) == 2 and last[0].kind == "frac" and last[1].kind == "number" and len(last[1].text) == 1

    def _in_tuple(self, spelled: str, end: int) -> bool:
        """``(3,100)`` is a pair of coordinates; ``3,100`` alone is one number."""
        if "{" in spelled or "\\" in spelled or self.depth == 0:
            return False
        before = self.text[: self.at].rstrip()[-1:]
        return before in "({,-" or self.text[end : end + 40].lstrip()[:1] in (")", ",")

    def _letters(self) -> bool:
        char = self.text[self.at]
        if char in CONSTANT_NAMES:
            return self._emit("name", "pi", self.at + 1)
        if char in GREEK_LETTERS or char in NAME_SIGNS:
            return self._name(char, self.at + 1)
        # ``{A}_{1}``, from scanned texts, is a point; behind a command the brace holds its argument.
        if _BRACED_POINT.match(self.text, self.at) and not self._last("frac", "sqrt", "binom", "under"):
            return self._name("{", self.at + 1)
        match = _WORD.match(self.text, self.at)
        if match is None:
            return False
        word = match[0]
        if word in LOGARITHMS and LOGARITHM_BASE.match(self.text, match.end()):
            return self._function(word, match.end())
        # Radians are no unit of FORMULA_UNITS, and 2 rad must not be read as 2.
        if word in ("rad", "radian", "radians") and self._after("number", "close", "name"):
            return self._emit("dirty", word, match.end())
        if _CALL.match(self.text, match.end()) and (called := self._called(word, match.end())) is not None:
            return called
        for function in ("arcsin", "arccos", "arctan", "sin", "cos", "tan", "cot"):
            # ``sinx`` without a space, in formulas alone: in prose it is a word such as ``cost``.
            if word == function or (word.startswith(function) and len(word) <= len(function) + 1 and self.math):
                return self._emit("func", function, self.at + len(function))
        if self._after("number", "close", "unit", "name", "rbrace", "open") and self._plain_unit(word):
            return True
        if self._last("number") and word == "x" and re.match(r"\s*\d", self.text[match.end() :][:4]):
            return self._emit("op", "×", match.end())
        if word in ENGLISH_OPERATORS and self._last("number", "close", "unit"):
            return self._emit("op", ENGLISH_OPERATORS[word], match.end())
        if word == "equals" and self._last("number", "close", "unit", "name"):
            return self._emit("rel", "=", match.end())
        if self._after("name") and self._tells_length(match):
            return self._emit("rel", "=", match.end())
        if word.casefold() == "sqrt" and _INDEXED.match(self.text, match.end()):
            return self._emit("dirty", word, match.end())  # ``sqrt3(27)``: a cube root, or a product.
        if word in ("sqrt", "Sqrt", "SQRT", "pi"):
            return self._emit("name" if word == "pi" else "sqrt", word, match.end())
        # What is left is names in formulas, and words in prose, with a few exceptions on both sides.
        if not self.math and self._product_of_letters(word, match.end()):
            return self._emit("name", *(name_at(self.text, self.at, False) or (word[0], self.at + 1)))
        if not self.math:
            found = plain_name_at(self.text, self.at, self.articles)
            return self._emit("name", *found) if found else self._emit("word", word, match.end())
        if (word.casefold() in ENGLISH and not word.isupper()) or re.match(r"[A-Z]?[a-z]{4}", word) or word == "Rt":
            return self._emit("word", word, match.end())
        found = name_at(self.text, self.at, True)
        return self._emit("name", *found) if found else self._emit("word", word, match.end())

    def _called(self, word: str, end: int) -> bool | None:
        """A word straight before a bracket is a function, known or not; ``None`` where it is something else."""
        known = FUNCTION_SPELLINGS.get(word.casefold(), word.casefold())
        if known in FUNCTIONS:
            return self._function(known, end)
        if word == "cbrt":
            return self._emit("cbrt", word, end)
        symbols = word.isupper() or len(word) <= 2 or (self.math and word.islower() and len(word) == 3)
        if symbols or word in ("sqrt", "pi") or word.casefold() in ENGLISH or word in FORMULA_UNITS:
            return None
        return self._emit("dirty", word, end) if _CALL_USED.match(self.text, end) else None

    def _product_of_letters(self, word: str, end: int) -> bool:
        """Whether two or three small letters in prose are a product: ``2ab``, ``+ bc``, ``ab =``."""
        if not 2 <= len(word) <= 3 or not word.islower() or word in ENGLISH or word in FORMULA_UNITS:
            return self._last("name") and not self.gap and len(word) == 1
        if self._last("op") or (self._last("number", "close") and not self.gap):
            return True
        return len(word) == 2 and self.text[end : end + 2].lstrip()[:1] in ("=", "+", "^")

    def _plain_unit(self, word: str) -> bool:
        if word in FORMULA_POWER_WORDS and self._after("number", "close", "name", "rbrace", "open"):
            match = re.compile(r"\w+\s+([A-Za-z]+)").match(self.text, self.at)
            unit = unit_named(match[1], True) if match else None
            if match and unit:
                return self._emit("unit", unit.name, match.end(), unit=unit.raised(FORMULA_POWER_WORDS[word]))
            return False
        squared = (
            self._last("name") and self.out[-1].text == "pi" and self.gap and _SQUARED.match(self.text, self.at + 1)
        )
        upright = not self.math and not self.bare and (self._after("number") or bool(squared))
        unit = unit_named(word, upright)
        # ``5 in`` is mostly a preposition: inches only before a full stop or a power.
        if word == "in" and not re.match(r"\.(?:\s|$)|\s?[²³^]|\$?\^|[23](?!\w)", self.text[self.at + 2 : self.at + 5]):
            return False
        unit = FORMULA_UNITS["inch"] if word == "in" else unit
        if word in self.conventions.named_letters and not self.gap:
            return False
        # In ``5 h`` and ``5 s`` a height or a length of arc is as likely as a time.
        if (
            unit is None
            or word in ("h", "s")
            or (self._after("name") and unit_named(word, False) is None and not squared)
        ):
            return False
        return self._unit(unit, self.at + len(word))

    def _sign(self) -> bool:
        char, pair = self.text[self.at], self.text[self.at : self.at + 2]
        if pair in ("//", "->", "=>", "==", "<-", ":="):
            return self._emit("dirty" if pair in ("//", "==", ":=") else "stop", pair, self.at + 2)
        if (pair in RELATIONS and pair != "!=") or (pair == "!=" and not self._last("number", "close")):
            return self._emit("rel", RELATIONS[pair], self.at + 2)
        if pair == "**":
            inside = self._last("number", "name", "close") and not self.gap
            return self._emit(
                "op" if inside and self.text[self.at + 2 : self.at + 3].isdigit() else "stop", "^", self.at + 2
            )
        if char in "<>" and (self._last("func") if char == "<" else self._open_angle()):
            return self._emit("langle" if char == "<" else "rangle", char, self.at + 1)
        if char in RELATIONS:
            return self._emit("rel", RELATIONS[char], self.at + 1)
        if char in OPERATORS:
            return self._emit("op", OPERATORS[char], self.at + 1)
        if char in "([":
            self.depth += 1
            return self._emit("open", char, self.at + 1)
        if char in ")]":
            self.depth = max(0, self.depth - 1)
            return self._emit("close", char, self.at + 1)
        simple = {"{": "lbrace", "}": "rbrace", "|": "bar", "±": "pm", "%": "percent", "√": "sqrt", "∛": "cbrt",
                  ",": "comma", "_": "under", "'": "stop", "∣": "bar"}  # fmt: skip
        if char == "!":
            after = self.text[self.at + 1 : self.at + 3].lstrip(" $")[:1]
            return self._emit("factorial" if after and after in "+-*×/)}=^\\" else "dirty", char, self.at + 1)
        if char == ":":
            spaced = re.match(r" +\d", self.text[self.at + 1 : self.at + 6]) if self.gap else None
            tight = re.match(r"[\w(\\]", self.text[self.at + 1 : self.at + 2]) and self.source[self.at] == ":"
            inside = bool(spaced or (tight and not self.gap))
            ratio = inside and self._last("number", "name", "close", "rbrace")
            return self._emit("ratio" if ratio else "stop", ":", self.at + 1)
        if char in simple:
            return self._emit(simple[char], "，" if self.source[self.at] == "，" else char, self.at + 1)
        if char in '.。;、?？!"“”‘’`【】《》〈〉#①②③④⑤⑥⑦⑧⑨∴∵⇒→⟹⇔':
            return self._emit("dirty" if char in "?？" else "stop", char, self.at + 1)
        return False

    def _open_angle(self) -> bool:
        for token in reversed(self.out[-12:]):
            if token.kind == "langle":
                return token.text == "<"
            if token.kind in ("word", "stop", "line", "rel"):
                return False
        return False
