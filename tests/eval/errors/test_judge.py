"""A judge's opinion of answers stands beside accuracy and never in it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import orjson
import pytest

from eval.errors.answer_judge import JUDGEMENTS, AnswerJudgement, judge_answers, read_judged
from eval.errors.judge_model import JUDGE_PROMPTS, PROMPTS, load_judge
from srt.cli import main
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.llm.prompt_templates import LANGS

JUDGE = """
endpoint: {{base_url: "{url}", in_flight: 4}}
model: {{model: j, temperature: 0}}
price: {{input: 1.0, output: 2.0}}
"""


@pytest.fixture
def config(fake_endpoint: ModuleType, tmp_path: Path) -> Iterator[Path]:
    replies = Path(__file__).with_name("judge_replies.py")
    with fake_endpoint.fake_process(responder=f"{replies}:opine", log=tmp_path / "log.jsonl") as url:
        (tmp_path / "judge.yaml").write_text(JUDGE.format(url=url))
        yield tmp_path / "judge.yaml"


@pytest.fixture
def run(make_run: Callable[..., Path]) -> Path:
    """Gold is ``A, C`` for every third item, else ``B``; the fake judge takes every B for right, item 5 is odd."""
    return make_run("srt", lambda number: {1: "ANSWER: A", 2: "", 5: "odd\nANSWER: B"}.get(number, "ANSWER: B"))


def test_a_judge_has_a_column_of_its_own(run: Path, config: Path) -> None:
    scores, summary = (run / "scores.jsonl").read_bytes(), (run / "summary.json").read_bytes()
    judged = judge_answers(run, load_judge(config))
    assert (judged.asked, judged.judged, judged.without_text) == (29, 28, 1)
    assert judged.no_judgement == {"malformed": 1}
    # Judged: 28, of which item 1 is not B; item 2 has no text and is wrong for both.
    assert (judged.accuracy.count, judged.accuracy.right) == (29, 27)
    assert (judged.ours.count, judged.ours.right) == (29, 17)
    assert (judged.only_judge, judged.only_ours, judged.agreement.same) == (10, 0, 18)
    assert judged.judge == "j"
    rows = {row.problem_id: row for row in read_records(run / JUDGEMENTS, AnswerJudgement)}
    assert (rows["made-1"].verdict, rows["made-3"].verdict) == ("wrong", "right")
    assert read_judged(run) == judged
    assert (run / "scores.jsonl").read_bytes() == scores
    assert (run / "summary.json").read_bytes() == summary


def test_nothing_is_paid_for_twice(run: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = judge_answers(run, load_judge(config))
    requests = (tmp_path / "log.jsonl").read_bytes().count(b'"fault"')
    assert requests == first.spent.requests == 28 + 3  # what is malformed is asked for twice more
    (run / JUDGEMENTS).unlink()
    before = sys.argv
    sys.argv = ["srt", "ask-judge", str(run), "--config", str(config), "--json"]
    try:
        with pytest.raises(SystemExit) as end:
            main()
    finally:
        sys.argv = before
    assert not end.value.code
    assert orjson.loads(capsys.readouterr().out)["judged"] == 28
    assert (tmp_path / "log.jsonl").read_bytes().count(b'"fault"') == requests
    assert len(list(read_records(run / JUDGEMENTS, AnswerJudgement))) == 28


@pytest.mark.slow
def test_killed_five_times_it_asks_for_no_answer_again(run: Path, fake_endpoint: ModuleType, tmp_path: Path) -> None:
    """What was in flight at a kill (at most four requests) may be asked for once more; what was answered, never."""
    replies, log, config = Path(__file__).with_name("judge_replies.py"), tmp_path / "log.jsonl", tmp_path / "judge.yaml"
    with fake_endpoint.fake_process(responder=f"{replies}:opine", log=log, delay=0.3) as url:
        config.write_text(JUDGE.format(url=url))
        command = [sys.executable, "-c", "from srt.cli import main; main()", "judge", str(run), "--config", str(config)]
        for kill in range(5):
            before = _answered(log)
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                while _answered(log) < before + 4:
                    assert process.poll() is None, f"it ended before kill {kill + 1}"
                    time.sleep(0.02)
                process.kill()
        subprocess.run(command, check=True, capture_output=True)
    judged = read_judged(run)
    assert judged is not None
    assert judged.judged == 28
    asked = log.read_bytes().count(b'"fault"')
    assert 28 + 3 < asked <= 28 + 3 + 5 * 4


def _answered(log: Path) -> int:
    return log.read_bytes().count(b'"answered"') if log.exists() else 0


def test_prompts_of_ones_own(run: Path, config: Path, tmp_path: Path) -> None:
    own = tmp_path / "own" / "en"
    own.mkdir(parents=True)
    shutil.copy(PROMPTS / "en" / "judge_answer.md", own)
    config.write_text(config.read_text() + "prompts: own\n")
    assert load_judge(config).prompts == tmp_path / "own"
    (own / "judge_answer.md").write_text("no rule {token} {answer} {output}")
    with pytest.raises(UserError, match=r"judge_answer\.md: .*---"):
        judge_answers(run, load_judge(config))
    (own / "judge_answer.md").write_text("{token} {answer}\n---\n{teacher}")
    with pytest.raises(UserError, match=r"judge_answer\.md:3: \{teacher\}"):
        judge_answers(run, load_judge(config))


def test_our_prompts_are_there_in_both_languages() -> None:
    assert {path.relative_to(PROMPTS).as_posix() for path in PROMPTS.rglob("*.md")} == {
        f"{lang}/{name}.md" for lang in LANGS for name in JUDGE_PROMPTS
    }
