"""``srt pairs``: a proved and a faulty trace of one problem, as evaluation asks it, in what TRL's own trainer reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Pair, Problem, Sequence
from srt.judging.judge import judge
from srt.language.prompts import prompt_messages
from srt.language.trace import Trace
from srt.worlds.world_registry import world_of
from tests.conftest import Srt
from tests.eval.learning.conftest import MakeRun, false, proof


@pytest.fixture
def traces(tmp_path: Path, booths: list[Problem]) -> Path:
    """A file of their exact traces; that of the problems is beside it."""
    write_records(tmp_path / "booths.jsonl", booths)
    worlds = [world_of(problem) for problem in booths]
    solved = [world.solve(problem) for world, problem in zip(worlds, booths, strict=True) if world is not None]
    write_records(tmp_path / "traces.jsonl", solved)
    return tmp_path / "traces.jsonl"


def test_pairs_of_samples(make_run: MakeRun, booths: list[Problem], srt: Srt, tmp_path: Path) -> None:
    def texts(problem: Problem) -> list[str]:
        unproved = "I think so.\nANSWER: A"  # no trace, and so in no pair
        if problem == booths[5]:
            return [proof(problem), false(problem), false(problem).replace("CORRELATE (1)", "CORRELATE (2)", 1)]
        return [unproved, false(problem), proof(problem)] if problem in booths[:4] else [proof(problem)] * 3

    run = make_run("run", texts)
    assert srt("pairs", run, "-o", tmp_path / "more.jsonl", "--most", 3).status == 0
    several = [pair for pair in read_records(tmp_path / "more.jsonl", Pair) if pair.problem_id == booths[5].id]
    assert len({pair.rejected[0].content for pair in several}) == len(several) == 2
    done = srt("pairs", run, "-o", tmp_path / "pairs.jsonl", "--json")
    assert done.status == 0, done.err
    pairs = list(read_records(tmp_path / "pairs.jsonl", Pair))
    assert [pair.problem_id for pair in pairs] == [problem.id for problem in (*booths[:4], booths[5])]
    for pair, problem in zip(pairs[:4], booths, strict=False):
        assert pair.prompt == prompt_messages(problem, "bare", pictures=False)
        assert (pair.chosen[0].content, pair.rejected[0].content) == (proof(problem), false(problem))
        assert "answer" in pair.fault
    assert json.loads(done.out)["problems with a pair"] == 5


def test_a_refuted_text_that_is_no_whole_trace_is_in_no_pair(
    make_run: MakeRun, booths: list[Problem], srt: Srt, tmp_path: Path
) -> None:
    """Its normal form would have an answer that the model never gave, or lack what it broke off in."""

    def texts(problem: Problem) -> list[str]:
        steps = proof(problem).splitlines()
        [other] = [letter for letter in problem.choices if letter not in steps[-1]][:1]
        wrong = "\n".join([*steps[:-2], f"{steps[-2].partition('=')[0]}= {{{other}}}"])
        if problem == booths[0]:
            return [proof(problem), wrong, f"{wrong}\nCORRELATE (1: broken\nANSWER: {other}"]
        return [proof(problem), wrong, f"{wrong}\nANSWER: {other}"]

    run = make_run("run", texts)
    codes = {judge(problem, text).code for problem in booths for text in texts(problem)[1:]}
    assert codes == {"refuted"}
    assert srt("pairs", run, "-o", tmp_path / "pairs.jsonl", "--most", 3).status == 0
    pairs = list(read_records(tmp_path / "pairs.jsonl", Pair))
    assert [pair.problem_id for pair in pairs] == [problem.id for problem in booths[1:]]
    assert [pair.rejected[0].content for pair in pairs] == [texts(problem)[2] for problem in booths[1:]]


@pytest.mark.parametrize("text", ["claims", "anchored"])
def test_pairs_of_planted_faults(traces: Path, booths: list[Problem], srt: Srt, tmp_path: Path, text: str) -> None:
    given = (traces, "--problems", tmp_path / "booths.jsonl", "--most", 3, "--text", text)
    done = srt("pairs", "--traces", *given, "-o", tmp_path / "pairs.parquet")
    assert done.status == 0, done.err
    pairs = list(read_records(tmp_path / "pairs.parquet", Pair))
    assert len(pairs) == 3 * len(booths)
    by_id = {problem.id: problem for problem in booths}
    for pair in pairs:
        problem, (chosen, rejected) = by_id[pair.problem_id], (pair.chosen[0].content, pair.rejected[0].content)
        assert judge(problem, chosen).code == "proved"
        assert judge(problem, rejected).code != "proved"
        assert pair.prompt == prompt_messages(problem, "full", pictures=False)
    classes = {(pair.problem_id, pair.fault.partition(":")[0]) for pair in pairs}
    assert len(classes) == len(pairs)  # of one trace, each has another class of fault
    built = srt("build", traces, "--problems", tmp_path / "booths.jsonl", "--text", text, "-o", tmp_path / "data")
    assert built.status == 0
    sequences = list(read_records(tmp_path / "data" / "sequences.jsonl", Sequence))
    assert [pair.chosen for pair in pairs[::3]] == [sequence.completion for sequence in sequences]


def test_what_cannot_be_a_pair_is_one_line(
    make_run: MakeRun, traces: Path, booths: list[Problem], srt: Srt, tmp_path: Path
) -> None:
    run, out = make_run("run", lambda problem: [proof(problem)]), tmp_path / "pairs.jsonl"
    prose = Trace(id="p", problem_id=booths[0].id, kind="cot", lang="en", text="So it is.", answer="A")
    write_records(tmp_path / "prose.jsonl", [prose])
    problems = ("--problems", tmp_path / "booths.jsonl")
    cases: list[tuple[tuple[Any, ...], str]] = [
        ((), "--traces"),
        ((run, "--traces", traces), "one of the two"),
        (("--traces", traces), "--problems"),
        ((run,), "--repeats"),
        (("--traces", tmp_path / "prose.jsonl", *problems), "cot"),
    ]
    for arguments, named in cases:
        done = srt("pairs", *arguments, "-o", out)
        assert done.status == 2, done.out
        assert named in done.err.splitlines()[-1]
    assert not out.exists()
