"""Commands of training: ``init-model``, ``preflight``, ``train``, ``merge``.

The package ``train`` needs its extra (``pip install -e .[train]``) and is imported inside the commands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from srt.cli import completions
from srt.cli.config_options import ConfigCommand
from srt.cli.output import JsonFlag, one_of, print_summary
from srt.cli.recipe_kinds import find_launch_file, require_kind
from srt.cli.trainer_process import run_training, status_text
from srt.io.bundled_files import find_bundled
from srt.io.errors import Interrupted, UserError
from srt.io.progress import PlainConsole, notice, progress_bar, say


def _init_model(
    given: dict[str, Any],
    arch: Annotated[str, typer.Argument(help="The architecture, as qwen3 or qwen3_vl; an unknown one lists all.")],
    data: Annotated[list[Path], typer.Option("--data", help="Sequences to train the tokenizer on; may be repeated.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the new model.")],
    seed: Annotated[int, typer.Option(help="Seed of the weights.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Make a small model with random weights and its tokenizer.

    Example: srt init-model llama --data data/srt/sequences.jsonl -o models/small
    """
    from train.models.init_model import init_model as make
    from train.models.init_model import sequence_texts

    options = {key: value for key, value in given.items() if value is not None}
    parameters = make(arch, sequence_texts(data), out, seed=seed, **options)
    print_summary({"model": str(out), "parameters": parameters}, as_json)


init_model = ConfigCommand("train.models.new_model:NewModel", _init_model)


def preflight(
    recipe: Annotated[
        Path,
        typer.Argument(
            help="A training recipe (YAML), or the name of one in recipes/train/.",
            autocompletion=completions.recipes("recipes/train"),
        ),
    ],
    accelerate: Annotated[
        Path | None,
        typer.Option(
            "--accelerate",
            autocompletion=completions.recipes("configs"),
            help="The accelerate config for the launch, such as one in configs/.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="KEY=VALUE: override a key of the recipe; may be repeated.")
    ] = None,
    gpu_memory: Annotated[
        float | None, typer.Option("--gpu-memory", min=0.0, help="GB of memory per GPU, if this machine has no GPU.")
    ] = None,
    step: Annotated[bool, typer.Option("--step/--no-step", help="Take one real step on this machine.")] = True,
    as_json: JsonFlag = False,
) -> None:
    """Find every fault of a training recipe before it runs.

    Prints the settings of the run, the memory it needs and the label masks, and takes one real step. The exit status
    is 2 if there is a fault.

    Example: srt preflight recipes/train/qwen2.5-vl-7b-lora.yaml --accelerate configs/ddp_8gpu.yaml --gpu-memory 80
    """
    from train.preflight.before_launch import first_checks, report_without_model

    require_kind(recipe, "train")
    if accelerate is not None:
        accelerate = find_bundled(accelerate, "configs")
        if accelerate.is_file():  # else it is one fault among others
            require_kind(accelerate, "launch")
    first = first_checks(recipe, changes or (), accelerate)
    if (report := report_without_model(first)) is None:
        # Imported here: with PyTorch it takes ten seconds, which nobody should wait to read of a mistyped path.
        from train.preflight.checklist import run_checklist

        report = run_checklist(
            first,
            gpu_bytes=None if gpu_memory is None else gpu_memory * 1e9,
            step=step,
            progress=lambda what, total: progress_bar(what, total, lines_from=1000),
        )
    if as_json:
        print_summary(
            {
                "faults": report.faults,
                "notes": report.notes,
                "what would fit": report.fallback_plans,
                # The tables of memory and of the step are below as numbers.
                **{
                    name: figures
                    for name, figures in report.figures.items()
                    if not name.startswith(("memory", "one step"))
                },
                "memory": None if report.memory is None else report.memory._asdict(),
                "step": None if report.trial is None else report.trial._asdict(),
            },
            as_json,
        )
    else:
        _print_preflight(report)
    if report.faults:
        raise typer.Exit(2)


def train(
    recipe: Annotated[
        Path,
        typer.Argument(
            help="A training recipe (YAML), or the name of one in recipes/train/.",
            autocompletion=completions.recipes("recipes/train"),
        ),
    ],
    accelerate: Annotated[
        Path | None,
        typer.Option(
            "--accelerate",
            autocompletion=completions.recipes("configs"),
            help="The accelerate config for the launch, such as one in configs/.",
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the unfinished run in the output folder.")] = False,
    until: Annotated[
        int | None,
        typer.Option("--until", min=1, metavar="STEP", help="Write a checkpoint after this step, and stop."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a key of the recipe; may be repeated."),
    ] = None,
    launch_options: Annotated[
        list[str] | None, typer.Argument(help="After --: more options of accelerate launch.", show_default=False)
    ] = None,
) -> None:
    """Fine-tune a model on sequences.

    Runs train/train_srt.py; with --accelerate, through accelerate launch. A finished run is not repeated. After SIGTERM
    or SIGUSR1 it writes a checkpoint and exits with status 143.

    Example: srt train recipes/train/r1-distill-qwen-7b-lora.yaml --accelerate configs/ddp_8gpu.yaml
    --set data=data/cot/sequences.jsonl --set output=runs/r1-lora-cot -- --num_processes 4
    """
    from train.preflight.before_launch import finished_before
    from train.recipe_reader import load_recipe
    from train.run.resume import kept_by_ctrl_c

    changes = set_ or []
    require_kind(recipe, "train")
    chosen = load_recipe(recipe, changes)
    accelerate = accelerate and find_launch_file(accelerate)
    if launch_options and accelerate is None:
        raise UserError(f"{launch_options[0]}: an option of accelerate launch, which is only used with --accelerate")
    if (summary := finished_before(chosen, accelerate, launch_options or ())) is not None:
        say(f"{summary.line}: this run is finished, and {chosen.output} has it")
        return
    options = ["--resume"] * resume + [part for change in changes for part in ("--set", change)]
    options += [] if until is None else ["--until", str(until)]
    try:
        status = run_training(recipe, accelerate, options, launch_options or [])
    except KeyboardInterrupt:
        raise Interrupted(kept_by_ctrl_c(Path(chosen.output))) from None
    if status:
        if status not in (1, 2, 143):  # with these it has said why; a process that a signal kills has not
            notice(f"srt: training ended with status {status_text(status)}")
        raise typer.Exit(status)


def merge(
    adapter: Annotated[Path, typer.Argument(help="Folder of a trained adapter.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the merged model, new or empty.")],
    model: Annotated[
        Path | None, typer.Option("--model", help="Folder of the base model (default: the one used in training).")
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option("--dtype", metavar="float32|bfloat16", help="Of the written weights (default: the base's)."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Merge an adapter into its base model, and compare them.

    Writes a plain safetensors model with tokenizer and processor. Before rounding, it must give the logits of the base
    with adapter. A bfloat16 base gets bfloat16 weights, which rounds the sums and changes some of the model's choices:
    how many, on sequences of the run's own data, is printed, and how far the distributions of next tokens are apart.
    Nothing is written if that is more than rounding. --dtype float32 rounds nothing, and takes twice the space. The
    command needs enough memory for the base model in float32.

    An adapter trained over 4-bit weights (QLoRA) is merged into the base model before rounding. The result is close
    to what was trained but not the same, because the adapter learned on rounded weights. Evaluate what you publish.

    Example: srt merge runs/srt-qlora -o models/srt-7b --model models/DeepSeek-R1-Distill-Qwen-7B
    """
    from train.run.merge_adapter import merge as merge_adapter

    chosen = None if dtype is None else one_of(dtype, ("float32", "bfloat16"), "dtype")
    merged = merge_adapter(adapter, out, model, chosen)
    if not merged.base_verified:
        notice(f"{adapter} has no manifest: that {merged.base} is its base could not be checked")
    if merged.dtype != "float32":
        notice(f"{out}: {merged.rounding}; --dtype float32 rounds nothing")
    print_summary({"merged": str(out), **merged.model_dump(mode="json")}, as_json)


def _print_preflight(report: Any) -> None:
    """Print examples and figures, and the faults last, where the eye is."""
    console = PlainConsole()
    coloured = console.is_terminal and console.color_system is not None
    if report.shown:
        from train.data.label_view import label_view, legend

        console.print("What is trained on:", legend(coloured))
        for example in report.shown:
            console.print(f"\nproblem {example.problem_id}, {len(example.input_ids)} tokens")
            console.print(label_view(example, report.tokenizer, report.picture_token, coloured))
    for section, figures in report.figures.items():
        console.print(f"\n{section}")
        print_summary(figures, False)
    for note in report.notes:
        console.print(f"note: {note}")
    for fault in report.faults:
        notice(f"fault: {fault}")
    if report.fallback_plans:
        notice("what would fit, estimated on each GPU:")
        for plan in report.fallback_plans:
            notice(f"  {plan}")
    if not report.faults:
        console.print("\nno fault was found")
