"""The command ``experiment``: what ``make demo`` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.console import Console
from rich.markdown import Markdown

from srt.cli.evaluate import check_evaluation, evaluate
from srt.cli.model import one_of, run_training
from srt.errors import UserError
from srt.language.arms import banned_operation


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""

    @app.command()
    def experiment(
        recipe: Annotated[Path, typer.Argument(help="An experiment's YAML file, as in recipes/demo.yaml.")],
    ) -> None:
        """Arms x seeds: make problems, solve, check, build, train, evaluate, compare. Goes on where it was killed.

        Example: srt experiment recipes/demo.yaml
        """
        from srt.experiment import run_experiment
        from srt.experiment_recipe import load_experiment

        console = Console(highlight=False, markup=False, soft_wrap=True)
        done = run_experiment(load_experiment(recipe), _Workers(), lambda line: console.print(f"· {line}"))
        console.print(
            Markdown(done.table.read_text(encoding="utf-8")) if console.is_terminal else done.table.read_text()
        )
        console.print(f"The report is at {done.page}")


class _Workers:
    """``train`` runs as a process of its own, as people run it; ``eval`` is imported when it is needed."""

    def check(self, experiment: Any, recipe: dict[str, Any]) -> None:
        from train.recipe import make_recipe

        make_recipe(recipe, "train")
        check_evaluation(experiment.evaluate)
        if not isinstance(experiment.model, Path):
            _check_init_model(experiment.model)

    def init_model(self, spec: Any, texts: Iterator[str], seed: int, out: Path) -> None:
        from train.init_model import init_model

        init_model(spec.arch, texts, out, seed=seed, **spec.options)

    def train(self, recipe: Path, launch: Path | None, say: Callable[[str], None]) -> None:
        last = "it printed nothing"

        def hear(line: str) -> None:
            nonlocal last
            last = line
            say(line)

        if status := run_training(recipe, launch, ["--resume"], hear):
            raise UserError(f"training {recipe} ended with status {status}: {last}")

    def evaluate(
        self, trained: Any, problems: Path, arm: str, prompt: str, settings: dict[str, Any], out: Path
    ) -> None:
        evaluate(
            trained.model,
            problems,
            out,
            arm=arm,
            prompt=prompt,
            settings=settings,
            adapter=trained.adapter,
            ban=banned_operation(arm),
        )

    def compare(self, runs: list[Path], out: Path) -> Path:
        from eval.compare import compare

        compare(runs, out)
        return out / "report.html"


def _check_init_model(spec: Any) -> None:
    """Make the model once from two words, in a folder that goes again: what its options get wrong shows here."""
    from tempfile import TemporaryDirectory

    from train.init_model import Arch, ChatTemplate, Pieces, init_model

    one_of(spec.arch, get_args(Arch), "architecture")
    parameters = signature(init_model).parameters.values()
    known = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "seed")
    for key in spec.options:
        one_of(key, known, "key in model.options")
    one_of(spec.options.get("pieces", "words"), get_args(Pieces), "kind of pieces")
    one_of(spec.options.get("chat_template", "minimal"), get_args(ChatTemplate), "chat template")
    with TemporaryDirectory() as folder:
        try:
            init_model(spec.arch, iter(["two words"]), folder, **spec.options)
        except (UserError, TypeError, ValueError) as error:
            raise UserError(f"model.options: {error}") from None
