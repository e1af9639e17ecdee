"""``srt curate`` on a Ray cluster: the decisions of one machine, on what the cluster found.

What is a function of one record, or of one pair, is a task: reading, shingles, fingerprints of pictures, comparisons.
Texts that are alike are found by a join on the buckets of their MinHash signatures, in Ray Data. What is left for the
command itself are the fingerprints, which it holds in an index, and the decisions, in the order of the input.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from srt.curate.curate_problems import curate_file
from srt.curate.entries import Entry
from srt.curate.shingles import buckets, signature
from srt.curate.similarity import Shingles
from srt.io.errors import UserError
from srt.io.worker_processes import Outcomes, Workers, batches, fail, on_each
from srt.scale.ray_engine import ray_cluster

T = TypeVar("T")
R = TypeVar("R")
Rows = dict[str, Any]
"""A batch of Ray Data: an array for each column."""

_AHEAD = 4
"""Tasks a core that are under way or done, and not asked for yet."""


def curate_on_ray(problems: Path, out: Path, address: str | None, **options: Any) -> dict[str, Any]:
    """As :func:`~srt.curate.curate_problems.curate_file`, on the cluster at ``address``.

    All machines see the pictures, and the working folder, under the same path.
    """
    with ray_cluster(address):
        return curate_file(problems, out, pool=ClusterWorkers(), texts=ShinglesOnRay, **options)


class ClusterWorkers(Workers):
    """The cores of a cluster, as a pool of processes. What a lost machine was working on, Ray does elsewhere."""

    def __init__(self) -> None:
        super().__init__(1)

    def map(
        self, work: Callable[[T], R], items: Iterable[T], chunk: int, killed: Callable[[T], R] = fail
    ) -> Iterator[R]:
        """As that of :class:`~srt.io.worker_processes.Workers`, but for ``killed``: Ray itself tries again."""
        import ray
        from ray.exceptions import RayError

        task = ray.remote(_on_each_in)
        here = Path.cwd()
        most = _AHEAD * int(ray.cluster_resources().get("CPU", 1))
        waiting: deque[Any] = deque()
        parts: Iterator[list[T] | None] = chain(batches(items, chunk), [None])
        for part in parts:
            if part is not None:
                waiting.append(task.remote(here, work, part))
            while waiting and (part is None or len(waiting) > most):
                try:
                    done: Outcomes[R] = ray.get(waiting.popleft())
                except RayError as error:
                    [*_, why] = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
                    raise UserError(f"--engine ray: a task failed: {why.strip()}") from error
                yield from done.results
                if done.fault is not None:
                    raise done.fault


def _on_each_in(folder: Path, work: Callable[[T], R], part: list[T]) -> Outcomes[R]:
    os.chdir(folder)  # the paths of pictures may be relative
    return on_each(work, part)


class ShinglesOnRay(Shingles):
    """Finds texts that are alike with a join; a text is paired with the same ones as on one machine."""

    def pairs(self, entries: Sequence[Entry], least: float, most: int) -> Iterator[tuple[Entry, Entry]]:
        """By MinHash: each text with those before it that share a bucket, the first ``most`` of them."""
        import ray

        rows = [{"text": one.normal, "at": at} for at, one in enumerate(entries)]
        placed = ray.data.from_items(rows).map_batches(partial(bucket_rows, least=least))
        shared = placed.groupby("bucket").map_groups(partial(pairs_in_bucket, most=most))
        paired = shared.groupby("later").map_groups(partial(first_pairs, most=most))
        for later, earlier in sorted((row["later"], row["earlier"]) for row in paired.iter_rows()):
            yield entries[earlier], entries[later]


def bucket_rows(batch: Rows, least: float) -> Rows:
    """A row for each bucket of each text, with the text's place ``at``."""
    placed = [
        (bucket, int(at))
        for text, at in zip(batch["text"], batch["at"], strict=True)
        for bucket in buckets(signature(str(text)), least)
    ]
    return {"bucket": np.array([bucket.hex() for bucket, _ in placed]), "at": np.array([at for _, at in placed])}


def pairs_in_bucket(group: Rows, most: int) -> Rows:
    """Each text of a bucket with the first ``most`` of those before it: no more of them can be among its first."""
    places = np.sort(group["at"])
    later = [np.repeat(at, min(number, most)) for number, at in enumerate(places)]
    earlier = [places[: min(number, most)] for number in range(len(places))]
    return {"later": np.concatenate(later), "earlier": np.concatenate(earlier)}


def first_pairs(group: Rows, most: int) -> Rows:
    """The first ``most`` texts that one text is paired with, each once."""
    earlier = np.unique(group["earlier"])[:most]
    return {"later": np.repeat(group["later"][0], len(earlier)), "earlier": earlier}
