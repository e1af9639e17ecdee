"""``srt split``: a file of problems in parts, whole clusters each, with the same mixture of labels."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from srt.images.store import PictureFolder
from srt.io.errors import UserError
from srt.io.folder_lock import make_folder
from srt.io.output_paths import keep_apart
from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.io.records import Cluster, Problem, cluster_of

_TOLERANCE = 1e-6


def split_file(
    problems: Path, out: Path, shares: Mapping[str, float], *, stratify: str | None = None, seed: int = 0
) -> dict[str, Any]:
    """Write ``out/<part>.jsonl`` for each part of ``shares``, whose shares add up to 1; returns the counts.

    Problems of one ``group_id`` are never parted: they are variants of one puzzle. ``stratify`` is a field of the
    problem (``category``) or of its ``meta``: each part gets its share of the clusters of every label, a cluster being
    counted under the label that most of its problems have. Pictures are referred to from the new files. The same file,
    shares and seed give the same parts, and a cluster keeps its place among those of its label when others are added.

    Raises:
        UserError: shares that are no shares, a field that no problem has, or a part without any problem.
    """
    whole = abs(sum(shares.values()) - 1) <= _TOLERANCE  # not of NaN
    if len(shares) < 2 or any(share <= 0 for share in shares.values()) or not whole:
        given = ", ".join(f"{part}={share:g}" for part, share in shares.items())
        raise UserError(f"parts: {given}: two shares or more that add up to 1 were expected, as in train=0.9,test=0.1")
    files = {part: out / f"{part}.jsonl" for part in shares}
    for file in files.values():
        keep_apart(file, problems)
    by_id = read_problems(problems)
    if stratify is not None and all(_label(problem, stratify) is None for problem in by_id.values()):
        raise UserError(f"{problems}: {stratify}: no problem has this field, in itself or in meta")
    clusters: dict[Cluster, list[Problem]] = defaultdict(list)
    for problem in by_id.values():
        clusters[cluster_of(problem)].append(problem)
    part_of = _assign(clusters, shares, stratify, seed)
    parts: dict[str, list[Problem]] = {part: [] for part in shares}
    for problem in by_id.values():
        part = part_of[cluster_of(problem)]
        parts[part].append(problem.model_copy(update={"split": part}))
    for part, chosen in parts.items():
        if not chosen:
            raise UserError(f"{problems}: part {part}: no problem is left for it among {len(clusters)} clusters")
    make_folder(out)
    pictures = {part: PictureFolder(file) for part, file in files.items()}
    for part, chosen in parts.items():
        write_records(files[part], (_with_pictures(problem, problems.parent, pictures[part]) for problem in chosen))
    summary: dict[str, Any] = {
        "clusters": len(clusters),
        "problems": {part: len(chosen) for part, chosen in parts.items()},
    }
    for part, chosen in parts.items() if stratify is not None else ():
        counts = Counter(str(_label(problem, str(stratify))) for problem in chosen)
        summary[f"{part}, by {stratify}"] = dict(sorted(counts.items()))
    return summary


def _assign(
    clusters: Mapping[Cluster, Sequence[Problem]], shares: Mapping[str, float], stratify: str | None, seed: int
) -> dict[Cluster, str]:
    """The part of each cluster: of every label, in the order of a hash, each part its share, to the nearest whole."""
    by_label: dict[str, list[Cluster]] = defaultdict(list)
    for cluster, members in clusters.items():
        labels = Counter("" if stratify is None else str(_label(problem, stratify)) for problem in members)
        by_label[min(labels, key=lambda label: (-labels[label], label))].append(cluster)
    part_of: dict[Cluster, str] = {}
    for members_of in by_label.values():
        members_of.sort(key=lambda cluster: hashlib.blake2b(f"{seed}/{cluster}".encode(), digest_size=16).digest())
        reached = 0.0
        start = 0
        for part, share in shares.items():
            reached += share
            end = len(members_of) if reached > 1 - _TOLERANCE else round(reached * len(members_of))
            part_of |= dict.fromkeys(members_of[start:end], part)
            start = end
    return part_of


def _label(problem: Problem, field: str) -> object:
    return getattr(problem, field) if field in Problem.model_fields else problem.meta.get(field)


def _with_pictures(problem: Problem, folder: Path, pictures: PictureFolder) -> Problem:
    return problem.model_copy(update={"images": [pictures.refer(folder, image.path) for image in problem.images]})
