"""Reads what an offline run of W&B holds."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class OfflineRun(NamedTuple):
    """The run's own record (project, group, name), its rows of figures, and its tables by name."""

    run: Any
    rows: list[dict[str, Any]]
    tables: dict[str, dict[str, Any]]


def read_offline_run(folder: Path, complete: Callable[[list[dict[str, Any]]], bool] = bool) -> OfflineRun:
    """The only offline run that was written into ``folder``, as soon as its rows are ``complete``.

    W&B's own process may still be writing when the run is left.
    """
    (log,) = folder.glob("wandb/offline-run-*/run-*.wandb")
    until = time.monotonic() + 60
    while not complete((found := _records(log.read_bytes()))[1]) and time.monotonic() < until:
        time.sleep(0.1)
    media = log.parent / "files" / "media" / "table"
    # NAME_STEP_HASH.table.json
    tables = {
        str(path.relative_to(media)).rsplit("_", 2)[0]: json.loads(path.read_bytes())
        for path in media.rglob("*.table.json")
    }
    return OfflineRun(*found, tables)


def _records(log: bytes) -> tuple[Any, list[dict[str, Any]]]:
    """A log of W&B is one of LevelDB: records in blocks of 32 KiB, in pieces where they are long."""
    from wandb.proto.wandb_internal_pb2 import Record

    run, rows, at, record = None, [], 7, b""  # after the file's own header
    while at + 7 <= len(log):
        if 32768 - at % 32768 < 7:  # no room for a header: the rest of the block is empty
            at += 32768 - at % 32768
            continue
        size, kind = int.from_bytes(log[at + 4 : at + 6], "little"), log[at + 6]
        if at + 7 + size > len(log):  # W&B is still writing it
            break
        record, at = record + log[at + 7 : at + 7 + size], at + 7 + size
        if kind in (1, 4):  # whole, or its last piece
            parsed, record = Record.FromString(record), b""
            if parsed.HasField("run"):
                run = parsed.run
            if parsed.HasField("history"):
                rows.append({"/".join(i.nested_key) or i.key: json.loads(i.value_json) for i in parsed.history.item})
    return run, rows
