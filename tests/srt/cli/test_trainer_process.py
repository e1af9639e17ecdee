"""Starting the training script: signals reach it, and its status comes back, also through the launcher."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from srt.cli.trainer_process import run_training, status_text

ROOT = Path(__file__).parents[3]

# It installs its handler late, as a script does that imports for seconds; PARENT is told when it has started.
SCRIPT = """
import os, pathlib, signal, sys, time
here = pathlib.Path(__file__).parent
(here / "started").touch()
time.sleep(0.5)
def stop(*_):
    with open(os.environ["SRT_STATUS_FILE"], "a") as file:
        file.write("143\\n")
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
if "--fail" in sys.argv:
    with open(os.environ["SRT_STATUS_FILE"], "a") as file:
        file.write("0\\n2\\n")
    sys.exit(2)
if "--die" in sys.argv:
    os.kill(os.getpid(), signal.SIGKILL)
print("running", *sys.argv[1:], flush=True)
time.sleep(0 if "--end" in sys.argv else 60)
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a stand-in for ``train_srt.py`` lies."""
    (tmp_path / "train_srt.py").write_text(SCRIPT)
    monkeypatch.setattr("train.__file__", str(tmp_path / "__init__.py"))
    return tmp_path


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
@pytest.mark.parametrize("launcher", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_signal_is_passed_on_even_if_it_comes_early(number: signal.Signals, launcher: bool, script: Path) -> None:
    def send() -> None:
        while not (script / "started").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    threading.Thread(target=send, daemon=True).start()
    assert run_training(Path("r.yaml"), ROOT / "configs/cpu.yaml" if launcher else None) == 143
    assert signal.getsignal(number) is before


@pytest.mark.parametrize(("option", "status"), [("--end", 0), ("--fail", 2), ("--die", 137)])
@pytest.mark.parametrize("launcher", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_status_of_the_script_comes_back(option: str, status: int, launcher: bool, script: Path) -> None:
    said = list[str]()
    config = ROOT / "configs/cpu.yaml" if launcher else None
    # A launcher does not say which signal killed its process.
    expected = 1 if launcher and status == 137 else status
    assert run_training(Path("r.yaml"), config, [option], say=said.append) == expected
    assert (f"running --config r.yaml {option}" in said) == (status == 0)


@pytest.mark.parametrize(("status", "named"), [(132, "ONEDNN_MAX_CPU_ISA"), (137, "SIGKILL"), (143, "SIGTERM")])
def test_a_status_names_its_signal(status: int, named: str) -> None:
    assert status_text(status).startswith(f"{status} (")
    assert named in status_text(status)


@pytest.mark.parametrize("status", [1, 2, 128, 255])
def test_other_statuses_are_numbers(status: int) -> None:
    assert status_text(status) == str(status)
