"""Outputs that somebody labelled right or wrong, through extraction and equality: how often the score says the other.

    python -m research.evaluation.answer_outputs FILE [--policy strict] [--misses] [--json]

FILE: JSON Lines with ``id``, ``lang``, ``question``, ``choices`` (``{"A": text}`` or null), ``gold`` (as a data set
prints it), ``kind``, ``labels`` (the closed list, for the kind ``label``; else null), ``output``, ``label`` (``right``
or ``wrong``) and ``shape`` (``family/name``). Gold is read as the corpora read it. Two error rates are printed, with
their 95% Clopper-Pearson intervals: wrong outputs that are accepted, and right ones that are refused.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from srt.answers.equality import POLICIES, PolicyName, equal_to_gold
from srt.answers.equality.math_verify_client import shared_math_verify
from srt.answers.extraction import extract
from srt.corpora.gold_answers import read_gold
from srt.io.record_reader import read_rows
from srt.io.records import Answer, Problem
from srt.statistics.clopper_pearson import clopper_pearson

CHOICES = ("choice", "choice_set")


@dataclass(frozen=True)
class Outcome:
    """One output: its row, what was extracted, whether that was accepted, and what decided."""

    row: dict[str, Any]
    extracted: str | None
    accepted: bool
    how: str

    @property
    def family(self) -> str:
        """The part of the shape before the slash."""
        return str(self.row["shape"]).partition("/")[0]

    @property
    def wrong(self) -> bool:
        """Whether the score is not what the label says."""
        return self.accepted != (self.row["label"] == "right")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--policy", choices=get_args(PolicyName), default="strict")
    parser.add_argument("--misses", action="store_true", help="print each output that is scored wrongly")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    outcomes = [outcome_of(row, arguments.policy) for _, row in read_rows(arguments.file)]
    if arguments.json:
        print(json.dumps(figures(outcomes), ensure_ascii=False, indent=2))
        return
    print(report(outcomes))
    for one in outcomes if arguments.misses else ():
        if one.wrong:
            said = json.dumps(one.row["output"][-160:], ensure_ascii=False)
            print(f"{one.row['label']} {one.row['id']} {one.row['shape']}: gold {one.row['gold']!r}, {one.how}, "
                  f"read {one.extracted!r} of {said}")  # fmt: skip


def problem_of(row: dict[str, Any]) -> Problem:
    """The problem of a line; gold is ``None`` where it cannot be read."""
    choices = row["choices"] or {}
    if row["kind"] == "label":
        answer: Answer | None = Answer(kind="text", value=row["gold"])
    else:
        answer = read_gold(row["gold"], choices, choice=row["kind"] in CHOICES, question=row["question"]).answer
    return Problem(
        id=row["id"],
        source="labelled outputs",
        split="test",
        lang=row["lang"],
        question=row["question"],
        choices=choices,
        labels=row["labels"] or [],
        answer=answer,
    )


def outcome_of(row: dict[str, Any], policy: PolicyName) -> Outcome:
    """Extract and compare one output."""
    problem = problem_of(row)
    if problem.answer is None:
        return Outcome(row, None, False, "no gold")
    found = extract(row["output"], problem)
    if found.answer is None or found.text is None:
        return Outcome(row, found.text, False, found.status)
    compared = equal_to_gold(problem, found.text, POLICIES[policy], shared_math_verify().same)
    return Outcome(row, found.text, compared.equal, compared.how)


def figures(outcomes: list[Outcome]) -> dict[str, Any]:
    """Both error rates over all, by family and by kind."""
    found: dict[str, Any] = {"all": _rates(outcomes)}
    for name, key in (("family", lambda one: one.family), ("kind", lambda one: one.row["kind"])):
        for value in sorted({key(one) for one in outcomes}):
            found[f"{name} {value}"] = _rates([one for one in outcomes if key(one) == value])
    return found


def _rates(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    labels: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for one in outcomes:
        labels[one.row["label"]] += 1
        missed[one.row["label"]] += one.wrong
    rates = {}
    for name, label in (("wrong_accepted", "wrong"), ("right_refused", "right")):
        bounds = clopper_pearson(missed[label], labels[label])
        rates[name] = {"cases": labels[label], "errors": missed[label], "low": bounds.low, "high": bounds.high}
    return rates


def report(outcomes: list[Outcome]) -> str:
    """The table, for people."""
    lines = ["| outputs | wrong ones accepted | right ones refused |", "|---|---|---|"]
    for name, rates in figures(outcomes).items():
        lines.append(f"| {name} | {_cell(rates['wrong_accepted'])} | {_cell(rates['right_refused'])} |")
    return "\n".join(lines)


def _cell(rate: dict[str, Any]) -> str:
    if not rate["cases"]:
        return "-"
    share = rate["errors"] / rate["cases"]
    return f"{rate['errors']} of {rate['cases']}: {share:.1%} ({rate['low']:.1%} to {rate['high']:.1%})"


if __name__ == "__main__":
    main()
