"""SpaCE2025: the official totals of the five subtasks, and where right answers come from.

Official arithmetic: the accuracy of each subtask; language is the mean of DSA, RSE and RSR, reasoning the mean of the
two SPR, the total the mean of these two; nothing is rounded. The official scorer compares an item that is missing from
a predictions file with the prediction of the item before it; here it is wrong, and counted as missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eval.benchmarks.benchmark import Benchmark, Table
from eval.benchmarks.published_rows import published_rows
from eval.benchmarks.tables import breakdown, mean, values_of
from eval.equality import equal
from srt.corpora import space2025
from srt.errors import UserError
from srt.records import Answer, Problem, Record

if TYPE_CHECKING:
    from eval.runs import Run

LANGUAGE, REASONING = ("DSA", "RSE", "RSR"), ("SPR zh", "SPR en")
"""The subtasks of each score, in the order in which the official scorer adds them: the last digit depends on it."""

_SCENES = ("booth", "hexagon-out", "hexagon-in", "shelf")
_PLACES = (*(f"{scene}{compass}" for scene in _SCENES[:3] for compass in ("", " EW", " NS")), "shelf")
_LANGS = ("zh", "en")


class Totals(NamedTuple):
    """The three official scores, each in [0, 1]; ``None`` where a subtask of it has no item."""

    language: float | None
    reasoning: float | None
    total: float | None


class Subtask(Record):
    """One subtask: ``right`` of ``items``."""

    items: int
    right: int
    accuracy: float


class FileScore(Record):
    """What :func:`score_file` finds. ``missing`` items have no line in the file, ``malformed`` ones an answer of
    another shape than the official one; both are wrong. ``without_gold`` items are not scored.
    """

    subtasks: dict[str, Subtask]
    language: float | None
    reasoning: float | None
    total: float | None
    missing: int
    malformed: int
    without_gold: int


def subtask(problem: Problem) -> str:
    """The name of the subtask of ``problem``: ``DSA``, ``RSE``, ``RSR``, ``SPR zh`` or ``SPR en``."""
    return f"SPR {problem.lang}" if problem.category == "SPR" else problem.category or ""


def totals(accuracy: Mapping[str, float | None]) -> Totals:
    """The official scores from the accuracy of each subtask."""
    language = _mean_of(accuracy.get(name) for name in LANGUAGE)
    reasoning = _mean_of(accuracy.get(name) for name in REASONING)
    return Totals(language, reasoning, _mean_of((language, reasoning)))


def official_answer(problem: Problem, text: str) -> Answer | None:
    """The label that the answer ``text`` to an item of a language subtask means (对 is 正确); ``None`` if it is none.

    The official scorer knows the labels alone; what a run is scored by knows other words for them.
    """
    meant = [
        label
        for label in space2025.LABELS[problem.category or ""]
        if equal(Answer(kind="text", value=label), text, question=problem.question).equal
    ]
    return Answer(kind="text", value=meant[0]) if len(meant) == 1 else None


def score_file(path: Path, problems: Mapping[str, Problem]) -> FileScore:
    """Score the official predictions file ``path`` against the gold answers of ``problems``.

    Raises:
        UserError: an item that stands twice or is none of ``problems``, or no gold answer at all.
        RecordError: a line that is no prediction.
    """
    given = space2025.read_predictions(path)
    for item in given:
        if item not in problems:
            raise UserError(f"{path}: id: {item!r} is none of the problems")
    gold = {item: problem for item, problem in problems.items() if problem.answer is not None}
    if not gold:
        raise UserError(f"{path}: none of the problems has a gold answer to score against")
    right: dict[str, list[bool]] = {}
    missing = malformed = 0
    for item, problem in gold.items():
        answer = None
        if item not in given:
            missing += 1
        else:
            answer = space2025.prediction_answer(problem, given[item])
            malformed += answer is None
        right.setdefault(subtask(problem), []).append(answer is not None and answer == problem.answer)
    subtasks = {
        name: Subtask(items=len(rows), right=sum(rows), accuracy=sum(rows) / len(rows))
        for name in (*LANGUAGE, *REASONING)
        if (rows := right.get(name))
    }
    scores = totals({name: one.accuracy for name, one in subtasks.items()})
    return FileScore(
        subtasks=subtasks,
        **scores._asdict(),
        missing=missing,
        malformed=malformed,
        without_gold=len(problems) - len(gold),
    )


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """The official totals; SPR by scene and compass and by the number of right options; SPR's two languages paired."""
    made = [_totals_table(runs)]
    langs = [lang for lang in _LANGS if any(subtask(one) == f"SPR {lang}" for one in _scored(runs))]
    made += [_places_table(runs, lang) for lang in langs]
    if langs:
        made.append(_right_options_table(runs, langs))
    if len(langs) == len(_LANGS):
        made.append(_pairs_table(runs))
    return made


def _totals_table(runs: Mapping[str, Run]) -> Table:
    subtasks = (*LANGUAGE, *REASONING)
    table = breakdown(
        "SpaCE2025: official scores",
        runs,
        subtasks,
        lambda problem: [subtask(problem)],
        last=(),
        published=(*published_rows("space2025", "totals"), *published_rows("space2025", "overview")),
    )
    rows = []
    for arm, *cells in table.rows:
        scores = totals({name: cell for name, cell in zip(subtasks, cells, strict=True) if isinstance(cell, float)})
        rows.append([arm, *cells, *scores])
    whole = all(cell is not None for row in rows for cell in row)
    notes = [
        table.note,
        None if whole else "A score needs an item of each of its subtasks with a gold answer.",
        _gaps(runs),
    ]
    return table.model_copy(
        update={
            "header": [*table.header, *Totals._fields],
            "rows": rows,
            "counts": [*table.counts, None, None, None],
            "unit": "share",
            "note": " ".join(filter(None, notes)) or None,
        }
    )


def _gaps(runs: Mapping[str, Run]) -> str | None:
    """What is said of items without a prediction, which the official scorer would treat in another way."""
    gaps = {arm: len(set(run.scores) - set(run.predictions)) for arm, run in runs.items()}
    named = ", ".join(f"{arm} {count}" for arm, count in gaps.items() if count)
    return (
        f"Items without a prediction are wrong ({named}); the official scorer takes the previous item's."
        if named
        else None
    )


def _places_table(runs: Mapping[str, Run], lang: str) -> Table:
    return breakdown(
        f"SpaCE2025: SPR {lang} by scene and compass",
        runs,
        _PLACES,
        lambda problem: [_place(problem)] if subtask(problem) == f"SPR {lang}" else [],
        last=(),
        published=published_rows("space2025", f"scenes {lang}"),
        note="A hexagon's sitters face outward or inward; EW and NS: the text gives a direction of the compass.",
    )


def _place(problem: Problem) -> str:
    """The scene, and the compass where there is one; a shelf's sides say it all."""
    scene, compass = problem.meta.get("scene", "other"), problem.meta.get("compass", "none")
    return f"{scene} {compass}" if compass in ("EW", "NS") and scene != "shelf" else str(scene)


def _right_options_table(runs: Mapping[str, Run], langs: Collection[str]) -> Table:
    columns = tuple(f"{lang} {count}" for lang in langs for count in range(1, 5))
    return breakdown(
        "SpaCE2025: SPR by number of right options",
        runs,
        columns,
        lambda problem: (
            [f"{problem.lang} {len(problem.answer.value)}"] if problem.category == "SPR" and problem.answer else []
        ),
        last=(),
        published=published_rows("space2025", "right options"),
    )


def _pairs_table(runs: Mapping[str, Run]) -> Table:
    """Items that stand in both languages: how often they are solved in both, and how their scores go together."""
    rows: list[list[str | float | None]] = []
    for arm, run in runs.items():
        pairs = _pairs(run)
        both = [min(pair) for pair in pairs]
        rows.append(
            [
                arm,
                float(len(pairs)),
                *(mean([pair[side] for pair in pairs]) for side in (0, 1)),
                mean(both),
                spearman(pairs),
            ]
        )
    return Table(
        title="SpaCE2025: SPR items in both languages",
        header=["arm", "pairs", "zh", "en", "both", "Spearman"],
        rows=rows,
        unit="percent",
        units={"pairs": "count", "Spearman": "ratio"},
        note="Spearman: rank correlation of the scores in the two languages, over the pairs. Published, by team: 0.26 "
        "to 0.64, mean 0.48.",
    )


def _pairs(run: Run) -> list[tuple[float, float]]:
    """The scores (zh, en) of the SPR items that stand in both languages."""
    by_group: dict[str, dict[str, float]] = {}
    for item, value in values_of(run).items():
        problem = run.problems[item]
        if problem.category == "SPR" and problem.group_id is not None:
            by_group.setdefault(problem.group_id, {})[problem.lang] = value
    return [(pair["zh"], pair["en"]) for pair in by_group.values() if len(pair) == len(_LANGS)]


def spearman(pairs: Collection[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation, ties at their mean rank; ``None`` of fewer than two pairs or a constant side."""
    from scipy.stats import spearmanr

    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(spearmanr(first, second).statistic)


def _scored(runs: Mapping[str, Run]) -> Iterable[Problem]:
    run = next(iter(runs.values()))
    return [run.problems[row.problem_id] for row in run.scores.values()]


def _mean_of(values: Iterable[float | None]) -> float | None:
    """Their mean, summed from left to right; ``None`` where one of them is."""
    known = list(values)
    there = [value for value in known if value is not None]
    return mean(there) if len(there) == len(known) else None


SPACE2025 = Benchmark(
    name="space2025",
    about="SpaCE2025: five subtasks of spatial semantics, Chinese and English, with the official scores",
    read=lambda path, _: space2025.read(path),
    tables=tables,
    published=(*published_rows("space2025", "totals"), *published_rows("space2025", "overview")),
)
