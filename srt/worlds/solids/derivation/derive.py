"""Searches the shortest derivation: facts of the text, formulas of the table, and the unit that all are brought to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from srt.language.trace import Operation, Step
from srt.worlds.solids.exact import ExactNumber
from srt.worlds.solids.formulas import positive
from srt.worlds.solids.statement import (
    LENGTHS,
    UNITS,
    Measure,
    SolidStatement,
    converted,
    length_in,
    unit_of,
)
from srt.worlds.solids.table import (
    DIMENSION,
    KINDS,
    STRUCTURES,
    Rule,
    base_kind,
    rules_of_kind,
    rules_of_link,
    rules_of_structure,
    structure_of,
)


class SolidStep(NamedTuple):
    """A step: its claim, what it cites (``(1)``, ``scene``, ``question``, keys of other steps), and what made it."""

    op: Operation
    cites: tuple[str, ...]
    claim: str
    rule: Rule | None = None
    measure: Measure | None = None


Derivation = dict[str, SolidStep]
"""By key, each after what it cites. The key of a quantity is its name, of one before a conversion ``name!``."""


class NotDetermined(Exception):
    """What is asked does not follow from the facts by the table."""


def rules_of(statement: SolidStatement) -> tuple[Rule, ...]:
    """Every formula that the solids, their structure and the equations of the text give."""
    rules = [rule for kind in statement.solids if base_kind(kind) in KINDS for rule in rules_of_kind(kind)]
    for fact in statement.facts:
        if fact.measure is None:
            structure = structure_of(fact.name)
            rules += rules_of_structure(structure) if structure in STRUCTURES else rules_of_link(fact.name)
    return tuple(rules)


def working_length(statement: SolidStatement) -> str:
    """The unit of length to work in: the one in which all is given, else the one asked for, else the first given."""
    facts = [f for f in statement.facts if f.measure is not None and DIMENSION.get(f.name[0], 1)]
    given = list(dict.fromkeys(length_in(f.measure.unit) for f in facts if f.measure is not None))
    asked = length_in(statement.unit)
    if len(given) == 1 and given[0] in LENGTHS | {"": 0}:
        return given[0]
    return asked if asked in LENGTHS else next((unit for unit in given if unit in LENGTHS), "")


def derive(statement: SolidStatement) -> Derivation:
    """The steps to the quantity that is asked, without those about question and options, the readings when needed.

    Raises:
        NotDetermined: there are none.
    """
    length = working_length(statement)
    read: Derivation = {}
    values: dict[str, ExactNumber] = {}
    for fact in statement.facts:
        step = SolidStep("CORRELATE", (fact.place,), fact.claim, measure=fact.measure)
        if fact.measure is None:
            read[fact.name] = step
            continue
        unit = unit_of(fact.name[0], length)
        if fact.measure.unit == unit:
            read[fact.name], values[fact.name] = step, fact.measure.number
        elif UNITS.get(fact.measure.unit) and UNITS.get(unit):
            read[f"{fact.name}!"] = step
            measure = converted(fact.measure, unit)
            claim = f"{fact.name} = {measure}"
            read[fact.name] = SolidStep("INFER", (f"{fact.name}!",), claim, measure=measure)
            values[fact.name] = measure.number
        else:
            raise NotDetermined
    found = _searched(statement, values, read, length)
    if statement.asked not in found:
        raise NotDetermined
    asked = found[statement.asked]
    if statement.unit and asked.measure is not None and asked.measure.unit != statement.unit:
        if not UNITS.get(asked.measure.unit):
            raise NotDetermined
        found[f"{statement.asked}!"] = asked
        measure = converted(asked.measure, statement.unit)
        claim = f"{statement.asked} = {measure}"
        found[statement.asked] = SolidStep("INFER", (f"{statement.asked}!",), claim, measure=measure)
    return needed_steps(found, statement.asked)


def _searched(statement: SolidStatement, values: dict[str, ExactNumber], read: Derivation, length: str) -> Derivation:
    """``read`` and everything that follows, each by the fewest derived steps that were found."""
    support: dict[str, frozenset[str]] = {name: frozenset() for name in values}
    found = dict(read)
    rules = [rule for rule in rules_of(statement) if rule.target not in read]
    numbers: dict[Rule, ExactNumber | None] = {}
    new = set(values)
    while new:
        changed = set[str]()
        for rule in rules:
            if rule.needs.isdisjoint(new) or not rule.needs <= values.keys():
                continue
            before = [support[name] for name in rule.uses]
            if any(rule.target in names for names in before):
                continue
            union = frozenset((rule.target,)).union(*before)
            if rule.target in support and len(union) >= len(support[rule.target]):
                continue
            if rule not in numbers:
                numbers[rule] = positive(rule.exact, values)
            number = numbers[rule]
            if number is None or (rule.target in values and values[rule.target] != number):
                continue
            support[rule.target], values[rule.target] = union, number
            new.add(rule.target)
            changed.add(rule.target)
            measure = Measure(number, unit_of(rule.target[0], length))
            claim = f"{rule.target} = {rule.text} = {measure}"
            cites = (*([rule.structure] if rule.structure else []), *rule.uses)
            found[rule.target] = SolidStep("CONSTRAIN", cites, claim, rule, measure)
        new = changed
    return found


def local_values(rule: Rule, values: dict[str, ExactNumber]) -> dict[str, ExactNumber]:
    """The values of the names that the formula of ``rule`` has."""
    return {name: values[full] for name, full in zip(rule.names, rule.uses, strict=True)}


def needed_steps(found: Derivation, asked: str) -> Derivation:
    """The steps that one needs, each after what it cites."""
    needed: Derivation = {}

    def add(key: str) -> None:
        if key in found and key not in needed:
            for cited in found[key].cites:
                add(cited)
            needed[key] = found[key]

    add(asked)
    return needed


def everything(statement: SolidStatement) -> Derivation:
    """All that follows, also what the question does not need."""
    length = working_length(statement)
    values, read = {}, {}
    for fact in statement.facts:
        if fact.measure is not None:
            unit = unit_of(fact.name[0], length)
            measure = fact.measure if fact.measure.unit == unit else converted(fact.measure, unit)
            values[fact.name] = measure.number
            read[fact.name] = SolidStep("CORRELATE", (), f"{fact.name} = {measure}", measure=measure)
    return _searched(statement, values, read, length)


def readings_first(steps: Derivation) -> Derivation:
    """The same steps, all that is read before what is derived."""
    return dict(sorted(steps.items(), key=lambda item: item[1].op != "CORRELATE"))


def steps_of(steps: Derivation) -> Iterator[Step]:
    """The steps of a trace."""
    number = {key: n for n, key in enumerate(steps, 1)}
    for step in steps.values():
        words = [key for key in step.cites if key not in number]
        args = (*words, *(f"#{n}" for n in sorted(number[key] for key in step.cites if key in number)))
        yield Step(op=step.op, args=args, claim=step.claim)
