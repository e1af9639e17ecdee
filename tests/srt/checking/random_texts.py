"""Texts that a model might write, from noise to traces with a few characters changed, and the problems they are for."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

from srt.io.records import Problem
from srt.language.text import linearize
from srt.worlds.world_registry import worlds

_LONGEST = 40_000
_LENGTHS = (1, 3, 10, 40, 160, 600, 2_500, 10_000)
_SIGNS = (": ", " - ")
"""Before the claim of a step of a world trace, and before the prose of a free one."""
_PROSE = (
    ("A box is 3 wide, 4 deep and 5 high. What is its volume?", "INFER question - V = 3 * 4 * 5 = 60\nANSWER: 60"),
    ("A cone has base radius 3 and slant height 5; its volume?",
     "CONSTRAIN question - 3^2 + h^2 = 5^2 [claim: 3^2 + h^2 = 5^2]\nINFER #1 - h = 4\n"
     "INFER #2 question - V = \\frac{1}{3} \\pi \\cdot 3^2 \\cdot 4 = 12\\pi\nANSWER: 12\\pi"),
    ("圆柱的底面半径为2cm，高为5cm，求它的体积。", "推断 question - V = π × 2^2 × 5 = 20π cm^3\n答案: 20π cm^3"),
)  # fmt: skip
_PIECES = (
    "\\frac{1}{2}", "\\sqrt{2}", "\\left(", "\\right)", "\\text{cm}", "$", "$$", "\\[", "\\]", "\\boxed{",
    "{", "}", "(", ")", "[", "]", "|", "^", "_", "9^9^9", "10^{10^{10}}", "9" * 5_000, "1/0", "0.1(6)",
    "1e999", "²³", "½", "٣", "๓", "１２", "一二三", "\ud800", "\udfff", "\x00", "\u2028", "\u2029", "\x85",
    "\x0b", "\ufeff", "\u202e", "\u3000", "\xa0", "\ue000", "sin(30°)", "sin(1°)·√2 + ", "√(5+2√6) = √2+√3, ",
    "x^2 + y^2 = z^2, ", "n = (1, 2, 3)", "\\vec{a} \\cdot \\vec{b} = 0", "A(0,1,0)", "→AB", "S_{△ABC}",
    "1:2:3", "100!", "C_{200}^{100}", "gcd(", "max(", "log_", "arctan", "±", "≈", "≤", "≠", "=", "1=", "a=b=",
    ",", "，", "。", ";", " or ", " and ", "若", "当", "则", "所以", "不是", "the answer is ", "答案是", "A",
    "B, ", "AB", "volume", "体积", "volume = 60", "3 cm", "5 kg", " × ", " ÷ ", "<think>", "</think>", "#1 ",
    "#99 ", "(1) ", "scene ", "wlog ", "?", "? = ", "@", "S1", "Robert@S1", " | ", " & ", "right(",
    "options = {A}", "none", "faces(?) = W", "\n", "\r", "\t", " ", "INFER ", "CORRELATE ", "CONSTRAIN ",
    "ANSWER: ", "推断 ", "答案: ", ": ", " - ", "[claim: ", "\"", "\\", "-", "N", "E", "3", "7",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A problem and a right trace of it, as text."""

    problem: Problem
    text: str


@cache
def cases(of_each: int = 6) -> tuple[Case, ...]:
    """Problems of every world with the traces of its exact teacher, and problems in prose with a trace each."""
    found = [
        Case(
            Problem(id="p", source="made", split="test", lang="en" if question.isascii() else "zh", question=question),
            text,
        )
        for question, text in _PROSE
    ]
    for world in worlds():
        sampler = world.sampler({"split": "train"})
        for index in range(of_each):
            problem = sampler(index)
            found.append(Case(problem, linearize(world.solve(problem))))
    return tuple(found)


def random_output(seed: int) -> tuple[Problem, str]:
    """A problem and what a model might answer; the same for the same ``seed``."""
    rng = random.Random(seed)
    case = rng.choice(cases())
    kinds = (_noise, _pieces, _repeated, _mutated, _mutated, _spliced, _steps, _steps, _deep)
    text = rng.choice(kinds)(rng, case)[:_LONGEST]
    if "ANSWER: " not in text and rng.random() < 0.8:
        text = f"{text}\nANSWER: {rng.choice(_PIECES)}"
    return case.problem, text


def _noise(rng: random.Random, case: Case) -> str:
    data = rng.randbytes(rng.choice(_LENGTHS))
    return data.decode("utf-8", rng.choice(("replace", "surrogateescape")))


def _pieces(rng: random.Random, case: Case) -> str:
    few = rng.sample(_PIECES, rng.randint(1, 12))
    return "".join(rng.choice(few) for _ in range(rng.choice(_LENGTHS) // 4 + 1))


def _repeated(rng: random.Random, case: Case) -> str:
    """One piece many times, as the text of a step or alone, with something before and behind it."""
    unit = "".join(rng.choice(_PIECES) for _ in range(rng.randint(1, 4)))
    many = unit * (rng.choice(_LENGTHS) // len(unit) + 1)
    text = rng.choice(_PIECES) + many + rng.choice(_PIECES)
    return text if rng.random() < 0.4 else _as_step(rng, text, sign=rng.choice(_SIGNS))


def _mutated(rng: random.Random, case: Case) -> str:
    text = list(case.text)
    for _ in range(rng.choice((1, 2, 5, 20))):
        at = rng.randrange(len(text) + 1)
        there = slice(at, at + rng.choice((0, 1, 1, 4)))
        text[there] = rng.choice((rng.choice(_PIECES), rng.choice(case.text), "", case.text[at : at + 9]))
    return "".join(text)


def _spliced(rng: random.Random, case: Case) -> str:
    """Lines of a trace of this problem and of others, in any order and several times."""
    lines = [*case.text.split("\n"), *rng.choice(cases()).text.split("\n")]
    chosen = [rng.choice(lines) for _ in range(rng.choice((3, 10, 40, 130)))]
    return "\n".join([*chosen, case.text.split("\n")[-1]])


def _steps(rng: random.Random, case: Case) -> str:
    """Steps that are well formed and say anything, with few or many premises."""
    few = rng.sample(_PIECES, rng.randint(2, 10))
    size, sign = rng.choice((2, 8, 40, 300)), rng.choice(_SIGNS)
    steps = [
        _as_step(rng, "".join(rng.choice(few) for _ in range(size)), number, sign)
        for number in range(1, 1 + rng.choice((1, 3, 20, 100)))
    ]
    return "\n".join([*steps, f"ANSWER: {rng.choice(few)}"])


def _deep(rng: random.Random, case: Case) -> str:
    opens, closes = rng.choice(
        (("(", ")"), ("{", "}"), ("[", "]"), ("\\frac{1}{", "}"), ("\\sqrt{", "}"), ("right(", ")"), ("-", ""))
    )
    deep = rng.choice((5, 30, 300, 1_500))
    text = f"x = {opens * deep}{rng.choice(_PIECES)}{closes * rng.choice((deep, deep - 1, 0))} = 3"
    return _as_step(rng, text) + "\nANSWER: 3"


def _as_step(rng: random.Random, text: str, number: int = 1, sign: str = " - ") -> str:
    premises = [f"#{rng.randint(1, number)}" for _ in range(rng.choice((0, 1, 2, 39)))] if number > 1 else []
    premises += rng.sample(("question", "scene", "(1)", "(2)", "A", "wlog"), rng.choice((0, 1, 2)))
    operation = rng.choice(("CORRELATE", "CONSTRAIN", "INFER"))
    return " ".join([operation, *premises]) + sign + " ".join(text.split("\n"))
