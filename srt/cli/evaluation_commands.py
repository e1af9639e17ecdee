"""Commands of evaluation and of what is learned from it: ``eval``, ``score``, ``human``, ``benchmarks``, ``harvest``,
``pairs``.

The package ``eval`` needs its extra (``pip install -e .[eval]``) and is imported inside the commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from srt.cli import completions
from srt.cli.config_options import ConfigCommand, pairs
from srt.cli.output import (
    JsonFlag,
    StrictFlag,
    WorkersOption,
    one_of,
    print_summary,
)
from srt.cli.recipe_kinds import require_kind
from srt.io.errors import UserError
from srt.io.progress import say
from srt.io.yaml_config import parse_config
from srt.language.prompts import PromptStyle

_TokenizerFlag = Annotated[
    Path | None,
    typer.Option("--reference-tokenizer", help="Folder of a tokenizer used to count the tokens of all models."),
]
_PolicyFlag = Annotated[
    str | None,
    typer.Option("--policy", help="How numbers and units are compared with gold: strict (default) or lenient."),
]


def _evaluate(
    given: dict[str, Any],
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="A recipe (YAML), such as one in recipes/eval/; options override it.",
            rich_help_panel="Run",
        ),
    ] = None,
    strict: StrictFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Generate answers, score them and check the traces.

    Reports accuracy, tokens and the share of traces that are proved. Generation settings that you do not pass come
    from the model family's preset; run.json has the effective values. Under accelerate launch the processes share the
    questions.

    Example: srt eval --model models/qwen --adapter runs/srt --benchmark space2025 --data SpaCE2025/dev -o runs/dev

    Example: srt eval --backend file --predictions theirs.csv --problems test.jsonl -o runs/theirs

    Example: accelerate launch --num_processes 8 -m srt eval --config recipes/eval/r1-distill-qwen-7b.yaml
    """
    if given["prompt"] is not None:
        one_of(given["prompt"], get_args(PromptStyle), "prompt style")
    given["options"] = pairs(given["options"] or (), "--option", "shots=5") or None
    if config is not None:
        require_kind(config, "eval")
    from eval.evaluation import run_evaluation
    from eval.predictions.tables import named_columns
    from eval.run.eval_recipe import make_eval_recipe

    given["columns"] = named_columns(",".join(given["columns"])) if given["columns"] else None
    summary = run_evaluation(make_eval_recipe(given, config))
    _print_scored(summary, as_json)
    if strict and summary.get("data", {}).get("refused"):
        raise typer.Exit(1)


eval_ = ConfigCommand(
    "eval.run.eval_recipe:EvalRecipe",
    _evaluate,
    complete={"backend": completions.backends, "benchmark": completions.benchmarks, "arm": completions.arms},
)
"""The command: an option for each key of the recipe, and those of :func:`_evaluate`."""


def _backends(given: dict[str, Any], as_json: JsonFlag = False) -> None:
    """List the back ends, or check that one agrees with transformers.

    With --check both write greedy texts to the same prompts, and the texts, counts of tokens, finish reasons and
    log-probabilities are compared. The file is for srt compare --conformance.

    Example: srt backends --json

    Example: srt backends --check models/qwen --against vllm --dtype bfloat16 -o vllm.json
    """
    if all(value is None for value in given.values()):
        from eval.backends.backend_registry import BACKENDS

        print_summary({name: list(entry.keys) if as_json else entry.about for name, entry in BACKENDS.items()}, as_json)
        return
    from eval.conformance.check_backend import check_backend
    from eval.conformance.check_settings import CheckSettings
    from eval.conformance.conformance_records import table_rows

    settings = {key: value for key, value in given.items() if value is not None}
    found = check_backend(parse_config(CheckSettings, settings, "srt backends"))
    print_summary(found.model_dump(mode="json", exclude={"rows"}) if as_json else table_rows(found), as_json)


backends = ConfigCommand("eval.conformance.check_settings:CheckSettings", _backends)


def score(
    run: Annotated[Path, typer.Argument(help="Folder of a run.")],
    problems: Annotated[Path | None, typer.Option("--problems", help="The problems, if their file has moved.")] = None,
    policy: _PolicyFlag = None,
    reference_tokenizer: _TokenizerFlag = None,
    workers: WorkersOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Score a run again without generating.

    Example: srt score runs/srt --policy lenient
    """
    from eval.scoring.score import score as score_run
    from srt.answers.equality import POLICIES
    from srt.io.worker_processes import cores_at_hand

    settings: dict[str, Any] = {"workers": workers or cores_at_hand()}
    if policy is not None:
        settings["policy"] = one_of(policy, tuple(POLICIES), "policy")
    if reference_tokenizer is not None:
        settings["reference_tokenizer"] = reference_tokenizer
    _print_scored(score_run(run, problems, **settings).model_dump(mode="json"), as_json)


def human(
    responses: Annotated[
        Path, typer.Argument(help="CSV, TSV, JSON or JSONL file with participant, item, answer and optionally group.")
    ],
    problems: Annotated[Path, typer.Option("--problems", help="The problems that people answered (JSONL).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for human.json.")],
    benchmark: Annotated[
        str,
        typer.Option("--benchmark", autocompletion=completions.benchmarks, help="The benchmark whose grading is used."),
    ] = "plain",
    policy: Annotated[
        str, typer.Option("--policy", help="How numbers and units are compared with gold: strict or lenient.")
    ] = "strict",
    as_json: JsonFlag = False,
) -> None:
    """Score people's responses as a human baseline.

    Gives the micro-average of all responses and the majority vote of each group.

    Example: srt human responses.csv --problems hst.jsonl -o human --benchmark hst
    """
    from eval.report.console_rows import human_rows
    from eval.scoring.human_baseline import score_human
    from srt.answers.equality import PolicyName

    chosen = one_of(policy, get_args(PolicyName), "policy")
    summary = score_human(responses, problems, out, benchmark=benchmark, policy=chosen)
    print_summary(summary.model_dump(mode="json") if as_json else human_rows(summary), as_json)


def benchmarks(as_json: JsonFlag = False) -> None:
    """List the benchmarks and their options.

    The first value of an option is its default.

    Example: srt benchmarks --json
    """
    from eval.benchmarks.benchmark_registry import BENCHMARKS

    if as_json:
        rows = {
            one.name: {
                "about": one.about,
                "reads": "your copy (--data) or a file of problems",
                "options": {name: list(values) for name, values in one.options.items()},
            }
            for one in BENCHMARKS.values()
        }
        print_summary(rows, as_json)
        return
    shown = {}
    for one in BENCHMARKS.values():
        options = "; ".join(f"{name}={'|'.join(values)}" for name, values in one.options.items())
        shown[one.name] = f"{one.about} [{options}]" if options else one.about
    print_summary(shown, as_json)


def harvest(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs on one file of problems.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The traces to write (.jsonl or .parquet).")],
    most: Annotated[int, typer.Option("--most", min=1, help="At most so many traces a problem.")] = 2,
    balance: Annotated[
        bool,
        typer.Option(
            "--balance/--no-balance",
            help="No category keeps more traces a problem than all categories do on average.",
        ),
    ] = True,
    seed: Annotated[int, typer.Option("--seed", help="Seed that selects what balancing leaves out.")] = 0,
    problems: Annotated[Path | None, typer.Option("--problems", help="The problems, if their file has moved.")] = None,
    workers: WorkersOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Keep the proved traces of runs, to train on.

    Samples are judged anew: kept are those that are proved, right where there is a gold answer, and distinct.

    Example: srt harvest runs/a runs/b -o traces.jsonl --most 2
    """
    from eval.learning.harvest import harvest as harvest_runs
    from srt.io.worker_processes import cores_at_hand

    summary = harvest_runs(
        runs, out, most=most, balance=balance, seed=seed, problems=problems, workers=workers or cores_at_hand()
    )
    print_summary(summary, as_json)


def pairs_(
    out: Annotated[Path, typer.Option("-o", "--out", help="The pairs to write (.jsonl or .parquet).")],
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Folders of runs on one file of problems.", show_default=False)
    ] = None,
    traces: Annotated[
        Path | None, typer.Option("--traces", help="Instead of runs: exact traces, to plant faults in.")
    ] = None,
    problems: Annotated[
        Path | None, typer.Option("--problems", help="The problems of the traces; of runs, if their file has moved.")
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="At most so many pairs a problem, or a trace.")] = 1,
    prompt: Annotated[str, typer.Option("--prompt", help="With --traces: full or bare.")] = "full",
    text: Annotated[
        str,
        typer.Option(
            "--text", autocompletion=completions.styles, help="With --traces: how steps are written, as in srt build."
        ),
    ] = "claims",
    seed: Annotated[int, typer.Option("--seed", help="With --traces: seed that selects the faults.")] = 0,
    workers: WorkersOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Write pairs to train on: a proved trace and a faulty one.

    Of runs: two samples of one problem, proved and refuted. Of traces: the trace, and the same with a planted fault.

    Example: srt pairs runs/a -o pairs.jsonl

    Example: srt pairs --traces solved.jsonl --problems problems.jsonl -o pairs.jsonl
    """
    from srt.io.worker_processes import cores_at_hand

    shared: dict[str, Any] = {"most": most, "workers": workers or cores_at_hand()}
    if (traces is None) == (not runs):
        raise UserError("pairs: give runs, or --traces with --problems: one of the two")
    if traces is None:
        from eval.learning.sampled_pairs import sampled_pairs

        summary = sampled_pairs(runs or [], out, problems=problems, **shared)
    else:
        from srt.mutate.planted_pairs import planted_pairs

        if problems is None:
            raise UserError("--problems: missing, the file of the problems that the traces solve")
        summary = planted_pairs(traces, problems, out, prompt=prompt, text=text, seed=seed, **shared)
    print_summary(summary, as_json)


def _print_scored(summary: Mapping[str, Any], as_json: bool) -> None:
    """Print the figures of a run and, unless as JSON, the benchmark's own tables below them."""
    if as_json:
        print_summary(summary, as_json)
        return
    from eval.benchmarks.tables.breakdown import markdown_table
    from eval.report.console_rows import console_rows
    from eval.scoring.arm_summary import ArmSummary

    figures = {name: value for name, value in summary.items() if name in ArmSummary.model_fields}
    if "accuracy" not in figures:  # nothing was scored
        print_summary(summary, as_json)
        return
    scored = ArmSummary.model_validate(figures)
    others = {name: value for name, value in summary.items() if name not in figures}
    print_summary({**console_rows(scored), **others}, as_json)
    for table in scored.tables:
        say(f"\n{markdown_table(table)}")
