"""``srt agreement``: two Reviewers against an endpoint, one table, nothing paid twice; bad input."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from srt.cli import main
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from srt.teaching.agreement.measure_agreement import measure_agreement
from srt.teaching.agreement.opinions import Opinion

OBJECTOR = Path(__file__).with_name("objector.py")
CONFIG = """
endpoint: {{base_url: "{url}", in_flight: 4}}
models:
  teacher: {{model: {model}}}
  reviewer: {{model: {model}}}
  checker: {{model: {model}}}
prices: {{{model}: {{input: 1.0, output: 2.0}}}}
"""
NOWHERE = "http://127.0.0.1:1/v1"


@pytest.fixture
def files(tmp_path: Path, hand_written: list[tuple[Problem, Trace]]) -> Path:
    generate_file("seating", 3, "train", tmp_path / "booths.jsonl", {"scenes": ["booth"]})
    solve_file(tmp_path / "booths.jsonl", tmp_path / "solved.jsonl")
    cases = hand_written[:4]
    problems = [*read_problems(tmp_path / "booths.jsonl").values(), *(problem for problem, _ in cases)]
    write_records(tmp_path / "p.jsonl", problems)
    write_records(tmp_path / "t.jsonl", [*read_records(tmp_path / "solved.jsonl", Trace), *(t for _, t in cases)])
    for model in ("sharp", "dull"):
        (tmp_path / f"{model}.yaml").write_text(CONFIG.format(url=NOWHERE, model=model))
    return tmp_path


@pytest.mark.long
def test_two_reviewers_in_one_table(
    files: Path,
    fake_endpoint: ModuleType,
    objector: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log, out = files / "log.jsonl", files / "out"
    arguments: list[Any] = ["agreement", files / "t.jsonl", "--problems", files / "p.jsonl", "-o", out, "-n", 12]
    arguments += ["--controls", 3, "--config", files / "sharp.yaml", "--config", files / "dull.yaml"]
    with fake_endpoint.fake_process(responder=f"{OBJECTOR}:objects", log=log) as url:
        for model in ("sharp", "dull"):
            (files / f"{model}.yaml").write_text(CONFIG.format(url=url, model=model))
        for more in ([], ["--json"]):
            monkeypatch.setattr(sys, "argv", ["srt", *map(str, arguments), *more])
            capsys.readouterr()
            with pytest.raises(SystemExit) as end:
                main()
            assert not end.value.code
            said = capsys.readouterr().out
            if not more:
                heading, *lines = said.splitlines()
                assert heading.split() == ["class", "shown", "machine", "sharp", "95%", "named", "dull", "95%", "named"]
                assert {"traces of a world", "traces in prose"} <= {line.strip() for line in lines}
                assert sum("false alarms on untouched traces" in line for line in lines) == 2
                assert sum("Cohen's kappa" in line for line in lines) == 2
                sent = log.read_bytes().count(b'"key"')
    figures = orjson.loads(said)
    assert log.read_bytes().count(b'"key"') == sent == 2 * figures["shown"]  # The second run asked for nothing.
    assert orjson.loads((out / "agreement.json").read_bytes()) == figures
    opinions = list(read_records(out / "opinions.jsonl", Opinion))
    assert len(opinions) == sent
    for model in objector.RATES:
        assert figures["spent"][model]["requests"] == figures["shown"]
        assert figures["spent"][model]["cost"] > 0
        objected = sum(bool(one.reviewer) for one in opinions if one.model == model)
        # No row is counted twice: classes and untouched traces together are all that was shown.
        rows = [row for row in figures["table"] if row["planted"] is None]
        assert sum(row["reviewers"][model]["found"] for row in rows) == objected
        assert sum(row["reviewers"][model]["of"] for row in rows) == figures["shown"]
        share = objected / figures["shown"]
        assert abs(share - objector.RATES[model] / 100) < 0.3


def test_bad_input(files: Path, tmp_path: Path) -> None:
    def run(traces: Path, *configs: Path, out: Path = tmp_path / "out", n: int = 2) -> None:
        measure_agreement(traces, files / "p.jsonl", configs, out, n=n, controls=n, seed=0)

    sharp, good = files / "sharp.yaml", files / "t.jsonl"
    first = next(iter(read_records(good, Trace)))

    def one(**changes: Any) -> Path:
        write_records(tmp_path / "one.jsonl", [first.model_copy(update=changes)])
        return tmp_path / "one.jsonl"

    with pytest.raises(UserError, match="problem_id: 'nobody'"):
        run(one(problem_id="nobody"), sharp)
    with pytest.raises(UserError, match=r"one\.jsonl: has no proved trace .*; the first: "):
        run(one(answer="E"), sharp)
    with pytest.raises(UserError, match=r"t\.jsonl"):
        run(good, sharp, out=good)
    (tmp_path / "taken" / "opinions.jsonl").mkdir(parents=True)
    with pytest.raises(UserError, match=r"opinions\.jsonl"):
        run(good, sharp, out=tmp_path / "taken")
    write_records(tmp_path / "empty.jsonl", [])
    with pytest.raises(UserError, match=r"empty\.jsonl: has no trace"):
        run(tmp_path / "empty.jsonl", sharp)
    with pytest.raises(UserError, match="-n and --controls"):
        run(good, sharp, n=0)
    with pytest.raises(UserError, match=r"no\.yaml"):
        run(good, tmp_path / "no.yaml")
    with pytest.raises(UserError, match="--config: two configs have the same Reviewer"):
        run(good, sharp, sharp)
