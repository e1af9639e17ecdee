"""Compare runs on the same problems: paired differences, tables, plots and a page.

Everything is computed on the problems that all runs have in common; the number of others is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from eval.report.comparison_records import Comparison
from eval.report.make_comparison import make_comparison
from eval.report.report_examples import Drawing
from eval.report.wandb_log import log_comparison, require_wandb
from eval.report.write_report import choose_examples, write_report
from eval.run.wandb_settings import WandbSettings
from srt.experiment.model_stages import LearningCost

NOT_REPORTED = WandbSettings()

EXAMPLES = 400
"""Number of problems that the page shows by default."""


def compare(
    folders: Sequence[str | Path],
    output: str | Path,
    *,
    reference: str | None = None,
    drawing: Drawing | None = None,
    examples: int = EXAMPLES,
    human: Sequence[str | Path] = (),
    title: str | None = None,
    warning: str | None = None,
    learning: Sequence[LearningCost] = (),
    conformance: Sequence[Path] = (),
    wandb: WandbSettings = NOT_REPORTED,
) -> Comparison:
    """Compare the scored runs in ``folders`` and write the report folder ``output``.

    Writes ``comparison.json``, ``report.md``, ``report.html`` and the plots that there are figures for:
    ``accuracy_tokens.png`` where tokens are given, ``accuracy_by_<dimension>.png`` (the first dimension of the
    problems' world, else ``category``) where it has several labels, ``sampling.png`` where an arm was sampled,
    ``errors_*.png`` where the errors of one were classed (``srt errors``).
    ``reference`` is the arm that all others are compared with: by default ``base`` if there is one, else the first;
    ``srt`` is also compared with ``answer`` and ``cot``, and each ``srt-*`` with ``srt``. ``drawing`` draws a problem's
    scene as SVG; by default its world does. ``examples`` is how many problems the page shows. Runs of one arm are its
    training seeds.
    ``human`` are folders of ``srt human``, whose rows are shown below the benchmark's tables. ``title`` names the
    experiment and the model, by default the models of the runs; the benchmark is added to it. ``learning``
    is what arms took that learned from their own samples. ``conformance`` are files of ``srt backends --check``:
    without one that covers them, arms of different back ends are warned of. ``wandb``: where in W&B to report to, if
    at all.

    Raises:
        UserError: a folder without a scored run, one model twice in an arm, runs of an arm that differ in more than the
            model, runs scored under different policies, an unknown reference, no common problem, different problems
            under one id.
    """
    if wandb.report_to:
        require_wandb()
    compared = make_comparison(
        folders,
        reference=reference,
        human=human,
        title=title,
        warning=warning,
        learning=learning,
        conformance=conformance,
    )
    chosen = choose_examples(compared.pooled, compared.common, examples)
    write_report(Path(output), compared, chosen, drawing)
    if wandb.report_to:
        log_comparison(wandb, Path(output), compared.comparison, compared.pooled, chosen)
    return compared.comparison
