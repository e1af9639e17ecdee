"""Weights get the rights that the umask leaves, as all other files do: safetensors creates them for their owner alone.

Otherwise nobody else on the machine could evaluate a trained model.
"""

from __future__ import annotations

import os
from pathlib import Path


def apply_umask(folder: Path, *, itself: bool = False) -> None:
    """Give the safetensors files in ``folder`` the usual rights; ``itself`` also the folder (of ``mkdtemp``)."""
    umask = os.umask(0)  # there is no other way to read it
    os.umask(umask)
    for file in folder.glob("*.safetensors"):
        file.chmod(0o666 & ~umask)
    if itself:
        folder.chmod(0o777 & ~umask)
