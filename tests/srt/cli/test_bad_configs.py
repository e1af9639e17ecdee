"""Every command that reads a YAML config reports a bad file on one line, with its name, and exits with status 2."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

COMMANDS = [
    "train F",
    "preflight F",
    "experiment F",
    "generate seating -n 2 --spec F -o new.jsonl",
    "teach problems.jsonl -o new --config F",
    "agreement traces.jsonl --problems problems.jsonl -o new --config F",
    "eval --config F",
    "judge . --config F",
    "errors . --judge F",
]
# The content of bad.yaml, and what the line names beside the file.
FILES: dict[str, tuple[bytes, str]] = {
    "a date that does not exist": (b"output: 2024-13-45", "month"),
    "a number of 5,000 digits": (b"seed: " + b"9" * 5000, "digits"),
    "5,000 brackets": (b"[" * 5000, "nested"),
    "mappings 60 deep": (b"{a: " * 60 + b"}" * 60, "nested"),
    "a value that contains itself": (b"a: &a [*a]", "a"),
    "an alias of nothing": (b"a: *b", "line 1: .*b"),
    "a key twice": (b"model: a\nseed: 1\nmodel: b\n", "line 3: 'model'"),
    "a key twice, further in": (b"model: {path: a, path: b}\n", "'path'"),
    "a list": (b"- a\n- b\n", "'a'"),
    "a text": (b"srt", "'srt'"),
    "keys that are numbers": (b"1: a\n", "1"),
    "a tab": (b"a:\n\tb: 1\n", "line 2"),
    "an open bracket": (b"a: [1, ", "line 1"),
    "a binary file": (b"\x89PNG\r\n\x1a\n\x00\xff", "UTF-8"),
    "a tag": (b"a: !!python/object/apply:os.getcwd []\n", "python"),
}


@pytest.mark.parametrize("content", FILES, ids=lambda name: name.replace(" ", "_"))
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.replace(" ", "_")[:24])
def test_a_bad_file(command: str, content: str, refuses: Callable[..., str], folder: Path) -> None:
    data, named = FILES[content]
    (folder / "bad.yaml").write_bytes(data)
    assert re.search(rf"^srt: bad\.yaml: .*{named}", refuses(*command.replace("F", "bad.yaml").split()))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.replace(" ", "_")[:24])
@pytest.mark.parametrize(("path", "named"), [("no.yaml", "no.yaml: "), (".", r"\.: .*folder")])
def test_no_file(command: str, path: str, named: str, refuses: Callable[..., str]) -> None:
    assert re.search(rf"^srt: {named}", refuses(*command.replace("F", path).split()))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.split()[0])
def test_an_unknown_key_and_the_nearest(command: str, refuses: Callable[..., str], folder: Path) -> None:
    if command.startswith("preflight"):
        pytest.skip("it prints a line for each fault")
    (folder / "bad.yaml").write_text("modell: x\nlangg: en\nspilt: train\n")
    said = refuses(*command.replace("F", "bad.yaml").split())
    for key in ("langg: ", "split?" if "--spec" in command else "model"):
        assert key in said


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.split()[0])
def test_a_file_that_extends(command: str, refuses: Callable[..., str], folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "over.yaml").write_text("extends: ../bad.yaml\n")
    (folder / "bad.yaml").write_text("extends: sub/over.yaml\n")
    assert "over.yaml" in refuses(*command.replace("F", "bad.yaml").split())
    (folder / "bad.yaml").write_text("mode: [\n")
    assert "bad.yaml: " in refuses(*command.replace("F", "sub/over.yaml").split())
