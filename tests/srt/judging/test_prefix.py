"""What is kept line by line is what is proved as a whole: on exact traces, and on such with a planted fault."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from srt.io.records import Answer, Problem
from srt.judging.judge import judge
from srt.judging.prefix import judge_prefix, without_gold
from srt.language.text import linearize
from srt.language.trace import Trace
from srt.mutate.mutate_traces import Sources, mutants_with
from srt.pipeline.sample import sample_problems
from srt.worlds.world_registry import WORLDS, world_named


def first_refused(problem: Problem, text: str) -> int | None:
    """The number (from 1) of the first line that may not stand, after which nothing more is asked."""
    lines = text.split("\n")
    for number in range(1, len(lines) + 1):
        last = number == len(lines)
        found = judge_prefix(problem, "\n".join(lines[:number]) + "\n" * (not last), ended=last)
        if not found.kept:
            return number
        assert found.whole == last
    return None


def texts(problems: list[Problem], traces: list[Trace]) -> Iterator[tuple[Problem, Trace]]:
    """Each trace, and two with each fault that its world has."""
    by_id = {problem.id: problem for problem in problems}
    yield from zip(problems, traces, strict=True)
    sources = Sources(traces, by_id)
    for fault in sources.planted:
        for mutant, _ in zip(mutants_with(fault, sources, 0), range(2), strict=False):
            yield by_id[mutant.trace.problem_id], mutant.trace


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("world", WORLDS)
def test_lines_and_the_whole_agree(world: str, lang: str) -> None:
    problems = sample_problems(world, 4, 5, "train", {"lang": lang})
    traces = [world_named(world).solve(problem) for problem in problems]
    proved = 0
    for problem, trace in texts(problems, traces):
        text = linearize(trace)
        judged = judge(problem, text)
        refused = first_refused(without_gold(problem), text)
        assert (refused is None) == (judged.code == "proved"), text
        proved += refused is None
        if refused is not None:
            # At the first step that is not proved; where all are, at the answer.
            assert refused == judged.proved_steps + 1
    assert proved >= len(traces)


def test_thoughts_fences_and_empty_lines_may_stand() -> None:
    problem = sample_problems("routes", 1, 0, "train", {})[0]
    text = linearize(world_named("routes").solve(problem))
    steps, answer = text.rsplit("\n", 1)
    for around in (f"<think>\n{steps}\n</think>\n\n{answer}", f"```\n\n{text}\n```", text.replace("\n", "\n\n")):
        assert judge(problem, around).code == "proved"
        lines = around.split("\n")
        assert all(judge_prefix(problem, "\n".join(lines[:n]) + "\n").kept for n in range(1, len(lines)))
        assert judge_prefix(problem, around, ended=True).whole


@pytest.mark.parametrize(
    "line", ["Let me see.", "INFER", "INFER #1 - he is at home", "ANSWER: 3", "推断 #1: at(1) = start"]
)
def test_other_lines_may_not(line: str) -> None:
    problem = sample_problems("routes", 1, 0, "train", {})[0]
    step = linearize(world_named("routes").solve(problem)).split("\n")[0]
    for text in (f"{line}\n", f"{step}\n{line}\n"):
        found = judge_prefix(problem, text)
        assert not found.kept
        assert found.reason
    assert not judge_prefix(problem, f"{step}\n", ended=True).kept


def test_gold_is_out_of_sight() -> None:
    for world in WORLDS:
        problem = sample_problems(world, 1, 0, "train", {})[0]
        other = problem.model_copy(update={"answer": Answer(kind="text", value="another"), "solution": "so"})
        assert without_gold(problem) == without_gold(other)
        assert without_gold(problem).answer is None
        assert not without_gold(problem).meta.keys() & {"key", "cubes", "ways", "distractors", "asked"}
