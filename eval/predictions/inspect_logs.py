"""Logs of Inspect (``.eval``, or ``.json``), read by its own package: it knows all versions of its format.

A sample is an answer, an epoch a repeat. What hit a limit of tokens is truncated; a sample that failed, or that was
marked as not valid, has no answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from eval.predictions.foreign_row import NO_TOKENS, ForeignRow
from srt.io.errors import UserError
from srt.io.records import FinishReason

NAME: Final = "Inspect log"
_CUT: Final = ("max_tokens", "model_length")
"""Stop reasons of a model's output that the token budget ended (``inspect_ai.model.StopReason``)."""


def is_inspect(data: object) -> bool:
    """Whether the JSON ``data`` is a log: as written by ``inspect eval --log-format json``."""
    return isinstance(data, dict) and isinstance(data.get("eval"), dict) and {"version", "status"} <= data.keys()


def read_inspect(file: Path) -> Iterator[ForeignRow]:
    """The samples of the log ``file``.

    Raises:
        UserError: inspect_ai is not installed, or cannot read the file; or it has no samples.
    """
    try:
        from inspect_ai.log import read_eval_log
    except ModuleNotFoundError:
        raise UserError(f"{file}: an {NAME} is read by its own package: pip install inspect_ai") from None
    try:
        # Long texts are kept apart, and only referred to, unless they are asked for.
        log = read_eval_log(str(file), resolve_attachments=True)
    except Exception as error:  # pydantic, zipfile and its own errors
        raise UserError(f"{file}: {NAME}: cannot be read: {' '.join(str(error).split())[:160]}") from None
    if not log.samples:
        raise UserError(f"{file}: {NAME}: no samples in it (status {log.status}); a log with samples was expected")
    for sample in log.samples:
        yield _row(file, sample, str(log.eval.model))


def _row(file: Path, sample: Any, model: str) -> ForeignRow:
    told = sample.metadata or {}
    ids = {"metadata.problem_id": str(told["problem_id"])} if told.get("problem_id") is not None else {}
    ids["id"] = str(sample.id)
    targets = sample.target if isinstance(sample.target, str) else "\n".join(sample.target)
    given = (sample.input,) if isinstance(sample.input, str) else tuple(message.text for message in sample.input)
    # A sample that failed, or hit a limit before its first reply, has an output without choices.
    stopped = str(sample.output.stop_reason) if sample.output.choices else None
    failed = stopped is None or sample.error is not None or getattr(sample, "invalidation", None) is not None
    reason: FinishReason = "error" if failed or stopped == "content_filter" else "stop"
    if reason == "stop" and (stopped in _CUT or (sample.limit is not None and sample.limit.type == "token")):
        reason = "length"
    usage = sample.output.usage
    counts = {name: getattr(usage, name, None) for name in NO_TOKENS} if usage is not None else NO_TOKENS
    return ForeignRow(
        f"{file}: sample {sample.id}, epoch {sample.epoch}",
        ids,
        "" if failed else sample.output.completion,
        # Inspect numbers the samples of a data set without ids from 1.
        position=sample.id - 1 if isinstance(sample.id, int) else None,
        shown=(*given, *(sample.choices or ())),
        target=targets or None,
        variant=told.get("variant") if "metadata.problem_id" in ids else None,
        repeat=sample.epoch - 1,
        tokens=counts,
        finish_reason=reason,
        model=model,
    )
