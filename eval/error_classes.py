"""Error analysis of a scored run: for each wrong prediction what failed first, and its class in two taxonomies.

The machine speaks where it can (:mod:`eval.error_findings` has the table); a judge model may speak where it cannot
(:mod:`eval.error_judge`), and what it says is kept apart. Labels by people measure both. Writes ``errors.jsonl`` and
``errors.json`` beside the scores; accuracy never depends on any of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from eval.error_findings import CLASS_OF, Finding, find_first_fault
from eval.error_labels import PersonLabel, draw_sheet, read_labels
from eval.error_taxonomies import TAXONOMIES, TAXONOMY_NAMES, Labels, TaxonomyName
from eval.judging import JudgeConfig, Spent
from eval.kappa import Agreement, agreement
from eval.runs import RowId, Run, read_run, scores_sha256, write_json
from srt.errors import UserError
from srt.jsonl import parse_record, write_records
from srt.records import Record

ERRORS = "errors.jsonl"
ERROR_SUMMARY = "errors.json"


class ErrorRow(Record):
    """One wrong prediction. ``judge`` is what a judge model said of it, ``None`` where it was not asked.

    ``value`` is its score: below 1, and above 0 where the benchmark gives partial credit.
    """

    problem_id: str
    variant: str = "plain"
    repeat: int = 0
    value: float
    finding: Finding
    judge: Labels | None = None
    judge_why: str | None = None

    @property
    def id(self) -> RowId:
        """What identifies the prediction within the run."""
        return self.problem_id, self.variant, self.repeat

    @property
    def machine(self) -> Labels | None:
        """What the machine says."""
        return CLASS_OF.get(self.finding.kind)


class ErrorSummary(Record):
    """The errors of a run, counted.

    ``classes``: by taxonomy and class, how many the machine and how many the judge put there; the judge counts only
    where the machine has no class. ``unclassed``: by taxonomy, those that neither did, among them what was never an
    error of reasoning (``not_generated``, ``truncated``, ``no_answer``). ``agreement``: by who (``machine``,
    ``judge``, each against people; ``judge and machine``) and taxonomy, where both spoke. ``judge`` names the model;
    ``no_judgement`` counts why it gave no usable answer; ``spent`` is what it cost over all runs in this folder.
    """

    arm: str
    scores_sha256: str
    predictions: int
    wrong: int
    findings: dict[str, int]
    classes: dict[TaxonomyName, dict[str, dict[str, int]]]
    unclassed: dict[TaxonomyName, int]
    labelled: int = 0
    agreement: dict[str, dict[TaxonomyName, Agreement]] = Field(default_factory=dict)
    judge: str | None = None
    no_judgement: dict[str, int] = Field(default_factory=dict)
    spent: Spent | None = None


def classify_errors(
    folder: str | Path, *, judge: JudgeConfig | None = None, labels: str | Path | None = None
) -> ErrorSummary:
    """Class the wrong predictions of the scored run in ``folder``, and write :data:`ERRORS` and :data:`ERROR_SUMMARY`.

    ``judge`` is asked about what the machine leaves undecided, and about all that ``labels`` (a file of
    :class:`PersonLabel`) has, so that it is measured on the whole sample.

    Raises:
        UserError: no scored run, a label of what is no wrong prediction of it, of no known class, or that stands
            twice; a fault of the judge's config or endpoint.
    """
    folder = Path(folder)
    run = read_run(folder)
    rows = {row.id: row for row in _machine_rows(run)}
    people = {} if labels is None else read_labels(Path(labels), set(rows))
    no_judgement: Counter[str] = Counter()
    spent = None
    if judge is not None:
        from eval.error_judge import ask_about_errors

        asked = [key for key, row in rows.items() if row.finding.kind == "undecided" or key in people]
        said = ask_about_errors(run, [rows[key] for key in asked], judge)
        rows |= {row.id: row for row in said.rows}
        no_judgement, spent = said.unusable, said.spent
    summary = _summary(run, list(rows.values()), people).model_copy(
        update={
            "judge": judge.model.model if judge else None,
            "no_judgement": dict(sorted(no_judgement.items())),
            "spent": spent,
        }
    )
    write_records(folder / ERRORS, rows.values())
    write_json(folder / ERROR_SUMMARY, summary)
    return summary


def read_error_summary(folder: Path) -> ErrorSummary | None:
    """The :class:`ErrorSummary` of the run in ``folder``; ``None`` where ``srt errors`` has not written one.

    Raises:
        UserError: it was made from other scores than those there now.
    """
    path = folder / ERROR_SUMMARY
    if not path.is_file():
        return None
    summary = parse_record(path.read_bytes(), ErrorSummary, str(path))
    if summary.scores_sha256 != scores_sha256(folder):
        raise UserError(f"{path}: made from other scores than those there now: run srt errors {folder} again")
    return summary


def write_sheet(folder: str | Path, path: str | Path, count: int, seed: int = 0) -> int:
    """Draw ``count`` wrong predictions of the scored run in ``folder`` for people to label, into ``path``.

    Those that the machine has a finding for that is no error of reasoning (nothing was generated, or read) are not
    drawn. Returns how many there are; the same arguments draw the same.
    """
    run = read_run(Path(folder))
    of_reasoning = [row.id for row in _machine_rows(run) if row.machine or row.finding.kind == "undecided"]
    return draw_sheet(run, of_reasoning, Path(path), count, seed)


def _machine_rows(run: Run) -> Iterable[ErrorRow]:
    for key, score in run.scores.items():
        if score.value >= 1:
            continue
        problem = run.questions[key[:2]]
        finding = find_first_fault(problem, run.predictions.get(key), score, run.checked.get(key))
        yield ErrorRow(
            problem_id=score.problem_id,
            variant=score.variant,
            repeat=score.repeat,
            value=score.value,
            finding=finding,
        )


def _summary(run: Run, rows: Sequence[ErrorRow], people: Mapping[RowId, PersonLabel]) -> ErrorSummary:
    classes: dict[TaxonomyName, dict[str, dict[str, int]]] = {
        name: {word: {"machine": 0, "judge": 0} for word in TAXONOMIES[name].classes} for name in TAXONOMY_NAMES
    }
    unclassed: dict[TaxonomyName, int] = dict.fromkeys(TAXONOMY_NAMES, 0)
    for row in rows:
        for name in TAXONOMY_NAMES:
            by, word = _class_of(row, name)
            if by is None or word is None:
                unclassed[name] += 1
            else:
                classes[name][word][by] += 1
    return ErrorSummary(
        arm=run.stamp.arm,
        scores_sha256=scores_sha256(run.folder),
        predictions=len(run.scores),
        wrong=len(rows),
        findings=dict(sorted(Counter(row.finding.kind for row in rows).items())),
        classes=classes,
        unclassed=unclassed,
        labelled=len(people),
        agreement=_agreement(rows, people),
    )


def _class_of(row: ErrorRow, taxonomy: TaxonomyName) -> tuple[str | None, str | None]:
    """Who says what: the machine before the judge."""
    for by, labels in (("machine", row.machine), ("judge", row.judge)):
        if labels is not None and (word := labels.of(taxonomy)) is not None:
            return by, word
    return None, None


def _agreement(
    rows: Sequence[ErrorRow], people: Mapping[RowId, PersonLabel]
) -> dict[str, dict[TaxonomyName, Agreement]]:
    found: dict[str, dict[TaxonomyName, Agreement]] = {}
    for name in TAXONOMY_NAMES:
        said = [(row.machine, row.judge, people.get(row.id)) for row in rows]
        pairs = {
            "machine": _pairs(((person, machine) for machine, _, person in said), name),
            "judge": _pairs(((person, judge) for _, judge, person in said), name),
            "judge and machine": _pairs(((machine, judge) for machine, judge, _ in said), name),
        }
        for who, both in pairs.items():
            if both:
                found.setdefault(who, {})[name] = agreement(both)
    return found


def _pairs(
    said: Iterable[tuple[Labels | PersonLabel | None, Labels | None]], taxonomy: TaxonomyName
) -> list[tuple[str, str]]:
    words = ((one.of(taxonomy) if one else None, other.of(taxonomy) if other else None) for one, other in said)
    return [(one, other) for one, other in words if one is not None and other is not None]
