"""The ``srt`` command: one module a stage, wired together here.

Exit status: 0 done; 1 the command ran and found what it looks for; 2 a fault of the user's, told in one line.
"""

from __future__ import annotations

import os
import sys

import typer
from rich.console import Console

from srt.errors import UserError


def main() -> None:
    """Run the command line; a :class:`UserError` becomes one line on standard error and exit status 2."""
    try:
        _app()(standalone_mode=True)
    except UserError as error:
        message = " ".join(str(error).split())
        Console(stderr=True, soft_wrap=True, highlight=False, markup=False).print(f"srt: {message}")
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has seen enough; what is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _app() -> typer.Typer:
    from srt.cli import data, experiment, model, traces

    app = typer.Typer(
        help="Structured reasoning traces: make them, prove them, train on them, measure what they bring.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
        rich_markup_mode=None,
    )
    for module in (data, traces, model, experiment):
        module.register(app)
    return app
