"""Python's cyclic collector, while thousands of requests wait for their answers."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

THRESHOLDS: Final = (50_000, 10, 10)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """For the length of the block the collector looks seldom, and not at what is there when the block begins.

    Each request in flight is some hundred objects, none of them garbage. As Python is set up, the collector goes
    through them once for every ten requests, which is a quarter of the processor's time of a request, and now and then
    through all modules too, which holds every answer up for 100 ms. It is the whole process that is set.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
