"""Stores of objects in this process, as file systems of fsspec: nothing in them is locked, appended to or mapped.

``objects://``: an object is there when it was sent whole; nothing can be renamed. ``renames://``: what was sent so far
is there at once, as on ``hdfs://``, and files can be renamed.
"""

from __future__ import annotations

import io
from typing import Any, ClassVar

import fsspec
from engines import Killed
from fsspec import AbstractFileSystem


class ObjectStore(AbstractFileSystem):
    """``dies_after``: the process is killed while it sends the file after so many others."""

    protocol = "objects"
    objects: ClassVar[dict[str, tuple[bytes, int]]] = {}
    sent: ClassVar[list[str]] = []
    dies_after: ClassVar[int | None] = None

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        if path in self.objects:
            data, version = self.objects[path]
            return {"name": path, "size": len(data), "type": "file", "etag": str(version)}
        if any(name.startswith(f"{path}/") for name in self.objects):
            return {"name": path, "size": 0, "type": "directory"}
        raise FileNotFoundError(path)

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        path = self._strip_protocol(path)
        inside = {name.removeprefix(f"{path}/").split("/")[0] for name in self.objects if name.startswith(f"{path}/")}
        if not inside:
            raise FileNotFoundError(path)
        return [self.info(f"{path}/{name}") if detail else f"{path}/{name}" for name in sorted(inside)]

    def _open(self, path: str, mode: str = "rb", **_: Any) -> io.BytesIO:
        assert mode == "rb", "an object is sent whole, never opened to write or append"
        return io.BytesIO(self.objects[self.info(path)["name"]][0])

    def put_file(self, lpath: str, rpath: str, **_: Any) -> None:
        with open(lpath, "rb") as file:
            self._send(rpath, file.read())

    def _send(self, path: str, data: bytes) -> None:
        if len(self.sent) == self.dies_after:
            raise Killed
        self.sent.append(path)
        self.objects[path] = (data, len(self.sent))

    def _rm(self, path: str) -> None:
        self.objects.pop(path, None)


class StoreWithRenames(ObjectStore):
    protocol = "renames"
    objects: ClassVar[dict[str, tuple[bytes, int]]] = {}
    sent: ClassVar[list[str]] = []

    def _send(self, path: str, data: bytes) -> None:
        self.objects[path] = (data[: len(data) // 2], 0)
        super()._send(path, data)

    def mv(self, path1: str, path2: str, **_: Any) -> None:
        assert path2 not in self.objects
        self.objects[path2] = self.objects.pop(path1)


STORES: dict[str, type[ObjectStore]] = {"objects": ObjectStore, "renames": StoreWithRenames}
for name, store in STORES.items():
    fsspec.register_implementation(name, store, clobber=True)
