"""Ray Data as the engine of a stage: each shard is a row of a data set, and a batch; the data stay in files.

A shard whose machine is lost is worked on again elsewhere, by Ray. What it wrote is found there, or written again with
the same bytes (:mod:`srt.scale.shard_folder`), so it does not matter how often that happens.
"""

from __future__ import annotations

import logging
import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from srt import __version__
from srt.io.errors import Interrupted, UserError
from srt.io.progress import progress_bar

_STORE_BYTES: Final = 100 * 2**20
"""Enough for numbers of shards, in a cluster of this machine alone."""

RunShards = Callable[[str, Callable[[int], None], Sequence[int]], None]
"""``run(what, work, numbers)`` calls ``work`` of each shard's number, anywhere, and shows the progress of ``what``."""


@contextmanager
def ray_cluster(address: str | None = None, store_bytes: int | None = _STORE_BYTES) -> Iterator[RunShards]:
    """A connection to the cluster at ``address``, or of ``RAY_ADDRESS``, or else to a new one of this machine's cores,
    whose object store has ``store_bytes`` (``None``: as many as Ray chooses, for work whose data go through it).

    Raises:
        UserError: there is no cluster.
    """
    import ray

    # A connection that the caller has opened is theirs to close.
    connected = ray.is_initialized()
    if not connected:
        _connect(ray, address, store_bytes)
    # Ray's own bars would be one for each of its operators; ours counts shards.
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    try:
        yield _run_shards
    except KeyboardInterrupt:
        raise Interrupted("the shards that are done are kept; the same command continues") from None
    finally:
        if not connected:
            ray.shutdown()


def _connect(ray: Any, address: str | None, store_bytes: int | None) -> None:
    named = address or os.environ.get("RAY_ADDRESS")
    local = {} if named else {"object_store_memory": store_bytes, "include_dashboard": False}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster that we start sends nothing to Ray's makers
    try:
        if named and re.fullmatch(r"[^/]+:\d+", named):
            host, _, port = named.rpartition(":")
            socket.create_connection((host, int(port)), timeout=10).close()  # Ray itself tries for minutes
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **local)
    except (OSError, OverflowError, ValueError, RuntimeError) as error:
        first = str(error).strip().splitlines() or [type(error).__name__]
        raise UserError(f"--address: no Ray cluster at {named or 'this machine'}: {first[0]}") from None


def _run_shards(what: str, work: Callable[[int], None], numbers: Sequence[int]) -> None:
    """Raises a :class:`UserError` where a shard cannot be worked on; those that are done stay so."""
    import ray
    from ray.exceptions import RayError

    if not numbers:
        return
    driver = (socket.gethostname(), __version__)

    def one_batch(batch: dict[str, Any]) -> dict[str, Any]:
        # A fault of the data is a value: an exception would be tried again, and come back with Ray's whole stack.
        return {"fault": [_fault(work, int(number), driver) for number in batch["number"]]}

    # A block and a batch for each shard: Ray deals them out one by one.
    shards = ray.data.from_items([{"number": number} for number in numbers], override_num_blocks=len(numbers))
    done = shards.map_batches(one_batch, batch_size=1)
    with progress_bar(what, len(numbers)) as advance:
        try:
            for row in done.iter_rows():
                if row["fault"]:
                    raise UserError(row["fault"])
                advance(1)
        except RayError as error:
            raise UserError(f"{what}: a shard failed in Ray: {last_line(error)}; the same command goes on") from error


def last_line(error: BaseException) -> str:
    """The last line of what ``error`` of Ray says: above it stand the stacks of its processes."""
    return ([line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__])[-1]


def _fault(work: Callable[[int], None], number: int, driver: tuple[str, str]) -> str:
    """What is wrong with the shard, if anything; ``driver`` is the machine of the command, and its version of srt."""
    host = socket.gethostname()
    if driver[1] != __version__:
        return f"{host}: has srt {__version__}, {driver[0]} has {driver[1]}: install the same on all machines"
    try:
        work(number)
    except UserError as error:
        return str(error) if host == driver[0] else f"{error} (on {host})"
    return ""
