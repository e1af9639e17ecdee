"""Encode a file of sequences on all cores, a few hundred lines at a time, in the order of the file."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from transformers import PreTrainedTokenizerBase

from srt.io.errors import UserError
from srt.io.record_lines import parse_record
from srt.io.record_reader import Line, count_lines, read_lines
from srt.io.records import Pair, Sequence
from srt.io.worker_processes import die_with_parent
from srt.language.template_kwargs import TemplateKwargs
from train.data.examples import Example, encode
from train.data.image_tokens import PictureFault, PictureTokens
from train.data.line_checks import INVALID
from train.data.pairs import sides
from train.data.token_table import make_batch

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Called with what is being done and its total count; returns a context manager that gives ``advance``."""

Check = Callable[[Sequence, Example], Iterable[tuple[str, str]]]
"""Looks for faults in what was encoded: (kind of fault, line)."""

Lines = list[Line]

_LINES = 500  # that a process encodes at a time
_MOST_PROCESSES = 32  # one process writes what all of them encode

# Kinds of faults.
UNREADABLE = "sequences whose pictures cannot be read"
NOT_ENCODED = "sequences that cannot be encoded"


@dataclass(frozen=True)
class Encoder:
    """Encodes the sequences of a file in the folder ``root`` (:func:`~train.data.examples.encode`).

    ``rows``: of the model's embedding. ``record``: what the lines of the file are.
    """

    tokenizer: PreTrainedTokenizerBase
    think: bool
    pictures: PictureTokens | None
    root: Path
    rows: int | None = None
    kwargs: TemplateKwargs = field(default_factory=dict)
    record: type[Sequence] | type[Pair] = Sequence

    def __call__(self, sequence: Sequence) -> Example:
        """The example of ``sequence``."""
        return encode(sequence, self.tokenizer, self.think, self.pictures, self.root, self.rows, self.kwargs)


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
        total = count_lines(path)
        remaining = read_lines(path, encoder.record)
        parts = iter(lambda: list(islice(remaining, _LINES)), [])
        with (
            _on_all_cores(_Job(encoder, check), -(-total // _LINES)) as map_parts,
            progress(what, total) as advance,
        ):
            for encoded in map_parts(parts):
                advance(min(_LINES, total))
                total -= min(_LINES, total)
                yield encoded
    except BrokenProcessPool:
        raise UserError(
            f"{path}: a process that encodes it was killed, probably because memory ran out; start again on fewer "
            "cores (taskset -c 0-7 ...)"
        ) from None


@dataclass(frozen=True)
class _Job:
    """Encodes lines of a file."""

    encoder: Encoder
    check: Check | None

    def __call__(self, lines: Lines) -> EncodedLines:
        examples: list[tuple[str, Example]] = []
        faults: list[tuple[str, UserError]] = []
        for place, _, line in lines:
            kind = INVALID
            try:
                sequences = sides(parse_record(line, self.encoder.record, place))
                kind = NOT_ENCODED
                encoded = [(sequence, self.encoder(sequence)) for sequence in sequences]
            except UserError as error:
                if kind is NOT_ENCODED:  # else the line itself is at fault, and said so
                    kind = UNREADABLE if isinstance(error, PictureFault) else kind
                    error = type(error)(f"{place}: {error}")
                faults.append((kind, error))
                continue
            for sequence, example in encoded:
                examples.append((sequence.arm, example))
                if self.check is not None:
                    faults += [(kind, UserError(f"{place}: {fault}")) for kind, fault in self.check(sequence, example)]
        return EncodedLines(make_batch(examples), faults)


@contextmanager
def _on_all_cores(job: _Job, parts: int) -> Iterator[Callable[[Iterator[Lines]], Iterator[EncodedLines]]]:
    """Gives ``map`` of ``job`` over about so many ``parts``, in order: in several processes if that is faster."""
    processes = min(len(os.sched_getaffinity(0)), parts, _MOST_PROCESSES)
    if processes < 2:
        yield partial(map, job)
        return
    with (
        _tokenizers_alone(),
        # Forked, so that the tokenizer is not loaded again in each.
        ProcessPoolExecutor(processes, multiprocessing.get_context("fork"), _begin, (job,)) as pool,
    ):
        pool.submit(os.getpid).result()  # forks them now: a progress bar starts a thread
        try:
            yield partial(_in_order, pool, 3 * processes)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _in_order(pool: ProcessPoolExecutor, ahead: int, parts: Iterator[Lines]) -> Iterator[EncodedLines]:
    """Keep some parts ``ahead`` of the one that is waited for: no process idles, and the whole file is never held."""
    waiting: deque[Future[EncodedLines]] = deque()
    for part in parts:
        waiting.append(pool.submit(_encode, part))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


# A global, which the forks inherit: tokenizer and processor are not pickled for each part.
_job: _Job  # of a process of the pool


def _begin(job: _Job) -> None:
    global _job
    _job = job
    die_with_parent()
    for number in (signal.SIGINT, signal.SIGUSR1):  # sent to all: the parent stops the pool
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # sent by a pool that has lost another process


def _encode(lines: Lines) -> EncodedLines:
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
