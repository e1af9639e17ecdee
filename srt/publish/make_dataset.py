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
from srt.publish.dataset_card import CHECKSUMS, dataset_card
from srt.publish.dataset_recipe import read_dataset_recipe
from srt.publish.dataset_rows import DatasetLine, DatasetRow
from srt.publish.parquet_shards import ParquetShards
from srt.publish.split_figures import FirstRows, SplitFigures

_README = "README.md"
_READABLE = 0o755
"""The rights of the folder, which is this user's alone while it is made."""


def make_dataset(recipe: Path, out: Path, workers: int = 1) -> dict[str, Any]:
    """Make the data set of ``recipe`` in the new folder ``out``; returns its counts.

    ``workers`` processes share the work; what is written does not depend on them.

    Raises:
        UserError: a fault of the recipe, ``out`` is there and not empty, its parent is missing, a world has too few
            problems, two sources have the same, or no problem of a split is proved.
    """
    chosen = read_dataset_recipe(recipe)
    _check_new(out)
    command = shlex.join(["srt", "dataset", str(recipe), "-o", out.name])
    with temporary_folder(out) as folder:
        work, data = folder / "work", folder / "data"
        work.mkdir()
        data.mkdir()
        sampled = {split: _sample(split, sources, work, workers) for split, sources in chosen.splits.items()}
        files = (file for of_split in sampled.values() for file, _ in of_split)
        pictures = any(problem.images for file in files for problem in stream_problems(file))
        splits = [_prove(split, of_split, data, pictures, workers) for split, of_split in sampled.items()]
        shutil.rmtree(work)
        write_atomically(folder / _README, [dataset_card(chosen, command, splits).encode()])
        published = [folder / _README, *sorted(data.iterdir())]
        sums = [f"{_sha256(file)}  {file.relative_to(folder).as_posix()}\n".encode() for file in published]
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
        "refused": sum(split.refused.total() for split in splits),
    }


def _check_new(out: Path) -> None:
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UserError(f"{out}: is there already; name a new folder")
    if not out.absolute().parent.is_dir():
        raise UserError(f"{out}: the folder {out.parent} does not exist")


def _sample(split: str, sources: Sequence[WorldProblems], work: Path, workers: int) -> list[tuple[Path, int]]:
    """A file of problems for each of ``sources``, some more than are wanted, and how many are wanted."""
    files = []
    for number, source in enumerate(sources, 1):
        path, n = work / f"{split}.{number}.jsonl", source.n + source.n // 100 + 1
        what = f"sample {split}, {source.world}"
        watch = lambda made, n=n, what=what: progress(made, n, what)  # noqa: E731
        generate_file(source.world, n, split, path, source.spec, (), watch, workers)
        files.append((path, source.n))
    return files


def _prove(split: str, files: Sequence[tuple[Path, int]], data: Path, pictures: bool, workers: int) -> SplitFigures:
    """Solve the problems in ``files``, and write as many as are wanted of those that are proved to ``data``."""
    figures = SplitFigures(split)
    shards = ParquetShards(data, split, DatasetRow, files[0][0].parent if pictures else None)
    for problems, wanted in files:
        traces = problems.with_suffix(".traces.jsonl")
        solved = solve_file(problems, traces, workers=workers)
        counted = run_stage(
            DatasetLine(pictures),
            ProblemLines(problems).beside(traces, Trace),
            count_lines(traces),
            f"prove {split}",
            out=FirstRows(wanted, figures, shards.write),
            workers=workers,
        )
        figures.refuse(solved.refused)
        figures.refuse(counted.group("refused"))
    if not figures.rows:
        raise UserError(f"splits: {split}: no problem is proved")
    stored = shards.finish()
    figures.unpacked, figures.stored = sum(map(bytes_in_memory, stored)), sum(file.stat().st_size for file in stored)
    return figures


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
