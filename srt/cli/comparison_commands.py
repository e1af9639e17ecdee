"""Commands on scored runs: ``compare``, ``errors``, ``judge``, ``power``, ``export``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from srt.cli import completions
from srt.cli.config_options import ConfigCommand, pairs
from srt.cli.output import JsonFlag, print_summary
from srt.cli.recipe_kinds import require_kind
from srt.io.errors import UserError
from srt.io.progress import say
from srt.io.yaml_config import parse_config

_USUAL_DISCORDANCES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def _compare(
    given: dict[str, Any],
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of scored runs, and files of other systems' predictions.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the report.")],
    problems: Annotated[
        Path | None,
        typer.Option("--problems", help="What the files have answers to (default: the problems of the first run)."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="FIELD=COLUMN,...",
            help="Which columns of a table are which fields, as in id=pid,prediction=output.",
        ),
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option("--benchmark", autocompletion=completions.benchmarks, help="Whose rules score the files (plain)."),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="An option of the benchmark.")
    ] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", help="How the files' answers are compared with gold (strict).")
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option("--reference", help="Arm to compare the others with (default: base, or else the first)."),
    ] = None,
    human: Annotated[
        list[Path] | None,
        typer.Option(
            "--human", "--people", help="Folder of srt human, shown below the benchmark's tables; may be repeated."
        ),
    ] = None,
    conformance: Annotated[
        list[Path] | None,
        typer.Option("--conformance", help="A file of srt backends --check; may be repeated."),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", help="Experiment and model, as named in the title (default: the models).")
    ] = None,
    examples: Annotated[
        int, typer.Option("--examples", min=0, help="Number of example problems on the page, with all outputs.")
    ] = 400,
    as_json: JsonFlag = False,
) -> None:
    """Compare runs on one page: tables, differences, plots.

    Files of other systems are scored first, into the report's folder: a table with the columns id and prediction,
    samples of lm-eval or lmms-eval, predictions of VLMEvalKit, logs of Inspect.

    Example: srt compare runs/base runs/cot runs/srt -o report

    Example: srt compare gpt.csv qwen/samples_spatial_2026-11-01T10-00-00.jsonl --problems test.jsonl -o report
    """
    from eval.compared_files import runs_of
    from eval.predictions.tables import named_columns
    from eval.report.compare import compare as compare_runs
    from eval.run.wandb_settings import WandbSettings

    settings = {key: value for key, value in given.items() if value is not None}
    folders = runs_of(
        runs,
        out,
        problems=problems,
        benchmark=benchmark,
        options=pairs(option or (), "--option", "shots=5"),
        columns=named_columns(columns) if columns else {},
        policy=policy,
    )
    comparison = compare_runs(
        folders,
        out,
        reference=reference,
        human=human or (),
        examples=examples,
        title=title,
        conformance=conformance or (),
        wandb=parse_config(WandbSettings, settings, "srt compare"),
    )
    if as_json:
        print_summary(comparison.model_dump(mode="json"), as_json)
        return
    from eval.report.headline import answer

    say(answer(comparison))
    say(f"The report is {out / 'report.html'}; {out / 'report.md'} has its tables as text")


compare = ConfigCommand("eval.run.wandb_settings:WandbSettings", _compare)


def errors(
    run: Annotated[Path, typer.Argument(help="The folder of a scored run.")],
    judge: Annotated[
        Path | None, typer.Option("--judge", help="A judge model (YAML), for errors without an automatic class.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option("--labels", help="Labels by people (JSONL), to measure the classes against.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option("--sheet", help="Only write a sample for people to label to this new file.")
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="With --sheet: number of predictions.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="With --sheet: seed of the draw.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Classify wrong predictions by what failed first.

    Uses the error classes of MathSpatial and HST-bench: docs/evaluation.md has the table. Writes errors.jsonl and
    errors.json beside the scores.

    Example: srt errors runs/srt --judge recipes/judge/openai.yaml --labels labelled.jsonl
    """
    from eval.errors.error_classes import classify_errors, write_sheet
    from eval.errors.judge_model import load_judge

    if sheet is not None:
        print_summary({"file": str(sheet), "predictions": write_sheet(run, sheet, n, seed)}, as_json)
        return
    if judge is not None:
        require_kind(judge, "judge")
    summary = classify_errors(run, judge=load_judge(judge) if judge else None, labels=labels)
    print_summary(summary.model_dump(mode="json") if as_json else _shown_errors(summary.model_dump()), as_json)


def ask_judge(
    runs: Annotated[list[Path], typer.Argument(help="Folders of scored runs.")],
    config: Annotated[
        Path, typer.Option("--config", help="The judge model (YAML), or the name of a file in recipes/judge/.")
    ],
    unread: Annotated[
        bool,
        typer.Option(
            "--unread", help="Read the outputs without a readable answer, without gold; their answers are then scored."
        ),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Ask a judge model which answers are right.

    With --unread it reads outputs in which no answer was found, and is not told the right one. Its
    verdicts are a separate column and never part of accuracy. An interrupted run continues where it stopped and pays
    for no reply twice.

    Example: srt ask-judge runs/base runs/srt --config recipes/judge/openai.yaml --unread
    """
    from eval.errors.answer_judge import judge_answers
    from eval.errors.judge_model import load_judge
    from eval.errors.unread_answers import read_unread
    from eval.report.judge_rows import judge_rows

    require_kind(config, "judge")
    judge = load_judge(config)
    summaries = {}
    for run in runs:
        summaries[str(run)] = found = read_unread(run, judge) if unread else judge_answers(run, judge)
        # At once: the next run may take hours, or fail.
        if not as_json:
            print_summary(judge_rows(found), as_json)
    if as_json:
        told = {run: found.model_dump(mode="json") for run, found in summaries.items()}
        print_summary(told if len(told) > 1 else told[str(runs[0])], as_json)


def power(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Scored runs of two arms, one or several (training seeds) of each, to plan from."),
    ] = None,
    *,
    difference: Annotated[
        float, typer.Option("--difference", help="Smallest accuracy difference to detect, in points.")
    ],
    discordance: Annotated[
        float | None,
        typer.Option("--discordance", help="Or: share of problems (0 to 1) that exactly one of the arms solves."),
    ] = None,
    chance: Annotated[float, typer.Option("--power", help="Probability of detecting the difference.")] = 0.8,
    level: Annotated[float, typer.Option("--level", help="Significance level of the two-sided test.")] = 0.05,
    as_json: JsonFlag = False,
) -> None:
    """Compute how many problems and runs a comparison needs.

    From several runs of an arm, the spread of its training seeds is measured and counts. Otherwise the number of
    problems is for McNemar's test: docs/statistics.md has both.

    Example: srt power --difference 3 runs/cot-0 runs/cot-1 runs/srt-0 runs/srt-1
    """
    if not 0 < abs(difference) <= 100:
        raise UserError(f"--difference {difference:g}: points above 0 and at most 100 were expected")
    if discordance is not None and not 0 <= discordance <= 1:
        raise UserError(f"--discordance {discordance:g}: a share from 0 to 1 was expected")
    if not (0 < chance < 1 and 0 < level < 1):
        raise UserError(f"--power {chance:g}, --level {level:g}: shares between 0 and 1 were expected")
    if runs and discordance is not None:
        raise UserError("runs and --discordance: give one of them; runs show their own discordance")
    from srt.statistics.power import problems_needed

    share = difference / 100
    how = {"power": chance, "level": level}
    if runs:
        print_summary(_power_from_runs(runs, share, how), as_json)
        return
    needed = {
        f"{each:g}": problems_needed(share, each, power=chance, level=level)
        for each in ((discordance,) if discordance is not None else _USUAL_DISCORDANCES)
        if each >= abs(share)
    }
    if not needed:
        largest = discordance if discordance is not None else _USUAL_DISCORDANCES[-1]
        raise UserError(
            f"--difference {difference:g}: impossible if the arms disagree on at most {largest:g} of the problems"
        )
    print_summary({"points": difference, **how, "problems needed at discordance": needed}, as_json)


def export(
    run: Annotated[Path, typer.Argument(help="The folder of a scored run.")],
    to: Annotated[str, typer.Option("--to", help="inspect, lm-eval or vlmevalkit.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write into.")],
    as_json: JsonFlag = False,
) -> None:
    """Export a run to Inspect, lm-evaluation-harness or VLMEvalKit.

    Writes predictions and scores as files of the other tool. Pictures are referenced, not copied.

    Example: srt export runs/srt --to inspect -o logs
    """
    from eval.export import export as write

    paths = [str(path) for path in write(run, to, out)]
    print_summary({"files": paths} if as_json else {"file": dict(enumerate(paths, 1))}, as_json)


def _shown_errors(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The summary of ``srt errors`` with one line for each class."""
    shown: dict[str, Any] = {name: summary[name] for name in ("arm", "predictions", "wrong", "findings")}
    for taxonomy, classes in summary["classes"].items():
        shown[taxonomy] = {
            word: f"{by['machine']} by the machine" + (f", {by['judge']} by the judge" if summary["judge"] else "")
            for word, by in classes.items()
        } | {"(no class)": summary["unclassed"][taxonomy]}
    for who, found in summary["agreement"].items():
        versus = who if " and " in who else f"{who} and people"
        shown[f"agreement of {versus}"] = {taxonomy: _agreement(one) for taxonomy, one in found.items()}
    for name in ("judge", "no_judgement", "spent"):
        if summary[name]:
            shown[name] = summary[name]
    return shown


def _agreement(one: Mapping[str, Any]) -> str:
    share = f"{one['same']} of {one['count']} ({one['low']:.0%} to {one['high']:.0%})"
    if one["kappa"] is None:
        return share
    interval = "" if one["kappa_low"] is None else f" ({one['kappa_low']:.2f} to {one['kappa_high']:.2f})"
    return f"{share}, Cohen's kappa {one['kappa']:.2f}{interval}"


def _power_from_runs(folders: Sequence[Path], share: float, how: dict[str, float]) -> dict[str, Any]:
    from eval.run.scored_run import read_run
    from eval.scoring.comparison_plan import plan

    found = plan([read_run(folder) for folder in folders], share, **how)
    needed = {
        f"with {runs} runs": "no number is enough" if count is None else count for runs, count in found.needed.items()
    }
    return {
        "points": 100 * share,
        **how,
        "arms": found.arms,
        "problems needed": needed or found.problems_needed,
        "spread of training runs": found.spread_note,
        "problems that all runs have": found.problems,
        "points that these can show": None if found.detectable is None else 100 * found.detectable,
        "points that were measured": 100 * found.difference,
        "discordance": found.discordance,
        "design effect": found.design_effect,
    }
