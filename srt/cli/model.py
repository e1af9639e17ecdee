"""Commands around models: ``init-model``, ``train``, ``merge``.

``train`` needs its extra (``pip install -e .[train]``) and is imported inside the command.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from srt.cli.output import JsonFlag, print_summary
from srt.errors import UserError


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""

    @app.command("init-model")
    def init_model(
        arch: Annotated[str, typer.Argument(help="The architecture: qwen2, llama, qwen2_5_vl or internvl.")],
        data: Annotated[
            list[Path], typer.Option("--data", help="Sequences to train the tokenizer on; may be repeated.")
        ],
        out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the new model.")],
        hidden: Annotated[int, typer.Option(help="Width.")] = 128,
        layers: Annotated[int, typer.Option(help="Depth.")] = 4,
        heads: Annotated[int, typer.Option(help="Attention heads.")] = 4,
        vocab: Annotated[int, typer.Option(help="At most so many tokens.")] = 1024,
        pieces: Annotated[str, typer.Option(help="What may become one token: words, or whole phrases.")] = "words",
        initializer_range: Annotated[float, typer.Option(help="Standard deviation of the random weights.")] = 0.02,
        seed: Annotated[int, typer.Option(help="Seed of the weights.")] = 0,
        chat_template: Annotated[
            str | None, typer.Option(help="minimal, qwen2.5, r1-distill or llama3; vision models have their own.")
        ] = None,
        as_json: JsonFlag = False,
    ) -> None:
        """A small model of a real architecture with random weights and a tokenizer of its own.

        Example: srt init-model llama --data data/srt/sequences.jsonl -o models/small
        """
        from train.init_model import Arch, ChatTemplate, Pieces, sequence_texts
        from train.init_model import init_model as make

        parameters = make(
            one_of(arch, get_args(Arch), "architecture"),
            sequence_texts(data),
            out,
            hidden=hidden,
            layers=layers,
            heads=heads,
            vocab=vocab,
            pieces=one_of(pieces, get_args(Pieces), "kind of pieces"),
            initializer_range=initializer_range,
            seed=seed,
            chat_template=None
            if chat_template is None
            else one_of(chat_template, get_args(ChatTemplate), "chat template"),
        )
        print_summary({"model": str(out), "parameters": parameters}, as_json)

    @app.command()
    def train(
        recipe: Annotated[Path, typer.Argument(help="A training recipe (YAML).")],
        accelerate: Annotated[
            Path | None, typer.Option("--accelerate", help="An accelerate file, as in configs/.")
        ] = None,
        resume: Annotated[bool, typer.Option("--resume", help="Go on with the unfinished run in the output.")] = False,
        set_: Annotated[
            list[str] | None,
            typer.Option("--set", metavar="KEY=VALUE", help="A key that is not as in the recipe; may be repeated."),
        ] = None,
    ) -> None:
        """Fine-tune on sequences: the same as accelerate launch train/train_srt.py --config RECIPE.

        A run that is finished already is left as it is.

        Example: srt train recipes/train/r1-distill-qwen-7b-lora.yaml --accelerate configs/ddp_8gpu.yaml
        --set data=data/cot/sequences.jsonl --set output=runs/r1-lora-cot
        """
        from train.recipe import load_recipe

        changes = set_ or []
        load_recipe(recipe, changes)
        if accelerate is not None and not accelerate.is_file():
            raise UserError(f"{accelerate}: no such accelerate file; there are some in configs/")
        options = ["--resume"] * resume + [part for change in changes for part in ("--set", change)]
        status = run_training(recipe, accelerate, options)
        if status:
            raise typer.Exit(status)

    @app.command()
    def merge(
        adapter: Annotated[Path, typer.Argument(help="Folder of a trained adapter.")],
        out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the merged model, new or empty.")],
        model: Annotated[
            Path | None,
            typer.Option("--model", help="Folder of the base; by default where it was when it was trained."),
        ] = None,
        as_json: JsonFlag = False,
    ) -> None:
        """Merge an adapter into its base: a plain model in safetensors, with tokenizer and processor.

        The folder is there only after merged and unmerged model gave the same logits on random prompts; the largest
        difference is printed. Takes the memory of the base in float32.

        An adapter that was trained over 4-bit weights (QLoRA) is merged into the base as it was before: the result is
        close to what was trained and not the same, for the adapter has learned beside rounded weights. Evaluate what
        you publish.

        Example: srt merge runs/srt-qlora -o models/srt-7b --model models/DeepSeek-R1-Distill-Qwen-7B
        """
        from train.merge import merge as merge_adapter

        merged = merge_adapter(adapter, out, model)
        if not merged.base_verified:
            print(f"{adapter} has no stamp: that {merged.base} is its base could not be checked", file=sys.stderr)
        print_summary({"merged": str(out), **merged.model_dump(mode="json")}, as_json)


def run_training(
    recipe: Path, accelerate: Path | None, options: Sequence[str] = (), say: Callable[[str], None] | None = None
) -> int:
    """Run ``train/train_srt.py`` as a process of its own, which dies with this one; gives its exit status.

    ``options`` are further arguments of its command line. ``say`` is told each line that it prints; without it, the
    process prints for itself.
    """
    import train

    script = Path(train.__file__).with_name("train_srt.py")
    how = ["-m", "accelerate.commands.launch", "--quiet", "--config_file", str(accelerate)] if accelerate else []
    command = [sys.executable, *how, str(script), "--config", str(recipe), *options]
    # Under accelerate the trainer is a grandchild: it asks for the same by itself when this variable is set.
    environment = {**os.environ, "SRT_DIE_WITH_PARENT": "1"}
    at_death = _dies_with_this_process()
    if say is None:
        return subprocess.run(command, check=False, env=environment, preexec_fn=at_death).returncode
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, preexec_fn=at_death
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            # Of a progress bar, which redraws its line, the last state.
            if text := line.decode(errors="replace").rstrip().rpartition("\r")[2]:
                say(text)
        return run.wait()


def _dies_with_this_process() -> Callable[[], None] | None:
    """What a child calls first: the kernel kills it when this process dies, so that no trainer is left (Linux)."""
    if sys.platform != "linux":
        return None
    import ctypes

    # Made ready before the fork: between fork and exec, a child of a process with threads must import nothing.
    prctl, parent, pr_set_pdeathsig = ctypes.CDLL(None).prctl, os.getpid(), 1

    def ask() -> None:
        prctl(pr_set_pdeathsig, signal.SIGKILL)
        if os.getppid() != parent:  # It died before the kernel was asked.
            os._exit(1)

    return ask


def one_of(value: object, known: tuple[str, ...], what: str) -> Any:
    """``value`` if it is one of ``known``; else a :class:`UserError` that lists them."""
    if value not in known:
        raise UserError(f"unknown {what} {value!r}: {', '.join(known)} are known")
    return value
