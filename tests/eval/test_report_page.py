"""The page in a real browser: hostile text stays text, and nothing is asked of the network."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from eval.compare import compare
from eval.score import Checker, score
from srt.jsonl import write_records
from srt.records import Problem

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">{{ 7*7 }}"


@pytest.fixture
def hostile_page(
    make_run: Callable[..., Path], make_problem: Callable[..., Problem], fake_checker: Checker, tmp_path: Path
) -> Path:
    problems = tmp_path / "hostile.jsonl"
    choices = {"A": HOSTILE, "B": '"onerror="x', "C": "Pia"}
    write_records(
        problems,
        [make_problem(n, question=f"{HOSTILE} item {n}. Who?", choices=choices, id=f"{HOSTILE}{n}") for n in (1, 2)],
    )
    arm = "srt<script>document.title='owned'</script>"
    run = make_run("folder", lambda _: f"INFER (1): false {HOSTILE}\nANSWER: B", problems=problems)
    stamp = run / "run.json"
    stamp.write_text(stamp.read_text().replace('"arm": "folder"', f'"arm": "{arm}"'))
    score(run, checker=fake_checker)
    compare([run], tmp_path / "report", drawing=drawing)
    return tmp_path / "report" / "report.html"


def drawing(problem: Problem) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>document.title="owned"</script>'
        '<circle cx="20" cy="20" r="9"/></svg>'
    )


def test_the_page_needs_nothing_but_itself(hostile_page: Path) -> None:
    page = hostile_page.read_text()
    assert "<script" not in page
    assert "<img src=x" not in page
    assert "{{ 7*7 }}" in page
    assert "default-src 'none'" in page
    sources = re.findall(r"(?:src|srcset|href)=\"([^\"]{0,20})", page)
    assert sources
    assert all(source.startswith("data:image/") for source in sources)


@pytest.mark.browser
def test_hostile_text_is_shown_as_text(hostile_page: Path, tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("NOT CHECKED: no chromium on this machine, so the page was not opened in a browser")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    command += [
        f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=3000",
        "--dump-dom",
        f"file://{hostile_page}",
    ]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "<title>SRT comparison" in dom
    assert "<title>owned" not in dom
    assert "<script" not in dom
    assert "&lt;script&gt;document.title='owned'&lt;/script&gt;&lt;img src=x onerror=" in dom
