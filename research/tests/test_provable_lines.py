"""The lines that a mask allows: all that the plan ``running`` writes, and none that the checker does not prove."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from research.decoding.line_masks import LineMask
from research.decoding.provable_lines import ProvableLines, is_booth
from srt.io.records import Problem
from srt.judging.judge import judge, judge_trace
from srt.judging.prefix import judge_prefix, without_gold
from srt.language.text import linearize
from srt.pipeline.sample import sample_problems
from srt.worlds.world_registry import world_named

END = 0


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    spec: dict[str, Any] = {"scenes": ["booth"], "names": 6, "direct_questions": True, "variety": 1}
    return [
        problem for lang in ("en", "zh") for problem in sample_problems("seating", 3, 1, "test", {**spec, "lang": lang})
    ]


def exact(problem: Problem) -> list[str]:
    """The lines of the plan ``running``, as the text style ``anchored`` writes them."""
    world = world_named("seating")
    spelled = world.respell(problem, world.solve(problem, "running"), "anchored")
    return linearize(next(trace for trace in spelled if judge_trace(problem, trace).code == "proved")).split("\n")


def test_every_line_of_the_exact_solver_is_there(problems: list[Problem]) -> None:
    for problem in problems:
        lines, text = ProvableLines(without_gold(problem)), ""
        for line in exact(problem):
            assert lines.proved(text, line), line
            assert lines.begins(text, line.encode()[:-1])
            assert not lines.begins(text, f"{line} ".encode())
            text += f"{line}\n"


def test_what_is_there_is_what_the_checker_proves(problems: list[Problem]) -> None:
    rng = random.Random(3)
    unseen = without_gold(problems[0])
    lines, text = ProvableLines(unseen), ""
    for line in exact(problems[0]):
        every = [one.decode() for one in lines.candidates(text)]
        for one in rng.sample(every, min(60, len(every))):
            found = judge_prefix(unseen, text + one, ended=True) if lines.ends(one) else None
            kept = judge_prefix(unseen, f"{text}{one}\n").kept if found is None else found.whole
            assert lines.proved(text, one) == kept
        text += f"{line}\n"
    assert not lines.proved("", "CORRELATE (1): of another form")


def test_other_scenes_have_none(problems: list[Problem]) -> None:
    assert all(map(is_booth, problems))
    (ring,) = sample_problems("seating", 1, 1, "test", {"scenes": ["hexagon-in"]})
    assert not is_booth(ring)
    assert not is_booth(Problem(question="How many are 3 and 4?"))


@pytest.mark.parametrize("seed", [0, 1, 3, 4])
def test_any_scores_give_proved_lines_and_right_ones_a_proof(problems: list[Problem], seed: int) -> None:
    """Of tokens some of which hold the end of a line and the next one's beginning."""
    problem = problems[seed]
    written = exact(problem)
    pieces = sorted({*"\n".join(written), *(f"\n{line[:9]}" for line in written), f"}}\n{written[-1]}"})
    pieces = ["", *pieces, *"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 @#&|?=!(){}:,_"]

    says = [
        each
        for piece in pieces
        for each in ([piece.encode()] if piece.isascii() else [piece.encode()[:1], piece.encode()[1:]])
    ]

    def decode(ids: Sequence[int]) -> str:
        return b"".join(says[number] for number in ids).decode(errors="ignore")

    generator = torch.Generator().manual_seed(seed)
    mask, ids = LineMask(without_gold(problem), says, {END}), list[int]()
    while len(ids) < 150 and END not in ids:
        scores = torch.rand(len(says), generator=generator)
        mask(ids, scores)
        assert scores.isfinite().sum() == 1
        ids.append(int(scores.argmax()))
    *whole, _ = decode(ids).splitlines(keepends=True)
    for number in range(len(whole)):
        assert judge_prefix(problem, "".join(whole[: number + 1])).kept
    right = "\n".join(written)
    mask, ids = LineMask(without_gold(problem), says, {END}), []
    while END not in ids:
        so_far = b"".join(says[number] for number in ids)
        scores = torch.tensor([float(len(each)) * right.encode().startswith(so_far + each) for each in says])
        mask(ids, scores)
        ids.append(int(scores.argmax()))
    assert decode(ids) == right
    assert judge(problem, right).code == "proved"
