"""The ``srt`` command line. :mod:`srt.cli.command_table` lists the commands, with the modules that define them.

Exit status: 0 done; 1 the command ran and found what it looks for; 2 an error of the user's, reported on one line; 130
interrupted by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from srt import __version__
from srt.cli.lazy_commands import LazyGroup, add_commands
from srt.io.errors import UserError, machine_fault, one_line

# The extra that installs a package. Packages that are missing here belong to training and evaluation.
_EXTRA = {**dict.fromkeys(("openai", "aiohttp", "httpx2", "datasketch", "latex2mathml"), "teach"), "ray": "scale"}


def main() -> None:
    """Run the command line. A :class:`UserError` becomes one line on standard error and exit status 2.

    So does a package that is missing because the extra that a command needs was not installed, and a fault of the
    machine, such as a full disk.
    """
    try:
        make_app()(standalone_mode=True)
    except UserError as error:
        _end(one_line(str(error)), 2)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "srt", "train", "eval"):
            raise
        _end(f"{package} is not installed: pip install 'srt-traces[{_EXTRA.get(package, 'train,eval')}]'", 2)
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe; the rest of the buffer has nowhere to go.
        _drop_output()
        sys.exit(1)
    except Exception as error:
        if (line := machine_fault(error)) is None:
            raise
        _drop_output()
        _end(line, 2)


def make_app() -> typer.Typer:
    """Return the command line with all its commands, grouped by stage."""
    app = typer.Typer(
        cls=LazyGroup,
        help="Structured reasoning traces: make them, check them, train on them, measure the effect.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    add_commands(app)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        # Our own words, and no need to load what prints those of others.
        sys.stdout.write(f"srt {__version__}\n")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Declare the options of ``srt`` itself."""


def _end(line: str, status: int) -> NoReturn:
    from srt.io.progress import notice  # loads rich, which no command needs that ends well

    notice(f"srt: {line}")
    sys.exit(status)


def _drop_output() -> None:
    """Have Python flush what is left of the output to nowhere when it exits, where standard output takes no more."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
