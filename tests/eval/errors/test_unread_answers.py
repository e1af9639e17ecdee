"""A language model reads what the scorer could not: without gold, with words to show for it, beside the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import orjson
import pytest
from PIL import Image as Pillow

from eval.errors.answer_judge import judge_answers
from eval.errors.judge_model import PROMPTS, load_judge
from eval.errors.unread_answers import READ_SUMMARY, READINGS, UnreadReading, read_summary, read_unread
from eval.report.compare import compare
from eval.report.comparison_records import Comparison
from eval.report.headline import answer
from srt.io.errors import UserError
from srt.io.locations import sha256_of
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Image, Problem, Score
from tests.conftest import Srt

MakeRun = Callable[..., Path]

CONFIG = """
endpoint: {{base_url: "{url}", in_flight: 4}}
model: {{model: reader-1, temperature: 0}}
price: {{input: 1.0, output: 2.0}}
"""
# Gold is ``A, C`` for every third item, else ``B``.
REPLIES = {
    1: "I settle on\nthe one named second.",
    2: "I dream of them both.",
    3: "I settle on the one named second.",
    4: "No idea.",
    5: "",
    7: "I settle on the one named third.",
}


@pytest.fixture
def config(fake_endpoint: ModuleType, tmp_path: Path) -> Iterator[Path]:
    replies = Path(__file__).with_name("read_replies.py")
    with fake_endpoint.fake_process(responder=f"{replies}:read", log=tmp_path / "log.jsonl") as url:
        (tmp_path / "judge.yaml").write_text(CONFIG.format(url=url))
        yield tmp_path / "judge.yaml"


@pytest.fixture
def problems(make_problem: Callable[..., Problem], tmp_path: Path) -> Path:
    """The usual thirty, with all that a reader could answer from."""
    path = tmp_path / "marked.jsonl"
    rows = (
        make_problem(number, solution="goldmark: see the clues", diagram_description="goldmark: B sits left")
        for number in range(30)
    )
    write_records(path, rows)
    return path


@pytest.fixture
def run(make_run: MakeRun, problems: Path) -> Path:
    return make_run("base", lambda number: REPLIES.get(number, "ANSWER: B"), problems=problems)


def test_what_is_read_is_scored_and_filed_beside_the_scores(run: Path, config: Path) -> None:
    scores, summary = (run / "scores.jsonl").read_bytes(), (run / "summary.json").read_bytes()
    read = read_unread(run, load_judge(config))
    assert (read.outputs, read.unread, read.asked) == (30, 6, 5)  # one has no text
    assert (read.stated, read.right, read.no_reading) == (3, 1, {"malformed": 1})
    assert (read.printed.right, read.accuracy.right) == (15, 16)
    rows = {row.problem_id: row for row in read_records(run / READINGS, UnreadReading)}
    assert set(rows) == {"made-1", "made-3", "made-4", "made-7"}
    assert {row.reader for row in rows.values()} == {"reader-1"}
    assert (rows["made-1"].extracted, rows["made-1"].value, rows["made-1"].status) == ("B", 1, "ok")
    assert rows["made-1"].quote == "“settle on the one named second”"
    assert (rows["made-3"].extracted, rows["made-3"].value) == ("B", 0)
    assert (rows["made-7"].extracted, rows["made-7"].value) == ("C", 0)
    assert (rows["made-4"].answer, rows["made-4"].value, rows["made-4"].status) == (None, 0, "no_answer")
    assert read_summary(run) == read
    assert (run / "scores.jsonl").read_bytes() == scores
    assert (run / "summary.json").read_bytes() == summary


def test_the_reader_sees_no_gold(run: Path, config: Path, tmp_path: Path) -> None:
    """The endpoint refuses what has the gold's words; the judge, who is to see them, gets no usable reply."""
    assert judge_answers(run, load_judge(config)).no_judgement == {"malformed": 29}
    assert read_unread(run, load_judge(config)).no_reading == {"malformed": 1}
    own = tmp_path / "own" / "en"
    own.mkdir(parents=True)
    text = (PROMPTS / "en" / "read_answer.md").read_text()
    (own / "read_answer.md").write_text(f"{text}\nThe right answer is {{answer}}.")
    config.write_text(config.read_text() + "prompts: own\n")
    with pytest.raises(UserError, match=r"read_answer\.md:\d+: \{answer\}"):
        read_unread(run, load_judge(config))


def test_the_reader_sees_no_pictures(
    make_run: MakeRun, make_problem: Callable[..., Problem], config: Path, tmp_path: Path
) -> None:
    Pillow.new("RGB", (8, 8)).save(tmp_path / "scene.png")
    image = Image(path="scene.png", sha256=sha256_of(tmp_path / "scene.png"))
    write_records(tmp_path / "seen.jsonl", [make_problem(1, images=[image], diagram_description="a square")])
    run = make_run("base", lambda _: REPLIES[1], problems=tmp_path / "seen.jsonl")
    assert judge_answers(run, load_judge(config)).no_judgement == {"malformed": 1}
    assert read_unread(run, load_judge(config)).right == 1


def test_several_runs_resume_and_are_paid_for_once(
    run: Path, make_run: MakeRun, problems: Path, config: Path, tmp_path: Path, srt: Srt
) -> None:
    tuned = make_run("srt", lambda number: REPLIES[1] if number == 1 else "ANSWER: B", problems=problems)
    told = srt("ask-judge", run, tuned, "--config", config, "--unread", "--json")
    assert told.status == 0
    found = orjson.loads(told.out)
    assert {Path(name).name: one["asked"] for name, one in found.items()} == {"base": 5, "srt": 1}
    asked = (tmp_path / "log.jsonl").read_bytes().count(b'"fault"')
    assert found[str(run)]["spent"]["requests"] == 5 + 2  # what nobody wrote is asked for twice more
    (run / READINGS).unlink()
    (run / READ_SUMMARY).unlink()
    again = srt("judge", run, "--config", config, "--unread", "--json")
    assert orjson.loads(again.out) == found[str(run)]
    assert (tmp_path / "log.jsonl").read_bytes().count(b'"fault"') == asked
    shown = srt("ask-judge", run, tuned, "--config", config, "--unread").out
    assert "6 of 30 outputs (20.0%)" in shown
    assert "{" not in shown


@pytest.mark.usefixtures("blank_plots")
def test_reports_show_both_counts_and_the_reading(
    run: Path, make_run: MakeRun, problems: Path, config: Path, tmp_path: Path
) -> None:
    tuned = make_run("srt", lambda _: "ANSWER: B", problems=problems)
    [row] = compare([run, tuned], tmp_path / "report").unread
    assert (row.arm, row.reference, row.unread_arm, row.unread_reference) == ("srt", "base", 0, 0.2)
    # Of 30: srt 20 right; base 15, 21 with six more, 16 with what the reader found.
    assert (row.printed.difference, row.as_right.difference) == (pytest.approx(5 / 30), pytest.approx(-1 / 30))
    assert (row.reader, row.as_read) == (None, None)
    read_unread(run, load_judge(config))
    found = compare([run, tuned], tmp_path / "report")
    [row] = found.unread
    assert (row.reader, row.as_read and row.as_read.difference) == ("reader-1", pytest.approx(4 / 30))
    [each] = found.readings
    assert (each.arm, each.unread, each.replies, each.stated, each.right) == ("base", 6, 4, 3, 1)
    for said in (answer(found), *((tmp_path / "report" / name).read_text() for name in ("report.md", "report.html"))):
        assert "which count as wrong: base 20.0%, srt 0.0%." in said
        assert "srt − base: −3.3 points [" in said
        assert "(printed +16.7 points [" in said
        assert "as reader-1 reads them, without gold, +13.3 points [" in said
        assert "how the arms write their answers, not from what they answer" in said


def test_readings_of_other_scores_are_stale(run: Path, config: Path, tmp_path: Path) -> None:
    read_unread(run, load_judge(config))
    rows = list(read_records(run / "scores.jsonl", Score))
    write_records(run / "scores.jsonl", [rows[0].model_copy(update={"value": 1.0}), *rows[1:]])
    with pytest.raises(UserError, match=r"unread\.json: .*srt ask-judge --unread"):
        compare([run], tmp_path / "report")


def unread_rows(make_run: MakeRun, problems: Path, tmp_path: Path, unread: int) -> Comparison:
    """``base`` loses ``unread`` answers of fifty, ``srt`` none."""
    runs = [
        make_run(arm, lambda number, lost=lost: "hm" if number < lost else "ANSWER: B", problems=problems, seed=unread)
        for arm, lost in (("base", unread), ("srt", 0))
    ]
    return compare(runs, tmp_path / "report")


@pytest.mark.usefixtures("blank_plots")
def test_two_points_apart_is_no_row_and_more_is(
    make_run: MakeRun, make_problem: Callable[..., Problem], tmp_path: Path
) -> None:
    fifty = tmp_path / "fifty.jsonl"
    write_records(fifty, [make_problem(number) for number in range(50)])
    one = unread_rows(make_run, fifty, tmp_path, 1)
    assert [arm.unread for arm in one.arms] == [0.02, 0]
    assert one.unread == []
    assert "base 2.0%, srt 0.0%." in answer(one)
    two = unread_rows(make_run, fifty, tmp_path, 2)
    assert [row.unread_reference for row in two.unread] == [0.04]
    none = unread_rows(make_run, fifty, tmp_path, 0)
    assert "An answer was read from every output." in answer(none)


@pytest.mark.usefixtures("blank_plots")
def test_an_arm_is_read_if_one_model_read_all_its_runs(
    make_run: MakeRun, problems: Path, config: Path, tmp_path: Path
) -> None:
    base = [
        make_run("base", lambda number: REPLIES.get(number, "ANSWER: B"), problems=problems, seed=n) for n in (0, 1)
    ]
    tuned = make_run("srt", lambda _: "ANSWER: B", problems=problems)
    read_unread(base[0], load_judge(config))
    [row] = compare([*base, tuned], tmp_path / "report").unread
    assert (row.as_read, row.unread_reference) == (None, 0.2)
    read_unread(base[1], load_judge(config))
    [row] = compare([*base, tuned], tmp_path / "report").unread
    assert row.as_read is not None
    assert row.as_read.difference == pytest.approx(4 / 30)
    other = config.with_name("other.yaml")
    other.write_text(config.read_text().replace("reader-1", "reader-2"))
    read_unread(base[1], load_judge(other))
    [row] = compare([*base, tuned], tmp_path / "report").unread
    assert row.as_read is None


@pytest.mark.usefixtures("blank_plots")
def test_two_arms_are_read_by_the_same_model_or_not_at_all(
    make_run: MakeRun, problems: Path, config: Path, tmp_path: Path
) -> None:
    """Each arm by a reader of its own would compare the readers."""
    runs = [
        make_run(arm, lambda number: REPLIES.get(number, "ANSWER: B"), problems=problems) for arm in ("base", "srt")
    ]
    for run, reader in zip(runs, ("reader-1", "reader-2"), strict=True):
        config.write_text(config.read_text().replace("reader-1", reader))
        read_unread(run, load_judge(config))
    found = compare(runs, tmp_path / "report")
    assert found.unread == []
    assert {each.arm: each.reader for each in found.readings} == {"base": "reader-1", "srt": "reader-2"}
    read_unread(runs[0], load_judge(config))
    [row] = compare(runs, tmp_path / "report").unread
    assert (row.reader, row.as_read and row.as_read.difference) == ("reader-2", 0)
