"""``srt check``: counts over a file, and truth as a column beside support, never in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.checking import check
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem
from srt.language.faults import Fault
from srt.language.trace import Step, StepCheck, Trace, TraceCheck
from srt.pipeline.check import check_claims, check_file, check_with_truth, first_fault
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    generate_file("seating", 6, "train", folder / "p.jsonl", {"scenes": ["booth"]})
    solve_file(folder / "p.jsonl", folder / "t.jsonl")
    return folder


def pairs(files: Path) -> list[tuple[Problem, Trace]]:
    return list(zip(read_records(files / "p.jsonl", Problem), read_records(files / "t.jsonl", Trace), strict=True))


def corrupted(trace: Trace, number: int, **change: object) -> Trace:
    """``trace`` with step ``number`` (from 1) changed."""
    steps = list(trace.steps)
    steps[number - 1] = steps[number - 1].model_copy(update=change)
    return trace.model_copy(update={"steps": tuple(steps)})


def reading(trace: Trace) -> tuple[int, Step]:
    """The first step that reads a clue."""
    return next((n, s) for n, s in enumerate(trace.steps, 1) if s.op == "CORRELATE" and s.args[0].startswith("("))


def test_counts(files: Path, tmp_path: Path) -> None:
    (_, first), (_, second), (_, third), *_ = pairs(files)
    free = Trace(
        id="free",
        problem_id=first.problem_id,
        kind="free",
        lang="en",
        steps=(Step(op="INFER", args=("question",), assertion="it is so"),),
        answer="A",
    )
    # A step without the premise that it needs, and a wrong answer: one trace is not shown, one is refuted.
    guessed = corrupted(second, len(second.steps), args=("A",))
    wrong = third.model_copy(update={"answer": "A" if third.answer != "A" else "B"})
    write_records(tmp_path / "t.jsonl", [first, guessed, wrong, free])
    before = (tmp_path / "t.jsonl").read_bytes()
    summary = check_file(tmp_path / "t.jsonl", files / "p.jsonl", tmp_path / "c.jsonl")
    assert (summary.traces, summary.proved, summary.refuted) == (4, 1, 1)
    assert summary.steps == sum(len(t.steps) for t in (first, guessed, wrong, free))
    assert sum(summary.support.values()) == sum(summary.truth.values()) == summary.steps
    assert summary.support["unchecked"] == 1
    assert [fault.split(":")[0] for fault in summary.faults] == [guessed.id, wrong.id, "free"]
    told = summary.as_dict(show=2)
    assert told["coverage"] == pytest.approx(1 - 1 / summary.steps)
    assert list(told["fault"]) == [1, 2]
    written = list(read_records(tmp_path / "c.jsonl", Trace))
    assert [trace.model_copy(update={"checks": None}) for trace in written] == [first, guessed, wrong, free]
    assert [trace.checks.proved for trace in written if trace.checks] == [True, False, False, False]
    assert (tmp_path / "t.jsonl").read_bytes() == before
    assert check_file(tmp_path / "t.jsonl", files / "p.jsonl") == summary


def test_a_trace_whose_problem_was_removed_is_skipped_and_counted(files: Path, tmp_path: Path) -> None:
    problems = list(read_records(files / "p.jsonl", Problem))
    traces = list(read_records(files / "t.jsonl", Trace))
    write_records(tmp_path / "kept.jsonl", problems[1:])
    removed = sum(trace.problem_id == problems[0].id for trace in traces)
    summary = check_file(files / "t.jsonl", tmp_path / "kept.jsonl", tmp_path / "c.jsonl")
    assert (summary.skipped, summary.traces) == ({"unknown_problem": removed}, len(traces) - removed)
    assert summary.as_dict(0)["skipped"] == {"unknown_problem": removed}
    assert removed > 0
    assert {trace.problem_id for trace in read_records(tmp_path / "c.jsonl", Trace)} == {p.id for p in problems[1:]}
    assert "skipped" not in check_file(files / "t.jsonl", files / "p.jsonl").as_dict(0)
    write_records(tmp_path / "others.jsonl", [problems[0].model_copy(update={"id": "x"})])
    with pytest.raises(UserError, match=r"t\.jsonl: .*others\.jsonl; trace t-seating"):
        check_file(files / "t.jsonl", tmp_path / "others.jsonl")


def test_checking_a_checked_file_gives_the_same(files: Path, tmp_path: Path) -> None:
    check_file(files / "t.jsonl", files / "p.jsonl", tmp_path / "c.jsonl")
    once = (tmp_path / "c.jsonl").read_bytes()
    check_file(tmp_path / "c.jsonl", files / "p.jsonl", tmp_path / "again.jsonl")
    assert (tmp_path / "c.jsonl").read_bytes() == once


def test_truth_stands_beside_support(files: Path) -> None:
    seen = set()
    for problem, trace in pairs(files):
        checked = check_with_truth(problem, trace)
        assert checked.proved
        # Seats are free until the first is chosen; every other claim of a proved trace is true.
        assert {step.truth for step in checked.steps} <= {"true", "unknown"}
        assert "true" in {step.truth for step in checked.steps}

        # True, and not shown: the premises of the last inference are taken away.
        last = len(trace.steps) - 1
        guess = check_with_truth(problem, corrupted(trace, last, args=("scene",)))
        seen.add((guess.steps[last - 1].support, guess.steps[last - 1].truth))

        # The column changes no verdict: without it they are what the checker alone says.
        alone = check(problem, trace)
        assert {step.truth for step in alone.steps} == {"unknown"}
        bare = tuple(step.model_copy(update={"truth": "unknown"}) for step in checked.steps)
        assert checked.model_copy(update={"steps": bare}) == alone
    assert seen <= {("consistent", "true"), ("refuted", "true")}
    assert ("consistent", "true") in seen


def test_a_false_reading_is_refuted_and_false(files: Path) -> None:
    problem, trace = pairs(files)[0]
    number, step = reading(trace)
    assert step.claim is not None
    left, _, right = step.claim.partition(" = ")
    other = next(n for n in problem.choices.values() if n not in step.claim and n[0].isupper() and " " not in n)
    wrong = corrupted(trace, number, claim=f"{left} = {other}")
    checked = check_with_truth(problem, wrong)
    verdict = checked.steps[number - 1]
    assert verdict.support == "refuted"
    assert verdict.truth == "false"
    assert str(first_fault(wrong, checked)).startswith(f"step {number} is refuted: "), right


def test_first_fault_names_the_worst() -> None:
    def verdict(support: str, **more: str) -> StepCheck:
        return StepCheck.model_validate({"support": support, **more})

    proved, loose = verdict("proved"), verdict("consistent", reason="not shown", witness="Ada@S1")
    wrong = verdict("refuted", reason="contradicted", counterexample="(2)")

    def fault(*steps: StepCheck, answer: StepCheck = proved, unused: tuple[int, ...] = ()) -> str | None:
        made = tuple(Step(op="CORRELATE", claim="Ada@S1") for _ in steps)
        trace = Trace(id="t", problem_id="p", kind="world", lang="en", steps=made, answer="A")
        return first_fault(trace, TraceCheck(steps=steps, answer=answer, unused=unused))

    assert fault(loose, wrong) == "step 2 is refuted: contradicted ((2))"
    assert fault(proved, loose) == "step 2 is consistent: not shown (Ada@S1)"
    assert fault(proved, answer=wrong) == "the answer is refuted: contradicted ((2))"
    assert fault(proved, proved, unused=(2,)) == "step 2 is used by nothing"
    assert fault(proved, proved) is None


BOX = Problem(
    id="box", source="s", split="train", lang="en", question="A box is 3 by 4 by 5. Its volume?",
    answer=Answer(kind="number", value=60),
)  # fmt: skip


def in_steps(name: str, *steps: tuple[str, str, str], answer: str = "60") -> Trace:
    made = [{"op": op, "args": args.split(), "assertion": said} for op, args, said in steps]
    return Trace.model_validate(
        {"id": name, "problem_id": "box", "kind": "free", "lang": "en", "steps": made, "answer": answer}
    )


READS = ("CORRELATE", "(1)", "the edges are a = 3, b = 4 and c = 5")
TALKS = ("CONSTRAIN", "#1 scene", "the volume of a box is the product of its edges")
MULTIPLIES = ("INFER", "#1 #2 (1)", "V = 3 * 4 * 5 = 60")


def test_prose_is_computed_and_never_proved_and_what_it_reads_is_no_fault(tmp_path: Path) -> None:
    traces = [
        in_steps("talks", ("CORRELATE", "(1)", "the edges are 3, 4 and 5"), TALKS, MULTIPLIES),
        in_steps("reads", READS, TALKS, MULTIPLIES),
        in_steps("leaps", READS, TALKS, ("INFER", "#1 #2", "V = 70 is what is asked"), answer="70"),
        in_steps("wrong", READS, TALKS, ("INFER", "#1 #2", "V = 3 * 4 * 5 = 70"), answer="70"),
    ]
    write_records(tmp_path / "t.jsonl", traces)
    write_records(tmp_path / "p.jsonl", [BOX])
    summary = check_file(tmp_path / "t.jsonl", tmp_path / "p.jsonl")
    assert (summary.traces, summary.proved, summary.refuted) == (4, 0, 1)
    assert summary.computed == 1
    told = summary.as_dict(9)
    assert (told["proved"], told["computed"]) == (0, 1)
    assert "proved" not in told["support"]
    assert set(told["support"]) >= {"computed", "consistent", "unchecked", "refuted"}
    assert [fault.split(":")[0] for fault in summary.faults] == ["leaps", "wrong"]
    assert summary.faults[0].startswith("leaps: step 3 is consistent: 70 stands in none")


def test_checks_of_version_0_1_are_read_with_the_new_word() -> None:
    """It said ``proved`` of prose, too; a world trace keeps the word."""
    claim = {"claim": "3 * 4 = 12", "start": 0, "end": 10, "support": "proved"}
    old = {
        "steps": [{"support": "unchecked"}, {"support": "proved", "claims": [claim]}],
        "answer": {"support": "proved"},
    }
    read = TraceCheck.model_validate(old)
    assert (read.proved, read.computed) == (False, True)
    assert [read.steps[1].support, read.claims[0].support, read.answer.support] == ["computed"] * 3
    assert TraceCheck.model_validate({"steps": [{"support": "proved"}], "answer": {"support": "proved"}}).proved


def test_claims_in_prose_are_counted_and_told(tmp_path: Path) -> None:
    def cot(name: str, text: str) -> Trace:
        return Trace(id=name, problem_id="box", kind="cot", lang="en", text=text, answer="60")

    write_records(tmp_path / "t.jsonl", [cot("right", "3 * 4 * 5 = 60\nThe volume is 60."), cot("wrong", "1 + 1 = 3")])
    write_records(tmp_path / "p.jsonl", [BOX])
    summary = check_file(tmp_path / "t.jsonl", tmp_path / "p.jsonl")
    assert (summary.proved, summary.refuted, summary.steps) == (0, 1, 0)
    assert summary.as_dict(show=2)["claims in prose"] == {"computed": 1, "refuted": 1}
    [fault] = summary.faults
    assert fault.startswith("wrong: 1 + 1 = 3 is refuted: ")


def test_prose_on_a_problem_of_a_world_is_not_judged_but_its_claims_can_be(files: Path) -> None:
    problem = pairs(files)[0][0]
    trace = Trace(id="t", problem_id=problem.id, kind="cot", lang="en", text="1 + 1 = 3\nThe answer is A.", answer="A")
    judged = check_with_truth(problem, trace)
    assert (judged.refuted, judged.computed, judged.answer.fault) == (False, False, Fault.ANOTHER_FORM)
    assert "is of an exact world" in str(first_fault(trace, judged))
    assert check_claims(problem, trace).refuted


def test_nothing_to_check(files: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "c.jsonl").write_text("an earlier run\n")
    with pytest.raises(UserError, match=r"empty\.jsonl"):
        check_file(tmp_path / "empty.jsonl", files / "p.jsonl", tmp_path / "c.jsonl")
    with pytest.raises(UserError, match=r"empty\.jsonl"):
        check_file(files / "t.jsonl", tmp_path / "empty.jsonl", tmp_path / "c.jsonl")
    assert (tmp_path / "c.jsonl").read_text() == "an earlier run\n"
