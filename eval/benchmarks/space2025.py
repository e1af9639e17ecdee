"""SpaCE2025: the official totals of the five subtasks, and a breakdown of the right answers.

Official arithmetic: the accuracy of each subtask; language is the mean of DSA, RSE and RSR, reasoning the mean of the
two SPR, the total the mean of these two; nothing is rounded. The official scorer compares an item that is missing from
a predictions file with the prediction of the item before it; here it is wrong, and counted as missing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from eval.benchmarks.definition.benchmark import Benchmark, Published, Table, Unit
from eval.benchmarks.tables.breakdown import breakdown, mean
from eval.benchmarks.tables.published_rows import published_rows
from eval.records.run_records import Run, mean_values
from srt.corpora import space2025
from srt.corpora.space2025 import KINDS, LABELS
from srt.io.errors import UserError
from srt.io.records import Problem, Record

LANGUAGE, REASONING = ("DSA", "RSE", "RSR"), ("SPR zh", "SPR en")
"""The subtasks of each score, in the order in which the official scorer adds them, on which the last digit depends."""

_SCENES = ("booth", "hexagon-out", "hexagon-in", "shelf")
_PLACES = (*(f"{scene}{compass}" for scene in _SCENES[:3] for compass in ("", " EW", " NS")), "shelf")
_LANGS = ("zh", "en")
_SHARED_TEXT = {
    "DSA": re.compile("(.*)", re.DOTALL),
    "RSR": re.compile(r"text: (.*)\ninterpretation: .*", re.DOTALL),
    "RSE": re.compile(r"text1: (.*)\ntext2: (.*)", re.DOTALL),
}
"""The texts in the question of an item, as :mod:`srt.corpora.space2025` writes it."""
_PAIRED = ("DSA-RSE", "RSR-RSE", "SPR zh-en")


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
    """The result of :func:`score_file`. ``missing`` items have no line in the file, ``malformed`` ones an answer that
    does not have the official form; both are wrong. ``without_gold`` items are not scored.
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


def score_file(path: Path, problems: Mapping[str, Problem]) -> FileScore:
    """Score the official predictions file ``path`` against the gold answers of ``problems``.

    Raises:
        UserError: a second line for an item, an item that is not among ``problems``, or no gold answer at all.
        RecordError: a line that is not a prediction.
    """
    given = space2025.read_predictions(path)
    for item in given:
        if item not in problems:
            raise UserError(f"{path}: id: {item!r} is not among the problems")
    gold = {item: problem for item, problem in problems.items() if problem.answer is not None}
    if not gold:
        raise UserError(f"{path}: none of the problems has a gold answer to score against")
    right: dict[str, list[bool]] = {}
    answers = {
        item: space2025.prediction_answer(problem, given[item]) for item, problem in gold.items() if item in given
    }
    for item, problem in gold.items():
        answer = answers.get(item)
        right.setdefault(subtask(problem), []).append(answer is not None and answer == problem.answer)
    subtasks = {
        name: Subtask(items=len(rows), right=sum(rows), accuracy=sum(rows) / len(rows))
        for name in (*LANGUAGE, *REASONING)
        if (rows := right.get(name))
    }
    return FileScore(
        subtasks=subtasks,
        **totals({name: subtask.accuracy for name, subtask in subtasks.items()})._asdict(),
        missing=len(gold) - len(answers),
        malformed=sum(answer is None for answer in answers.values()),
        without_gold=len(problems) - len(gold),
    )


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """The official totals; SPR by scene and compass and by the number of right options; the language subtasks by gold
    label, and by kind where items are labelled with it; how the scores of items that belong together correlate."""
    scored = {subtask(problem) for problem in next(iter(runs.values())).scored_problems}
    langs = [lang for lang in _LANGS if f"SPR {lang}" in scored]
    made = [_totals_table(runs), *(_places_table(runs, lang) for lang in langs)]
    if langs:
        made.append(_right_options_table(runs, langs))
    if scored & set(LANGUAGE):
        made.append(_labels_table(runs))
    if any("kind" in problem.meta for problem in next(iter(runs.values())).scored_problems):
        made.append(_kinds_table(runs))
    pairs = _pairs_table(runs)
    return [*made, pairs] if len(pairs.header) > 1 else made


def _totals_table(runs: Mapping[str, Run]) -> Table:
    subtasks = (*LANGUAGE, *REASONING)
    table = breakdown(
        "SpaCE2025: official scores",
        runs,
        subtasks,
        lambda problem: [subtask(problem)],
        last=(),
        published=(*published_rows("space2025", "totals"), *_of_subset()),
    )
    rows = []
    for arm, *cells in table.rows:
        scores = totals({name: cell for name, cell in zip(subtasks, cells, strict=True) if isinstance(cell, float)})
        rows.append([arm, *cells, *scores])
    whole = all(cell is not None for row in rows for cell in row)
    needs = None if whole else "A score needs an item of each of its subtasks with a gold answer."
    return table.model_copy(
        update={
            "header": [*table.header, *Totals._fields],
            "rows": rows,
            "counts": [*table.counts, None, None, None],
            "unit": "share",
            "note": " ".join(filter(None, (table.note, needs, _gaps(runs)))) or None,
        }
    )


def _gaps(runs: Mapping[str, Run]) -> str | None:
    """A note on items without a prediction, which the official scorer treats differently."""
    gaps = {arm: len(set(run.scores) - set(run.predictions)) for arm, run in runs.items()}
    if named := ", ".join(f"{arm} {count}" for arm, count in gaps.items() if count):
        return f"Items without a prediction are wrong ({named}); the official scorer takes the previous item's."
    return None


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
    """The scene, and the compass if the text gives directions; a shelf has none."""
    scene, compass = problem.meta.get("scene", "other"), problem.meta.get("compass", "none")
    return f"{scene} {compass}" if compass in ("EW", "NS") and scene != "shelf" else str(scene)


def _right_options_table(runs: Mapping[str, Run], langs: Collection[str]) -> Table:
    return breakdown(
        "SpaCE2025: SPR by number of right options",
        runs,
        [f"{lang} {count}" for lang in langs for count in range(1, 5)],
        lambda it: [f"{it.lang} {len(it.answer.value)}"] if it.category == "SPR" and it.answer else [],
        last=(),
        published=published_rows("space2025", "right options"),
    )


def _labels_table(runs: Mapping[str, Run]) -> Table:
    """Accuracy of the language subtasks by gold label."""
    columns = [f"{code} {label}" for place in (0, 1) for code, label in ((c, LABELS[c][place]) for c in LANGUAGE)]
    return breakdown(
        "SpaCE2025: language subtasks by gold label",
        runs,
        columns,
        lambda it: [f"{it.category} {it.answer.value}"] if it.category in LANGUAGE and it.answer else [],
        last=(),
        published=published_rows("space2025", "labels"),
    )


def _kinds_table(runs: Mapping[str, Run]) -> Table:
    """Accuracy of DSA by kind of error and of RSE by reason, over the items that are labelled."""
    return breakdown(
        "SpaCE2025: DSA by kind of error, RSE by reason",
        runs,
        [f"{code} {kind}" for code, kinds in KINDS.items() for kind in kinds],
        lambda it: [f"{it.category} {it.meta['kind']}"] if it.category in KINDS and "kind" in it.meta else [],
        last=(),
        published=published_rows("space2025", "kinds"),
        note="Over the wrong texts of DSA and the same scenes of RSE that are labelled; the published files have no "
        "such labels. The overview does not say whose accuracy its figures for DSA are.",
    )


def _pairs_table(runs: Mapping[str, Run]) -> Table:
    """How the scores of items that belong together correlate: one puzzle in two languages, one text in two subtasks."""
    found = {arm: _pairs(run) for arm, run in runs.items()}
    kinds = [kind for kind in _PAIRED if all(each[kind] for each in found.values())]
    spr = "SPR zh-en" in kinds
    header = [part for kind in kinds for part in (kind, f"pairs {kind}")] + (["zh", "en", "both"] if spr else [])
    rows: list[list[str | float | None]] = []
    for arm, each in found.items():
        row: list[str | float | None] = [arm]
        for kind in kinds:
            row += [spearman(each[kind]), float(len(each[kind]))]
        if spr:
            pairs = each["SPR zh-en"]
            row += [mean([zh for zh, _ in pairs]), mean([en for _, en in pairs]), mean([min(pair) for pair in pairs])]
        rows.append(row)
    units: dict[str, Unit] = dict.fromkeys(kinds, "ratio")
    return Table(
        title="SpaCE2025: items that belong together",
        header=["arm", *header],
        rows=rows,
        units=units | dict.fromkeys((name for name in header if name.startswith("pairs ")), "count"),
        published=list(published_rows("space2025", "correlations")),
        note="Spearman's rank correlation of the scores over pairs: one puzzle in two languages, or one text in two "
        "subtasks (each DSA or RSR item with each RSE item that has its text); then the share of SPR items solved in "
        f"each language and in both. Published p-values: {_published_p_values()}.",
    )


def _published_p_values() -> str:
    rows = published_rows("space2025", "correlation p-values")
    return "; ".join(
        f"{row.model} " + ", ".join(f"{row.figures[kind]:g}" if kind in row.figures else "<0.001" for kind in _PAIRED)
        for row in rows
    )


def _pairs(run: Run) -> dict[str, list[tuple[float, float]]]:
    """The scores of items that belong together, by the names of the published correlations."""
    puzzles: dict[str, dict[str, float]] = defaultdict(dict)
    by_text: dict[str, dict[str, list[float]]] = {code: defaultdict(list) for code in LANGUAGE}
    for item, value in mean_values(run.scores.values()).items():
        problem = run.problems[item]
        if problem.category == "SPR" and problem.group_id is not None:
            puzzles[problem.group_id][problem.lang] = value
        elif problem.category in by_text:
            for text in _texts(problem):
                by_text[problem.category][text].append(value)
    shared = {
        f"{code}-RSE": [
            (value, other)
            for text, values in by_text[code].items()
            for value in values
            for other in by_text["RSE"].get(text, ())
        ]
        for code in ("DSA", "RSR")
    }
    both = [(pair["zh"], pair["en"]) for pair in puzzles.values() if len(pair) == len(_LANGS)]
    return {**shared, "SPR zh-en": both}


def _texts(problem: Problem) -> list[str]:
    """The texts that a language item is about, without white space. In the test set, 1,767 DSA items share a text with
    976 RSE items, and 513 RSR items with 128; the overview counts 1,779 with 973 and 452 with 112."""
    match = _SHARED_TEXT[problem.category or ""].fullmatch(problem.question)
    return [] if match is None else ["".join(text.split()) for text in match.groups()]


def _of_subset() -> list[Published]:
    rows = published_rows("space2025", "subset")
    return [row.model_copy(update={"model": f"{row.model}, on the items that humans were asked"}) for row in rows]


def spearman(pairs: Collection[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation, ties at their mean rank; ``None`` for fewer than two pairs or a constant side."""
    from scipy.stats import spearmanr

    if any(len(set(side)) < 2 for side in zip(*pairs, strict=True)) or not pairs:
        return None
    return float(spearmanr(list(pairs)).statistic)


def _mean_of(values: Iterable[float | None]) -> float | None:
    """Their mean, summed from left to right; ``None`` if one of them is."""
    known = list(values)
    return None if None in known else mean([value for value in known if value is not None])


SPACE2025 = Benchmark(
    name="space2025",
    about="SpaCE2025: five subtasks of spatial semantics, Chinese and English, with the official scores",
    read=lambda path, _: space2025.read(path),
    tables=tables,
)
