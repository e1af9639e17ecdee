"""Listens to sentences: phrases one after the other, then what their order says.

A sentence is cut into phrases that the lexicon knows, the longest first; one with anything else in it is not read. What
is left, without the fillers, is a row of signs: solids, quantities, values, and a few words between them.
"""

from __future__ import annotations

import re

from srt.io.records import Lang
from srt.worlds.solids.checker.lexicon import INSCRIBED as WITHIN
from srt.worlds.solids.checker.lexicon import MADE, SIMILAR, letter_of, lexicon
from srt.worlds.solids.checker.measured import MOST_DIGITS, Signs, lengths, paired, value_at, values_of
from srt.worlds.solids.checker.relations import POWERS
from srt.worlds.solids.checker.sentences import (
    ASKED,
    AT_ONCE,
    FIRST,
    GAP,
    INSCRIBED,
    LABEL,
    LABELS_BETWEEN,
    LATER,
    SIDES,
    UNROLLED,
)
from srt.worlds.solids.checker.sentences import MADE as TWO_SOLIDS
from srt.worlds.solids.checker.values import UNIT, UNIT_WORDS, VALUE, Value, number_of, power_of

_TIMES = re.compile(r"(?<![0-9./√+-])[1-9][0-9]{0,3}(?= times |倍| equal copies|个相同)")


class Ear:
    """Listens to the sentences of one problem."""

    def __init__(self, lang: Lang) -> None:
        self._lang: Lang = lang
        self.solids: list[str] = []
        self.pictured = False
        self.unnamed = False
        """Whether the sides of a cuboid are given without their names."""
        self._form = ""
        """The last sentence with a letter for each solid, quantity, ratio and value."""

    def labels(self, text: str) -> dict[str, Value | None] | None:
        """What the labels of the picture say: a quantity and its value, one after the other."""
        found: dict[str, Value | None] = {}
        for label in text.split(LABELS_BETWEEN[self._lang]):
            references = self._references(self._signs(label) or [("", "")])
            if not LABEL[self._lang].fullmatch(self._form):
                return None
            if references is None or "".join(sign for sign, _ in references) not in ("RV", "RN"):
                return None
            measured = values_of(references)
            if measured is None or measured.keys() & found.keys():
                return None
            found |= measured
        return found

    def sentence(self, text: str) -> dict[str, Value | None] | None:
        """What a sentence says; ``None`` where it is not read."""
        if not self.solids and (sides := SIDES.fullmatch(text)) and self._lang == "en":
            self.solids, self.unnamed = ["cuboid"], True
            return lengths(dict(zip(("a(cuboid)", "b(cuboid)", "h(cuboid)"), sides.groups(), strict=True)))
        if not self.solids and (sector := UNROLLED.fullmatch(text)) and self._lang == "zh":
            self.solids = ["cone"]
            return lengths({"l(cone)": sector[1], "n(cone)": sector[2] or "180°"})
        if not self.solids and (within := INSCRIBED.fullmatch(text)) and self._lang == "en":
            return self._inscribed(*within.groups())
        signs = self._signs(text)
        if signs is None or not self._is_sentence(text):
            return None
        signs = paired(signs)
        kinds = [kind for sign, kind in signs if sign == "S"]
        row = "".join(sign for sign, _ in signs)
        if "P" in row:
            return self._pair(row, kinds)
        if ("J" in row or "O" in row) and not self.solids:
            return self._made(row, kinds)
        if "Z" in row:
            return self._ratio(signs)
        if row == "FS" and not self.solids and kinds != ["solid"]:
            self.solids, self.pictured = kinds, True
            return {}
        if "M" in row:
            return self._recast(signs, kinds)
        if not self.solids:
            if len(set(kinds)) != 1 or kinds[0] == "solid":
                return None
            self.solids = kinds[:1]
        references = self._references(signs)
        if references is None:
            return None
        row = "".join(sign for sign, _ in references)
        names = [name for sign, name in references if sign == "R"]
        if row == "R=R":
            return {f"{names[0]} = {names[1]}": None} if _comparable(*names) else None
        if row in ("RNxR", "RRNx") and _comparable(*names):
            return {f"{names[0]} = {references[row.index('N')][1]}*{names[1]}": None}
        if re.fullmatch("(?:R[VN])+", row):
            return values_of(references)
        return None

    def _inscribed(self, inner: str, outer: str, measures: str | None) -> dict[str, Value | None] | None:
        """One solid within another; measures are of the outer one where the inner one has none of that name."""
        words, _ = lexicon("en")
        kinds = [words.get(name, ("", ""))[1] for name in (outer, inner)]
        if " ".join(kinds) not in WITHIN:
            return None
        signs = self._signs(measures or "") or []
        if any(letter_of("en", word, kinds[1]) for sign, word in signs if sign == "Q"):
            return None
        self.solids = kinds[:1]
        said = self.sentence(f"The {outer} has {measures}.") if measures else {}
        self.solids = kinds
        return None if said is None else {f"solid = {kinds[0]} - {kinds[1]}": None, **said}

    def at_once(self, text: str) -> tuple[tuple[str, str], dict[str, Value | None]] | None:
        """A problem of one sentence: the measure that is asked for with its unit, and the values that are given."""
        text, unit = self._without_unit(text)
        signs = self._signs(text)
        # In English the unit would stand behind the last value.
        if signs is None or (unit and self._lang == "en") or not AT_ONCE[self._lang].fullmatch(self._form):
            return None
        at = 0 if self._lang == "en" else len(signs) - 1
        (_, asked), signs = signs[at], paired(signs[:at] + signs[at + 1 :])
        (kind,) = (word for sign, word in signs if sign == "S")
        self.solids = [kind]
        references = self._references(signs)
        name = f"{letter_of(self._lang, asked, kind)}({kind})"
        said = values_of(references) if references else None
        if kind == "solid" or not said or name.startswith("None") or not self._fits(name, unit):
            return None
        return (name, unit), said

    def _without_unit(self, text: str) -> tuple[str, str]:
        """A question, and the unit that it names, which is cut out."""
        if self._lang == "zh":
            text = GAP.sub(r"多少\1？", text).replace("等于多少", "是多少")
        pattern = rf" in ({UNIT})(?=[.?])|（单位：({UNIT})）|(?<=多少)({UNIT})(?=？)"
        if match := re.search(pattern, text):
            return text[: match.start()] + text[match.end() :], UNIT_WORDS[next(filter(None, match.groups()))]
        return text, ""

    def _fits(self, name: str, unit: str) -> bool:
        power = POWERS.get(name[0], 1)
        return not unit or (power != 0 and power_of(unit) == power)

    def _is_sentence(self, text: str) -> bool:
        """Whether the phrases stand in a form that a sentence has here."""
        if TWO_SOLIDS[self._lang].fullmatch(text):
            return True
        forms = LATER if self.solids else FIRST
        number = re.search(r"V(?= times |倍| equal copies|个相同)", self._form)
        return bool(forms[self._lang].fullmatch(self._form)) and (number is None or bool(_TIMES.search(text)))

    def question(self, text: str) -> tuple[str, str] | None:
        """The quantity that is asked for, and in which unit."""
        if held := re.fullmatch(rf"[Hh]ow (?:many ({UNIT})(?: of water)?|much water) (?:does|can) it hold\?", text):
            unit = UNIT_WORDS[held[1]] if held[1] else ""
            alone = self._lang == "en" and len(self.solids) == 1
            return (f"V({self.solids[0]})", unit) if alone and self._fits("V", unit) else None
        text, unit = self._without_unit(text)
        about_it = text
        head, this, end = text.rpartition(" of this solid")
        if this and end in (".", "?") and " the " in head and len(self.solids) == 1:
            about_it = head + end
        signs = self._signs(about_it)
        if signs is None or not ASKED[self._lang].fullmatch(self._form):
            return None
        if about_it != text and "S" in [sign for sign, _ in signs]:
            return None
        if "Z" in [sign for sign, _ in signs]:
            name = self._ratio_of(signs)
            return (name, "") if name and len(signs) == 3 and not unit else None
        references = self._references(signs)
        if references is None or len(references) != 1 or references[0][0] != "R":
            return None
        name = references[0][1]
        return (name, unit) if self._fits(name, unit) else None

    def _pair(self, row: str, kinds: list[str]) -> dict[str, Value | None] | None:
        """Two similar solids, the small one last."""
        if self.solids or row not in ("SSP", "SJSP") or kinds[1] != f"small{kinds[0]}" or kinds[0] not in SIMILAR:
            return None
        self.solids = kinds
        return {f"pair = {kinds[0]} ~ {kinds[1]}": None}

    def _ratio(self, signs: Signs) -> dict[str, Value | None] | None:
        """A ratio of the two, with its value, which has no unit."""
        name = self._ratio_of(signs[:-1])
        if name is None or len(signs) != 4 or signs[-1][0] not in "VN":
            return None
        value = value_at(signs[-1][1])
        return {name: value} if not value.unit else None

    def _ratio_of(self, signs: Signs) -> str | None:
        """The name of a ratio of a solid to the small one: in English it comes before them, in Chinese behind."""
        row = "".join(sign for sign, _ in signs)
        if row != ("ZSS" if self._lang == "en" else "SSZ"):
            return None
        large, small = (kind for sign, kind in signs if sign == "S")
        letter = next(word for sign, word in signs if sign == "Z")
        return f"{letter}({small})" if small == f"small{large}" and small in self.solids else None

    def _made(self, row: str, kinds: list[str]) -> dict[str, Value | None] | None:
        two = [kind for kind in dict.fromkeys(kinds) if kind != "solid"]
        how = "J" if "J" in row else "O"
        if "J" in row and "O" in row and self._lang == "en":
            return None
        how = "O" if "O" in row else how
        marks = "".join(mark for mark in "cqfshtumvyzbap" if mark in row)
        made = MADE.get((how, marks, " ".join(sorted(two))))
        if made is None or len(two) != 2 or "V" in row or "R" in row or "=" in row:
            return None
        if how == "O":  # In English what is cut out comes first, in Chinese what it is cut out of.
            outer = two[-1] if self._lang == "en" else two[0]
            if outer != made.split(" ")[0]:
                return None
        self.solids = [*made.split(" ")[::2], "solid"]
        return {f"solid = {made}": None}

    def _recast(self, signs: Signs, kinds: list[str]) -> dict[str, Value | None] | None:
        if len(self.solids) != 1 or len(set(kinds)) != 1 or kinds[0] in (self.solids[0], "solid"):
            return None
        old, new = self.solids[0], kinds[0]
        row = "".join(sign for sign, _ in signs)
        if re.fullmatch(r"M+NKS", row):
            self.solids.append(new)
            return {f"V({old}) = {next(x for s, x in signs if s == 'N')}*V({new})": None}
        self.solids.append(new)
        references = self._references([pair for pair in signs if pair[0] != "M"])
        if references is None or not re.fullmatch("(?:R[VN])+", "".join(sign for sign, _ in references)):
            return None
        measured = values_of(references)
        return None if measured is None else {f"V({new}) = V({old})": None, **measured}

    def _references(self, signs: Signs) -> Signs | None:
        """The row with each quantity joined to its solid: in English the next one after *of the*, else the last."""
        found: Signs = []
        current = self.solids[0] if len(self.solids) == 1 else ""
        skip = False
        for at, (sign, word) in enumerate(signs):
            if skip:
                skip, current = False, word
                continue
            if sign == "S":
                if word not in self.solids:
                    return None
                current = word
            elif sign == "Q":
                after = signs[at + 1] if at + 1 < len(signs) else ("", "")
                owner = after[1] if self._lang == "en" and after[0] == "S" else current
                skip = owner == after[1] and after[0] == "S" and self._lang == "en"
                letter = letter_of(self._lang, word, owner)
                if letter is None or owner not in self.solids:
                    return None
                found.append(("R", f"{letter}({owner})"))
            elif sign == "I":
                if len(self.solids) != 1:
                    return None
            elif sign in "=xVN":
                found.append((sign, word))
            else:
                return None
        return found

    def _signs(self, text: str) -> Signs | None:
        """The phrases of a sentence, each with its sign, without fillers; ``None`` if anything in it is unknown."""
        words, pattern = lexicon(self._lang)
        low = text if self._lang == "zh" else text[:1].lower() + text[1:]
        signs, at, self._form = [], 0, ""
        while at < len(low):
            if low[at] == " ":
                at, self._form = at + 1, f"{self._form} "
                continue
            known = pattern.match(low, at)
            value = VALUE.match(low, at)
            if value and len(value[0].strip()) and value["number"] and not (known and known.end() > value.end()):
                if number_of(value["number"]) is None or len(re.findall("[0-9]", value["number"])) > MOST_DIGITS:
                    return None
                whole = value[0].strip().isdigit()
                signs.append(("N" if whole else "V", value[0].strip()))
                self._form += "V " if value[0].endswith(" ") else "V"
                at = value.end()
            elif known:
                sign = words[known[0]]
                if sign[0]:
                    signs.extend((mark, sign[1]) for mark in sign[0])
                self._form += sign[0] if sign[0] in ("S", "Q", "Z") else text[at : known.end()]
                at = known.end()
            else:
                return None
        return signs


def _comparable(one: str, other: str) -> bool:
    return POWERS.get(one[0], 1) == POWERS.get(other[0], 1) > 0
