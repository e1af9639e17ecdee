"""The folder that a stage writes shard by shard.

============================== ====================================================================================
``part-00000.jsonl``           the output of the first shard; the parts one after the other are what one machine writes
``refused-00000.jsonl``        its refusals, where the stage has any; of ``srt curate``, ``dropped`` and ``review``
``manifest.json``              stage, settings, inputs, the parts with their SHA-256, and the counts: all is there
``.work/``                     while the stage runs: ``plan.json``, and ``00000.json`` for each shard that is done
============================== ====================================================================================

The crash contract: each file is there when it is whole, or not at all (:mod:`srt.io.locations`), a shard's own record
(``.work/00000.json``) last. What is done is a function of the shard alone: a shard that was lost with its machine, or
is worked on twice, gives the same bytes. The same command goes on with the shards that have no record; another command
is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import orjson

from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError, cannot_read
from srt.io.folder_lock import hold_folder, make_folder
from srt.io.locations import Location, is_url, listed, remove_folder, sha256_of, size_of
from srt.io.parquet_files import is_parquet
from srt.pipeline.record_stage import LineCounts

MANIFEST = "manifest.json"
MOST_LOSSES: Final = 5
"""Ray itself would work on a shard for ever that kills its process each time."""


@dataclass(frozen=True)
class ShardFolder:
    """The folder ``path`` of a stage; its files are Parquet if it ends with ``.parquet``."""

    path: Location

    @property
    def suffix(self) -> str:
        """Of the files of records."""
        return ".parquet" if is_parquet(self.path) else ".jsonl"

    @property
    def _ended(self) -> Location:
        return self.path / MANIFEST

    @property
    def _begun(self) -> Location:
        return self.work / "plan.json"

    @property
    def work(self) -> Location:
        """The folder of what is there while the stage runs."""
        return self.path / ".work"

    def part(self, number: int) -> Location:
        """The file with the output of shard ``number``."""
        return self.records("part", number)

    def refused(self, number: int) -> Location:
        """The file with its refusals."""
        return self.records("refused", number)

    def records(self, kind: str, number: int) -> Location:
        """The file of its records of some kind."""
        return self.path / f"{kind}-{number:05d}{self.suffix}"

    @contextmanager
    def hold(self, plan: Mapping[str, Any]) -> Iterator[LineCounts | None]:
        """Take up what is there for as long as the block lasts; yields the counts if the stage has ended before.

        ``plan`` is what the output is a function of: the folder belongs to it from now on.

        Raises:
            UserError: the folder was made by something else, is an input or in one, or another process is writing to
                it (which nobody can tell at a URL).
        """
        self._check_place(plan)
        with hold_folder(self.path):
            found, has_ended = self._found()
            planned = orjson.loads(orjson.dumps(plan))
            if found is None:
                make_folder(self.work)
                write_atomically(self._begun, [orjson.dumps(planned)])
            elif found != planned:
                differs = ", ".join(sorted(key for key in {*found, *planned} if found.get(key) != planned.get(key)))
                raise UserError(
                    f"{self.path}: holds the output of another command (not the same: {differs}); name another folder, "
                    "or remove this one"
                )
            if has_ended:
                yield _counts_of(_read(self._ended))
                return
            # Losses are counted since the command was started: to start it again is to try again.
            for name in listed(self.work):
                if name.endswith(".begun"):
                    (self.work / name).unlink()
            yield None

    def _check_place(self, plan: Mapping[str, Any]) -> None:
        """Refuse a folder that is not for this output, before there is anything of ours in it."""
        for source, *_ in plan["inputs"]:
            if f"{self.path}/".startswith(f"{source}/"):
                raise UserError(f"{self.path}: is, or is in, what is read from; name another folder")
        is_ours = not self.path.is_dir() or self._found()[0] is not None
        if not is_ours and (others := listed(self.path).keys() - {".lock", ".work"}):
            raise UserError(f"{self.path}: has other files ({min(others)}); name a folder that is new or empty")

    def _found(self) -> tuple[dict[str, Any] | None, bool]:
        """The plan of what is there, if there is anything, and whether that stage has ended."""
        if size_of(self._ended) is not None:
            return _read(self._ended).get("plan"), True
        return (None if size_of(self._begun) is None else _read(self._begun)), False

    def done(self, number: int) -> bool:
        """Whether shard ``number`` is done, and its files are as they were written."""
        if size_of(self._record(number)) is None:
            return False
        files = _read(self._record(number))["files"]
        return all(size_of(self.path / name) == files[name]["bytes"] for name in files)

    def begin(self, number: int, step: str = "") -> None:
        """Work on shard ``number`` begins, or a step of it: once more where its process, or machine, was lost before.

        Raises:
            UserError: that has happened :data:`MOST_LOSSES` times since the command was started.
        """
        begun = self.work / f"{step}{number:05d}.begun"
        # A byte for each time: its size is the count, and can be read without opening it.
        times = size_of(begun) or 0
        if times == MOST_LOSSES:
            raise UserError(f"its process was killed {MOST_LOSSES} times; did memory run out?")
        write_atomically(begun, [b"." * (times + 1)])

    def finish(self, number: int, counted: LineCounts, files: Sequence[Location]) -> None:
        """Shard ``number`` is done: ``files`` are written."""
        kept = {file.name: {"bytes": size_of(file), "sha256": sha256_of(file)} for file in files}
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
        remove_folder(self.work)
        if is_url(self.path):
            # Where files have no locks: all shards are done, so nobody writes here any more. On a disk, what a killed
            # process has left was swept before the manifest was written.
            for name in listed(self.path):
                if name.startswith(".") and name.endswith(".tmp"):
                    (self.path / name).unlink(missing_ok=True)

    def _record(self, number: int) -> Location:
        return self.work / f"{number:05d}.json"


def whole_parts(folder: Location) -> dict[Location, int]:
    """The parts of the folder of a stage that has ended, in order, with their sizes in bytes.

    Raises:
        UserError: it is no such folder, or a part is missing or of another size.
    """
    manifest = folder / MANIFEST
    if size_of(manifest) is None:
        raise UserError(f"{folder}: has no {MANIFEST}: no stage with --engine ray has ended there")
    files = _read(manifest).get("files")
    if not isinstance(files, dict):
        raise UserError(f"{manifest}: not the manifest of a sharded stage")
    there = listed(folder)
    for name, values in files.items():
        if there.get(name) != values["bytes"]:
            raise UserError(f"{folder / name}: is missing, or was changed; {manifest} has {values['bytes']} bytes")
    return {folder / name: values["bytes"] for name, values in files.items() if name.startswith("part-")}


def _as_json(counted: LineCounts) -> dict[str, Any]:
    return {"read": counted.read, "counts": dict(counted.counts), "examples": counted.examples}


def _counts_of(values: Mapping[str, Any]) -> LineCounts:
    return LineCounts(values["read"], Counter(values["counts"]), values["examples"])


def _read(path: Location) -> dict[str, Any]:
    try:
        found = orjson.loads(path.read_bytes())
    except OSError as error:
        raise cannot_read(path, error) from None
    except orjson.JSONDecodeError as error:
        raise UserError(f"{path}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UserError(f"{path}: a JSON object was expected")
    return found
