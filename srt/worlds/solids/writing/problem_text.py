"""The text of a problem: its sentences, the question, the numbers of its options."""

from __future__ import annotations

import random
from collections.abc import Sequence

from srt.io.records import Lang
from srt.worlds.solids.exact import ExactNumber
from srt.worlds.solids.reading import wordings
from srt.worlds.solids.reading.quantity_words import RATIOS, quantities
from srt.worlds.solids.reading.wordings import SOLIDS, UNIT_WORDS
from srt.worlds.solids.statement import GivenFact, Measure, SolidStatement
from srt.worlds.solids.table import base_kind, structure_of

_COLUMNS = ("cuboid", "cylinder", "triprism", "hexprism")
"""Vessels, and the form of water that rises in them."""
_COMPLEMENT = frozenset({"of", "from", "between"})
_SUPERSCRIPTS = str.maketrans("23", "²³")


def question_text(statement: SolidStatement, lang: Lang, rng: random.Random) -> str:
    """The sentences and the question, in wordings drawn with ``rng``."""
    speaker = _Speaker(statement, lang, rng)
    sentences = [speaker.sentence(n) for n in sorted({fact.sentence for fact in statement.facts})]
    return ("" if lang == "zh" else " ").join([*sentences, speaker.question()])


def number_text(number: ExactNumber) -> str:
    """``9π/2``, ``8√3 + 60``; what is taken away comes last, ``216 - 36π``."""
    parts = []
    for pi, root, factor in sorted(number.terms, key=lambda term: (term[2] < 0, -term[0], -term[1])):
        above, below = abs(factor.numerator), factor.denominator
        body = f"√{root}" * (root > 1) + "π" * pi
        text = (str(above) if above != 1 or not body else "") + body
        bottom = f"({below}π)" if below > 1 and pi < 0 else f"{below if below > 1 else ''}{'π' * -pi}"
        text += f"/{bottom}" if bottom else ""
        parts.append(f"{'- ' if factor < 0 else '+ '}{text}")
    return " ".join(parts).removeprefix("+ ")


def measure_text(measure: Measure, lang: Lang, *, worded: bool = False) -> str:
    """``12π cm³``; in Chinese ``worded``, ``12π立方厘米``."""
    number = number_text(measure.number)
    if measure.unit == "deg":
        return f"{number}°"
    if lang == "zh" and worded:
        return f"{number}{UNIT_WORDS['zh'].get(measure.unit, measure.unit)}"
    return f"{number} {unit_text(measure.unit)}".rstrip()


def unit_text(unit: str) -> str:
    """``cm³``."""
    return unit.replace("^", "").translate(_SUPERSCRIPTS)


def labels_text(statement: SolidStatement, lang: Lang) -> str:
    """What is written in the picture: ``base radius 3 cm; height 4 cm``."""
    labels = [
        f"{quantities(_solid_of(fact.name), lang)[fact.name[0]][0]}{' ' if lang == 'en' else ''}"
        f"{measure_text(fact.measure, lang)}"
        for fact in statement.facts
        if fact.measure is not None and fact.sentence == 0
    ]
    return ("；" if lang == "zh" else "; ").join(labels)


class _Speaker:
    """Words one statement; each solid is called by one name throughout."""

    def __init__(self, statement: SolidStatement, lang: Lang, rng: random.Random) -> None:
        self._statement, self._lang, self._rng = statement, lang, rng
        self._structured = structured = any(structure_of(fact.name) for fact in statement.facts)
        self._called = {
            kind: names[0] if structured and kind != "solid" else rng.choice(names)
            for kind, names in SOLIDS[lang].items()
        }
        whole, remaining = SOLIDS[lang]["solid"]
        cut = any(" - " in fact.name for fact in statement.facts)
        self._called["solid"] = remaining if cut else whole
        self._worded = rng.random() < 0.5
        self._words: dict[tuple[str, str], str] = {}

    def sentence(self, number: int) -> str:
        """Sentence ``number``."""
        facts = [fact for fact in self._statement.facts if fact.sentence == number]
        measures = [fact for fact in facts if fact.measure is not None]
        equation = next((fact.name for fact in facts if fact.measure is None), "")
        if structure := structure_of(equation):
            return self._rng.choice(wordings.STRUCTURES[self._lang][structure])
        if equation:
            return self._equation(equation, measures)
        kind = _solid_of(measures[0].name)
        if number == 0:
            return self._rng.choice(wordings.PICTURED[self._lang]).format(new=self._called[kind])
        if measures[0].name[0] in RATIOS:
            return self._filled(self._rng.choice(wordings.RATIO[self._lang]), kind, measures)
        earlier = (f.name for f in self._statement.facts if f.sentence < number and f.measure is not None)
        seen = kind in map(_solid_of, earlier)
        first = not seen and not self._structured
        template = self._rng.choice((wordings.GIVEN if first else wordings.LATER)[self._lang])
        if "{value}" in template and len(measures) > 1:
            template = wordings.LATER["en"][1]
        return self._filled(template, kind, measures)

    def _filled(self, template: str, kind: str, measures: Sequence[GivenFact]) -> str:
        slots = {"new": self._called[kind], "known": self._called[kind], "second": self._called[base_kind(kind)]}
        if "{value}" in template:
            slots |= {"quantity": self._quantity(measures[0].name), "value": self._value(measures[0])}
        if "{measures}" in template:
            slots["measures"] = self._measures(measures)
        return template.format(**slots)

    def _measures(self, facts: Sequence[GivenFact]) -> str:
        item = self._rng.choice(wordings.ITEMS[self._lang])
        copula = self._rng.choice("是为")
        items = [item.format(quantity=self._quantity(f.name), value=self._value(f), **{"is": copula}) for f in facts]
        if self._lang == "zh":
            return "，".join(items)
        return " and ".join(filter(None, (", ".join(items[:-1]), items[-1]))).replace("a edge", "an edge").replace(
            "a area", "an area"
        ).replace("a upper", "an upper")  # fmt: skip

    def _equation(self, equation: str, measures: Sequence[GivenFact]) -> str:
        left, _, right = equation.partition(" = ")
        times, _, other = right.rpartition("*")
        one, two = _solid_of(left), _solid_of(other)
        if left[0] == "V" and other[0] == "V" and one != two and measures:  # It is recast.
            templates = wordings.RECAST[self._lang]
            if one in _COLUMNS and self._rng.random() < 0.5:
                templates = wordings.POURED[self._lang]
            return self._filled(self._rng.choice(templates), one, measures)
        if left[0] == "V" and other[0] == "V" and one != two:
            return self._rng.choice(wordings.MANY[self._lang]).format(times=times, new=self._called[two])
        templates = (wordings.TIMES if times else wordings.EQUAL)[self._lang]
        return self._rng.choice(templates).format(
            quantity=self._quantity(left), other=self._quantity(other), times=times, known=self._called[one],
            second=self._called[two],
        )  # fmt: skip

    def question(self) -> str:
        """The question."""
        statement = self._statement
        kind = _solid_of(statement.asked)
        quantity = self._quantity(statement.asked)
        # Nobody says "its area of the section".
        of_it = len(statement.solids) == 1 and _COMPLEMENT.isdisjoint(quantity.split())
        templates = wordings.ABOUT_IT if of_it and self._rng.random() < 0.5 else wordings.QUESTIONS
        if statement.asked[0] in RATIOS:
            templates = wordings.ASKED_RATIO
        unit = UNIT_WORDS[self._lang].get(statement.unit, unit_text(statement.unit))
        return self._rng.choice((wordings.IN_UNIT if statement.unit else templates)[self._lang]).format(
            quantity=quantity,
            known=self._called[kind],
            second=self._called[base_kind(kind)],
            unit=unit,
        )

    def _quantity(self, name: str) -> str:
        key = (_solid_of(name), name[0])
        if key not in self._words:
            self._words[key] = self._rng.choice(quantities(*key[:1], self._lang)[key[1]])
        return self._words[key]

    def _value(self, fact: GivenFact) -> str:
        assert fact.measure is not None
        return measure_text(fact.measure, self._lang, worded=self._worded)


def _solid_of(name: str) -> str:
    return name[name.index("(") + 1 : -1]
