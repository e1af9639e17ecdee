"""Commands around models: ``init-model``, ``train``, ``merge``, ``eval``, ``score``, ``compare``.

``train`` and ``eval`` need their extras (``pip install -e .[train,eval]``) and are imported inside the command.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from srt.cli.output import JsonFlag, print_summary
from srt.errors import UserError
from srt.problems import read_problems
from srt.prompts import PromptStyle


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
        runs: Annotated[list[Path], typer.Argument(help="Folders of scored runs.")],
        out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the report.")],
        reference: Annotated[
            str | None,
            typer.Option(
                "--reference", help="The arm that others are compared with: base if there is one, or the first."
            ),
        ] = None,
        as_json: JsonFlag = False,
    ) -> None:
        """Runs side by side: table, paired differences, plots, and one page to open.

        Example: srt compare runs/base runs/cot runs/srt -o report
        """
        from eval.compare import compare as compare_runs

        comparison = compare_runs(runs, out, reference=reference)
        if as_json:
            print_summary(comparison.model_dump(mode="json"), as_json)
            return
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
    """Predict and score one run. ``settings`` are those of the generation, with ``batch_size`` and ``threads``.

    Gives the summary of the scores; where no problem has a gold answer there are none, which is said on standard error.
    """
    style = one_of(prompt, get_args(PromptStyle), "prompt style")
    generation, of_backend = evaluation_settings(settings, ban)
    from eval.backends.transformers_backend import TransformersBackend
    from eval.predict import predict
    from eval.score import score as score_run

    backend = TransformersBackend(model, adapter, **of_backend)
    made = predict(problems, out, backend, arm=arm, style=style, settings=generation)
    if all(problem.answer is None for problem in read_problems(problems).values()):
        print("no problem has a gold answer: there is nothing to score", file=sys.stderr)
        return {"predictions": made.total, "scored": 0}
    return score_run(out).model_dump(mode="json")


def evaluation_settings(settings: Mapping[str, Any], ban: str | None = None) -> tuple[Any, dict[str, Any]]:
    """``settings`` apart: a ``GenerationSettings``, and what the back end takes (``batch_size``, ``threads``).

    Raises:
        UserError: an unknown key, or a value that a key cannot have.
    """
    from pydantic import ValidationError

    from eval.backends.protocol import GenerationSettings

    of_backend = {key: settings[key] for key in ("batch_size", "threads") if key in settings}
    for key, value in of_backend.items():
        if not isinstance(value, int) or value < 1:
            raise UserError(f"evaluate: {key}: a whole number above 0 was expected, not {value!r}")
    chosen = {key: value for key, value in settings.items() if key not in of_backend}
    try:
        return GenerationSettings(**chosen, **({"ban": ban} if ban else {})), of_backend
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        known = ", ".join([*GenerationSettings.model_fields, "batch_size", "threads"])
        told = f"no such key, known are {known}" if fault["type"] == "extra_forbidden" else fault["msg"]
        raise UserError(f"evaluate: {'.'.join(map(str, fault['loc']))}: {told}") from None


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
