"""The folder that a stage writes shard by shard.

============================== ====================================================================================
``part-00000.jsonl``           the output of the first shard; the parts one after the other are what one machine writes
``refused-00000.jsonl``        its refusals, where the stage has any; of ``srt curate``, ``dropped`` and ``review``
``manifest.json``              stage, settings, inputs, the parts with their SHA-256, and the counts: all is there
``.work/``                     while the stage runs: ``plan.json``, and ``00000.json`` for each shard that is done
============================== ====================================================================================

The crash contract: each file is written under a temporary name and renamed when it is whole, a shard's own record
(``.work/00000.json``) last. What is done is a function of the shard alone: a shard that was lost with its machine, or
is worked on twice, gives the same bytes. The same command goes on with the shards that have no record; another command
is refused.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from srt.io.errors import UserError, cannot_read
from srt.io.folder_lock import hold_folder
from srt.io.jsonl import write_atomically
from srt.io.parquet_files import is_parquet
from srt.pipeline.record_stage import LineCounts

MANIFEST = "manifest.json"
MOST_LOSSES: Final = 5
"""Ray itself would work on a shard for ever that kills its process each time."""


@dataclass(frozen=True)
class ShardFolder:
    """The folder ``path`` of a stage; its files are Parquet if it ends with ``.parquet``."""

    path: Path

    @property
    def suffix(self) -> str:
        """Of the files of records."""
        return ".parquet" if is_parquet(self.path) else ".jsonl"

    @property
    def work(self) -> Path:
        """The folder of what is there while the stage runs."""
        return self.path / ".work"

    def part(self, number: int) -> Path:
        """The file with the output of shard ``number``."""
        return self.records("part", number)

    def refused(self, number: int) -> Path:
        """The file with its refusals."""
        return self.records("refused", number)

    def records(self, kind: str, number: int) -> Path:
        """The file of its records of some kind."""
        return self.path / f"{kind}-{number:05d}{self.suffix}"

    @contextmanager
    def hold(self, plan: Mapping[str, Any]) -> Iterator[LineCounts | None]:
        """Take up what is there for as long as the block lasts; yields the counts if the stage has ended before.

        ``plan`` is what the output is a function of: the folder belongs to it from now on.

        Raises:
            UserError: the folder was made by something else, or another process is writing to it.
        """
        with hold_folder(self.path):
            ended, begun = self.path / MANIFEST, self.work / "plan.json"
            found = _read(ended).get("plan") if ended.exists() else _read(begun) if begun.exists() else None
            planned = orjson.loads(orjson.dumps(plan))
            if found is None:
                if others := [file.name for file in self.path.iterdir() if file.name not in (".lock", ".work")]:
                    raise UserError(f"{self.path}: has other files ({min(others)}); name a folder that is new or empty")
                self.work.mkdir(exist_ok=True)
                write_atomically(begun, [orjson.dumps(planned)])
            elif found != planned:
                differs = ", ".join(sorted(key for key in {*found, *planned} if found.get(key) != planned.get(key)))
                raise UserError(
                    f"{self.path}: was made with another {differs}; name another folder, or remove this one"
                )
            for file in self.work.glob("*.begun"):
                file.unlink()
            yield _counts_of(_read(ended)) if ended.exists() else None

    def done(self, number: int) -> bool:
        """Whether shard ``number`` is done, and its files are as they were written."""
        if not self._record(number).exists():
            return False
        files = _read(self._record(number))["files"]
        return all((self.path / f).is_file() and (self.path / f).stat().st_size == files[f]["bytes"] for f in files)

    def begin(self, number: int, step: str = "") -> None:
        """Work on shard ``number`` begins, or a step of it: once more where its process, or machine, was lost before.

        Raises:
            UserError: that has happened :data:`MOST_LOSSES` times since the command was started.
        """
        with (self.work / f"{step}{number:05d}.begun").open("ab") as file:
            file.write(b".")
            if file.tell() > MOST_LOSSES:
                raise UserError(f"its process was killed {MOST_LOSSES} times; did memory run out?")

    def finish(self, number: int, counted: LineCounts, files: Sequence[Path]) -> None:
        """Shard ``number`` is done: ``files`` are written."""
        kept = {file.name: {"bytes": file.stat().st_size, "sha256": _sha256(file)} for file in files}
        write_atomically(self._record(number), [orjson.dumps({"files": kept, **_as_json(counted)})])

    def counts(self, number: int) -> LineCounts:
        """The counts of shard ``number``, which is done."""
        return _counts_of(_read(self._record(number)))

    def conclude(self, plan: Mapping[str, Any], shards: int, counted: LineCounts) -> None:
        """All shards are done: write the manifest, and remove what was needed on the way."""
        records = [_read(self._record(number)) for number in range(shards)]
        files = {name: values for record in records for name, values in record["files"].items()}
        manifest = {"plan": dict(plan), "files": files, **_as_json(counted)}
        write_atomically(self.path / MANIFEST, [orjson.dumps(manifest, option=orjson.OPT_INDENT_2)])
        shutil.rmtree(self.work)
        for unfinished in self.path.glob(".*.tmp"):
            unfinished.unlink(missing_ok=True)

    def _record(self, number: int) -> Path:
        return self.work / f"{number:05d}.json"


def whole_parts(folder: Path) -> list[Path]:
    """The parts of the folder of a stage that has ended, in order.

    Raises:
        UserError: it is no such folder, or a part is missing or of another size.
    """
    manifest = folder / MANIFEST
    if not manifest.exists():
        raise UserError(f"{folder}: has no {MANIFEST}: the stage that writes this folder has not ended")
    files = _read(manifest).get("files")
    if not isinstance(files, dict):
        raise UserError(f"{manifest}: not the manifest of a sharded stage")
    for name, values in files.items():
        if not (folder / name).is_file() or (folder / name).stat().st_size != values["bytes"]:
            raise UserError(f"{folder / name}: is missing, or was changed; {manifest} has {values['bytes']} bytes")
    return [folder / name for name in files if name.startswith("part-")]


def _as_json(counted: LineCounts) -> dict[str, Any]:
    return {"read": counted.read, "counts": dict(counted.counts), "examples": counted.examples}


def _counts_of(values: Mapping[str, Any]) -> LineCounts:
    return LineCounts(values["read"], Counter(values["counts"]), values["examples"])


def _read(path: Path) -> dict[str, Any]:
    try:
        found = orjson.loads(path.read_bytes())
    except OSError as error:
        raise cannot_read(path, error) from None
    except orjson.JSONDecodeError as error:
        raise UserError(f"{path}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UserError(f"{path}: a JSON object was expected")
    return found


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
