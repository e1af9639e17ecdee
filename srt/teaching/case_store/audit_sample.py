"""The random sample of passed traces that people audit: drawn once, kept in ``audit.json``.

Problems are ordered by the SHA-256 of (seed, problem id) and the first of them are taken: a simple random sample that
does not depend on the order of the file. A larger sample extends the smaller one, so that earlier decisions stay in it.
Problems that have passed since the draw can only be among those added later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

import orjson
from pydantic import ValidationError

from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.records import Record

AUDIT = "audit.json"


class AuditSample(Record):
    """The file: ``problems`` in the order they were drawn, from ``population`` that had passed at the last draw."""

    seed: int
    population: int
    problems: tuple[str, ...]


def audit_sample(folder: Path, passed: Collection[str], size: int) -> tuple[str, ...]:
    """The first ``size`` problems of the sample of ``folder``; a smaller sample is extended from ``passed``.

    Fewer are returned if fewer have passed.

    Raises:
        UserError: ``audit.json`` cannot be read, or names a problem that is not among ``passed``.
    """
    path = folder / AUDIT
    sample = read_sample(folder) or AuditSample(seed=0, population=0, problems=())
    drawn = sample.problems
    for problem_id in drawn:
        if problem_id not in passed:
            raise UserError(
                f"{path}: problems: {problem_id!r} has not passed in this folder; the sample is of another folder"
            )
    if len(drawn) < min(size, len(passed)):
        # Appended, never merged: the order in which earlier ones were drawn and decided stays.
        rest = set(passed) - set(drawn)
        # By hash, not by a generator: the draw does not depend on the order of the files or on how many draws there
        # were.
        by_hash = sorted(rest, key=lambda problem_id: hashlib.sha256(orjson.dumps([sample.seed, problem_id])).digest())
        drawn += tuple(by_hash[: size - len(drawn)])
        sample = AuditSample(seed=sample.seed, population=len(passed), problems=drawn)
        write_atomically(path, [orjson.dumps(sample.model_dump(mode="json"), option=orjson.OPT_INDENT_2)])
    return drawn[:size]


def read_sample(folder: Path) -> AuditSample | None:
    """The sample of ``folder``, ``None`` if none was drawn; raises a :class:`UserError` if it cannot be read."""
    path = folder / AUDIT
    try:
        return AuditSample.model_validate(orjson.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, orjson.JSONDecodeError, ValidationError):
        raise UserError(f"{path}: not an audit sample; move it away to draw a new one") from None
