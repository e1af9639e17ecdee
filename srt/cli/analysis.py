"""The commands ``errors``, ``judge`` and ``export``: what is done with a scored run besides comparing it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from srt.cli.output import JsonFlag, print_summary


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""

    @app.command()
    def errors(
        run: Annotated[Path, typer.Argument(help="The folder of a scored run.")],
        judge: Annotated[
            Path | None, typer.Option("--judge", help="A judge model (YAML), for what no machine can class.")
        ] = None,
        labels: Annotated[
            Path | None, typer.Option("--labels", help="What people say of some (JSONL): measures machine and judge.")
        ] = None,
        sheet: Annotated[
            Path | None, typer.Option("--sheet", help="Only draw a sheet for people to label, into this new file.")
        ] = None,
        n: Annotated[int, typer.Option("-n", min=1, help="With --sheet: how many predictions.")] = 100,
        seed: Annotated[int, typer.Option("--seed", help="With --sheet: which ones.")] = 0,
        as_json: JsonFlag = False,
    ) -> None:
        """Class the wrong predictions: what failed first, in the classes of MathSpatial and of HST-bench.

        Writes errors.jsonl and errors.json beside the scores; docs/evaluation.md has the table of classes.

        Example: srt errors runs/srt --judge recipes/judge/openai.yaml --labels labelled.jsonl
        """
        from eval.error_classes import classify_errors, write_sheet
        from eval.judging import load_judge

        if sheet is not None:
            print_summary({"file": str(sheet), "predictions": write_sheet(run, sheet, n, seed)}, as_json)
            return
        summary = classify_errors(run, judge=load_judge(judge) if judge else None, labels=labels)
        print_summary(summary.model_dump(mode="json") if as_json else _shown(summary.model_dump()), as_json)

    @app.command()
    def judge(
        run: Annotated[Path, typer.Argument(help="The folder of a scored run.")],
        config: Annotated[Path, typer.Option("--config", help="The judge model (YAML).")],
        as_json: JsonFlag = False,
    ) -> None:
        """Ask a judge model whether each answer is right: a column of its own, never part of accuracy.

        A judge that was stopped goes on where it was and is paid for no answer twice.

        Example: srt judge runs/srt --config recipes/judge/openai.yaml
        """
        from eval.judge import judge_answers
        from eval.judging import load_judge

        summary = judge_answers(run, load_judge(config)).model_dump(mode="json")
        print_summary(summary, as_json)

    @app.command()
    def export(
        run: Annotated[Path, typer.Argument(help="The folder of a scored run.")],
        to: Annotated[str, typer.Option("--to", help="inspect, lm-eval or vlmevalkit.")],
        out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write into.")],
        as_json: JsonFlag = False,
    ) -> None:
        """Write predictions and scores as files of another tool; pictures are referred to, not copied.

        Example: srt export runs/srt --to inspect -o logs
        """
        from eval.export import export as write

        paths = [str(path) for path in write(run, to, out)]
        print_summary({"files": paths} if as_json else {"file": dict(enumerate(paths, 1))}, as_json)


def _shown(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The summary for people: one line for each class."""
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
    told = f"{one['same']} of {one['count']} ({one['low']:.0%} to {one['high']:.0%})"
    if one["kappa"] is None:
        return told
    interval = "" if one["kappa_low"] is None else f" ({one['kappa_low']:.2f} to {one['kappa_high']:.2f})"
    return f"{told}, Cohen's kappa {one['kappa']:.2f}{interval}"
