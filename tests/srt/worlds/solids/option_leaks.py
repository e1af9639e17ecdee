"""What options tell without the numbers of the question: a model of words and options that cannot solve a problem.

For each option: its rank, how it is to the others (twice, half, a power of ten), its form (roots, pi, terms, digits),
and these crossed with what is asked; without the options, the words of the question alone, all numbers left out.
A conditional logistic model is fitted on half of the problems and tested on the other half. Chance is 25%.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from srt.io.records import Problem
from srt.worlds.solids.reading.measures import read_measure

LETTERS = "ABCD"


class Leak(NamedTuple):
    """The accuracy of the model on ``n`` problems that it was not fitted on."""

    accuracy: float
    n: int


def features(problem: Problem, *, options: bool) -> list[dict[str, float]]:
    """Of each option; without ``options``, the words of the question and the letter alone."""
    words = sorted(set(re.findall(r"[a-z]{4,}|[\u4e00-\u9fff]{2}", problem.question.lower())))
    if not options:
        return [{f"{letter} {word}": 1.0 for word in ("", *words)} for letter in LETTERS]
    measures = [read_measure(problem.choices[letter]) for letter in LETTERS]
    values = [float(measure.number) for measure in measures if measure is not None]
    found = []
    for letter, value in zip(LETTERS, values, strict=True):
        text = problem.choices[letter]
        others = [value / other for other in values if other != value]
        own = {f"rank {sum(value > other for other in values)}": 1.0, letter: 1.0}
        for name, ratio in (("2", 2), ("1/2", 0.5), ("4", 4), ("1/4", 0.25), ("3", 3), ("1/3", 1 / 3)):
            own[f"is {name} of another"] = float(any(abs(r / ratio - 1) < 1e-6 for r in others))
        own["between"] = own["is 2 of another"] * own["is 1/2 of another"]
        own["tens"] = sum(abs(np.log10(r) - round(np.log10(r))) < 1e-9 for r in others)
        for mark in ("√", "π", "/", "+", "-"):
            own[mark] = float(mark in text)
        own["digits"] = len(re.findall("[0-9]", text)) / 4
        own["spread"] = float(np.mean([abs(np.log(r)) for r in others]))
        crossed = {f"{name} {problem.meta['asked']}": x for name, x in own.items()}
        found.append({**own, **crossed})
    return found


def leak(problems: Sequence[Problem], *, options: bool) -> Leak:
    """Fit on the first half of the problems, test on the second."""
    rows = [features(problem, options=options) for problem in problems]
    names = {name: n for n, name in enumerate(sorted({name for row in rows for one in row for name in one}))}
    cube = np.zeros((len(rows), 4, len(names)))
    for i, row in enumerate(rows):
        for j, one in enumerate(row):
            for name, value in one.items():
                cube[i, j, names[name]] = value
    right = np.array([LETTERS.index(problem.answer.value[0]) for problem in problems if problem.answer])  # type: ignore[index,arg-type]
    half = len(rows) // 2
    weights = np.zeros(len(names))
    for _ in range(300):
        scores = cube[:half] @ weights
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        chances[np.arange(half), right[:half]] -= 1
        weights -= 0.5 * (np.einsum("ij,ijk->k", chances, cube[:half]) / half + 0.003 * weights)
    guessed = (cube[half:] @ weights).argmax(axis=1)
    return Leak(float((guessed == right[half:]).mean()), len(rows) - half)
