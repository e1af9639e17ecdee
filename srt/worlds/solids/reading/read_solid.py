"""The reader of the solver: a text as a statement, by matching whole sentences against :mod:`.wordings`.

The checker has a reader of its own, which works in another way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from srt.io.records import Lang, Problem
from srt.worlds.solids.reading import wordings
from srt.worlds.solids.reading.measures import SPELT, UNIT, is_long, read_measure
from srt.worlds.solids.reading.quantity_words import RATIOS, quantities
from srt.worlds.solids.reading.wordings import SOLIDS
from srt.worlds.solids.statement import UNITS, GivenFact, Measure, SolidStatement
from srt.worlds.solids.table import DIMENSION, structure_claim
from srt.worlds.world import Refused

_SENTENCES = {"en": re.compile(r"(?<=[.?])\s+"), "zh": re.compile(r"(?<=[。？])\s*|(?<=，)(?=求)")}

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
    sentences = [text for text in _SENTENCES[lang].split(problem.question.strip()) if text]
    reader = _Reader(lang)
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
        if (measure := read_measure(text)) is None:
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

    def read_picture(self, labels: str) -> bool:
        """Whether all labels are understood; what they say is kept."""
        (kind,) = self.solids if len(self.solids) == 1 else ("",)
        words = SOLIDS[self._lang].get(kind, ("",))
        separator = "；" if self._lang == "zh" else "; "
        return bool(kind) and all(
            len(list(_items(x, kind, self._lang))) == 1 and self._measured(words[0], {"measures": x}, 0)
            for x in labels.split(separator)
        )

    def read(self, sentence: str, number: int) -> bool:
        """Whether the sentence is understood; what it says is kept."""
        lang = self._lang
        if sentence.endswith("，"):
            sentence = sentence[:-1] + "。"
        for structure, texts in wordings.STRUCTURES[lang].items():
            if sentence in texts:
                if self.solids:
                    return False
                one, sign, other = structure.split(" ")
                self.solids += [one, other, *(["solid"] if sign != "~" else [])]
                self.facts.append(GivenFact(number, structure_claim(structure)))
                return True
        for found in _matches(wordings.PICTURED[lang], sentence, lang):
            if not self.solids and _kind(found["new"], lang) != "solid":
                self.solids, self.pictured = [_kind(found["new"], lang)], True
                return True
        for found in _matches((*wordings.GIVEN[lang], *wordings.ALSO_GIVEN[lang]), sentence, lang):
            known = self.solids or _kind(found["new"], lang) == "solid"
            if not known and self._measured(found["new"], found, number):
                self.solids = [_kind(found["new"], lang), *self.solids]
                return True
        for found in _matches(wordings.LATER[lang], sentence, lang):
            if _kind(found["known"], lang) in self.solids and self._measured(found["known"], found, number):
                return True
        for found in _matches(wordings.RATIO[lang], sentence, lang):
            if self._is_ratio(found) and self._measured(found["known"], found, number):
                return True
        for found in (*_matches(wordings.EQUAL[lang], sentence, lang), *_matches(wordings.TIMES[lang], sentence, lang)):
            one, two = _kind(found["known"], lang), _kind(found["second"], lang)
            left, right = _letter(found["quantity"], one, lang), _letter(found["other"], two, lang)
            if {one, two} <= set(self.solids) and left and right and _comparable(left, right):
                times = f"{int(found['times'])}*" if "times" in found else ""
                return self._link(f"{left}({one}) = {times}{right}({two})", number)
        return self._recast(sentence, number)

    def _is_ratio(self, found: dict[str, str]) -> bool:
        """Whether the first solid of a ratio is similar to the other, a small one."""
        large, small = _kind(found["second"], self._lang), _kind(found["known"], self._lang)
        return small == f"small{large}" and small in self.solids

    def _recast(self, sentence: str, number: int) -> bool:
        lang = self._lang
        templates = (*wordings.RECAST[lang], *wordings.POURED[lang], *wordings.MANY[lang])
        for found in _matches(templates, sentence, lang):
            new = _kind(found["new"], lang)
            if (
                len(self.solids) != 1
                or new in (*self.solids, "solid")
                or _kind(found.get("known", found["new"]), lang) != new
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
        kind, lang = _kind(word, self._lang), self._lang
        if "value" in found:
            items = [(found["quantity"], found["value"])]
        else:
            items = [(q, v) for q, v in _items(found["measures"], kind, lang)]
        facts = []
        for quantity, value in items:
            letter, measure = _letter(quantity, kind, lang), read_measure(value)
            if letter is None or measure is None or not _fits(letter, measure.unit) or is_long(value):
                return False
            if (letter in RATIOS) != ("second" in found):
                return False
            facts.append(GivenFact(number, f"{letter}({kind})", measure))
        self.facts += facts
        return bool(facts)

    def asked(self, question: str) -> tuple[str, str] | None:
        """The quantity that is asked, and its unit."""
        lang = self._lang
        for found in _matches((*wordings.IN_UNIT[lang], *wordings.ALSO_IN_UNIT[lang]), question, lang):
            if "known" not in found and len(self.solids) != 1:
                continue
            kind = _kind(found["known"], lang) if "known" in found else self.solids[0]
            letter = _letter(found["quantity"], kind, lang) if kind in self.solids else None
            unit = SPELT[found["unit"]]
            if letter and UNITS[unit] == DIMENSION.get(letter, 1):
                return f"{letter}({kind})", unit
        for found in _matches((*wordings.QUESTIONS[lang], *wordings.ASKED_RATIO[lang]), question, lang):
            kind = _kind(found["known"], lang)
            if "second" in found and not self._is_ratio(found):
                continue
            letter = _letter(found["quantity"], kind, lang) if kind in self.solids else None
            if letter and (letter in RATIOS) == ("second" in found):
                return f"{letter}({kind})", ""
        for found in _matches((*wordings.ABOUT_IT[lang], *wordings.ALSO_ABOUT_IT[lang]), question, lang):
            if len(self.solids) == 1 and (letter := _letter(found["quantity"], self.solids[0], lang)):
                return f"{letter}({self.solids[0]})", ""
        return None


def _items(text: str, kind: str, lang: Lang) -> Iterator[tuple[str, str]]:
    """The pairs of a quantity and a value that ``text`` lists; one of them is empty where it does not."""
    separator = re.compile("，|、" if lang == "zh" else r", | and ")
    words = "|".join(_words(kind, lang))
    value = r"(\S|\S.*\S)"
    pattern = rf"(?:an? |the )?({words})(?: of| is)? {value}" if lang == "en" else rf"({words})(?:是|为)? ?{value}"
    for item in separator.split(text):
        match = re.fullmatch(pattern, item)
        yield (match[1], match[2]) if match else ("", "")


def _fits(letter: str, unit: str) -> bool:
    if letter == "n":
        return unit == "deg"
    if DIMENSION.get(letter, 1) == 0:
        return unit == ""
    return unit == "" or (unit != "deg" and UNITS[unit] == DIMENSION.get(letter, 1))


def _comparable(one: str, other: str) -> bool:
    return DIMENSION.get(one, 1) == DIMENSION.get(other, 1) > 0


def _kind(word: str, lang: Lang) -> str:
    return next(kind for kind, names in SOLIDS[lang].items() if word in names)


def _letter(word: str, kind: str, lang: Lang) -> str | None:
    return next((letter for letter, names in quantities(kind, lang).items() if word in names), None)


def _words(kind: str, lang: Lang) -> list[str]:
    return sorted((word for names in quantities(kind, lang).values() for word in names), key=len, reverse=True)


def _matches(templates: Sequence[str], text: str, lang: Lang) -> Iterator[dict[str, str]]:
    for template in templates:
        if match := _pattern(template, lang).fullmatch(text):
            yield match.groupdict()


@cache
def _pattern(template: str, lang: Lang) -> re.Pattern[str]:
    solids = "|".join(sorted((name for names in SOLIDS[lang].values() for name in names), key=len, reverse=True))
    every = sorted({word for kind in SOLIDS[lang] for word in _words(kind, lang)}, key=len, reverse=True)
    slots = {
        "new": solids,
        "known": solids,
        "second": solids,
        "quantity": "|".join(every),
        "other": "|".join(every),
        "measures": ".+",
        "value": r"\S(?:.*\S)?",
        "times": "[1-9][0-9]{0,3}",
        "unit": UNIT,
    }
    pieces = re.split(r"\{(\w+)\}", template)
    return re.compile("".join(rf"(?P<{p}>{slots[p]})" if n % 2 else re.escape(p) for n, p in enumerate(pieces)))
