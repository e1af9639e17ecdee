"""What is paid: a proof 1.5, the teacher's steps up to the first fault at most 0.5, and nothing else anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from srt.io.errors import UserError
from srt.io.records import Answer, Problem
from srt.judging.judge import judge
from srt.language.text import linearize
from srt.rewards import Reward, less_for_length, reward
from srt.worlds.world_registry import WORLDS, world_named

A_WORLD = pytest.mark.parametrize("world", WORLDS)


@cache
def proof(world: str) -> tuple[Problem, tuple[str, ...]]:
    """A problem with options, and the lines of the exact teacher's trace, the answer among them."""
    sample = world_named(world).sampler({"style": "none"} if world == "views" else {})
    problem = next(one for one in map(sample, range(500)) if one.choices)
    return problem, tuple(linearize(world_named(world).solve(problem)).split("\n"))


def wrong(lines: tuple[str, ...]) -> str:
    """The answer line with another letter."""
    return re.sub(r"[A-D]$", lambda letter: "ABCD"[("ABCD".index(letter[0]) + 1) % 4], lines[-1])


@A_WORLD
def test_a_proof_has_it_all_whatever_stands_around_it(world: str) -> None:
    problem, lines = proof(world)
    trace = "\n".join(lines)
    for text in (trace, f"<think>\nlet me see\n</think>\n{trace}", f"Sure:\n```\n{trace}\n```", f"\ufeff{trace}"):
        paid = reward(problem, text)
        assert (paid.value, paid.proved_and_right, paid.prefix, paid.first_fault) == (1.5, True, 1.0, None)
    unlabelled = problem.model_copy(update={"answer": None})
    assert reward(unlabelled, trace).value == 1.5, "a proof needs no gold answer"
    assert reward(problem.model_copy(update={"answer": Answer(kind="text", value="?")}), trace).value < 1


@A_WORLD
def test_the_prefix_grows_by_one_step_and_ends_at_the_first_fault(world: str) -> None:
    problem, lines = proof(world)
    steps = len(lines) - 1
    for kept in range(steps):
        text = "\n".join([*lines[:kept], "INFER #1: nonsense", *lines[kept:]])
        paid = reward(problem, text)
        assert paid.prefix == pytest.approx(kept / steps)
        assert paid.value == pytest.approx(0.5 * kept / steps)
        assert paid.first_fault == len("".join(f"{line}\n" for line in lines[:kept]))


@A_WORLD
def test_without_an_answer_there_is_nothing_and_the_end_is_the_fault(world: str) -> None:
    problem, lines = proof(world)
    text = "\n".join(lines[:-1])
    paid = reward(problem, text)
    assert (paid.value, paid.prefix, paid.first_fault, paid.code) == (0.0, 1.0, len(text), "no_answer")
    assert reward(problem, text, "length").cut
    assert not paid.cut


@A_WORLD
def test_a_wrong_answer_after_a_proof_is_the_fault(world: str) -> None:
    problem, lines = proof(world)
    text = "\n".join([*lines[:-1], "", "</think>", wrong(lines)])
    paid = reward(problem, text)
    assert (paid.value, paid.proved_and_right) == (0.5, False)
    assert text[paid.first_fault :] == wrong(lines)


@A_WORLD
@pytest.mark.parametrize("again", [1, 80])
def test_what_is_said_again_counts_once(world: str, again: int) -> None:
    problem, lines = proof(world)
    first = lines[0]
    paid = reward(problem, "\n".join([first] * again + [wrong(lines)]))
    assert paid.value == pytest.approx(0.5 / (len(lines) - 1))


def test_claims_that_the_teacher_does_not_need_earn_nothing() -> None:
    problem, lines = proof("views")
    cells = [f"CONSTRAIN solid: {column}{row} = {n}" for column in "abc" for row in "123" for n in "123"]
    seen = [line for line in cells if judge(problem, line).proved_steps]
    needed = [line for line in seen if line in lines]
    assert 0 < len(needed) < len(seen)
    paid = reward(problem, "\n".join([*seen, wrong(lines)]))
    assert paid.prefix == pytest.approx(len(needed) / (len(lines) - 1))


@A_WORLD
def test_a_padded_proof_is_no_proof(world: str) -> None:
    problem, lines = proof(world)
    # A reading again, cited by nobody: proved, and not used.
    *steps, last = lines
    paid = reward(problem, "\n".join([*steps, steps[0], last]))
    assert not paid.proved_and_right
    assert paid.value <= 0.5
    assert paid.first_fault == len("".join(f"{line}\n" for line in steps))


NOTHING: dict[str, Callable[[tuple[str, ...]], str]] = {
    "nothing": lambda lines: "",
    "the answer alone": lambda lines: lines[-1],
    "one line of prose": lambda lines: f"It is so.\n{lines[-1]}",
    "sums": lambda lines: "2 + 2 = 4\n" * 80 + lines[-1],
    "NUL": lambda lines: "\0" * 20 + lines[-1],
    "huge": lambda lines: "\n".join(lines) + "\n" * 500_000,
    "a lone surrogate": lambda lines: "\ud800" + lines[-1],
}


@A_WORLD
@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_paid_for_nothing(world: str, text: str) -> None:
    problem, lines = proof(world)
    paid = reward(problem, NOTHING[text](lines))
    assert (paid.value, paid.first_fault) == (0.0, 0)


def test_prose_is_paid_by_its_answer_where_nothing_is_refuted() -> None:
    problem = Problem(question="How many?", answer=Answer(kind="number", value=4))
    right = reward(problem, "There are 2 + 2 = 4.\nANSWER: 4")
    assert (right.value, right.proved_and_right, right.first_fault) == (1.0, False, None)
    assert reward(problem, "2 + 2 = 4\n" * 20 + "ANSWER: 4").value == 1.0, "sums earn nothing on top"
    assert reward(problem, "There are 2 + 2 = 5.\nANSWER: 4").value == 0.0
    assert reward(problem, "ANSWER: 5").value == 0.0
    assert reward(problem, "2 + 2 = 4").value in (0.0, 1.0)
    assert reward(problem.model_copy(update={"answer": None}), "ANSWER: 4").value == 0.0


def test_a_refuted_step_of_prose_is_where_the_fault_is() -> None:
    problem = Problem(question="2 and 2 are 4. How many are 2 and 2?", answer=Answer(kind="number", value=4))
    first = "INFER question - so 2 + 2 = 4\n"
    paid = reward(problem, f"{first}INFER #1 - so 2 + 2 = 5\nANSWER: 4")
    assert (paid.value, paid.first_fault) == (0.0, len(first))


def test_plan_and_style_are_those_of_the_teacher() -> None:
    problem, _ = proof("seating")
    other = linearize(world_named("seating").solve(problem, "running")).split("\n")
    text = "\n".join([*other[:-2], other[-1]])
    assert reward(problem, text, plan="running").prefix == pytest.approx(1 - 1 / (len(other) - 1))
    assert reward(problem, text).prefix < 1 - 1 / (len(other) - 1)
    for names in ({"plan": "runing"}, {"style": "lettred"}, {"style": "assertions"}):
        (name,) = names.values()
        with pytest.raises(UserError, match=name):
            reward(problem, text, **names)


def test_a_problem_that_the_teacher_cannot_solve_pays_no_prefix() -> None:
    problem, lines = proof("seating")
    gold = Answer(kind="choice_set", value=[wrong(lines)[-1]])
    other = problem.model_copy(update={"answer": gold})
    paid = reward(other, "\n".join(lines))
    assert (paid.value, paid.code, paid.right) == (0.0, "proved", False)


def group(*values: float) -> list[Reward]:
    return [
        Reward(
            value=value, code="proved" if value > 1 else "gap", right=True, proved_and_right=value > 1,
            prefix=min(1, 2 * value), first_fault=None, cut=False,
        )
        for value in values
    ]  # fmt: skip


def test_length_counts_among_proofs_alone() -> None:
    rewards = group(1.5, 1.5, 0.5, 0.25)
    assert less_for_length(rewards, [100, 200, 10, 10_000]) == pytest.approx([1.5, 1.45, 0.5, 0.25])
    assert less_for_length(rewards, [100, 10**9, 1, 1], weight=0.99)[1] > 0.5
    assert less_for_length(group(0.5, 0.2), [5, 9]) == [0.5, 0.2]
    cut = [rewards[0].model_copy(update={"cut": True}), rewards[1]]
    assert less_for_length(cut, [1, 200]) == [1.5, 1.5]
    with pytest.raises(UserError, match="weight"):
        less_for_length(rewards, [1, 1, 1, 1], weight=1)


@A_WORLD
def test_an_answer_beside_a_thought_that_stays_open_is_none(world: str) -> None:
    problem, lines = proof(world)
    trace, letter = "\n".join(lines), lines[-1][-1]
    for text in (
        f"<think>\n{trace}",
        f"The answer is {letter}.\n<think>\n{trace}",
        f"The answer is {wrong(lines)[-1]}.\n<think>\n{trace}",
        "\n".join([*lines[:3], "<think>", *lines[3:]]),
    ):
        paid = reward(problem, text)
        assert (paid.value, paid.proved_and_right) == (0.0, False), text


@pytest.mark.parametrize(
    "text",
    [
        "INFER #0: x\n3 + 4 = 8.\nANSWER: 7",
        "INFER\nINFER - 3 + 4 = 8\nANSWER: 7",
        "推断 #0\n3 + 4 = 8.\nANSWER: 7",
        "INFER - 1 + 1 = 2\n3 + 4 = 8.\nANSWER: 7",
        "3 + 4 = 8.\nINFER - 1 + 1 = 2\nANSWER: 7",
        "INFER - 3 + 4 = 7\nNow:\nINFER - 3 + 4 = 8\nANSWER: 7",
        "INFER - 3 + 4 = 7\nANSWER: 7\nINFER - 3 + 4 = 8\nANSWER: 7",
        "ANSWER: 7\n3 + 4 = 8.\nANSWER: 7",
    ],
)
def test_no_line_hides_a_refuted_claim_of_a_free_text(text: str) -> None:
    problem = Problem(
        id="p", source="own", lang="en", question="How many are 3 and 4 apples?", answer=Answer(kind="number", value=7)
    )
    assert reward(problem, text).value == 0
    assert reward(problem, text.replace("= 8", "= 7")).value == 1


@pytest.mark.parametrize(("world", "kept"), [("seating", {"question": "Who sits there?"}), ("views", {"meta": {}})])
def test_a_problem_whose_world_does_not_know_it_any_more_is_refused(world: str, kept: dict[str, object]) -> None:
    problem, lines = proof(world)
    damaged = problem.model_copy(update={**kept, "answer": Answer(kind="text", value="C")})
    with pytest.raises(UserError, match=f"problem {problem.id!r}: .*{world}"):
        reward(damaged, "\n".join(lines))
    assert reward(damaged.model_copy(update={"source": "own"}), "ANSWER: C").value == 1, "a problem of no world"


@A_WORLD
def test_a_letter_alone_may_be_a_cut_word(world: str) -> None:
    problem, lines = proof(world)
    begun = "\n".join(lines[:-2])
    assert reward(problem, f"{begun}\nC").value == 0
    assert reward(problem, f"{begun}\n{wrong(lines)}").value > 0


@pytest.mark.parametrize(
    ("update", "field"),
    [
        ({"question": None}, "question"),
        ({"meta": None}, "meta"),
        ({"choices": None}, "choices"),
        ({"choices": {"AA": "x"}}, "choices"),
        ({"lang": "fr"}, "lang"),
        ({"id": None}, "id"),
        ({"answer": "D"}, "answer"),
    ],
)
def test_what_is_not_whole_is_refused_at_the_door(update: dict[str, object], field: str) -> None:
    problem, lines = proof("seating")
    for of in (reward, judge):
        with pytest.raises(UserError, match=field):
            of(problem.model_copy(update=update), "\n".join(lines))
        with pytest.raises(UserError, match="text"):
            of(problem, None)  # type: ignore[arg-type]
        with pytest.raises(UserError, match="stop, length, error"):
            of(problem, "", "zzz")  # type: ignore[arg-type]


@A_WORLD
def test_an_answer_that_stands_in_a_step_or_is_taken_back_or_names_an_option_twice_earns_nothing(world: str) -> None:
    problem, lines = proof(world)
    text = "\n".join(lines)
    for said in ("\n".join(lines[:-1]), *(f"{text}\n{back}" for back in TAKEN_BACK)):
        judged = judge(problem, said)
        assert (judged.code, judged.answer, reward(problem, said).right) == ("no_answer", None, False), said
    assert judge(problem, f"{text}, {lines[-1][-1]}").code != "proved"


TAKEN_BACK = (
    "No.",
    "I take that back.",
    "Scratch that.",
    "I retract my answer.",
    "Wrong!",
    "The answer above is wrong.",
    "Never mind.",
    "这个答案不对。",
)
