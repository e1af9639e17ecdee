from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

from eval.backends.protocol import GenerationSettings
from eval.report.compare import compare
from eval.run.predict import predict
from eval.run.scored_run import read_run
from eval.scoring.sampling import Sampling, sample_curve
from eval.scoring.score import Checker, score
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Prediction, Problem
from srt.language.trace import Trace, TraceCheck
from tests.fake_backend import FakeBackend

MakeProblem = Callable[..., Problem]
Replies = Callable[[int, int], str]


@pytest.fixture
def sampled(tmp_path: Path, make_problem: MakeProblem, fake_checker: Checker) -> Callable[..., Path]:
    """``sampled(replies, ...)``: a scored run that answers problem ``n`` with ``replies(n, sample)``."""

    def make(
        replies: Replies, *, count: int = 6, repeats: int = 4, name: str = "many", checker: Checker = fake_checker
    ) -> Path:
        problems = tmp_path / "sampled.jsonl"
        write_records(problems, [make_problem(number) for number in range(count)])
        seen: dict[str, int] = {}

        def reply(prompt: str) -> str:
            seen[prompt] = seen.get(prompt, -1) + 1
            return replies(int(prompt.split("item ")[1].split(".")[0]), seen[prompt])

        folder = tmp_path / name
        settings = GenerationSettings(temperature=0.6)
        predict(problems, folder, FakeBackend(reply, model=name), arm="srt", settings=settings, repeats=repeats)
        score(folder, checker=checker)
        return folder

    return make


def curve(folder: Path) -> Sampling:
    run = read_run(folder)
    found = sample_curve([run], set(run.problems))
    assert found is not None
    return found


def test_the_curve_of_one_kind_of_problem(sampled: Callable[..., Path]) -> None:
    """B is right for items 1 and 2; two samples of four say B, one says C, one says nothing."""
    replies = ["ANSWER: B", "ANSWER: C", "I cannot say.", "ANSWER: B"]
    found = curve(sampled(lambda number, sample: replies[sample] if number % 3 else "ANSWER: A, C"))
    assert (found.samples, [at.k for at in found.curve], found.ties) == (4, [1, 2, 4], 0)
    subsets = list(combinations(replies, 2))
    passed = sum("ANSWER: B" in subset for subset in subsets) / len(subsets)
    tied = sum({"ANSWER: B", "ANSWER: C"} == set(subset) for subset in subsets) / len(subsets)
    one, two, four = found.curve
    assert [at.mean.value for at in found.curve] == pytest.approx([(2 + 4 * 0.5) / 6] * 3)
    assert one.majority.value == pytest.approx(one.mean.value)
    assert one.at_least_one.value == pytest.approx(one.mean.value)
    assert two.at_least_one.value == pytest.approx((2 + 4 * passed) / 6)
    assert two.majority.value == pytest.approx((2 + 4 * (passed - tied / 2)) / 6)
    assert four.majority.value == four.at_least_one.value == 1.0
    assert two.majority.low is not None
    assert two.majority.low < two.majority.value


def test_tokens_are_those_of_all_samples(sampled: Callable[..., Path]) -> None:
    folder = sampled(lambda number, sample: "ANSWER: B")
    found = curve(folder)
    each = next(iter(read_records(folder / "predictions.jsonl", Prediction))).output_tokens
    assert [at.tokens for at in found.curve] == [each, 2 * each, 4 * each]


def test_ties_are_counted_and_never_drawn(sampled: Callable[..., Path]) -> None:
    found = curve(sampled(lambda number, sample: "ANSWER: B" if sample % 2 else "ANSWER: C", count=3))
    assert found.ties == 3
    assert found.curve[-1].majority.value == pytest.approx(2 / 3 / 2)  # B is right for two of three, and half a vote


def test_checked_and_oracle_stand_apart(sampled: Callable[..., Path]) -> None:
    """One sample of four is a proved trace and right; the other three agree on a wrong answer."""

    def replies(number: int, sample: int) -> str:
        return "INFER (1): true\nANSWER: B" if sample == 1 else "INFER (1): false\nANSWER: D"

    folder = sampled(lambda number, sample: replies(number, sample) if number % 3 else "ANSWER: A, C")
    found = curve(folder)
    last = found.curve[-1]
    assert last.majority.value == pytest.approx(2 / 6)
    assert last.checked is not None
    assert last.checked.value == 1.0
    assert last.oracle is None  # no solver has spoken
    assert found.curve[0].checked is not None
    assert found.curve[0].checked.value == pytest.approx(found.curve[0].mean.value)


def test_oracle_goes_by_truth_alone(sampled: Callable[..., Path], fake_checker: Checker) -> None:
    def solver(problem: Problem, trace: Trace) -> TraceCheck:
        checked = fake_checker(problem, trace)
        steps = tuple(
            step.model_copy(update={"truth": "true" if said.claim == "true by luck" else "false"})
            for step, said in zip(checked.steps, trace.steps, strict=True)
        )
        return checked.model_copy(update={"steps": steps})

    def replies(number: int, sample: int) -> str:
        traces = {0: ("true by luck", "B"), 1: ("true", "D"), 2: ("true by luck\nINFER (2): false", "C")}
        claim, letter = traces.get(sample, ("false", "C"))
        return f"INFER (1): {claim}\nANSWER: {letter}"

    last = curve(sampled(replies, count=2, checker=solver)).curve[-1]  # B is right for item 1 alone
    assert last.oracle is not None
    assert last.checked is not None
    assert last.oracle.value == 0.5
    assert last.checked.value == pytest.approx(0.25)  # the checker proves B and D: a tie


def test_prose_has_no_column_of_the_checker(sampled: Callable[..., Path]) -> None:
    last = curve(sampled(lambda number, sample: "ANSWER: B")).curve[-1]
    assert (last.checked, last.oracle) == (None, None)


def test_tokens_for_each_right_answer_count_every_sample(sampled: Callable[..., Path], tmp_path: Path) -> None:
    folder = sampled(lambda number, sample: "ANSWER: B" if sample else "ANSWER: C", count=3)
    each = next(iter(read_records(folder / "predictions.jsonl", Prediction))).output_tokens
    result = compare([folder], tmp_path / "report")
    found = result.tokens_per_right["srt"]
    assert found is not None
    assert found.value == result.arms[0].tokens_per_right == pytest.approx(each * 12 / 6)


def test_one_sample_is_no_sampling(sampled: Callable[..., Path]) -> None:
    run = read_run(sampled(lambda number, sample: "ANSWER: B", repeats=1))
    assert sample_curve([run], set(run.problems)) is None


def test_a_missing_sample_is_a_sample_without_an_answer(sampled: Callable[..., Path]) -> None:
    folder = sampled(lambda number, sample: "ANSWER: B", count=3)
    rows = list(read_records(folder / "predictions.jsonl", Prediction))
    write_records(folder / "predictions.jsonl", [row for row in rows if row.repeat != 3])
    found = score(folder).sampling
    assert found is not None
    assert found.curve[0].mean.value == pytest.approx(2 / 3 * 3 / 4)
    assert found.curve[-1].majority.value == pytest.approx(2 / 3)


def test_runs_of_an_arm_do_not_vote_together(sampled: Callable[..., Path], tmp_path: Path) -> None:
    """One run always says B, the other always C: each vote is unanimous, and half of the right answers come out."""
    folders = [
        sampled(lambda number, sample: "ANSWER: B", name="one", count=3),
        sampled(lambda number, sample: "ANSWER: C", name="two", count=3),
    ]
    found = compare(folders, tmp_path / "report").arms[0].sampling
    assert found is not None
    assert (found.samples, found.ties) == (4, 0)
    assert [at.at_least_one.value for at in found.curve] == pytest.approx([1 / 3] * 3)


def test_two_predictions_for_one_sample_are_refused(sampled: Callable[..., Path]) -> None:
    folder = sampled(lambda number, sample: "ANSWER: B")
    rows = list(read_records(folder / "predictions.jsonl", Prediction))
    write_records(folder / "predictions.jsonl", [*rows, rows[2]])
    with pytest.raises(UserError, match=r"predictions\.jsonl: "):
        score(folder)


def test_equal_answers_vote_together_however_they_are_written(
    tmp_path: Path, make_problem: MakeProblem, fake_checker: Checker
) -> None:
    problems = tmp_path / "numbers.jsonl"
    half = Answer(kind="number", value=0.5)
    write_records(problems, [make_problem(n, choices={}, answer=half) for n in range(2)])
    seen: dict[str, int] = {}

    def reply(prompt: str) -> str:
        seen[prompt] = seen.get(prompt, -1) + 1
        return ("ANSWER: 3", "ANSWER: 0.5", "ANSWER: 3", "ANSWER: 1/2", "ANSWER: 0.50")[seen[prompt]]

    settings = GenerationSettings(temperature=0.6)
    predict(problems, tmp_path / "run", FakeBackend(reply), arm="srt", settings=settings, repeats=5)
    found = score(tmp_path / "run", checker=fake_checker).sampling
    assert found is not None
    assert found.curve[-1].majority.value == 1.0
    assert found.ties == 0


def test_variants_are_voted_on_one_by_one_and_averaged(
    tmp_path: Path, make_problem: MakeProblem, fake_checker: Checker
) -> None:
    """With its options rolled, the right answer has another letter: who always says B is right in one roll of three."""
    problems = tmp_path / "rolled.jsonl"
    write_records(problems, [make_problem(1), make_problem(2)])
    predict(
        problems,
        tmp_path / "run",
        FakeBackend(lambda prompt: "ANSWER: B"),
        arm="srt",
        settings=GenerationSettings(temperature=0.6),
        repeats=2,
        options={"rolls": "3"},
    )
    summary = score(tmp_path / "run", checker=fake_checker)
    assert summary.sampling is not None
    last = summary.sampling.curve[-1]
    assert (last.majority.value, last.at_least_one.value) == pytest.approx((1 / 3, 1 / 3))
    assert summary.accuracy.share == pytest.approx(1 / 3)
    assert [table.header[1:] for table in summary.tables] == [["vanilla", "average", "circular"]]
    assert summary.tables[0].rows[0][1:] == pytest.approx([1.0, 1 / 3, 0.0])
