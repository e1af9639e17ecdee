"""``srt harvest``: only what is proved, right and distinct; easy categories do not crowd out hard ones."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import orjson

from eval.learning.harvest import balanced
from eval.records.run_records import CHECKED, PREDICTIONS
from srt.io.record_reader import read_records
from srt.io.records import Answer, Problem, Sequence
from srt.language.trace import Trace
from tests.conftest import Srt
from tests.eval.learning.conftest import MakeRun, false, proof


def test_what_is_proved_is_kept_once_and_trained_on(
    make_run: MakeRun, booths: list[Problem], srt: Srt, tmp_path: Path
) -> None:
    first = booths[0]

    def texts(problem: Problem) -> list[str]:
        if problem == first:
            return [false(problem), proof(problem), f"Sure!\n\n{proof(problem)}  \n", "I think so.\nANSWER: A"]
        return [false(problem)] * 4

    run, out = make_run("run", texts), tmp_path / "traces.jsonl"
    # What a file says of a text counts for nothing.
    lie = {"problem_id": booths[1].id, "code": "proved"}
    (run / CHECKED).write_text(json.dumps(lie) + "\n")
    done = srt("harvest", run, "-o", out, "--json")
    assert done.status == 0, done.err
    counts = json.loads(done.out)
    assert (counts["whole samples"], counts["proved"], counts["distinct"], counts["traces"]) == (24, 2, 1, 1)
    [trace] = read_records(out, Trace)
    assert trace.problem_id == first.id
    built = srt("build", out, "--problems", tmp_path / "problems.jsonl", "--prompt", "bare", "-o", tmp_path / "data")
    assert built.status == 0, built.err
    [sequence] = read_records(tmp_path / "data" / "sequences.jsonl", Sequence)
    assert sequence.completion[0].content == proof(first)


def test_a_proof_of_another_answer_than_gold_is_not_kept(
    make_run: MakeRun, booths: list[Problem], srt: Srt, tmp_path: Path
) -> None:
    wrong = []
    for problem in booths:
        assert problem.answer is not None
        other = next(letter for letter in problem.choices if letter not in problem.answer.value)
        wrong.append(problem.model_copy(update={"answer": Answer(kind="choice_set", value=[other])}))
    solved = {problem.id: proof(problem) for problem in booths}
    done = srt("harvest", make_run("run", lambda one: [solved[one.id]], wrong), "-o", tmp_path / "traces.jsonl")
    assert (done.status, (tmp_path / "traces.jsonl").exists()) == (2, False)


def test_without_gold_a_proof_is_enough(make_run: MakeRun, booths: list[Problem], srt: Srt, tmp_path: Path) -> None:
    solved = {problem.id: proof(problem) for problem in booths}
    unsolved = [problem.model_copy(update={"answer": None}) for problem in booths]
    run = make_run("run", lambda problem: [solved[problem.id]], unsolved)
    assert srt("harvest", run, "-o", tmp_path / "traces.jsonl", "--no-balance").status == 0
    assert len(list(read_records(tmp_path / "traces.jsonl", Trace))) == len(booths)


def test_runs_of_several_seeds_give_each_trace_once(
    make_run: MakeRun, booths: list[Problem], srt: Srt, tmp_path: Path
) -> None:
    runs = [make_run(f"run-{seed}", lambda problem: [proof(problem)], seed=seed) for seed in (0, 1)]
    done = srt("harvest", *runs, "-o", tmp_path / "traces.jsonl", "--json")
    counts = orjson.loads(done.out)
    assert (counts["proved"], counts["distinct"]) == (2 * len(booths), len(booths))


def test_runs_that_do_not_go_together_are_one_line(
    make_run: MakeRun, booths: list[Problem], srt: Srt, tmp_path: Path
) -> None:
    out = tmp_path / "traces.jsonl"
    run = make_run("run", lambda problem: [proof(problem)])
    other = make_run("other", lambda problem: [proof(problem)], booths[:3])
    nothing = make_run("nothing", lambda problem: [false(problem)])
    for runs, named in (
        ([run, tmp_path / "run"], str(run)),
        ([run, other], str(other)),
        ([nothing], "proved"),
        ([tmp_path], "run.json"),
    ):
        done = srt("harvest", *runs, "-o", out)
        assert (done.status, done.err.count("\n")) == (2, 1 + done.err.count("judged")), done.err
        assert named in done.err
    assert not out.exists()


def test_nothing_that_is_read_is_written_over(make_run: MakeRun, srt: Srt, tmp_path: Path) -> None:
    run, link = make_run("run", lambda problem: [proof(problem), false(problem)]), tmp_path / "link.jsonl"
    problems = tmp_path / "problems.jsonl"
    link.symlink_to(problems)
    inputs = [problems, *run.iterdir()]
    before = [file.read_bytes() for file in inputs]
    for command in ("harvest", "pairs"):
        for out in (*inputs, link, run / "new.jsonl"):
            done = srt(command, run, "-o", out)
            assert (done.status, done.err.count("\n")) == (2, 1), done.err
            assert str(out) in done.err
    assert [file.read_bytes() for file in inputs] == before
    assert not (run / "new.jsonl").exists()


def test_a_run_of_cut_texts_says_so(make_run: MakeRun, srt: Srt, tmp_path: Path) -> None:
    run = make_run("run", lambda problem: [proof(problem)])
    rows = [orjson.loads(line) for line in (run / PREDICTIONS).read_bytes().splitlines()]
    cut = [orjson.dumps(row | {"finish_reason": "length"}) for row in rows]
    (run / PREDICTIONS).write_bytes(b"\n".join(cut) + b"\n")
    for command in ("harvest", "pairs"):
        done = srt(command, run, "-o", tmp_path / "out.jsonl")
        assert done.status == 2
        assert f"none of {len(rows)} samples ended by itself" in done.err
        assert "--max-new-tokens" in done.err


def test_no_category_keeps_more_a_problem_than_the_mean() -> None:
    fields = {"question": "?", "split": "train"}
    problems = {
        f"{category}-{number}": Problem(id=f"{category}-{number}", category=category, **fields)
        for category, count in (("easy", 6), ("hard", 6), ("small", 3))
        for number in range(count)
    }
    found = {
        name: [
            Trace(id=f"{name}-{number}", problem_id=name, kind="cot", lang="en", text="t", answer="A")
            for number in range({"easy": 2, "hard": 1, "small": 1}[problem.category or ""])
        ]
        for name, problem in problems.items()
        if problem.category != "hard" or name == "hard-0"
    }
    kept = balanced(found, problems, seed=0)
    counts = Counter(problems[name].category for name, traces in kept.items() for _ in traces)
    # The mean is 16 traces / 15 problems: 6.4, 6.4 and 3.2 for the categories.
    assert counts == {"easy": 7, "hard": 1, "small": 3}
    # Second traces go before first ones.
    assert all(f"{name}-0" in {trace.id for trace in traces} for name, traces in kept.items())
    assert sum(name.startswith("easy") for name in kept) == 6
    assert balanced(found, problems, seed=0) == kept
