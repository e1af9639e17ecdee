"""The vote of several samples on one answer for SpaCE2025's official file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from eval.backends.protocol import GenerationSettings
from eval.run.predict import predict
from eval.scoring.official_answers import Vote, official_answers
from srt import Problem, linearize, solve
from srt.cli import make_app
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Prediction
from srt.language.trace import Trace
from tests.fake_backend import FakeBackend

BOOTH = Problem(
    id="spr-en-test-1",
    source="space2025",
    split="test",
    lang="en",
    category="SPR",
    question=(
        "Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
        "() faces the right neighbour of Robert."
    ),
    choices={"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"},
)
LABEL = Problem(
    id="jsi-test-1",
    source="space2025",
    split="test",
    lang="zh",
    category="DSA",
    question="这样说对吗？猫在桌子上。",
    labels=["正确", "错误"],
)

Sampled = Callable[..., Path]


@pytest.fixture
def proof() -> str:
    """A trace of the booth that the checker proves; its answer is C."""
    solved = solve(BOOTH)
    assert isinstance(solved, Trace)
    return linearize(solved)


@pytest.fixture
def sampled(tmp_path: Path) -> Sampled:
    """``sampled(texts, labels)``: a run whose samples of the booth, and of the label, say these texts."""

    def make(texts: Sequence[str], labels: Sequence[str] = ()) -> Path:
        problems = tmp_path / "problems.jsonl"
        write_records(problems, [BOOTH, LABEL][: 1 + bool(labels)])
        folder = tmp_path / "run"
        settings = GenerationSettings(temperature=1.0 if len(texts) > 1 else 0.0)
        predict(problems, folder, FakeBackend(lambda _: "?"), arm="m", settings=settings, repeats=len(texts))
        said = {BOOTH.id: texts, LABEL.id: labels}
        rows = read_records(folder / "predictions.jsonl", Prediction)
        written = [row.model_copy(update={"text": said[row.problem_id][row.repeat]}) for row in rows]
        # The order of lines is that of generation: it decides nothing.
        write_records(folder / "predictions.jsonl", written[::-1])
        return folder

    return make


def letters(folder: Path, vote: Vote) -> tuple[list[str], int]:
    found = official_answers(folder, vote=vote)
    return found.answers[BOOTH.id].value, found.ties


def test_the_most_frequent_set_wins(sampled: Sampled) -> None:
    texts = ["ANSWER: A", "ANSWER: C, B", "I cannot say.", "ANSWER: B, C", "ANSWER: D"]
    assert letters(sampled(texts), "majority") == (["B", "C"], 0)


def test_of_a_tie_the_first_sample_wins(sampled: Sampled) -> None:
    texts = ["nothing", "ANSWER: D", "ANSWER: A", "ANSWER: A", "ANSWER: D", "ANSWER: B"]
    assert letters(sampled(texts), "majority") == (["D"], 1)


def test_labels_vote_by_what_they_mean(sampled: Sampled) -> None:
    found = official_answers(sampled(["ANSWER: A"] * 3, ["答案：错误", "答案：正确", "答案：对"]), vote="majority")
    assert found.answers[LABEL.id].value == "正确"


def test_only_proved_samples_vote_if_there_are_any(sampled: Sampled, proof: str) -> None:
    folder = sampled(["ANSWER: A", proof, "ANSWER: A", proof.replace("Mary@S2", "Mary@N1")], ["答案：正确"] * 4)
    assert letters(folder, "majority") == (["A"], 1)
    found = official_answers(folder, vote="checked")
    assert (found.answers[BOOTH.id].value, found.ties, found.by_proof) == (["C"], 0, {BOOTH.id})
    assert found.answers[LABEL.id].value == "正确"


def test_without_a_proof_all_samples_vote(sampled: Sampled) -> None:
    found = official_answers(sampled(["ANSWER: A", "ANSWER: B", "ANSWER: B"]), vote="checked")
    assert (found.answers[BOOTH.id].value, found.by_proof) == (["B"], set())


def test_several_samples_need_a_vote_and_one_does_not(sampled: Sampled) -> None:
    with pytest.raises(UserError, match=r"run: repeats: .* 2: let them vote \(--vote majority"):
        official_answers(sampled(["ANSWER: A", "ANSWER: B"]))


def test_one_sample_is_its_own_majority(sampled: Sampled) -> None:
    folder = sampled(["ANSWER: B"])
    assert official_answers(folder).answers == official_answers(folder, vote="majority").answers


def test_the_command(sampled: Sampled, tmp_path: Path) -> None:
    folder = sampled(["ANSWER: C", "ANSWER: A", "ANSWER: A"])
    out = tmp_path / "official.jsonl"
    command = ["predictions", str(folder), "-o", str(out), "--json"]
    ran = CliRunner().invoke(make_app(), [*command, "--vote", "majority"])
    assert ran.exit_code == 0, ran.output
    assert orjson.loads(out.read_bytes()) == {"id": BOOTH.id, "answer": ["A"]}
    assert orjson.loads(ran.stdout)["votes"] == {str(folder): {"ties": 0}}
    refused = CliRunner().invoke(make_app(), [*command, "--vote", "loudest"])
    assert isinstance(refused.exception, UserError)
    assert "majority, checked" in str(refused.exception)
