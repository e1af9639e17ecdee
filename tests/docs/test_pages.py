"""Every page: lines of at most 120 characters, as in recipes; paths, modules, commands and options that exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from srt import __version__
from srt.cli import command_table
from srt.cli.lazy_commands import load_command

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
]
WRAPPED = [
    *PAGES,
    ROOT / "CHANGELOG.md",
    *(path for folder in ("recipes", "configs") for path in sorted((ROOT / folder).rglob("*.yaml"))),
]
"""The files whose lines have at most 120 characters; ruff looks after the code."""
COMMANDS = {name: load_command(name) for name in command_table.COMMANDS}
TO_BE_WRITTEN = r"file(?: of its own)?, `([^`]+)`|((?:srt/worlds|tests/srt/worlds|docs)/turning\b[\w./]*)"
"""How docs/extending.md and extending-training.md name the files that their readers write."""
OURS = "srt|train|eval|docs|tests|recipes|configs|benchmarks|research"


def by_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("file", WRAPPED, ids=by_name)
def test_lines_are_short(file: Path) -> None:
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    assert not [f"{file.name}:{number}" for number, line in lines if len(line) > 120]


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_every_path_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = re.findall(rf"(?<![\w/.<-])((?:{OURS})/[\w./*<>|-]*)", text)
    for path in {path.rstrip(".") for path in found} - {
        name for names in re.findall(TO_BE_WRITTEN, text) for name in names
    }:
        pattern = re.sub(r"<[^>]*>|NAME", "*", path).rstrip("/")
        assert list(ROOT.glob(pattern)), f"{page.name}: {path}"


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_every_module_exists(page: Path) -> None:
    for name in re.findall(r"`((?:srt|train|eval)(?:\.\w+)+)\b", page.read_text(encoding="utf-8")):
        if (ROOT / name).exists() or name.endswith((".py", ".md", ".json", ".jsonl")):
            continue
        module, *members = name.split(".")
        found = importlib.import_module(module)
        for member in members:
            module = f"{module}.{member}"
            found = getattr(found, member, None) or importlib.import_module(module)


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_every_program_exists(page: Path) -> None:
    """Those beside the packages, run as ``python -m``."""
    text = re.sub(r"\s+", " ", page.read_text(encoding="utf-8"))
    for name in re.findall(r"python -m ((?:benchmarks|research)(?:\.\w+)*)(?!\.)", text):
        place = ROOT / name.replace(".", "/").removesuffix("/NAME")
        if name.endswith(".NAME"):
            assert place.is_dir(), f"{page.name}: {name}"
            continue
        assert place.with_suffix(".py").is_file() or (place / "__main__.py").is_file(), f"{page.name}: {name}"


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_every_command_and_option_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for command, arguments in re.findall(r"(?:^    |`|-m )srt ([a-z][a-z-]*)([^`\n#]*)", text, re.MULTILINE):
        if command in ("import", "generate") and "|" in arguments:
            continue
        assert command in COMMANDS, f"{page.name}: srt {command}"
        known = {name for p in COMMANDS[command].params for name in (*p.opts, *p.secondary_opts)} | {"--help"}
        given = set(re.findall(r"(?<!\S)--?[a-z][\w-]*", arguments.split("  ")[0]))
        assert given <= known, f"{page.name}: srt {command}{arguments}"


def test_every_page_is_in_the_index_and_in_the_site() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in index, page.name
        assert page.name in nav


def test_the_version_is_the_same_everywhere() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
