"""Curation on several processes: the same output, and nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from problem_maker import LONG, OTHER, Maker

from srt.io.records import Answer


def test_the_output_does_not_depend_on_the_number_of_workers(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("srt.curate.curate_problems._PROBLEMS_A_WORKER", 1)
    one, dark, two = maker.picture(1), maker.picture(1, dark=True), maker.picture(2)
    (maker.folder / "copy.png").write_bytes((maker.folder / two.path).read_bytes())
    copy = two.model_copy(update={"path": "copy.png"})
    gone = two.model_copy(update={"path": "gone.png"})
    problems = [
        maker.problem("gone", OTHER + "1", gone, two),
        maker.problem("a", LONG, one, two),
        maker.problem("b", LONG, dark, copy),
        maker.problem("c", LONG, one, answer=Answer(kind="number", value=8)),
        maker.problem("d", OTHER, maker.picture(3, blank=True)),
        maker.problem("e", OTHER),
        maker.problem("f", OTHER + "。", solution=None),
        *(maker.problem(f"t{n}", f"{OTHER}{n}") for n in range(20)),
    ]
    bench = maker.write(
        maker.problem("x", LONG, dark, split="test"), maker.problem("y", OTHER, gone), name="bench.jsonl"
    )
    written = []
    for workers in (1, 2):
        report = maker.folder / "report.json"
        maker.curate(*problems, against=[bench], report=report, workers=workers)
        written.append({path.name: path.read_bytes() for path in maker.folder.glob("*.json*")})
    assert written[0] == written[1]
    assert b"near_duplicate" in written[0]["kept.dropped.jsonl"] + written[0]["kept.review.jsonl"]


def test_control_c_leaves_the_files_of_an_earlier_run(maker: Maker) -> None:
    maker.write(*(maker.problem(f"p{n}", f"{LONG}{n % 7}{OTHER[: n % 40]}") for n in range(10_000)))
    outputs = [maker.folder / f"k{part}.jsonl" for part in ("", ".dropped", ".review")]
    for path in outputs:
        path.write_text("as it was")
    before = sorted(path.name for path in maker.folder.iterdir())
    # A background job of a shell ignores SIGINT, and so would its children.
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "from srt.cli import main; sys.argv = sys.argv[1:]; main()"
    command = [sys.executable, "-c", code, "srt", "curate", "p.jsonl", "-o", "k.jsonl", "--workers", "2"]
    with subprocess.Popen(command, cwd=maker.folder, stderr=subprocess.PIPE, text=True, start_new_session=True) as ran:
        assert ran.stderr is not None
        assert ran.stderr.readline().startswith("problems: ")
        os.killpg(ran.pid, signal.SIGINT)  # as a terminal does: this process and its workers
        rest = ran.stderr.read()
    assert ran.returncode not in (0, 2)
    assert "Traceback" not in rest
    assert [path.read_text() for path in outputs] == ["as it was"] * 3
    assert sorted(path.name for path in maker.folder.iterdir()) == before
