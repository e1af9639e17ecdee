"""Human baselines from response files: micro-average, majorities, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from eval.benchmarks.definition.benchmark import Published, Table
from eval.scoring.human_baseline import HUMAN, read_human_baseline, score_human, with_human_rows
from srt.cli import main
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem
from tests.conftest import Srt

# Two groups of three; the right answers are A, B, C.
RESPONSES = """participant,item,answer,group
ann,i0,A,one
bo,i0,A,one
cy,i0,D,one
ann,i1,B,one
bo,i1,C,one
cy,i1,D,one
ann,i2,A,one
bo,i2,A,one
cy,i2,C,one
dee,i0,a,two
eli,i0,(A),two
flo,i0,,two
dee,i1,B,two
eli,i1,B,two
flo,i1,A,two
dee,i2,C,two
eli,i2,dunno,two
flo,i2,C,two
"""


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    made = [
        Problem(
            id=f"i{number}", source="made-up", split="test", lang="en", question=f"Which, {number}?",
            choices={"A": "mill", "B": "barn", "C": "tree", "D": "well"},
            answer=Answer(kind="choice_set", value=["ABC"[number]]) if number < 3 else None,
            category="A" if number < 2 else "B",
        )
        for number in range(4)
    ]  # fmt: skip
    write_records(path, made)
    return path


@pytest.fixture
def responses(tmp_path: Path) -> Path:
    path = tmp_path / "responses.csv"
    path.write_text(RESPONSES)
    return path


def test_micro_average_and_majority_by_hand(tmp_path: Path, problems: Path, responses: Path) -> None:
    summary = score_human(responses, problems, tmp_path / "human")
    # Right: i0 2 + 2, i1 1 + 2, i2 1 + 2, of 18.
    assert (summary.participants, summary.items, summary.responses) == (6, 3, 18)
    assert summary.micro.share == pytest.approx(10 / 18)
    assert (summary.unanswered, summary.unread) == (1, 1)
    # One: i0 by two of three, i1 without a majority, i2 by a wrong one. Two: all three.
    assert {name: each.share for name, each in summary.groups.items()} == {"one": pytest.approx(1 / 3), "two": 1.0}
    assert summary.majority == pytest.approx((1 / 3 + 1) / 2)
    assert summary.without_majority == 1
    micro, majority = summary.rows
    assert micro.human
    assert majority.human
    assert micro.figures == pytest.approx({"overall": 10 / 18, "A": 7 / 12, "B": 3 / 6})
    assert majority.figures == pytest.approx({"overall": 2 / 3, "A": 0.75, "B": 0.5})
    assert read_human_baseline(tmp_path / "human") == read_human_baseline(tmp_path / "human" / HUMAN) == summary


def test_a_file_without_groups_has_the_micro_average_alone(tmp_path: Path, problems: Path) -> None:
    rows = [{"participant": 1, "item": "i0", "answer": "A"}, {"participant": 2, "item": "i0", "answer": "mill"}]
    (tmp_path / "r.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    summary = score_human(tmp_path / "r.jsonl", problems, tmp_path / "human")
    assert summary.micro.share == 1
    assert summary.majority is None
    assert len(summary.rows) == 1


def test_a_human_row_is_shown_under_the_tables_it_has_figures_for(
    tmp_path: Path, problems: Path, responses: Path
) -> None:
    rows = score_human(responses, problems, tmp_path / "human", benchmark="hst").rows
    other = Published(model="other", figures={"average": 0.5}, source="elsewhere")
    fitting = Table(title="x", header=["arm", "circular", "average"], rows=[["m", 0.1, 0.2]], published=[other])
    apart = Table(title="y", header=["arm", "tokens"], rows=[["m", 9.0]])
    shown, left = with_human_rows([fitting, apart], rows)
    assert shown.published == [other, *rows]
    assert rows[0].figures["average"] == pytest.approx(10 / 18)
    assert left.published == []


def test_human_abilities_follow_the_benchmarks_own_arithmetic(tmp_path: Path) -> None:
    tests = {"SVT": "perception", "NCIT": "relation", "DAT:SR": "relation", "R-Cube-SR": "relation",
             "MRMT": "orientation", "MRT": "mental rotation", "PSVT:R": "mental rotation",
             "SBST": "visualization", "R-Cube-Vis": "visualization"}  # fmt: skip
    made, lines = [], ["participant,item,answer"]
    turns, letters = Answer(kind="sequence", value=["L", "R"]), Answer(kind="choice_set", value=["A", "C"])
    for number, (test, ability) in enumerate(tests.items()):
        walk = test == "MRMT"
        made.append(
            Problem(
                id=test, source="made-up", split="test", lang="en", question=f"{number}",
                choices={} if walk else dict.fromkeys("ABCD", ""),
                answer=turns if walk else letters,
                category=ability, subcategory=test,
            )
        )  # fmt: skip
        lines.append(f'ann,{test},"{"L,L" if walk else "A" if number % 2 else "A,C"}"')
    write_records(tmp_path / "p.jsonl", made)
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    (row,) = score_human(tmp_path / "r.csv", tmp_path / "p.jsonl", tmp_path / "o", benchmark="spatial-abilities").rows
    assert row.figures["MRMT"] == 0.5
    assert row.figures["relation"] == pytest.approx((0.5 + 1 + 0.5) / 3)
    assert row.figures["overall"] == pytest.approx((1 + 2 / 3 + 0.5 + 0.75 + 0.75) / 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("participant,item\nann,i0\n", r"r\.csv:2: .*'answer'"),
        ("participant,item,answer\nann,i9,A\n", r"r\.csv:2: item: .*'i9'"),
        ("participant,item,answer\nann,i3,A\n", r"r\.csv:2: item: .*'i3'"),
        ("participant,item,answer\nann,i0,A\nann,i0,B\n", r"r\.csv:3: item: 'ann'.*'i0'.*r\.csv:2"),
        (
            "participant,item,answer,group\nann,i0,A,one\nann,i1,A,two\n",
            r"r\.csv:3: group: 'ann'.*'one'",
        ),
        ("participant,item,answer\n,i0,A\n", r"r\.csv:2: participant"),
        ("participant,item,answer\n", r"r\.csv"),
    ],
)
def test_a_fault_is_told_with_its_line_and_nothing_is_written(
    tmp_path: Path, problems: Path, text: str, said: str
) -> None:
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(UserError, match=said):
        score_human(tmp_path / "r.csv", problems, tmp_path / "human")
    assert not (tmp_path / "human").exists()


def test_rows_of_older_files_say_people() -> None:
    row = {"model": "humans", "figures": {"overall": 0.5}, "source": "a paper"}
    assert Published.model_validate({**row, "people": True}) == Published.model_validate({**row, "human": True})


def test_the_command_writes_and_prints_the_summary(
    tmp_path: Path,
    problems: Path,
    responses: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "human"
    command = ["human", str(responses), "--problems", str(problems), "-o", str(out), "--json"]
    monkeypatch.setattr("sys.argv", ["srt", *command])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert orjson.loads(capsys.readouterr().out)["participants"] == 6
    assert (out / HUMAN).is_file()


def test_the_command_prints_lines_for_people(tmp_path: Path, problems: Path, responses: Path, srt: Srt) -> None:
    told = srt("human", responses, "--problems", problems, "-o", tmp_path / "human").out
    assert not set("{}[]'\"") & set(told.replace(" [", "").replace("], ", ""))
    rows = {line[:25].strip(): line[25:].strip() for line in told.splitlines()}
    assert rows["responses"] == "18 (empty 1, unread 1, which count as wrong)"
    assert rows["micro-average"].startswith("55.6% [")
    assert rows["micro-average"].endswith("], 10 of 18")
    assert rows["majority"] == "66.7%, mean of 2 groups"
    assert rows["category A"] == "micro-average 58.3%, majority 75.0%, of 2 items"
