"""Copies of published data that may not be part of this repository: environment variables say where they are.

Tests that read one are skipped, with a warning, where its variable is not set.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Literal

import pytest

Variable = Literal["SRT_SPACE2025", "SRT_SOLIDGEO", "SRT_PROTOCOLS"]
"""The folders of SpaCE2025 and of SolidGeo, and a Markdown page with the tables of the benchmarks' papers."""


def copy_in(variable: Variable) -> Path:
    """The file or folder that ``variable`` names; the test is skipped if it is not set.

    Raises:
        FileNotFoundError: it is set, and nothing is there.
    """
    place = os.environ.get(variable)
    if not place:
        warnings.warn(f"NOT TESTED on published data: set {variable}", stacklevel=2)
        pytest.skip(f"{variable} is not set")
    path = Path(place)
    if not path.exists():
        raise FileNotFoundError(f"{variable}={place}: no such file or folder")
    return path
