"""The random sample of passed traces that people audit: drawn once, kept in ``audit.json``.

Problems are ordered by SHA-256 of (seed, problem id) and the first of them are taken: a simple random sample that does
not depend on the order of the file. A larger sample goes on where the smaller one stopped, so that what has been
decided stays in it. Problems that have passed since the sample was drawn can only be among those that are added later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

import orjson
from pydantic import ValidationError

from srt.errors import UserError
from srt.jsonl import write_atomically
from srt.records import Record

AUDIT = "audit.json"
_SEED = 0


class AuditSample(Record):
    """The file: ``problems`` in the order they were drawn, out of ``population`` that had passed at the last draw."""

    seed: int
    population: int
    problems: tuple[str, ...]


def audit_sample(folder: Path, passed: Collection[str], size: int) -> tuple[str, ...]:
    """The first ``size`` problems of the sample of ``folder``, drawn from ``passed`` where the sample is smaller yet.

    Fewer come back where fewer have passed.

    Raises:
        UserError: ``audit.json`` cannot be read, or names a problem that is not among ``passed``.
    """
    path = folder / AUDIT
    sample = read_sample(folder)
    drawn = sample.problems if sample else ()
    seed = sample.seed if sample else _SEED
    for problem_id in drawn:
        if problem_id not in passed:
            raise UserError(
                f"{path}: problems: {problem_id!r} has not passed in this folder; it was drawn from another"
            )
    if len(drawn) < min(size, len(passed)):
        rest = set(passed) - set(drawn)
        drawn += tuple(sorted(rest, key=lambda problem_id: _place(seed, problem_id))[: size - len(drawn)])
        sample = AuditSample(seed=seed, population=len(passed), problems=drawn)
        write_atomically(path, [orjson.dumps(sample.model_dump(mode="json"), option=orjson.OPT_INDENT_2)])
    return drawn[:size]


def read_sample(folder: Path) -> AuditSample | None:
    """The sample of ``folder``, ``None`` where none was drawn; a :class:`UserError` where it cannot be read."""
    path = folder / AUDIT
    try:
        return AuditSample.model_validate(orjson.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, orjson.JSONDecodeError, ValidationError):
        raise UserError(f"{path}: is no audit sample; move it away to draw a new one") from None


def _place(seed: int, problem_id: str) -> bytes:
    return hashlib.sha256(orjson.dumps([seed, problem_id])).digest()
