"""Hashes within a few bits of one another, without comparing all pairs: multi-index hashing.

Two 64-bit hashes that differ in at most d bits differ in at most d // 5 bits in one of five parts of 12 or 13 bits. So
each part has a sorted table, and a query looks up its part and all values within that many bits of it (Norouzi, Punjani
and Fleet, "Fast Search in Hamming Space with Multi-Index Hashing", 2012).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

_WIDTHS = (13, 13, 13, 13, 12)
FARTHEST = 14
"""The largest distance that can be asked for; beyond it the number of values to look up explodes."""

Indexes = NDArray[np.intp]


class HashIndex:
    """Finds the positions of ``hashes`` (64-bit) within ``farthest`` bits of a query."""

    def __init__(self, hashes: NDArray[np.uint64], farthest: int) -> None:
        if not 0 <= farthest <= FARTHEST:
            raise ValueError(f"a distance of 0 to {FARTHEST} bits was expected, not {farthest}")
        self._hashes = hashes
        self._farthest = farthest
        self._parts = []
        start = 0
        for width in _WIDTHS:
            shift, mask = np.uint64(start), np.uint64((1 << width) - 1)
            keys = (hashes >> shift) & mask
            order = np.argsort(keys, kind="stable")
            self._parts.append((shift, mask, keys[order], order, _flips(width, farthest // len(_WIDTHS))))
            start += width

    def near(self, value: int) -> Indexes:
        """Positions of the hashes within the distance of ``value``, ascending."""
        query = np.uint64(value)
        found = []
        for start, mask, keys, order, flips in self._parts:
            wanted = ((query >> start) & mask) ^ flips
            low, high = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
            counts = high - low
            # All positions of all ranges [low, high) in one array, without a loop over the hundreds of values looked
            # up.
            offsets = np.repeat(low - np.cumsum(counts) + counts, counts)
            found.append(order[offsets + np.arange(counts.sum())])
        candidates = np.unique(np.concatenate(found))
        close: Indexes = candidates[np.bitwise_count(self._hashes[candidates] ^ query) <= self._farthest]
        return close


def _flips(width: int, most: int) -> NDArray[np.uint64]:
    """All numbers of ``width`` bits of which at most ``most`` are set."""
    numbers = [sum(1 << bit for bit in bits) for count in range(most + 1) for bits in combinations(range(width), count)]
    return np.array(numbers, dtype=np.uint64)
