"""The ``srt`` command line. :func:`make_app` lists the commands by stage, with the modules that define them.

Exit status: 0 done; 1 the command ran and found what it looks for; 2 an error of the user's, reported on one line; 130
interrupted by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from srt import __version__
from srt.io.errors import UserError, one_line

if TYPE_CHECKING:
    from typing import Any

# The extra that installs a package. Packages that are missing here belong to training and evaluation.
_EXTRA = {**dict.fromkeys(("openai", "aiohttp", "httpx2", "datasketch", "latex2mathml"), "teach"), "ray": "scale"}


def main() -> None:
    """Run the command line. A :class:`UserError` becomes one line on standard error and exit status 2.

    So does a package that is missing because the extra that a command needs was not installed.
    """
    try:
        make_app()(standalone_mode=True)
    except UserError as error:
        print(f"srt: {one_line(str(error))}", file=sys.stderr)
        sys.exit(2)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "srt", "train", "eval"):
            raise
        print(
            f"srt: {package} is not installed: pip install 'srt-traces[{_EXTRA.get(package, 'train,eval')}]'",
            file=sys.stderr,
        )
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe; the rest of the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def make_app() -> typer.Typer:
    """Return the command line with all its commands, grouped by stage."""
    from srt.cli.comparison_commands import compare, errors, export, judge, power
    from srt.cli.data_commands import curate, gallery, generate, import_, split
    from srt.cli.evaluation_commands import benchmarks, eval_, human, score
    from srt.cli.experiment_command import experiment
    from srt.cli.official_predictions import predictions, totals
    from srt.cli.teaching_commands import agreement, review, teach
    from srt.cli.trace_commands import build, check, mutate, solve
    from srt.cli.training_commands import init_model, merge, preflight, train

    stages: dict[str, tuple[Callable[..., None], ...]] = {
        "Problems": (import_, generate, gallery, curate, split),
        "Traces": (solve, check, mutate, build),
        "Language-model teachers": (teach, review, agreement),
        "Training": (init_model, preflight, train, merge),
        "Evaluation": (eval_, score, human, predictions, totals, benchmarks),
        "Comparison": (compare, errors, judge, power, export),
        "All stages": (experiment,),
    }
    app = typer.Typer(
        cls=_StagedGroup,
        help="Structured reasoning traces: make them, check them, train on them, measure the effect.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    for stage, commands in stages.items():
        for command in commands:
            name = command.__name__.strip("_").replace("_", "-")
            app.command(name, rich_help_panel=stage)(command)
    return app


class _StagedGroup(TyperGroup):
    """Plain help text (no boxes, nothing cut off) with the commands listed by their ``rich_help_panel``."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        stages: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            summary = (command.help or "").partition("\n")[0]
            stages.setdefault(getattr(command, "rich_help_panel", ""), []).append((name, summary))
        width = max(map(len, self.commands))
        for stage, rows in stages.items():
            with formatter.section(stage):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in rows])


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"srt {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Declare the options of ``srt`` itself."""
