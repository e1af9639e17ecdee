"""``srt dataset``: sample, solve, prove, and write what is published. The folder is there whole or not at all."""

from __future__ import annotations

import hashlib
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from srt.experiment.problem_sources import WorldProblems
from srt.io.atomic_files import temporary_folder, write_atomically
from srt.io.errors import UserError
from srt.io.parquet_files import bytes_in_memory
from srt.io.problem_files import ProblemLines, stream_problems
from srt.io.progress import progress
from srt.io.record_reader import count_lines
from srt.language.trace import Trace
from srt.pipeline.generate import generate_file
from srt.pipeline.record_stage import run_stage
from srt.pipeline.solve import solve_file
from srt.publish.dataset_card import CHECKSUMS, SplitFigures, dataset_card
from srt.publish.dataset_recipe import read_dataset_recipe
from srt.publish.dataset_rows import DatasetLine, DatasetRow
from srt.publish.parquet_shards import ParquetShards

_README = "README.md"
_READABLE = 0o755
"""The rights of the folder, which is this user's alone while it is made."""


def make_dataset(recipe: Path, out: Path, workers: int = 1) -> dict[str, Any]:
    """Make the data set of ``recipe`` in the new folder ``out``; returns its counts.

    ``workers`` processes share the work; what is written does not depend on them.

    Raises:
        UserError: a fault of the recipe, ``out`` is there and not empty, its parent is missing, a world has too few
            problems, or no problem of a split is proved.
    """
    chosen = read_dataset_recipe(recipe)
    _check_new(out)
    command = shlex.join(["srt", "dataset", str(recipe), "-o", out.name])
    with temporary_folder(out) as folder:
        work, data = folder / "work", folder / "data"
        work.mkdir()
        data.mkdir()
        for split, sources in chosen.splits.items():
            _sample(split, sources, work, workers)
        pictures = any(problem.images for split in chosen.splits for problem in stream_problems(_problems(work, split)))
        splits = [_prove(split, work, data, pictures, workers) for split in chosen.splits]
        shutil.rmtree(work)
        write_atomically(folder / _README, [dataset_card(chosen, command, splits).encode()])
        files = [folder / _README, *sorted(data.iterdir())]
        sums = [f"{_sha256(file)}  {file.relative_to(folder).as_posix()}\n".encode() for file in files]
        write_atomically(folder / CHECKSUMS, sums)
        folder.chmod(_READABLE)
        try:
            folder.rename(out)
        except OSError as error:
            raise UserError(f"{out}: cannot be written: {error.strerror}") from None
    return {
        "folder": str(out),
        **{split.name: split.rows for split in splits},
        "pictures": sum(split.pictures for split in splits),
        "megabytes": round(sum(split.stored for split in splits) / 1e6, 1),
        "refused": sum(sum(split.refused.values()) for split in splits),
    }


def _check_new(out: Path) -> None:
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UserError(f"{out}: is there already; name a new folder")
    if not out.absolute().parent.is_dir():
        raise UserError(f"{out}: the folder {out.parent} does not exist")


def _problems(work: Path, split: str) -> Path:
    return work / f"{split}.jsonl"


def _sample(split: str, sources: Sequence[WorldProblems], work: Path, workers: int) -> None:
    """Write the problems of all ``sources`` to one file; their pictures are beside it."""
    with _problems(work, split).open("wb") as together:
        for number, source in enumerate(sources, 1):
            path, what = work / f"{split}.{number}.jsonl", f"sample {split}, {source.world}"
            watch = lambda made, n=source.n, what=what: progress(made, n, what)  # noqa: E731
            generate_file(source.world, source.n, split, path, source.spec, (), watch, workers)
            together.write(path.read_bytes())


def _prove(split: str, work: Path, data: Path, pictures: bool, workers: int) -> SplitFigures:
    """Solve the problems of a split, and write those that are proved to ``data``."""
    problems, traces = _problems(work, split), work / f"{split}.traces.jsonl"
    solved = solve_file(problems, traces, workers=workers)
    shards = ParquetShards(data, split, DatasetRow, work if pictures else None)
    counted = run_stage(
        DatasetLine(pictures),
        ProblemLines(problems).beside(traces, Trace),
        count_lines(traces),
        f"prove {split}",
        out=shards.write,
        workers=workers,
    )
    if not counted.counts["rows"]:
        raise UserError(f"splits: {split}: none of {solved.problems:,} problems is proved")
    files = shards.finish()
    return SplitFigures(
        name=split,
        sampled=solved.problems,
        rows=counted.counts["rows"],
        pictures=counted.counts["pictures"],
        bytes=sum(map(bytes_in_memory, files)),
        stored=sum(file.stat().st_size for file in files),
        langs=counted.group("lang"),
        categories=counted.group("category"),
        refused=solved.refused | counted.group("refused"),
    )


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
