"""Commands of evaluation: ``eval``, ``score``, ``compare``, ``benchmarks``.

``eval`` needs its extra (``pip install -e .[eval]``) and is imported inside the command.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from srt.cli.model import one_of
from srt.cli.output import JsonFlag, StrictFlag, print_summary
from srt.errors import UserError
from srt.prompts import PromptStyle

_ModelPath = Annotated[str | None, typer.Option("--model", help="Folder of the model, or its name on the server.")]
_TokenizerFlag = Annotated[
    Path | None,
    typer.Option("--reference-tokenizer", help="Folder of a tokenizer by which all models' tokens are counted too."),
]
_PolicyFlag = Annotated[
    str | None,
    typer.Option("--policy", help="When numbers and units equal gold: strict (default) or lenient."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""

    @app.command("eval")
    def eval_(
        model: _ModelPath = None,
        problems: Annotated[Path | None, typer.Option("--problems", help="A file of problems (JSONL).")] = None,
        out: Annotated[
            Path | None, typer.Option("-o", "--out", help="Folder of the run; a killed run goes on there.")
        ] = None,
        config: Annotated[
            Path | None, typer.Option("--config", help="A recipe (YAML) as in recipes/eval/; flags win over it.")
        ] = None,
        adapter: Annotated[Path | None, typer.Option("--adapter", help="Folder of a LoRA adapter.")] = None,
        backend: Annotated[str | None, typer.Option(help="transformers (default), vllm or server.")] = None,
        benchmark: Annotated[
            str | None, typer.Option("--benchmark", help="What the problems are of; srt benchmarks lists them.")
        ] = None,
        data: Annotated[
            Path | None, typer.Option("--data", help="Your copy of the benchmark, instead of --problems.")
        ] = None,
        lang: Annotated[str | None, typer.Option("--lang", help="zh or en, where --data has both.")] = None,
        option: Annotated[
            list[str] | None,
            typer.Option("--option", metavar="KEY=VALUE", help="An option of the benchmark; may be repeated."),
        ] = None,
        arm: Annotated[str | None, typer.Option("--arm", help="The name that comparisons show: model.")] = None,
        prompt: Annotated[
            str | None, typer.Option("--prompt", help="full (default) or bare, as the sequences were built.")
        ] = None,
        repeats: Annotated[int | None, typer.Option(min=1, help="Samples of each question.")] = None,
        max_new_tokens: Annotated[int | None, typer.Option(min=1, help="Budget of a generation.")] = None,
        temperature: Annotated[float | None, typer.Option(min=0.0, help="0 is greedy.")] = None,
        top_p: Annotated[float | None, typer.Option(help="Nucleus of sampling.")] = None,
        think_budget: Annotated[
            int | None, typer.Option(min=0, help="Tokens after which a think block is closed; 0: never.")
        ] = None,
        min_pixels: Annotated[int | None, typer.Option(min=1, help="Smaller pictures are enlarged to it.")] = None,
        max_pixels: Annotated[int | None, typer.Option(min=1, help="Larger pictures are reduced to it.")] = None,
        ban: Annotated[str | None, typer.Option(help="Forbid the word of an operation while generating.")] = None,
        grammar: Annotated[str | None, typer.Option(help="trace: hold the text to the form of a trace.")] = None,
        seed: Annotated[int | None, typer.Option(help="Of sampling.")] = None,
        batch_size: Annotated[int | None, typer.Option(min=1, help="transformers: rows at a time.")] = None,
        batch_tokens: Annotated[
            int | None, typer.Option(min=1, help="transformers: rows times prompt and budget, at most (131072).")
        ] = None,
        threads: Annotated[int | None, typer.Option(min=1, help="transformers: threads of torch.")] = None,
        continuous: Annotated[
            bool | None, typer.Option("--continuous", help="transformers: continuous batching (greedy, text).")
        ] = None,
        tensor_parallel: Annotated[int | None, typer.Option(min=1, help="vllm: GPUs of one model.")] = None,
        gpu_memory: Annotated[float | None, typer.Option(help="vllm: share of a GPU's memory that it takes.")] = None,
        vision_adapter: Annotated[
            bool | None, typer.Option("--vision-adapter", help="vllm: load an adapter of the vision tower too.")
        ] = None,
        base_url: Annotated[
            str | None, typer.Option(help="server: its address, as in http://127.0.0.1:8000/v1.")
        ] = None,
        api_key_env: Annotated[
            str | None, typer.Option(help="server: environment variable that holds the key.")
        ] = None,
        in_flight: Annotated[int | None, typer.Option(min=1, help="server: requests at once.")] = None,
        pictures: Annotated[
            bool | None, typer.Option("--pictures/--no-pictures", help="server: whether its model reads pictures.")
        ] = None,
        kind_of_server: Annotated[
            str | None, typer.Option(help="server: vllm (default), sglang or llama.cpp: how it is told a grammar.")
        ] = None,
        policy: _PolicyFlag = None,
        reference_tokenizer: _TokenizerFlag = None,
        strict: StrictFlag = False,
        as_json: JsonFlag = False,
    ) -> None:
        """Generate, score and check: accuracy, tokens, and the share of traces that are proved.

        What is not given of the generation is the preset of the model's family, and stands in run.json. Under
        accelerate launch the processes share the questions.

        Example: srt eval --model models/qwen --adapter runs/srt --benchmark space2025 --data SpaCE2025/dev -o runs/dev

        Example: accelerate launch --num_processes 8 -m srt eval --config recipes/eval/r1-distill-qwen-7b.yaml
        """
        given = {key: value for key, value in locals().items() if key not in _NOT_KEYS}
        if prompt is not None:
            one_of(prompt, get_args(PromptStyle), "prompt style")
        chosen = _pairs(option or [])
        summary = _run({**given, "output": out, "options": chosen or None}, config)
        _print_scored(summary, as_json)
        if strict and summary.get("data", {}).get("refused"):
            raise typer.Exit(1)

    @app.command()
    def score(
        run: Annotated[Path, typer.Argument(help="Folder of a run.")],
        problems: Annotated[Path | None, typer.Option("--problems", help="Problems, if the file has moved.")] = None,
        policy: _PolicyFlag = None,
        reference_tokenizer: _TokenizerFlag = None,
        as_json: JsonFlag = False,
    ) -> None:
        """Score a run again. Never generates.

        Example: srt score runs/srt --policy lenient
        """
        from eval.equality import POLICIES
        from eval.score import score as score_run

        settings: dict[str, Any] = {}
        if policy is not None:
            settings["policy"] = one_of(policy, tuple(POLICIES), "policy")
        if reference_tokenizer is not None:
            settings["reference_tokenizer"] = reference_tokenizer
        _print_scored(score_run(run, problems, **settings).model_dump(mode="json"), as_json)

    @app.command()
    def compare(
        runs: Annotated[list[Path], typer.Argument(help="Folders of scored runs.")],
        out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the report.")],
        reference: Annotated[
            str | None,
            typer.Option(
                "--reference", help="The arm that others are compared with: base if there is one, or the first."
            ),
        ] = None,
        people: Annotated[
            list[Path] | None,
            typer.Option("--people", help="Folder of srt human, shown below the benchmark's tables; may be repeated."),
        ] = None,
        examples: Annotated[
            int, typer.Option("--examples", min=0, help="Problems that the page shows, with all outputs.")
        ] = 400,
        as_json: JsonFlag = False,
    ) -> None:
        """Runs side by side: table, paired differences, plots, and one page to open.

        Example: srt compare runs/base runs/cot runs/srt -o report
        """
        from eval.compare import compare as compare_runs

        comparison = compare_runs(runs, out, reference=reference, people=people or (), examples=examples)
        if as_json:
            print_summary(comparison.model_dump(mode="json"), as_json)
            return
        print((out / "report.md").read_text(encoding="utf-8"))
        print(f"The report is at {out / 'report.html'}")

    @app.command()
    def benchmarks(as_json: JsonFlag = False) -> None:
        """The benchmarks that srt eval knows, with their options; the first value of an option is its default.

        Example: srt benchmarks --json
        """
        from eval.benchmarks import BENCHMARKS

        rows = {
            one.name: {
                "about": one.about,
                "reads": "your copy (--data) or a file of problems" if one.read else "a file of problems",
                "options": {name: list(values) for name, values in one.options.items()},
            }
            for one in BENCHMARKS.values()
        }
        if as_json:
            print_summary(rows, as_json)
            return
        print_summary({name: _told(row) for name, row in rows.items()}, as_json)


_NOT_KEYS = frozenset({"out", "config", "option", "strict", "as_json"})
"""The parameters of ``srt eval`` that are not, by the same name, keys of a recipe."""

_OF_EXPERIMENT = ("model", "adapter", "problems", "data", "output", "arm", "prompt", "ban")


def evaluate(
    model: Path,
    problems: Path,
    out: Path,
    *,
    arm: str,
    prompt: str,
    settings: Mapping[str, Any],
    adapter: Path | None = None,
    ban: str | None = None,
) -> dict[str, Any]:
    """Predict and score one run of an experiment; ``settings`` are keys of an evaluation's recipe."""
    where = {"model": str(model), "problems": problems, "output": out, "adapter": adapter}
    return _run({**settings, **where, "arm": arm, "prompt": prompt, "ban": ban})


def check_evaluation(settings: Mapping[str, Any]) -> None:
    """Raise a :class:`UserError` for ``settings`` that :func:`evaluate` would refuse."""
    from eval.recipe import make_eval_recipe

    for key in _OF_EXPERIMENT:
        if key in settings:
            raise UserError(f"evaluate: {key}: the experiment sets this itself")
    make_eval_recipe({**settings, "model": "model", "problems": "problems.jsonl", "output": "run"})


def _run(given: Mapping[str, Any], config: Path | None = None) -> dict[str, Any]:
    from eval.evaluation import run_evaluation
    from eval.recipe import make_eval_recipe

    return run_evaluation(make_eval_recipe(given, config))


def _print_scored(summary: Mapping[str, Any], as_json: bool) -> None:
    """The figures of a run, and for people the benchmark's own tables below them."""
    if as_json:
        print_summary(summary, as_json)
        return
    from eval.benchmarks.benchmark import Table
    from eval.benchmarks.tables import markdown_table

    print_summary({name: value for name, value in summary.items() if name != "tables"}, as_json)
    for table in summary.get("tables", ()):
        print(f"\n{markdown_table(Table.model_validate(table))}")


def _pairs(options: list[str]) -> dict[str, str]:
    pairs = {}
    for one in options:
        name, equals, value = one.partition("=")
        if not equals:
            raise UserError(f"--option {one}: KEY=VALUE was expected, as in shots=5")
        pairs[name] = value
    return pairs


def _told(row: Mapping[str, Any]) -> str:
    options = "; ".join(f"{name}={'|'.join(values)}" for name, values in row["options"].items())
    return f"{row['about']}{f' [{options}]' if options else ''}"
