"""The ``srt`` command: one module a stage, wired together here.

Exit status: 0 done; 1 the command ran and found what it looks for; 2 a fault of the user's, told in one line.
"""

from __future__ import annotations

import os
import sys

import typer

from srt.errors import UserError


def main() -> None:
    """Run the command line; a :class:`UserError` becomes one line on standard error and exit status 2."""
    try:
        _app()(standalone_mode=True)
    except UserError as error:
        print(f"srt: {_told(str(error))}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has seen enough; what is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _app() -> typer.Typer:
    from srt.cli import (
        agreement,
        analysis,
        curate,
        data,
        evaluate,
        experiment,
        human,
        model,
        power,
        predictions,
        preflight,
        review,
        teach,
        traces,
    )

    app = typer.Typer(
        help="Structured reasoning traces: make them, prove them, train on them, measure what they bring.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
        rich_markup_mode=None,
    )
    for module in (
        data,
        curate,
        traces,
        model,
        evaluate,
        preflight,
        predictions,
        experiment,
        teach,
        agreement,
        review,
        human,
        power,
        analysis,
    ):
        module.register(app)
    return app


def _told(message: str) -> str:
    """``message`` as one line. A record may hold control characters: they are spelt out, no terminal sees them."""
    line = " ".join(message.split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
