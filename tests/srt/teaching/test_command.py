"""``srt teach`` as a shell runs it: its options, its one-line faults, and its exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import orjson
import pytest

import srt.teaching.teach_problems
from srt.cli import main
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.teaching.loop.machine_audit import MachineAudit, audit

Shell = Callable[..., tuple[int, str, str]]


class InProcess:
    """The machine in this process."""

    def __init__(self, normal_form: bool) -> None:
        self.normal_form = normal_form

    async def audit(self, problem: Problem, trace: Trace) -> MachineAudit:
        return audit(problem, trace, normal_form=self.normal_form)

    def __enter__(self) -> InProcess:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def url(fake_endpoint: ModuleType, cubes: ModuleType) -> Iterator[str]:
    with fake_endpoint.fake_process(responder=f"{Path(cubes.__file__ or '')}:respond") as found:
        yield found


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cubes: ModuleType, url: str
) -> Shell:
    """``shell("problems.jsonl", "-o", "out")`` in a folder with 40 problems and ``c.yaml``."""
    monkeypatch.setattr(srt.teaching.teach_problems, "Auditors", InProcess)
    monkeypatch.chdir(tmp_path)
    cubes.problems(tmp_path / "problems.jsonl", 40)
    cubes.config(tmp_path / "c.yaml", url)

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["srt", "teach", *map(str, arguments)])
        capsys.readouterr()
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def test_estimate_then_all_then_status(shell: Shell) -> None:
    status, out, _ = shell("problems.jsonl", "-o", "out", "--config", "c.yaml", "--estimate", 12, "--json")
    assert status == 0
    guess = orjson.loads(out)
    assert guess["sample"] == 12
    assert sorted(path.name for path in Path("out").iterdir() if path.suffix in (".json", ".jsonl", ".html")) == [
        "folder.json",
        "problems.jsonl",
    ]
    status, out, _ = shell("-o", "out", "--status", "--json")
    assert orjson.loads(out)["states"]["pending"] == 28
    sampled = orjson.loads(out)["cost"]
    status, out, _ = shell("problems.jsonl", "-o", "out", "--config", "c.yaml", "--json")
    done = orjson.loads(out)
    assert status == 0
    assert done["states"] == {"accepted": 24, "repaired": 8, "human": 8, "failed": 0, "pending": 0}
    assert guess["low"] < guess["total"] == 40 * guess["cost_a_problem"] < guess["high"]
    assert sampled == pytest.approx(12 * guess["cost_a_problem"])
    assert orjson.loads(Path("out/report.json").read_bytes()) == done


def test_people_read_lines(shell: Shell) -> None:
    status, out, err = shell("problems.jsonl", "-o", "out", "--config", "c.yaml", "--limit", 9)
    assert status == 0
    assert "(published 90%)" in out
    assert "unchecked" in out
    assert "teach: 9 of 9: accepted" in err
    assert "USD" in err


def test_no_share_where_none_has_ended(shell: Shell) -> None:
    status, out, _ = shell("problems.jsonl", "-o", "out", "--config", "c.yaml", "--limit", 0)
    assert status == 0
    assert "published" not in out
    assert "<td>0</td><td>–</td><td>90.0</td>" in Path("out/report.html").read_text()


def test_the_providers_list_beside_the_journal(shell: Shell) -> None:
    shell("problems.jsonl", "-o", "out", "--config", "c.yaml", "--limit", 9)
    _, out, _ = shell("-o", "out", "--status", "--json")
    lines = ["model,requests,input_tokens,output_tokens,cost_usd"]
    lines += [
        f"{used['model']}-2026-01-31,{used['requests']},{used['input_tokens']},{used['output_tokens']},{used['cost']}"
        for used in orjson.loads(out)["accounts"]
    ]
    Path("bill.csv").write_text("\n".join(lines))
    status, out, _ = shell("-o", "out", "--reconcile", "bill.csv", "--strict", "--json")
    found = orjson.loads(out)
    assert (status, found["differences"], found["unknown"], found["not_billed"]) == (0, [], {}, [])
    Path("bill.csv").write_text("\n".join([lines[0], lines[1], "other,1,1,1,7.5"]))
    status, out, _ = shell("-o", "out", "--reconcile", "bill.csv", "--strict")
    assert status == 1
    assert "not of this folder: other" in out
    assert "not in the bill" in out
    Path("bill.csv").write_text("model,price\n")
    status, _, err = shell("-o", "out", "--reconcile", "bill.csv")
    assert status == 2
    assert err.startswith("srt: bill.csv: ")
    assert err.count("\n") == 1


def test_strict(shell: Shell) -> None:
    assert shell("problems.jsonl", "-o", "out", "--config", "c.yaml", "--limit", 9, "--strict")[0] == 1
    assert shell("problems.jsonl", "-o", "out", "--config", "c.yaml", "--strict")[0] == 0


def test_the_arm_of_the_command_line_wins(shell: Shell) -> None:
    shell("problems.jsonl", "-o", "out", "--config", "c.yaml", "--limit", 2, "--arm", "cot")
    kinds = {orjson.loads(line)["kind"] for line in Path("out/traces.jsonl").read_bytes().splitlines()}
    assert kinds == {"cot"}
    status, _, err = shell("problems.jsonl", "-o", "out", "--config", "c.yaml")
    assert status == 2
    assert "arm = cot (now srt)" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "out"), "PROBLEMS"),
        (("problems.jsonl", "-o", "out"), "--config"),
        (("none.jsonl", "-o", "out", "--config", "c.yaml"), "none.jsonl: "),
        (("problems.jsonl", "-o", "out", "--config", "none.yaml"), "none.yaml: "),
        (("problems.jsonl", "-o", "out", "--config", "dear.yaml"), "dear.yaml: prices: "),
        (("problems.jsonl", "-o", "out", "--config", "down.yaml"), "127.0.0.1:9"),
        (("problems.jsonl", "-o", "out", "--config", "keyless.yaml"), "SRT_NO_SUCH_KEY"),
        (("problems.jsonl", "-o", "c.yaml", "--config", "c.yaml"), "c.yaml"),
        (("problems.jsonl", "-o", "out", "--config", "c.yaml", "--estimate", "5", "--limit", "2"), "--limit"),
        (("-o", "out", "--status"), "no folder.json in it"),
        (("-o", "problems.jsonl", "--status"), "problems.jsonl"),
    ],
)
def test_bad_input_is_one_line(shell: Shell, arguments: tuple[str, ...], message: str) -> None:
    text = Path("c.yaml").read_text()
    Path("dear.yaml").write_text(text.replace("  fake-teacher: {input: 1.0, output: 2.0}\n", ""))
    at = text.index('base_url: "') + len('base_url: "')
    down = text[:at] + "http://127.0.0.1:9/v1" + text[text.index('"', at) :]
    Path("down.yaml").write_text(down.replace("retries: 4", "retries: 0"))
    Path("keyless.yaml").write_text(text.replace("endpoint: {", "endpoint: {api_key_env: SRT_NO_SUCH_KEY, "))
    status, _, err = shell(*arguments)
    assert status == 2
    last = err.strip().splitlines()[-1]
    assert last.startswith("srt: ")
    assert message in last
    assert "Traceback" not in err


def test_without_its_key_it_makes_no_folder(shell: Shell) -> None:
    keyless = Path("c.yaml").read_text().replace("endpoint: {", "endpoint: {api_key_env: SRT_NO_SUCH_KEY, ")
    Path("keyless.yaml").write_text(keyless)
    status, _, err = shell("problems.jsonl", "-o", "out", "--config", "keyless.yaml")
    assert status == 2
    assert "api_key_env" in err
    assert not Path("out").exists()
