"""Commands of LaTeX, the names, functions and units that they may spell, and what stands after them."""

from __future__ import annotations

import re
from fractions import Fraction

from srt.maths.syntax.expression import Number
from srt.maths.syntax.lexing.token_writer import TokenWriter
from srt.maths.syntax.notations import matrix_end
from srt.maths.syntax.spellings import (
    CONSTANT_NAMES,
    FUNCTION_SPELLINGS,
    FUNCTIONS,
    GREEK,
    LOGARITHMS,
    OPERATORS,
    RELATIONS,
    SPACES,
    STOPS,
    TEXT_COMMANDS,
)
from srt.maths.syntax.symbols import NAME_SIGNS, name_at
from srt.maths.units.unit import Unit
from srt.maths.units.unit_spellings import FORMULA_POWER_WORDS, unit_named

_COMMAND = re.compile(r"\\{1,3}[a-zA-Z]+\*?|\\[^a-zA-Z\n]")
_POWER = re.compile(
    r"\s*+(?:(?:(?P<opens>\$|\\\()\s*+)?(?:\{\s*+\}\s*+)?\^\s*+(?:\{\s*+([2-9])\s*+\}|([2-9]))|([²³]))"
    r"|(?:<sup>\s*)?([23])(?:\s*</sup>|(?![\w.]))"
)
"""The power of a unit, also one that is a formula on its own: ``cm$^3$``, ``cm\\(^3\\)``, ``cm${}^3$``."""
_UNIT_ENDS = re.compile(r"\s*(?:\Z|[$,.;:=^)+*/×·≈²³]|\\(?:[)\],;.!]|times|cdot|approx|div|quad))")
LOGARITHM_BASE = re.compile(r"\s*_\s*(?:\{\s*(\d{1,9})\s*\}|(\d))")
_BRACED = re.compile(r"\s*\{([^{}]*)\}")
_ARGUMENT = re.compile(r"(?:\\[,!])?(?:\\left)?\((?:[^()\n]|\([^()\n]{0,60}\)){1,100}\)\s*(?:[=≈<>]|\\approx)")
"""Brackets that hold all of a side: after a word of letters they are those of a function."""
_COLUMNS = re.compile(r"\s*\{[a-z*]+\}(?:\s*\{[lcr|]+\})?")
_OPERAND = re.compile(r"\s*(?:\d|\\frac)")


class CommandReader(TokenWriter):
    """Reads a command of LaTeX; the readers of words use its functions, names and units too."""

    def _command(self) -> bool:
        match = _COMMAND.match(self.text, self.at)
        if match is None:
            return False
        end = match.end()
        name = "\\" + match[0].lstrip("\\").rstrip("*")
        if name in SPACES or name == "\\ ":
            if name in (r"\left", r"\right") and self.text[end : end + 1] == ".":  # ``\left.``: an invisible bracket.
                end += 1
            return self._skip(end)
        if name in STOPS:
            matrix = matrix_end(self.text, self.at, bracketed=self._last("open", "bar"))
            if matrix is not None:
                return self._emit("dirty", "matrix", matrix)
            if name in (r"\begin", r"\end"):
                columns = _COLUMNS.match(self.text, end)
                return self._emit("line", name, columns.end() if columns else end)
            return self._emit("stop", name, end)
        if name in RELATIONS:
            return self._emit("rel", RELATIONS[name], end)
        if name in OPERATORS:
            return self._emit("op", OPERATORS[name], end)
        if name in (r"\%", r"\{", r"\}", r"\pm", r"\mp", r"\langle", r"\rangle"):
            # A set, ``\{1, 2\}``, is no side of a claim; beside an operator it would leave half of a formula.
            after = self.text[end : end + 3].lstrip()[:1]
            if name in (r"\{", r"\}"):
                spoils = self._last("number", "close", "op") if name == r"\{" else after in ("+", "*", "^", "/")
                return self._emit("dirty" if spoils else "stop", name, end)
            kinds = {r"\%": ("percent", "%"), r"\pm": ("pm", "±"),
                     r"\mp": ("dirty", "∓"), r"\langle": ("langle", "<"), r"\rangle": ("rangle", ">")}  # fmt: skip
            return self._emit(*kinds[name], end)
        if name in (r"\frac", r"\dfrac", r"\tfrac", r"\cfrac"):
            return self._emit("frac", name, end)
        if name in (r"\sqrt", r"\binom", r"\dbinom"):
            return self._emit(name.lstrip("\\d"), name, end)
        if name in (r"\vert", r"\lvert", r"\rvert", r"\mid"):
            return self._emit("bar", "|", end)
        if name == r"\boxed":
            return self._skip(end)
        if name[1:] in FUNCTIONS:
            return self._function(name[1:], end)
        if name in CONSTANT_NAMES or name[1:] in GREEK or name in NAME_SIGNS:
            return self._name(name, end)
        if name in TEXT_COMMANDS:
            return self._text_command(name, end)
        return self._emit("dirty", name, end)

    def _function(self, name: str, end: int) -> bool:
        """A function; a logarithm with the base that stands below it."""
        name = FUNCTION_SPELLINGS.get(name, name)
        base = LOGARITHM_BASE.match(self.text, end) if name in LOGARITHMS else None
        if base is None:
            return self._emit("func", name, end)
        return self._emit("func", name, base.end(), Number(Fraction(base[1] or base[2])))

    def _name(self, name: str, end: int) -> bool:
        if name in CONSTANT_NAMES:
            return self._emit("name", "pi", end)
        found = name_at(self.text, self.at, self.math)
        if found is None:
            return self._emit("dirty", name, end)
        # A bar over two points is a length, but an arrow in a text that writes ``\overline{AB} = (1, 2, 3)``.
        arrow = self.conventions.bars_are_arrows and name == r"\overline" and found[0][:1].isupper()
        return self._emit("name", "→" * arrow + found[0], found[1])

    def _text_command(self, name: str, end: int) -> bool:
        braced = _BRACED.match(self.text, end)
        if braced is None:
            return self._skip(end)
        inside, end = " ".join(braced[1].replace("~", " ").split()), braced.end()
        if inside in FUNCTIONS or inside in FUNCTION_SPELLINGS:
            return self._function(inside, end)
        if not inside or inside in (",", "."):
            return self._skip(end)
        if inside == "g" and self._last("number") and self.out[-1].text == "1" and _OPERAND.match(self.text, end):
            return self._emit("dirty", inside, end)  # ``1 \mathrm{~g} 2`` is a misread ``\lg 2``.
        # ``5 \text{ in}`` is inches, ``5 \text{ in } \triangle ABC`` is not.
        unit = self._unit_phrase("inch" if inside == "in" and _UNIT_ENDS.match(self.text, end) else inside)
        # A unit counts something: 5, (a + b), x, another unit; ``(\text{cm})`` behind a result, too.
        counted = self._last("number", "close", "name", "unit", "rbrace", "degree") or self._last("open")
        if (
            unit is not None
            and counted
            and name in (r"\text", r"\mathrm", r"\textrm", r"\mbox", r"\rm", r"\operatorname", r"\hbox")
        ):
            return self._unit(unit, end)
        if inside == "π":
            return self._emit("name", "pi", end)
        found = name_at(self.text, self.at, True)
        if found is not None:
            return self._emit("name", found[0], found[1])
        if re.fullmatch(r"[\d\s.]+", inside) or any(sign in inside for sign in "+-*/=\\"):
            return (
                self._skip(self.text.index("{", self.at) + 1)
                if "\\" not in inside
                else self._emit("dirty", inside, end)
            )
        # ``\text{Area}(4) = 16``: a function of 4, not a word before it.
        called = inside[-1].isascii() and inside[-1].isalpha() and _ARGUMENT.match(self.text, end)
        return self._emit("dirty" if called else "word", inside, end)

    def _unit_phrase(self, phrase: str) -> Unit | None:
        words = phrase.split()
        power = 1
        if len(words) == 2 and words[0] in FORMULA_POWER_WORDS:
            power, words = FORMULA_POWER_WORDS[words[0]], words[1:]
        unit = unit_named(words[0], True) if len(words) == 1 else None
        return unit.raised(power) if unit and power > 1 else unit

    def _unit(self, unit: Unit, end: int) -> bool:
        power = _POWER.match(self.text, end)
        if power is not None:
            digit = next(filter(None, power.groups()[1:])).translate(str.maketrans("²³", "23"))
            unit, end = unit.raised(int(digit)), power.end()
            self.math = {None: self.math, "$": not self.math}.get(power["opens"], True)
        return self._emit("unit", unit.name, end, unit=unit)
