"""Error analysis of a scored run: for each wrong prediction what failed first, and its class in two taxonomies.

The machine classes what it can (:mod:`eval.errors.error_findings` has the table); a judge model may class the rest
(:mod:`eval.errors.error_judge`), and its labels are kept apart. Human labels measure both. Writes ``errors.jsonl`` and
``errors.json`` beside the scores; accuracy never depends on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import Field

from eval.errors.error_findings import CLASS_OF, ErrorFinding, find_first_fault
from eval.errors.error_judge import ask_about_errors
from eval.errors.error_labels import HumanLabel, draw_sheet, read_labels
from eval.errors.error_taxonomies import TAXONOMIES, TAXONOMY_NAMES, Labels, TaxonomyName
from eval.errors.judge_model import JudgeConfig, Spent
from eval.records.run_records import DerivedFromScores, Run, read_derived, scores_sha256, write_json
from eval.records.run_rows import RowId, RunRow
from eval.run.scored_run import read_run
from srt.io.record_writer import write_records
from srt.statistics.kappa import Agreement, agreement

ERRORS = "errors.jsonl"
ERROR_SUMMARY = "errors.json"


class ErrorRow(RunRow):
    """One wrong prediction. ``judge`` has a judge model's labels, ``None`` where it was not asked.

    ``value`` is its score: below 1, and above 0 where the benchmark gives partial credit.
    """

    value: float
    finding: ErrorFinding
    judge: Labels | None = None
    judge_why: str | None = None

    @property
    def machine(self) -> Labels | None:
        """The machine's labels."""
        return CLASS_OF.get(self.finding.kind)


class ErrorSummary(DerivedFromScores):
    """The errors of a run, counted.

    ``classes``: by taxonomy and class, how many the machine and how many the judge put there; the judge counts only
    where the machine has no class. ``unclassed``: by taxonomy, those that neither did, including those that are no
    error of reasoning (``not_generated``, ``truncated``, ``no_answer``). ``agreement``: by pair (``machine`` and
    ``judge``, each with the human labels; ``judge and machine``) and taxonomy, over what both labelled. ``judge`` names
    the model; ``no_judgement`` counts why a reply was unusable; ``spent`` is its cost over all runs in this folder.
    """

    arm: str
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

    ``judge`` is asked about what the machine leaves undecided, and about everything in ``labels`` (a file of
    :class:`HumanLabel`), so that it is measured on the whole sample.

    Raises:
        UserError: no scored run; a label of something that is not a wrong prediction of it, of an unknown class, or a
            second one; a fault of the judge's config or endpoint.
    """
    folder = Path(folder)
    run = read_run(folder)
    rows = {row.id: row for row in _machine_rows(run)}
    human = {} if labels is None else read_labels(Path(labels), set(rows))
    judged = None
    if judge is not None:
        # What the machine classed is asked about only where people labelled it: a judge measured on the undecided alone
        # would be measured on the hard cases alone.
        asked = [key for key, row in rows.items() if row.finding.kind == "undecided" or key in human]
        judged = ask_about_errors(run, asked, judge)
        for key, label in judged.values.items():
            rows[key] = rows[key].model_copy(update={"judge": label.labels, "judge_why": label.why})
    classes: dict[TaxonomyName, dict[str, dict[str, int]]] = {
        name: {word: {"machine": 0, "judge": 0} for word in TAXONOMIES[name].classes} for name in TAXONOMY_NAMES
    }
    unclassed: dict[TaxonomyName, int] = dict.fromkeys(TAXONOMY_NAMES, 0)
    for row in rows.values():
        for name in TAXONOMY_NAMES:
            raters = {"machine": row.machine, "judge": row.judge}
            said = [(rater, word) for rater, labels in raters.items() if labels and (word := labels.of(name))]
            if said:
                # The machine's, if it has one: what it proves needs no judge.
                rater, word = said[0]
                classes[name][word][rater] += 1
            else:
                unclassed[name] += 1
    summary = ErrorSummary(
        arm=run.manifest.arm,
        scores_sha256=scores_sha256(run.folder),
        predictions=len(run.scores),
        wrong=len(rows),
        findings=dict(sorted(Counter(row.finding.kind for row in rows.values()).items())),
        classes=classes,
        unclassed=unclassed,
        labelled=len(human),
        agreement=_agreement(rows.values(), human),
        judge=judge.model.model if judge else None,
        no_judgement=judged.unusable if judged else {},
        spent=judged.spent if judged else None,
    )
    write_records(folder / ERRORS, rows.values())
    write_json(folder / ERROR_SUMMARY, summary)
    return summary


def read_error_summary(folder: Path) -> ErrorSummary | None:
    """The :class:`ErrorSummary` of the run in ``folder``; ``None`` where ``srt errors`` has not written one.

    Raises:
        UserError: it was made from other scores than those there now.
    """
    return read_derived(folder / ERROR_SUMMARY, ErrorSummary, "srt errors")


def write_sheet(folder: str | Path, path: str | Path, count: int, seed: int = 0) -> int:
    """Draw ``count`` wrong predictions of the scored run in ``folder`` for human labels, and write them to ``path``.

    Those without an error of reasoning (nothing was generated, or no answer read) are not drawn. Returns how many were
    drawn; the same arguments draw the same.
    """
    run = read_run(Path(folder))
    # Annotators are not shown texts in which there is no reasoning to label.
    of_reasoning = [row.id for row in _machine_rows(run) if row.machine or row.finding.kind == "undecided"]
    return draw_sheet(run, of_reasoning, Path(path), count, seed)


def _machine_rows(run: Run) -> Iterable[ErrorRow]:
    for key, score in run.scores.items():
        # Partial credit is an error too: something in the prediction was wrong.
        if score.value >= 1:
            continue
        problem = run.questions[key[:2]]
        prediction, checked = run.predictions.get(key), run.checked.get(key)
        finding = find_first_fault(
            problem, prediction.read() if prediction else None, score, checked.read() if checked else None
        )
        yield ErrorRow(
            problem_id=score.problem_id,
            variant=score.variant,
            repeat=score.repeat,
            value=score.value,
            finding=finding,
        )


def _agreement(rows: Iterable[ErrorRow], human: Mapping[RowId, HumanLabel]) -> dict[str, dict[TaxonomyName, Agreement]]:
    """How far two raters agree, over the predictions that both labelled."""
    raters = [{"human": human.get(row.id), "machine": row.machine, "judge": row.judge} for row in rows]
    found: dict[str, dict[TaxonomyName, Agreement]] = {}
    for name in TAXONOMY_NAMES:
        words = [{rater: labels.of(name) for rater, labels in each.items() if labels} for each in raters]
        for title, (first, second) in _PAIRS.items():
            # Agreement needs both raters on the same prediction: one that is silent does not disagree.
            both = [(a, b) for each in words if (a := each.get(first)) and (b := each.get(second))]
            if both:
                found.setdefault(title, {})[name] = agreement(both)
    return found


_PAIRS = {"machine": ("human", "machine"), "judge": ("human", "judge"), "judge and machine": ("machine", "judge")}
