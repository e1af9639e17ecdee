"""The arithmetic of Basic Spatial Abilities, from the scores of items to the overall figure.

An item scores chosen right options over all right options, zero with any wrong one. A *test* is the mean of its items;
MRMT that of its turns: the paper counts its 32 turns as 32 questions, so a walk weighs as much as it has turns.
A test in which a model gives the same answer to every item is **not scored**: it leaves the mean of its ability, and an
ability with no scored test counts zero (the published 31.22 and 16.31 come out only so). An *ability* is the mean of
its scored tests, *overall* the mean of the five abilities. Repeats: each is taken by itself; then mean and population
deviation (divided by n), which is what every published cell that can be tested fits.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from eval.benchmarks.definition.benchmark import Published, Table
from eval.benchmarks.tables.published_rows import published_rows
from eval.records.run_records import Run
from eval.records.run_rows import StoredScore
from srt.io.records import Problem

TESTS = {
    "SVT": "perception",
    "NCIT": "relation",
    "DAT:SR": "relation",
    "R-Cube-SR": "relation",
    "MRMT": "orientation",
    "MRT": "mental rotation",
    "PSVT:R": "mental rotation",
    "SBST": "visualization",
    "R-Cube-Vis": "visualization",
}
"""The ability of each test."""
ABILITIES = tuple(dict.fromkeys(TESTS.values()))
OVERALL = "overall"
_TURN = {"l": "L", "left": "L", "左": "L", "左转": "L", "r": "R", "right": "R", "右": "R", "右转": "R"}


def overall(tests: Mapping[str, float | None]) -> dict[str, float]:
    """Abilities and ``overall`` from the means of all nine tests, each in [0, 1]; ``None`` is a test not scored.

    Raises:
        KeyError: a test is missing; a mean over fewer tests would be another figure.
    """
    abilities: dict[str, float] = {}
    for ability in ABILITIES:
        scored = [value for test, of in TESTS.items() if of == ability and (value := tests[test]) is not None]
        abilities[ability] = sum(scored) / len(scored) if scored else 0.0
    return {**abilities, OVERALL: sum(abilities.values()) / len(abilities)}


def of_means(means: Mapping[str, float]) -> dict[str, float]:
    """The figures of a row from the means by test; abilities and overall are added if all nine tests are there."""
    tests = {test: means[test] for test in TESTS if test in means}
    return {**tests, **overall(tests)} if len(tests) == len(TESTS) else tests


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """Tests; abilities and overall; and, from three observations (models, repeats) on, how abilities correlate."""
    repeats = {arm: _repeats(run) for arm, run in runs.items()}
    asked = [test for test in TESTS if any(test in one for each in repeats.values() for one in each)]
    if not asked:
        return []
    first = next(iter(runs.values()))
    persons = published_rows("spatial-abilities", "persons")[0].figures
    counts: Counter[str | None] = Counter()
    for problem in first.scored_problems:
        counts[problem.subcategory] += _questions(problem)
    found = [
        Table(
            title="Basic Spatial Abilities: tests",
            header=["arm", *asked],
            rows=_rows(repeats, asked),
            counts=[None, *(counts[test] for test in asked)],
            published=_published_tests(),
            note="Partial credit; no figure: the same answer to every item, so that the test is not scored. Humans: "
            + ", ".join(f"{count:g} in {test}" for test, count in persons.items())
            + f". SBST with its options in the picture, and set apart: {_set_apart()}.",
        )
    ]
    if set(asked) < set(TESTS):
        return found
    abilities = {arm: [overall(one) for one in each] for arm, each in repeats.items()}
    columns = [*ABILITIES, OVERALL]
    tests = [row for row in published_rows("spatial-abilities", "tests") if not row.model.startswith("mean of")]
    of_abilities = [
        row.model_copy(update={"figures": overall({test: row.figures.get(test) for test in TESTS})}) for row in tests
    ]
    printed = [row for row in published_rows("spatial-abilities", "overall") if row.model.startswith("mean of")]
    found.append(
        Table(
            title="Basic Spatial Abilities: abilities",
            header=["arm", *columns],
            rows=_rows(abilities, columns),
            published=[*of_abilities, *printed],
            note="An ability is the mean of its scored tests, 0 without any; overall is the mean of the five. "
            "Published rows follow from the published tests, but for the mean, which is printed.",
        )
    )
    observed = [one for each in abilities.values() for one in each]
    return [*found, correlation_table(observed)] if len(observed) > 2 else found


def contrast(runs: Mapping[str, Run]) -> list[Table]:
    """Tests and abilities; and what each further run gains over the first, by shots, by steps or by anything else."""
    made = tables(runs)[:2]
    columns = list(dict.fromkeys(column for table in made for column in table.header[1:]))
    figures: dict[str, dict[str, float]] = defaultdict(dict)
    for table in made:
        for name, *cells in table.rows:
            figures[str(name)] |= {
                column: cell for column, cell in zip(table.header[1:], cells, strict=True) if isinstance(cell, float)
            }
    first, *others = runs
    rows: list[list[str | float | None]] = []
    for arm in others:
        a, b = figures[arm], figures[first]
        gains = (a[column] - b[column] if column in a and column in b else None for column in columns)
        rows.append([f"{arm} − {first}", *gains])
    gain = Table(
        title="Basic Spatial Abilities: gain over the first run",
        header=["difference", *columns],
        rows=rows,
        unit="points",
        published=list(published_rows("spatial-abilities", "gains")),
    )
    return [*made, gain] if made else []


def correlation_table(observed: Sequence[Mapping[str, float]]) -> Table:
    """Pearson's r between abilities over ``observed`` (one row for each model and repeat); none for a constant one."""
    columns = {ability: [one[ability] for one in observed] for ability in ABILITIES}
    rows: list[list[str | float | None]] = [
        [ability, *(_pearson(columns[ability], columns[other]) for other in ABILITIES)] for ability in ABILITIES
    ]
    return Table(
        title="Basic Spatial Abilities: correlation of abilities (Pearson's r)",
        header=["ability", *ABILITIES],
        rows=rows,
        unit="ratio",
        note=f"Over {len(observed)} observations, one for each model and repeat; repeats of a model are not "
        "independent models.",
    )


def _set_apart() -> str:
    rows = published_rows("spatial-abilities", "options set apart")
    return "; ".join(
        f"{row.model} " + ", ".join(f"{100 * share:.1f}" for share in row.figures.values()) for row in rows
    )


def _published_tests() -> list[Published]:
    """The published means, below each the deviation: over three repeats, over the 13 models, over persons."""
    deviations = {row.model: row for row in published_rows("spatial-abilities", "deviations")}
    rows: list[Published] = []
    for row in published_rows("spatial-abilities", "tests"):
        over = "persons" if row.human else "models" if row.model.startswith("mean of") else "3 repeats"
        deviation = deviations[row.model.removeprefix("mean of ")]
        rows += [row, deviation.model_copy(update={"model": f"{row.model}, deviation over {over}"})]
    return rows


def turns_in(values: Sequence[str]) -> list[str] | None:
    """The turns, each L or R, in the pieces of an answer, without the item's number before them; ``None`` if a piece is
    not a turn. ``LRRL`` in one piece is four turns."""
    words = [word for value in values for word in re.findall(r"[A-Za-z]+|[左右]转?|\S", value)]
    while words and (words[0].isdigit() or words[0] in ".:,)"):
        words.pop(0)
    turns: list[str] = []
    for word in words:
        if word.casefold() in _TURN:
            turns.append(_TURN[word.casefold()])
        elif re.fullmatch("[LRlr]+", word):
            turns += list(word.upper())
        elif word not in ",.;-–>→":
            return None
    return turns or None


def _means_of_tests(
    scores: Mapping[str, StoredScore], items: Mapping[str, Sequence[Problem]]
) -> dict[str, float | None]:
    """The mean of each test in one repeat, ``None`` where it is not scored; ``items`` has its problems."""
    means: dict[str, float | None] = {}
    for test, problems in items.items():
        rows = [scores[problem.id] for problem in problems]
        weights = [_questions(problem) for problem in problems]
        total = sum(weight * row.value for weight, row in zip(weights, rows, strict=True))
        means[test] = None if _answers_alike(problems, rows) else total / sum(weights)
    return means


def _questions(problem: Problem) -> int:
    """How many questions an item counts as: each turn of a walk is one."""
    gold = problem.answer
    return len(gold.value) if gold is not None and gold.kind == "sequence" else 1


def _answers_alike(problems: Sequence[Problem], rows: Sequence[StoredScore]) -> bool:
    """Whether every item got the same answer although the right answers differ."""
    if problems and problems[0].answer is not None and problems[0].answer.kind == "sequence":
        gold = [turn for problem in problems if problem.answer for turn in problem.answer.value]
        given = [turns_in([row.extracted]) if row.extracted else None for row in rows]
        turns = [turn for each in given if each for turn in each]
        return all(given) and len(set(turns)) == 1 and len(set(gold)) > 1
    answers = {row.extracted if row.status == "ok" else None for row in rows}
    right = {tuple(problem.answer.value) for problem in problems if problem.answer}
    return len(rows) > 1 and len(answers) == 1 and None not in answers and len(right) > 1


def _repeats(run: Run) -> list[dict[str, float | None]]:
    items: dict[str, list[Problem]] = defaultdict(list)
    for problem in run.scored_problems:
        items[str(problem.subcategory)].append(problem)
    by_repeat: dict[int, dict[str, StoredScore]] = defaultdict(dict)
    for row in run.scores.values():
        by_repeat[row.repeat][row.problem_id] = row
    return [_means_of_tests(by_repeat[repeat], items) for repeat in sorted(by_repeat)]


def _rows(
    figures: Mapping[str, Sequence[Mapping[str, float | None]]], columns: Sequence[str]
) -> list[list[str | float | None]]:
    """One row of means for each arm, and one of deviations below it if it has repeats."""
    rows: list[list[str | float | None]] = []
    for arm, each in figures.items():
        values = [[value for one in each if (value := one.get(column)) is not None] for column in columns]
        rows.append([arm, *(statistics.fmean(some) if some else None for some in values)])
        if len(each) > 1:
            deviations = (statistics.pstdev(some) if len(some) > 1 else None for some in values)
            rows.append([f"{arm}, deviation over {len(each)} repeats", *deviations])
    return rows


def _pearson(one: Sequence[float], other: Sequence[float]) -> float | None:
    if len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return statistics.correlation(one, other)
