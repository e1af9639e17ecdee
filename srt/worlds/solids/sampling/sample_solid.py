"""The sampler: a solid with whole measures, what is given and asked of it, in words, with options from mistakes."""

from __future__ import annotations

import hashlib
import random

from srt.io.errors import UserError
from srt.io.records import Answer, Lang, Problem
from srt.worlds.kit.splits import split_of
from srt.worlds.solids.derivation.derive import Derivation, NotDetermined, derive, everything
from srt.worlds.solids.derivation.solve_solid import gold_of
from srt.worlds.solids.exact import ExactNumber
from srt.worlds.solids.sampling.draw_statement import draw_statement
from srt.worlds.solids.sampling.mistakes import WrongResult, squares
from srt.worlds.solids.sampling.settings import Family, SolidsSettings
from srt.worlds.solids.statement import SolidStatement
from srt.worlds.solids.table import structure_of
from srt.worlds.solids.writing.picture import pictured
from srt.worlds.solids.writing.problem_text import labels_text, measure_text, question_text

VERSION = 3
"""Counts up when the same settings and index give another problem."""
_DRAWS = 4_000


def sample_solid(settings: SolidsSettings, index: int) -> Problem:
    """Problem number ``index``; raises a :class:`UserError` where the settings allow none of their split."""
    name = f"solids/{VERSION}/{settings.model_dump_json()}/{index}"
    rng = random.Random(name)
    lang: Lang = rng.choice(("en", "zh")) if settings.lang == "both" else settings.lang
    family: Family = "single" if settings.pictures else rng.choice(settings.families)
    with_options = rng.random() < 0.5 if settings.form == "any" else settings.form == "options"
    for _ in range(_DRAWS):
        statement = draw_statement(family, settings, rng)
        if statement is not None and settings.pictures:
            statement = pictured(statement)
        if statement is None or split_of("solids", statement.key()) != settings.split:
            continue
        try:
            steps = derive(statement)
        except NotDetermined:
            continue
        right = steps[statement.asked].measure
        if right is None or not _worth_asking(statement, steps, settings):
            continue
        wrong: list[WrongResult] | None = []
        if with_options:
            wrong = squares(steps, everything(statement), statement.asked, rng)
        if wrong is not None:
            break
    else:
        raise UserError(f"solids: no problem {family!r} of the split {settings.split!r} in {_DRAWS} draws; allow more")
    measures = [right, *(result.measure for result in wrong)] if with_options else []
    rng.shuffle(measures)
    letters = dict(zip("ABCD", measures, strict=False))
    mistakes = {result.measure: result.mistake for result in wrong}
    gold = [letter for letter, measure in letters.items() if measure == right]
    derived = sum(step.op != "CORRELATE" for step in steps.values())
    return Problem(
        id=f"solids-{settings.split}-{index}-{hashlib.sha256(name.encode()).hexdigest()[:8]}",
        source="solids",
        split=settings.split,
        lang=lang,
        question=question_text(statement, lang, rng),
        diagram_description=labels_text(statement, lang) if settings.pictures else None,
        choices={letter: measure_text(measure, lang) for letter, measure in letters.items()},
        answer=Answer(kind="choice_set", value=gold) if with_options else gold_of(right),
        category=family,
        subcategory=structure_of(statement.facts[0].name) or statement.solids[0],
        group_id=statement.key(),
        meta={"family": family, "asked": statement.asked[0], "steps": derived}
        | ({"mistakes": {x: mistakes[m] for x, m in letters.items() if m != right}} if with_options else {}),
    )


def _worth_asking(statement: SolidStatement, steps: Derivation, settings: SolidsSettings) -> bool:
    claims = {step.claim for step in steps.values()}
    derived = sum(step.op != "CORRELATE" for step in steps.values())
    numbers = [step.measure.number for step in steps.values() if step.measure is not None]
    return (
        all(fact.claim in claims for fact in statement.facts)
        and settings.steps[0] <= derived <= settings.steps[1]
        and all(float(number) < 10**6 and _short(number) for number in numbers)
    )


def _short(number: ExactNumber) -> bool:
    return len(number.terms) <= 2 and all(
        factor.denominator <= 1000 and abs(factor.numerator) < 10**7 and root < 400 for _, root, factor in number.terms
    )
