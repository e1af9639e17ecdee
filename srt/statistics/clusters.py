"""Clusters of problems that are not independent: variants and translations of one puzzle share a ``group_id``."""

from __future__ import annotations

from srt.io.records import Problem

Cluster = tuple[str, str]


def cluster_of(problem: Problem) -> Cluster:
    """The cluster of ``problem``: its group, or the problem itself where it has none."""
    return ("problem", problem.id) if problem.group_id is None else ("group", problem.group_id)
