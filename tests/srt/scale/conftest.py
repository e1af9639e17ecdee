"""The tests share :mod:`engines`, and the problems of those of curation."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "curate")]
