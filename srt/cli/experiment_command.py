"""The command ``experiment``, which ``make demo`` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.console import Console
from rich.markdown import Markdown

from srt.cli.output import one_of
from srt.cli.recipe_kinds import require_kind
from srt.cli.trainer_process import run_training
from srt.io.errors import UserError
from srt.language.arms import arm_named

_SET_BY_EXPERIMENT = ("model", "adapter", "problems", "data", "output", "arm", "prompt", "ban")
"""Keys of an evaluation recipe that an experiment sets itself."""


def experiment(
    recipe: Annotated[Path, typer.Argument(help="An experiment recipe (YAML), or the name of one in recipes/.")],
) -> None:
    """Run a whole experiment: data, training, evaluation.

    Makes, solves and checks problems; builds, trains and evaluates each arm with each seed; and compares the results.
    An interrupted experiment continues where it stopped.

    Example: srt experiment demo
    """
    from srt.pipeline.experiment import run_experiment
    from srt.pipeline.experiment_recipe import load_experiment

    require_kind(recipe, "experiment")
    console = Console(highlight=False, markup=False, soft_wrap=True)
    done = run_experiment(load_experiment(recipe), _ModelStages(), lambda line: console.print(f"· {line}"))
    console.print(Markdown(done.summary) if console.is_terminal else done.summary)
    console.print(f"The whole report is at {done.page}")


class _ModelStages:
    """The stages that need ``train`` and ``eval``: training in a child process, evaluation in this one."""

    def check(self, experiment: Any, recipe: dict[str, Any]) -> None:
        from eval.run.eval_recipe import make_eval_recipe
        from train.recipe_reader import make_recipe

        make_recipe(recipe, "train")
        for key in _SET_BY_EXPERIMENT:
            if key in experiment.evaluate:
                raise UserError(f"evaluate: {key}: the experiment sets this itself")
        make_eval_recipe({**experiment.evaluate, "model": "model", "problems": "problems.jsonl", "output": "run"})
        if not isinstance(experiment.model, Path):
            _check_init_model(experiment.model)

    def init_model(self, spec: Any, texts: Iterator[str], seed: int, out: Path) -> None:
        from train.models.init_model import init_model

        init_model(spec.arch, texts, out, seed=seed, **spec.options)

    def train(self, recipe: Path, launch: Path | None, say: Callable[[str], None]) -> None:
        last = "it printed nothing"

        def hear(line: str) -> None:
            nonlocal last
            last = line
            say(line)

        if status := run_training(recipe, launch, ["--resume"], say=hear):
            raise UserError(f"training {recipe} ended with status {status}: {last}")

    def evaluate(
        self, trained: Any, problems: Path, arm: str, prompt: str, settings: dict[str, Any], out: Path
    ) -> None:
        from eval.evaluation import run_evaluation
        from eval.run.eval_recipe import make_eval_recipe

        own = {
            "model": str(trained.model),
            "adapter": trained.adapter,
            "problems": problems,
            "output": out,
            "arm": arm,
            "prompt": prompt,
            "ban": arm_named(arm).ban,
        }
        run_evaluation(make_eval_recipe({**settings, **own}))

    def compare(self, runs: list[Path], out: Path, title: str) -> str:
        from eval.report.compare import compare
        from eval.report.markdown import summary

        return summary(compare(runs, out, title=title))


def _check_init_model(spec: Any) -> None:
    """Make the model once from two words in a temporary folder: wrong options fail here, before anything is written."""
    from tempfile import TemporaryDirectory

    from train.models.chat_templates import find_chat_template
    from train.models.families.family_registry import find_family
    from train.models.init_model import Pieces, init_model

    find_family(spec.arch)
    parameters = signature(init_model).parameters.values()
    known = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "seed")
    for key in spec.options:
        one_of(key, known, "key in model.options")
    one_of(spec.options.get("pieces", "words"), get_args(Pieces), "kind of pieces")
    find_chat_template(spec.options.get("chat_template", "minimal"))
    with TemporaryDirectory() as folder:
        try:
            init_model(spec.arch, iter(["two words"]), folder, **spec.options)
        except (UserError, TypeError, ValueError) as error:
            raise UserError(f"model.options: {error}") from None
