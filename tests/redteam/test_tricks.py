"""Tricks by hand: texts that look like a proof, or hide something in one. None gets a full mark, none raises."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from srt.io.records import Problem
from srt.judging.judge import judge
from srt.language.text import linearize
from srt.worlds.world_registry import world_named
from tests.redteam.search import WORLDS

Lines = list[str]
Trick = Callable[[Lines], Lines]
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


@cache
def proof(world: str) -> tuple[Problem, Lines]:
    """A problem with options, and the lines of the exact teacher's trace: the steps, and the answer."""
    sample = world_named(world).sampler({"lang": "en", **({"style": "none"} if world == "views" else {})})
    problem = next(one for one in map(sample, range(500)) if one.choices)
    return problem, linearize(world_named(world).solve(problem)).split("\n")


def at(line: int, change: Callable[[str], str]) -> Trick:
    """One line is changed, counted from the first step or, if negative, from the answer."""
    return lambda lines: [change(one) if n == line % len(lines) else one for n, one in enumerate(lines)]


def claims(change: Callable[[str], str], line: int = -2) -> Trick:
    return at(line, lambda text: re.sub(r": (.*)", lambda claim: f": {change(claim[1])}", text, count=1))


def premises(change: Callable[[str], str], line: int = -2) -> Trick:
    return at(line, lambda text: f"{change(text.partition(': ')[0])}: {text.partition(': ')[2]}")


def pasted(line: int, *new: str) -> Trick:
    """Lines are put in before another; steps after them are cited by their new numbers."""

    def trick(lines: Lines) -> Lines:
        here = line % len(lines)
        later = [
            re.sub(r"#(\d+)", lambda cited: f"#{int(cited[1]) + len(new) * (int(cited[1]) > here)}", text)
            for text in lines[here:]
        ]
        return [*lines[:here], *new, *later]

    return trick


def copies(count: int) -> Trick:
    """The step before the last says what it says, again and again, each from the one before."""

    def trick(lines: Lines) -> Lines:
        *steps, last, answer = lines
        op, claim = steps[-1].split(" ", 1)[0], steps[-1].partition(": ")[2]
        n = len(steps)
        more = [f"{op} #{n + k}: {claim}" for k in range(count)]
        return [*steps, *more, last.replace(f"#{n}", f"#{n + count}"), answer]

    return trick


def wrong_letter(text: str) -> str:
    return re.sub(r"\b([A-D])\b(?=\W*$)", lambda letter: "ABCD"[("ABCD".index(letter[1]) + 1) % 4], text)


TRICKS: dict[str, Trick] = {
    "the answer is another one": at(-1, wrong_letter),
    "another answer follows": lambda lines: [*lines, wrong_letter(lines[-1])],
    "all letters": at(-1, lambda _: "ANSWER: A, B, C, D"),
    "one or the other": at(-1, lambda text: f"{text} or A or B"),
    "no answer": lambda lines: lines[:-1],
    "an empty answer": at(-1, lambda _: "ANSWER: "),
    "a Cyrillic letter in the answer": at(-1, lambda _: "ANSWER: \u0410\u0421"),
    "a Cyrillic letter in a claim": claims(lambda claim: claim.replace("o", "\u043e")),
    "full-width letters in a claim": claims(lambda claim: claim.replace("o", "\uff4f")),
    "full-width brackets in a claim": claims(lambda claim: claim.replace("{", "\uff5b").replace("}", "\uff5d")),
    "a full-width sign in a claim": claims(lambda claim: claim.replace("=", "\uff1d")),
    "full-width premises": premises(lambda text: text.replace("#", "\uff03")),
    "Arabic digits in a premise": premises(lambda text: re.sub(r"#\d+", "#\u0663", text)),
    "a padded number in a premise": premises(lambda text: text.replace("#", "#0")),
    **{
        f"U+{ord(sign):04X} in {where}": change
        for sign in ZERO_WIDTH
        for where, change in {
            "a claim": claims(lambda claim, sign=sign: claim[:3] + sign + claim[3:]),  # type: ignore[misc]
            "a premise": premises(lambda text, sign=sign: text + sign),  # type: ignore[misc]
        }.items()
    },
    "a comment behind a claim": claims(lambda claim: f"{claim} // as was shown"),
    "a comment in brackets": claims(lambda claim: f"{claim} (see above)"),
    "a comment between signs": claims(lambda claim: f"{claim} /* so */"),
    "a claim in a claim": claims(lambda claim: f"{claim} [claim: {claim}]"),
    "prose behind a claim": claims(lambda claim: f"{claim} - which is right"),
    "a second claim": claims(lambda claim: f"{claim}; {claim}"),
    "one thing twice": claims(lambda claim: f"{claim} & {claim}"),
    "one thing or the same": claims(lambda claim: f"{claim} | {claim}"),
    "one thing eighty times": claims(lambda claim: " & ".join([claim] * 80), line=-3),
    "an endless list": claims(lambda claim: " | ".join([claim] * 5_000)),
    "an option twice": premises(lambda text: text.replace(" A", " A A")),
    "an option that is not there": premises(lambda text: text.replace(" D", " D E")),
    "an option left out": premises(lambda text: text.replace(" D", "")),
    "a letter twice in a claim": claims(lambda claim: re.sub(r"\{(\w)\}", r"{\1, \1}", claim)),
    "every step cited": premises(lambda text: text + "".join(f" #{n}" for n in range(1, 4))),
    "a premise a thousand times": premises(lambda text: text + " #1" * 1_000),
    "itself cited": lambda lines: premises(lambda text: f"{text} #{len(lines) - 1}")(lines),
    "a later step cited": premises(lambda text: f"{text} #3", line=0),
    "a step cited that is not there": premises(lambda text: f"{text} #99"),
    "nothing cited": premises(lambda text: text.split(" ")[0]),
    "the answer cited": premises(lambda text: f"{text} answer"),
    "another operation": premises(lambda text: "CONSTRAIN " + text.split(" ", 1)[1]),
    "a Chinese operation": premises(lambda text: text.replace("INFER", "推断")),
    "a Chinese answer line": at(-1, lambda text: text.replace("ANSWER", "答案")),
    "an operation in small letters": premises(lambda text: text.replace("INFER", "infer")),
    "the last steps alone": lambda lines: lines[-2:],
    "the steps backwards": lambda lines: [*reversed(lines[:-1]), lines[-1]],
    "a step twice": lambda lines: pasted(-2, lines[-3])(lines),
    "the first step twice": lambda lines: pasted(1, lines[0])(lines),
    "a step that nothing uses": lambda lines: pasted(-1, lines[1])(lines),
    "one copy": copies(1),
    "85 copies": copies(85),
    "200 copies": copies(200),
    "the trace twice": lambda lines: [*lines[:-1], *lines],
    "it holds anyway": pasted(1, "CONSTRAIN: Ann = Ann"),
}


@pytest.mark.parametrize("world", WORLDS)
def test_the_proof_itself_has_a_full_mark(world: str) -> None:
    problem, lines = proof(world)
    assert judge(problem, "\n".join(lines)).code == "proved"


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_gets_a_full_mark(world: str, trick: str) -> None:
    problem, lines = proof(world)
    tricked = TRICKS[trick](list(lines))
    assert tricked != lines
    assert judge(problem, "\n".join(tricked)).code != "proved", "\n".join(tricked)[:2_000]
