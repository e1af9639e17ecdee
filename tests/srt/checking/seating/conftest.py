"""The tests of verdicts share :mod:`hand_written_booth`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
