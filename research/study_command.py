"""The command of a study: a recipe and changes to it in, a table out."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from srt.io.errors import UserError
from srt.io.yaml_config import Config, parse_config, read_yaml

S = TypeVar("S", bound=Config)


def run_study(document: str | None, study: type[S], run: Callable[[S], str]) -> None:
    """Read a recipe of ``study`` from the command line, with ``key=value`` behind it, and print what ``run`` returns.

    ``document`` is what ``--help`` says. A fault of the recipe, or of what it names, is one line.
    """
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("changes", nargs="*", metavar="key=value")
    given = parser.parse_args()
    try:
        print(run(parse_config(study, read_yaml(given.recipe, given.changes), str(given.recipe))))
    except UserError as error:
        raise SystemExit(str(error)) from None
