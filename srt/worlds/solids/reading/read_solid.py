"""The reader of the solver: a text as a statement, by matching whole sentences against :mod:`.wordings`.

The checker has a reader of its own, which works in another way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from srt.io.records import Lang, Problem
from srt.worlds.solids.reading import published, wordings
from srt.worlds.solids.reading.latex import plain
from srt.worlds.solids.reading.matching import items, kind_of, letter_of, matches, without_blank
from srt.worlds.solids.reading.measures import SPELT, is_long, read_measure
from srt.worlds.solids.reading.quantity_words import RATIOS
from srt.worlds.solids.reading.wordings import SOLIDS
from srt.worlds.solids.statement import UNITS, GivenFact, Measure, SolidStatement
from srt.worlds.solids.table import DIMENSION, structure_claim
from srt.worlds.world import Refused

_SENTENCES = {
    "en": re.compile(r"(?<=[.?])\s+|(?<=[;,])\s(?=(?:find|calculate|compute|determine|what is) )"),
    "zh": re.compile(r"(?<=[。？])\s*|(?<=，)(?=求|计算|则|那么|问|[^，。]*多少)"),
}
"""Between sentences, and before a question that ends one."""
_UNNAMED = "VSDEp"
"""What a cuboid has whichever of its sides is the height."""

_INSCRIBED = {f"{outer} - sphere" for outer in ("cube", "cylinder", "cone")} | {
    f"sphere - {inner}" for inner in ("cube", "cuboid", "cylinder", "cone")
}
_LONGEST = 2000
"""Characters of a question."""


class ReadSolid(NamedTuple):
    """A problem as it is understood: what it states, and what each option says."""

    statement: SolidStatement
    options: dict[str, Measure]


def read_solid(problem: Problem) -> ReadSolid:
    """Read the problem; raises :class:`~srt.worlds.world.Refused` for a wording that is not known."""
    lang = problem.lang
    if len(problem.question) > _LONGEST:
        raise Refused("unknown_wording", f"question: more than {_LONGEST} characters")
    question = published.EXACT[lang].sub("", plain(problem.question.strip()))
    sentences = [text for text in _SENTENCES[lang].split(question) if text]
    reader = _Reader(lang)
    if len(sentences) == 1:
        sentences = reader.parted(sentences[0])
    labels = problem.diagram_description
    for number, sentence in enumerate(sentences[:-1], 1):
        if not reader.read(sentence, number):
            raise Refused("unknown_wording", f"sentence ({number}): {sentence!r}")
    if reader.pictured != (labels is not None) or (labels is not None and not reader.read_picture(labels)):
        raise Refused("unknown_wording", f"diagram_description: {labels!r}")
    if len(sentences) < 2 or not reader.facts or (asked := reader.asked(sentences[-1])) is None:
        raise Refused("unknown_wording", f"question: {sentences[-1:]!r}")
    names = [fact.name for fact in reader.facts]
    if len(set(names)) < len(names):
        raise Refused("unknown_wording", "question: it gives one measure twice")
    statement = SolidStatement(tuple(reader.solids), tuple(reader.facts), *asked)
    options = {}
    for letter, text in problem.choices.items():
        if (measure := read_measure(plain(text))) is None:
            raise Refused("unknown_wording", f"option {letter}: {text!r}")
        options[letter] = measure
    return ReadSolid(statement, options)


def looks_like_solids(problem: Problem) -> bool:
    """Whether it is this world's (``source``), or marked as such (``meta["world"]``), and understood; never raises.

    A problem of a corpus that is not marked stays one on which prose is judged as prose.
    """
    if "solids" not in (problem.source, problem.meta.get("world")):
        return False
    try:
        read_solid(problem)
    except Refused:
        return False
    return True


class _Reader:
    """Reads sentences one after the other, and keeps what they say."""

    def __init__(self, lang: Lang) -> None:
        self._lang = lang
        self.solids: list[str] = []
        self.facts: list[GivenFact] = []
        self.pictured = False
        self._unnamed = False

    def parted(self, sentence: str) -> list[str]:
        """A problem of one sentence as two: what it gives, and what it asks; as it is where it is no such problem."""
        lang = self._lang
        text = without_blank(sentence[:1].upper() + sentence[1:], lang)
        for found in matches(published.ASKED_AT_ONCE[lang], text, lang):
            if lang == "en":
                return [f"A {found['new']} with {found['measures']}.", f"Find its {found['quantity']}."]
            asked = f"它的{found['quantity']}是多少{found.get('unit', '')}？"
            return [f"{found['new']}的{found['measures']}。", asked]
        return [sentence]

    def read_picture(self, labels: str) -> bool:
        """Whether all labels are understood; what they say is kept."""
        (kind,) = self.solids if len(self.solids) == 1 else ("",)
        words = SOLIDS[self._lang].get(kind, ("",))
        separator = "；" if self._lang == "zh" else "; "
        return bool(kind) and all(
            len(list(items(x, kind, self._lang))) == 1 and self._measured(words[0], {"measures": x}, 0)
            for x in labels.split(separator)
        )

    def read(self, sentence: str, number: int) -> bool:
        """Whether the sentence is understood; what it says is kept."""
        lang = self._lang
        if sentence.endswith(("，", ",", ";")):
            sentence = sentence[:-1] + ("。" if lang == "zh" else ".")
        for structure, texts in wordings.STRUCTURES[lang].items():
            if sentence in texts:
                if self.solids:
                    return False
                one, sign, other = structure.split(" ")
                self.solids += [one, other, *(["solid"] if sign != "~" else [])]
                self.facts.append(GivenFact(number, structure_claim(structure)))
                return True
        for found in matches(wordings.PICTURED[lang], sentence, lang):
            if not self.solids and kind_of(found["new"], lang) != "solid":
                self.solids, self.pictured = [kind_of(found["new"], lang)], True
                return True
        for found in matches((*wordings.GIVEN[lang], *published.GIVEN[lang]), sentence, lang):
            known = self.solids or kind_of(found["new"], lang) == "solid"
            if not known and self._measured(found["new"], found, number):
                self.solids = [kind_of(found["new"], lang), *self.solids]
                return True
        if not self.solids and any(of(sentence, number) for of in (self._sides, self._unrolled, self._inscribed)):
            return True
        for found in matches(wordings.LATER[lang], sentence, lang):
            if kind_of(found["known"], lang) in self.solids and self._measured(found["known"], found, number):
                return True
        for found in matches(wordings.RATIO[lang], sentence, lang):
            if self._is_ratio(found) and self._measured(found["known"], found, number):
                return True
        for found in (*matches(wordings.EQUAL[lang], sentence, lang), *matches(wordings.TIMES[lang], sentence, lang)):
            one, two = kind_of(found["known"], lang), kind_of(found["second"], lang)
            left, right = letter_of(found["quantity"], one, lang), letter_of(found["other"], two, lang)
            if {one, two} <= set(self.solids) and left and right and _comparable(left, right):
                times = f"{int(found['times'])}*" if "times" in found else ""
                return self._link(f"{left}({one}) = {times}{right}({two})", number)
        return self._recast(sentence, number)

    def _sides(self, sentence: str, number: int) -> bool:
        """The three sides of a cuboid, with units or all without."""
        for found in matches(published.SIDES[self._lang], sentence, self._lang):
            measures = [read_measure(found[side]) for side in ("long", "wide", "high")]
            if any(is_long(found[side]) for side in ("long", "wide", "high")):
                return False
            units = {UNITS[measure.unit] if measure.unit else 0 for measure in measures if measure}
            if None in measures or len(units) > 1 or not all(m and _fits("a", m.unit) for m in measures):
                return False
            names = ("a(cuboid)", "b(cuboid)", "h(cuboid)")
            self.facts += [GivenFact(number, name, m) for name, m in zip(names, measures, strict=True)]
            self.solids, self._unnamed = ["cuboid"], True
            return True
        return False

    def _inscribed(self, sentence: str, number: int) -> bool:
        """One solid in another, with measures of the outer one that the inner one cannot have."""
        for found in matches(published.INSCRIBED[self._lang], sentence, self._lang):
            outer, inner = kind_of(found["known"], self._lang), kind_of(found["new"], self._lang)
            given = list(items(found["measures"], outer, self._lang)) if "measures" in found else []
            structure = f"{outer} - {inner}"
            if structure not in _INSCRIBED or any(letter_of(word, inner, self._lang) for word, _ in given):
                continue
            if not given or self._measured(found["known"], found, number):
                self.solids = [outer, inner]
                return self._link(structure_claim(structure), number)
        return False

    def _unrolled(self, sentence: str, number: int) -> bool:
        """The lateral surface of a cone as a sector."""
        for found in matches(published.UNROLLED[self._lang], sentence, self._lang):
            values = {"l": found["value"], "n": found.get("angle", "180°")}
            if self._kept([(letter, "cone", value) for letter, value in values.items()], number):
                self.solids = ["cone"]
                return True
        return False

    def _is_ratio(self, found: dict[str, str]) -> bool:
        """Whether the first solid of a ratio is similar to the other, a small one."""
        large, small = kind_of(found["second"], self._lang), kind_of(found["known"], self._lang)
        return small == f"small{large}" and small in self.solids

    def _recast(self, sentence: str, number: int) -> bool:
        lang = self._lang
        templates = (*wordings.RECAST[lang], *wordings.POURED[lang], *wordings.MANY[lang])
        for found in matches(templates, sentence, lang):
            new = kind_of(found["new"], lang)
            if (
                len(self.solids) != 1
                or new in (*self.solids, "solid")
                or kind_of(found.get("known", found["new"]), lang) != new
            ):
                continue
            (old,) = self.solids
            if "times" in found:
                self.solids.append(new)
                return self._link(f"V({old}) = {int(found['times'])}*V({new})", number)
            if self._measured(found["new"], found, number):
                self.solids.append(new)
                return self._link(f"V({new}) = V({old})", number)
        return False

    def _link(self, equation: str, number: int) -> bool:
        self.facts.append(GivenFact(number, equation))
        return True

    def _measured(self, word: str, found: dict[str, str], number: int) -> bool:
        """Keep the measures of a sentence; whether all are understood."""
        kind, lang = kind_of(word, self._lang), self._lang
        if "value" in found:
            pairs = [(found["quantity"], found["value"])]
            pairs += [(found["other"], found["more"])] if "more" in found else []
        else:
            pairs = list(items(found["measures"], kind, lang))
        letters = [(letter_of(quantity, kind, lang), kind, value) for quantity, value in pairs]
        if any((letter in RATIOS) != ("second" in found) for letter, _, _ in letters):
            return False
        return self._kept(letters, number)

    def _kept(self, pairs: Sequence[tuple[str | None, str, str]], number: int) -> bool:
        """Keep letters of solids with their values; whether all are understood."""
        facts = []
        for letter, kind, value in pairs:
            measure = read_measure(value)
            if letter is None or measure is None or not _fits(letter, measure.unit) or is_long(value):
                return False
            facts.append(GivenFact(number, f"{letter}({kind})", measure))
        self.facts += facts
        return bool(facts)

    def asked(self, question: str) -> tuple[str, str] | None:
        """The quantity that is asked, and its unit."""
        asked = self._asked(question)
        if self._unnamed and (len(self.facts) > 3 or asked is None or asked[0][0] not in _UNNAMED):
            return None
        return asked

    def _asked(self, question: str) -> tuple[str, str] | None:
        lang = self._lang
        question = without_blank(question[:1].upper() + question[1:], lang)
        for found in matches(published.HELD[lang], question, lang):
            unit = SPELT[found["unit"]] if "unit" in found else ""
            fits = len(self.solids) == 1 and UNITS[unit] in ((3,) if unit else (0,))
            return (f"V({self.solids[0]})", unit) if fits else None
        for found in matches((*wordings.IN_UNIT[lang], *published.IN_UNIT[lang]), question, lang):
            if "known" not in found and len(self.solids) != 1:
                continue
            kind = kind_of(found["known"], lang) if "known" in found else self.solids[0]
            letter = letter_of(found["quantity"], kind, lang) if kind in self.solids else None
            unit = SPELT[found["unit"]]
            if letter and UNITS[unit] == DIMENSION.get(letter, 1):
                return f"{letter}({kind})", unit
        for found in matches(
            (*wordings.QUESTIONS[lang], *published.QUESTIONS[lang], *wordings.ASKED_RATIO[lang]), question, lang
        ):
            kind = kind_of(found["known"], lang)
            if "second" in found and not self._is_ratio(found):
                continue
            letter = letter_of(found["quantity"], kind, lang) if kind in self.solids else None
            if letter and (letter in RATIOS) == ("second" in found):
                return f"{letter}({kind})", ""
        for found in matches((*wordings.ABOUT_IT[lang], *published.ABOUT_IT[lang]), question, lang):
            if len(self.solids) == 1 and (letter := letter_of(found["quantity"], self.solids[0], lang)):
                return f"{letter}({self.solids[0]})", ""
        return None


def _fits(letter: str, unit: str) -> bool:
    if letter == "n":
        return unit == "deg"
    if DIMENSION.get(letter, 1) == 0:
        return unit == ""
    return unit == "" or (unit != "deg" and UNITS[unit] == DIMENSION.get(letter, 1))


def _comparable(one: str, other: str) -> bool:
    return DIMENSION.get(one, 1) == DIMENSION.get(other, 1) > 0
