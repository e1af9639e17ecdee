"""The split of a canonical key, the same rule for every world: 80% train, 10% dev, 10% test."""

from __future__ import annotations

import hashlib
from typing import Literal

Split = Literal["train", "dev", "test"]
SHARES: tuple[tuple[Split, float], ...] = (("train", 0.8), ("dev", 0.1), ("test", 0.1))


def split_of(world: str, key: str) -> Split:
    """The split that every problem of ``world`` with ``key`` belongs to."""
    at = int.from_bytes(hashlib.sha256(f"{world}/split/{key}".encode()).digest()[:8]) / 2**64
    for split, share in SHARES:
        if at < share:
            return split
        at -= share
    return SHARES[-1][0]
