"""Commands around models: ``init-model``, ``train``, ``eval``, ``score``, ``compare``.

``train`` and ``eval`` need their extras (``pip install -e .[train,eval]``) and are imported inside the command.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from srt.cli.output import JsonFlag, print_summary
from srt.errors import UserError


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""

    @app.command("init-model")
    def init_model(
        arch: Annotated[str, typer.Argument(help="The architecture: qwen2 or llama.")],
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
        chat_template: Annotated[str, typer.Option(help="minimal, qwen2.5 or r1-distill.")] = "minimal",
        as_json: JsonFlag = False,
    ) -> None:
        """A small model of a real architecture with random weights and a tokenizer of its own.

        Example: srt init-model llama --data data/srt/sequences.jsonl -o models/small
        """
        from train.init_model import init_model as make
        from train.init_model import sequence_texts

        parameters = make(
            _one_of(arch, ("qwen2", "llama"), "architecture"),
            sequence_texts(data),
            out,
            hidden=hidden,
            layers=layers,
            heads=heads,
            vocab=vocab,
            pieces=_one_of(pieces, ("words", "phrases"), "kind of pieces"),
            initializer_range=initializer_range,
            seed=seed,
            chat_template=_one_of(chat_template, ("minimal", "qwen2.5", "r1-distill"), "chat template"),
        )
        print_summary({"model": str(out), "parameters": parameters}, as_json)

    @app.command()
    def train(
        recipe: Annotated[Path, typer.Argument(help="A training recipe (YAML).")],
        accelerate: Annotated[
            Path | None, typer.Option("--accelerate", help="An accelerate file, as in configs/.")
        ] = None,
    ) -> None:
        """Fine-tune on sequences: the same as accelerate launch train/train_srt.py --config RECIPE.

        Example: srt train recipes/train/qwen2.5-7b-lora.yaml --accelerate configs/ddp_8gpu.yaml
        """
        status = run_training(recipe, accelerate)
        if status:
            raise typer.Exit(status)

    @app.command("eval")
    def eval_(
        model: Annotated[Path, typer.Option("--model", help="Folder of the model.")],
        problems: Annotated[Path, typer.Option("--problems", help="A file of problems (JSONL).")],
        out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the run; a killed run goes on there.")],
        adapter: Annotated[Path | None, typer.Option("--adapter", help="Folder of a LoRA adapter.")] = None,
        arm: Annotated[str, typer.Option("--arm", help="The name that comparisons show.")] = "model",
        prompt: Annotated[str, typer.Option("--prompt", help="full or bare, as the sequences were built.")] = "full",
        max_new_tokens: Annotated[int, typer.Option(min=1, help="Budget of a generation.")] = 1024,
        temperature: Annotated[float, typer.Option(min=0.0, help="0 is greedy.")] = 0.0,
        batch_size: Annotated[int, typer.Option(min=1, help="Prompts at a time.")] = 64,
        ban: Annotated[str | None, typer.Option(help="Forbid the word of an operation while generating.")] = None,
        as_json: JsonFlag = False,
    ) -> None:
        """Generate, score and check: accuracy, tokens, and the share of traces that are proved.

        Example: srt eval --model runs/srt/model --problems test.jsonl -o runs/srt --arm srt
        """
        settings = {"max_new_tokens": max_new_tokens, "temperature": temperature, "batch_size": batch_size}
        summary = evaluate(model, problems, out, arm=arm, prompt=prompt, settings=settings, adapter=adapter, ban=ban)
        print_summary(summary, as_json)

    @app.command()
    def score(
        run: Annotated[Path, typer.Argument(help="Folder of a run.")],
        problems: Annotated[Path | None, typer.Option("--problems", help="Problems, if the file has moved.")] = None,
        as_json: JsonFlag = False,
    ) -> None:
        """Score a run again. Never generates.

        Example: srt score runs/srt
        """
        from eval.score import score as score_run

        print_summary(score_run(run, problems).model_dump(mode="json"), as_json)

    @app.command()
    def compare(
        runs: Annotated[list[Path], typer.Argument(help="Folders of scored runs, the reference first.")],
        out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the report.")],
    ) -> None:
        """Runs side by side: table, paired differences, plots, and one page to open.

        Example: srt compare runs/base runs/cot runs/srt -o report
        """
        from eval.compare import compare as compare_runs

        compare_runs(runs, out)
        print((out / "report.md").read_text(encoding="utf-8"))
        print(f"The report is at {out / 'report.html'}")


def evaluate(
    model: Path,
    problems: Path,
    out: Path,
    *,
    arm: str,
    prompt: str,
    settings: dict[str, Any],
    adapter: Path | None = None,
    ban: str | None = None,
) -> dict[str, Any]:
    """Predict and score one run. ``settings`` are those of the generation, with ``batch_size`` and ``threads``."""
    from pydantic import ValidationError

    from eval.backends.protocol import GenerationSettings
    from eval.backends.transformers_backend import TransformersBackend
    from eval.predict import predict
    from eval.score import score as score_run

    chosen = dict(settings)
    of_backend = {key: chosen.pop(key) for key in ("batch_size", "threads") if key in chosen}
    try:
        generation = GenerationSettings(**chosen, **({"ban": ban} if ban else {}))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise UserError(f"evaluate: {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None
    backend = TransformersBackend(model, adapter, **of_backend)
    predict(
        problems, out, backend, arm=arm, style=_one_of(prompt, ("full", "bare"), "prompt style"), settings=generation
    )
    return score_run(out).model_dump(mode="json")


def run_training(recipe: Path, accelerate: Path | None, say: Callable[[str], None] | None = None) -> int:
    """Run ``train/train_srt.py`` as a process of its own, which dies with this one; gives its exit status.

    ``say`` is told each line that it prints; without it, the process prints for itself.
    """
    import train

    script = Path(train.__file__).with_name("train_srt.py")
    how = ["-m", "accelerate.commands.launch", "--config_file", str(accelerate)] if accelerate else []
    command = [sys.executable, *how, str(script), "--config", str(recipe)]
    if say is None:
        return subprocess.run(command, check=False, preexec_fn=_die_with_parent).returncode
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=_die_with_parent
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            # Of a progress bar, which redraws its line, the last state.
            if text := line.decode(errors="replace").rstrip().rpartition("\r")[2]:
                say(text)
        return run.wait()


def _die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies: a killed command leaves no trainer behind (Linux)."""
    if sys.platform == "linux":
        import ctypes
        import signal

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _one_of(value: str, known: tuple[str, ...], what: str) -> Any:
    if value not in known:
        raise UserError(f"unknown {what} {value!r}: {', '.join(known)} are known")
    return value
