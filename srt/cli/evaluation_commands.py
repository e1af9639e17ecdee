"""Commands of evaluation: ``eval``, ``score``, ``human``, ``benchmarks``.

The package ``eval`` needs its extra (``pip install -e .[eval]``) and is imported inside the commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from srt.cli import completions
from srt.cli.output import (
    AddressOption,
    Group,
    JsonFlag,
    Project,
    ReportTo,
    RunName,
    StrictFlag,
    WandbModeFlag,
    WorkersOption,
    one_of,
    print_summary,
)
from srt.cli.recipe_kinds import require_kind
from srt.io.errors import UserError
from srt.language.prompts import PromptStyle

_TokenizerFlag = Annotated[
    Path | None,
    typer.Option("--reference-tokenizer", help="Folder of a tokenizer used to count the tokens of all models."),
]
_PolicyFlag = Annotated[
    str | None,
    typer.Option("--policy", help="How numbers and units are compared with gold: strict (default) or lenient."),
]
_NOT_KEYS = frozenset({"out", "config", "option", "strict", "as_json"})
"""The parameters of ``srt eval`` that are not recipe keys of the same name."""


def eval_(
    model: Annotated[
        str | None, typer.Option("--model", help="Folder of the model, or its name on the server.")
    ] = None,
    problems: Annotated[Path | None, typer.Option("--problems", help="A file of problems (JSONL).")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder of the run; an interrupted run continues there.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="A recipe (YAML), such as one in recipes/eval/; options override it."),
    ] = None,
    adapter: Annotated[Path | None, typer.Option("--adapter", help="Folder of a LoRA adapter.")] = None,
    backend: Annotated[
        str | None,
        typer.Option(autocompletion=completions.backends, help="transformers (default), vllm, server or file."),
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option("--predictions", help="file: another system's predictions, with the columns id and prediction."),
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option(
            "--benchmark",
            autocompletion=completions.benchmarks,
            help="The benchmark of the problems; see srt benchmarks.",
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="Your copy of the benchmark, instead of --problems.")
    ] = None,
    lang: Annotated[str | None, typer.Option("--lang", help="zh or en, if --data has both.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="KEY=VALUE", help="An option of the benchmark; may be repeated."),
    ] = None,
    arm: Annotated[
        str | None,
        typer.Option(
            "--arm", autocompletion=completions.arms, help="Name of the run in comparisons (default: the model's)."
        ),
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option("--prompt", help="full (default) or bare; must match the sequences."),
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option("--prompts", help="Folder of prompts that replace ours, e.g. en/question.md, zh/hst_text.md."),
    ] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Samples per question.")] = None,
    max_new_tokens: Annotated[int | None, typer.Option(min=1, help="Token budget of a generation.")] = None,
    temperature: Annotated[float | None, typer.Option(min=0.0, help="Sampling temperature; 0 is greedy.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Nucleus sampling threshold.")] = None,
    think_budget: Annotated[
        int | None, typer.Option(min=0, help="Close a think block after this many tokens; 0 never closes it.")
    ] = None,
    min_pixels: Annotated[int | None, typer.Option(min=1, help="Enlarge smaller pictures to this area.")] = None,
    max_pixels: Annotated[int | None, typer.Option(min=1, help="Shrink larger pictures to this area.")] = None,
    ban: Annotated[str | None, typer.Option(help="Forbid this operation's word while generating.")] = None,
    grammar: Annotated[str | None, typer.Option(help="trace: constrain the output to the form of a trace.")] = None,
    seed: Annotated[int | None, typer.Option(help="Sampling seed.")] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, help="transformers: rows per batch.")] = None,
    batch_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="transformers: maximum tokens per batch, including prompt and budget (131072)."),
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="transformers: CPU threads of torch.")] = None,
    continuous: Annotated[
        bool | None, typer.Option("--continuous", help="transformers: continuous batching (text only, no constraints).")
    ] = None,
    tensor_parallel: Annotated[int | None, typer.Option(min=1, help="vllm: GPUs per model.")] = None,
    gpu_memory: Annotated[float | None, typer.Option(help="vllm: share of the GPU's memory to use.")] = None,
    vision_adapter: Annotated[
        bool | None, typer.Option("--vision-adapter", help="vllm: also load an adapter of the vision tower.")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option("--engine", help="ray: vLLM replicas on a Ray cluster (docs/scale.md); not yet run on a GPU."),
    ] = None,
    address: AddressOption = None,
    replicas: Annotated[
        int | None, typer.Option(min=1, help="ray: copies of the model (default: as many as the GPUs allow).")
    ] = None,
    base_url: Annotated[
        list[str] | None,
        typer.Option(help="server: its address, e.g. http://127.0.0.1:8000/v1; repeat it for several replicas."),
    ] = None,
    api_key_env: Annotated[
        str | None, typer.Option(help="server: environment variable that holds the API key.")
    ] = None,
    in_flight: Annotated[int | None, typer.Option(min=1, help="server: concurrent requests at each address.")] = None,
    pictures: Annotated[
        bool | None, typer.Option("--pictures/--no-pictures", help="server: the model reads pictures.")
    ] = None,
    server_type: Annotated[
        str | None,
        typer.Option(
            "--server-type",
            "--kind-of-server",
            help="server: vllm (default), sglang or llama.cpp; decides how a grammar is sent.",
        ),
    ] = None,
    opens_thought: Annotated[
        bool | None, typer.Option("--opens-thought", help="server: the chat template ends with <think>, as R1's does.")
    ] = None,
    policy: _PolicyFlag = None,
    reference_tokenizer: _TokenizerFlag = None,
    report_to: ReportTo = None,
    wandb_mode: WandbModeFlag = None,
    project: Project = None,
    group: Group = None,
    run_name: RunName = None,
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
    given = {key: value for key, value in locals().items() if key not in _NOT_KEYS}
    if prompt is not None:
        one_of(prompt, get_args(PromptStyle), "prompt style")
    chosen = {}
    for pair in option or ():
        name, equals, chosen[name] = pair.partition("=")
        if not equals:
            raise UserError(f"--option {pair}: KEY=VALUE was expected, as in shots=5")
    if config is not None:
        require_kind(config, "eval")
    from eval.evaluation import run_evaluation
    from eval.run.eval_recipe import make_eval_recipe

    summary = run_evaluation(make_eval_recipe({**given, "output": out, "options": chosen or None}, config))
    _print_scored(summary, as_json)
    if strict and summary.get("data", {}).get("refused"):
        raise typer.Exit(1)


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
    from eval.scoring.human_baseline import score_human
    from srt.answers.equality import PolicyName

    chosen = one_of(policy, get_args(PolicyName), "policy")
    summary = score_human(responses, problems, out, benchmark=benchmark, policy=chosen)
    print_summary(summary.model_dump(mode="json"), as_json)


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
        print(f"\n{markdown_table(table)}")
