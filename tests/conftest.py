"""What tests of several parts need: the command line, where the real data is, stand-ins for servers, a browser."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from srt.cli import main
from tests.published_copies import copy_in

# A busy machine is slow, not wrong: Hypothesis' own time limits would fail tests there.
settings.register_profile("srt", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("srt")

# Tokens made by tests stay out of the user's cache. The library datasets reads this when it is imported.
_CACHE = tempfile.mkdtemp(prefix="srt-tests-")
os.environ["HF_DATASETS_CACHE"] = _CACHE
atexit.register(shutil.rmtree, _CACHE, ignore_errors=True)

# Some virtual machines list AMX and do not have it: bfloat16 would end the test process there (SIGILL). oneDNN, which
# PyTorch uses, reads this when it is loaded, here and in the processes that tests start.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

ROOT = Path(__file__).resolve().parents[1]


def pytest_collection_finish() -> None:
    """Thousands of tests and the libraries stay to the end: the garbage collector need not go through them each time.

    It took two thirds of the processor time of a test that draws figures.
    """
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class Ran:
    """What a command ended with."""

    status: int
    out: str
    err: str


Srt = Callable[..., Ran]


@pytest.fixture
def srt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Srt:
    """``srt("check", path, "--problems", other)`` as a shell would run it, in this process, through its entry point."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["srt", *map(str, arguments)])
        capsys.readouterr()
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def space2025() -> Path:
    """The folder of SpaCE2025's files."""
    return copy_in("SRT_SPACE2025")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A headless browser, closed after each file: its event loop would be in the way of tests that start theirs."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("NOT CHECKED: no chromium on this machine, so no page was opened in a browser")
    sync_api = pytest.importorskip("playwright.sync_api", reason="NOT CHECKED: playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, timeout=120_000, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def fake_endpoint() -> ModuleType:
    """The stand-in for an OpenAI-compatible server."""
    from tests import fake_endpoint

    return fake_endpoint


@pytest.fixture(scope="session")
def batch_endpoint() -> ModuleType:
    """The stand-in for a server with ``/v1/batches``."""
    from tests import batch_endpoint

    return batch_endpoint
