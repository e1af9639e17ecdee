"""Hashes of large files are remembered by the versions of the files, and each version is read once."""

from __future__ import annotations

import hashlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Event

import pytest

from srt.io.file_versions import folder_hash, remembered_sha256
from srt.io.folder_lock import hold_folder
from srt.io.locations import sha256_of

LATER = 3_000_000_000  # ns


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files whose contents are read; their hashes can be remembered at once."""
    names: list[str] = []

    def reading(file: Path) -> str:
        names.append(file.name)
        return sha256_of(file)

    now = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: now() + LATER)
    monkeypatch.setattr("srt.io.file_versions.sha256_of", reading)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    return names


def make_model(folder: Path) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    for part in (1, 2):
        (folder / f"model-{part}.safetensors").write_bytes(bytes([part]) * 2**21)
    return folder


def expected(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        digest.update(f"{file.name}:".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def test_weights_are_read_once(tmp_path: Path, read: list[str]) -> None:
    folder = make_model(tmp_path / "m")
    assert {folder_hash(folder) for _ in range(8)} == {expected(folder)}
    assert sorted(name for name in read if name != "config.json") == ["model-1.safetensors", "model-2.safetensors"]


def test_processes_that_start_together_read_once(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make_model(tmp_path / "m") / "model-1.safetensors"
    others_wait = Event()
    asking: list[str] = []

    def holding(folder: Path, *, name: str, wait: bool) -> AbstractContextManager[None]:
        asking.append(name)
        if len(asking) == 8:
            others_wait.set()
        return hold_folder(folder, name=name, wait=wait)

    def slow(path: Path) -> str:
        assert others_wait.wait(60)
        read.append(path.name)
        return sha256_of(path)

    monkeypatch.setattr("srt.io.file_versions.hold_folder", holding)
    monkeypatch.setattr("srt.io.file_versions.sha256_of", slow)
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(remembered_sha256, [file] * 8))
    assert found == {hashlib.sha256(file.read_bytes()).hexdigest()}
    assert read == [file.name]


def test_what_has_changed_is_read_again(tmp_path: Path, read: list[str]) -> None:
    file = make_model(tmp_path / "m") / "model-1.safetensors"
    first, times = remembered_sha256(file), (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    data = bytearray(file.read_bytes())
    data[7] ^= 1
    file.write_bytes(data)
    os.utime(file, ns=times)  # of the same length, and dated back
    assert remembered_sha256(file) == hashlib.sha256(data).hexdigest() != first
    copy = tmp_path / "copy"
    copy.write_bytes(b"x" * 2**21)
    copy.replace(file)
    assert remembered_sha256(file) == hashlib.sha256(b"x" * 2**21).hexdigest()
    assert len(read) == 3


def test_what_has_just_changed_is_not_remembered(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could change again before the clock of its file system ticks."""
    file = make_model(tmp_path / "m") / "model-1.safetensors"
    monkeypatch.setattr("time.time_ns", lambda: file.stat().st_ctime_ns + 1)
    for _ in range(2):
        assert remembered_sha256(file) == hashlib.sha256(file.read_bytes()).hexdigest()
    assert read == [file.name] * 2


def test_a_damaged_entry_and_no_cache_at_all(tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_model(tmp_path / "m") / "model-1.safetensors"
    right = remembered_sha256(file)
    [entry] = (tmp_path / "cache" / "srt-hashes").glob("*.json")
    entry.write_text(entry.read_text()[:40])
    assert remembered_sha256(file) == right
    (tmp_path / "file").touch()
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "file"))
    assert remembered_sha256(file) == right
    assert len(read) == 3


def test_it_lies_beside_the_tokens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, read: list[str]) -> None:
    file = make_model(tmp_path / "m") / "model-1.safetensors"
    monkeypatch.delenv("HF_DATASETS_CACHE")
    for number, (name, below) in enumerate([("HF_HOME", "datasets"), ("XDG_CACHE_HOME", "huggingface/datasets")]):
        monkeypatch.setenv(name, str(tmp_path / name))
        remembered_sha256(file)
        assert list((tmp_path / name / below / "srt-hashes").glob("*.json")), number
        monkeypatch.delenv(name)
