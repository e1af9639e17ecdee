"""Encode a file of sequences on all cores, a few hundred lines at a time, in the order of the file."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from transformers import PreTrainedTokenizerBase

from srt.io.errors import UserError, cannot_read
from srt.io.jsonl import parse_record
from srt.io.records import Sequence
from train.data.examples import Example, encode
from train.data.image_tokens import PictureFault, PictureTokens
from train.data.token_table import make_batch
from train.run.parent_death import die_with_parent

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Called with what is being done and its total count; returns a context manager that gives ``advance``."""

Check = Callable[[Sequence, Example], Iterable[tuple[str, str]]]
"""Looks for faults in what was encoded: (kind of fault, line)."""

_LINES = 500  # that a process encodes at a time

# Kinds of faults.
INVALID = "invalid lines"
UNREADABLE = "sequences whose pictures cannot be read"
NOT_ENCODED = "sequences that cannot be encoded"


@dataclass(frozen=True)
class Encoder:
    """Encodes the sequences of a file in the folder ``root`` (:func:`~train.data.examples.encode`)."""

    tokenizer: PreTrainedTokenizerBase
    think: bool
    pictures: PictureTokens | None
    root: Path

    def __call__(self, sequence: Sequence) -> Example:
        """The example of ``sequence``."""
        return encode(sequence, self.tokenizer, self.think, self.pictures, self.root)


class EncodedLines(NamedTuple):
    """What became of some lines: the examples of those that could be encoded, and the faults by kind."""

    examples: pa.RecordBatch
    faults: list[tuple[str, UserError]]


def encode_file(
    path: Path, encoder: Encoder, progress: Progress, what: str, check: Check | None = None
) -> Generator[EncodedLines]:
    """Encode the lines of ``path`` in order, and ``check`` each example.

    Raises:
        UserError: the file cannot be read.
    """
    try:
        with open(path, "rb") as file:
            total = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
            file.seek(0)
            numbered = enumerate(file, 1)
            parts = iter(lambda: list(islice(numbered, _LINES)), [])
            job = _Job(str(path), encoder, check)
            with progress(what, total) as advance, closing(_in_order(job, parts, -(-total // _LINES))) as results:
                for encoded in results:
                    advance(min(_LINES, total))
                    total -= min(_LINES, total)
                    yield encoded
    except OSError as error:
        raise cannot_read(path, error) from None
    except BrokenProcessPool:
        raise UserError(
            f"{path}: a process that encodes it was killed, probably because memory ran out; start again on fewer "
            "cores (taskset -c 0-7 ...)"
        ) from None


@dataclass(frozen=True)
class _Job:
    """Encodes numbered lines of the file ``path``."""

    path: str
    encoder: Encoder
    check: Check | None

    def __call__(self, lines: list[tuple[int, bytes]]) -> EncodedLines:
        examples: list[tuple[str, Example]] = []
        faults: list[tuple[str, UserError]] = []
        for number, line in lines:
            if not line.strip():
                continue
            kind = INVALID
            try:
                sequence = parse_record(line, Sequence, f"{self.path}:{number}")
                kind = NOT_ENCODED
                example = self.encoder(sequence)
            except UserError as error:
                faults.append((UNREADABLE if isinstance(error, PictureFault) else kind, error))
                continue
            examples.append((sequence.arm, example))
            if self.check is not None:
                faults += [(kind, UserError(fault)) for kind, fault in self.check(sequence, example)]
        return EncodedLines(make_batch(examples), faults)


def _in_order(job: _Job, parts: Iterator[list[tuple[int, bytes]]], count: int) -> Generator[EncodedLines]:
    """``job`` of each of about ``count`` parts, on all cores; in this process if it is a single part or core."""
    processes = min(len(os.sched_getaffinity(0)), count)
    if processes < 2:
        yield from map(job, parts)
        return
    waiting: deque[Future[EncodedLines]] = deque()
    with (
        _tokenizers_alone(),
        # Forked, so that the tokenizer is not loaded again in each.
        ProcessPoolExecutor(processes, multiprocessing.get_context("fork"), _begin, (job,)) as pool,
    ):
        try:
            for part in parts:
                waiting.append(pool.submit(_encode, part))
                # Some ahead, so that no process waits, but not the whole file.
                if len(waiting) > 3 * processes:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


_job: _Job  # of a process of the pool


def _begin(job: _Job) -> None:
    global _job
    _job = job
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops the pool
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _encode(lines: list[tuple[int, bytes]]) -> EncodedLines:
    return _job(lines)


@contextmanager
def _tokenizers_alone() -> Iterator[None]:
    """Have the tokenizers library start no threads, which it would warn of in each forked process."""
    name = "TOKENIZERS_PARALLELISM"
    before = os.environ.get(name)
    os.environ[name] = "false"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
