"""A search for certificates that are not deserved: texts with faults are judged, and a brute force is asked.

Texts are traces and prose of the exact teacher in which people or numbers are swapped, sentences are left out, steps
are edited, or another answer is given. Of problems with one clue less, which have several solutions, they are the
teacher's prose of each solution: an answer that follows from one of them may be wrong in another, which is what a
certificate cannot tell.

    python -m tests.redteam.certificates 20000      # texts for each world; prints a table
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from srt.io.errors import UserError
from srt.io.records import Problem
from srt.judging.judge import judge
from srt.language.text import answer_line, linearize
from srt.language.trace import Trace
from srt.worlds.world_registry import world_named
from tests.redteam.brute_seating import BruteSeating
from tests.redteam.brute_views import BruteViews
from tests.redteam.edits import EDITS, Material
from tests.redteam.search import brute_of

WORLDS = ("seating", "views")
SPECS = {"seating": {}, "views": {"style": "none", "kinds": ["C3M"]}}
PROBLEMS = 60
_CELL = re.compile(r"(?<![\w.])([a-h][1-8])(?: = | is | has |处高|处为)(\d)", re.ASCII)


@dataclass
class Found:
    """What a search found. ``wrong`` counts the texts whose answer is not the gold one."""

    texts: int = 0
    wrong: int = 0
    certified: int = 0
    wrong_answer: list[str] = field(default_factory=list)
    unfit: list[str] = field(default_factory=list)


def search(world: str, texts: int, problems: int = PROBLEMS) -> Found:
    """Judge ``texts`` texts with faults, of ``problems`` problems of ``world``."""
    rng = random.Random(world)
    here = world_named(world)
    samplers = [here.sampler({**SPECS[world], "lang": lang}) for lang in ("en", "zh")]
    found = Found()
    given = [rng.choice(samplers)(rng.randrange(100_000)) for _ in range(problems)]
    given = [problem for problem in given if getattr(brute_of(world, problem), "decides", True)]
    while found.texts < texts:
        problem = rng.choice(given)
        text = _faulty(problem, world, rng)
        judged = judge(problem, text)
        found.texts += 1
        found.wrong += judged.right is False
        if judged.certified:
            found.certified += 1
            if not judged.right:
                found.wrong_answer.append(f"{problem.question}\n{text}")
            if not fits(world, problem, text, judged.answer or ""):
                found.unfit.append(f"{problem.question}\n{text}")
    return found


def fits(world: str, problem: Problem, text: str, answer: str) -> bool:
    """Whether the last plan of ``text``, in the words of our traces and prose, and ``answer`` fit ``problem``.

    By a brute force, and by a reader of plans of its own.
    """
    brute = brute_of(world, problem)
    if isinstance(brute, BruteSeating):
        seat = "|".join(sorted(brute.ways[0], key=len, reverse=True))
        pair = re.compile(rf"({'|'.join(map(re.escape, brute.names))})(?:@| is at |位于| |)({seat})\b", re.ASCII)
        last: dict[str, set[str]] = {}
        for statement in re.split(r"[.。!\n？]|(?<=\w)\?", text):
            said: dict[str, set[str]] = {}
            for name, where in pair.findall(statement):
                said.setdefault(name, set()).add(where)
            last |= said
        plan = [last.get(name, set()) for name in brute.names]
        return all(len(one) == 1 for one in plan) and brute.fits([*chain(*plan)], answer.split(", "))
    assert isinstance(brute, BruteViews)
    heights = {
        cell: int(height) for cell, height in _CELL.findall(re.sub(r"stacks at [^.;]*|[^。；\n]*中最高", "", text))
    }
    count = problem.choices.get(answer, answer)
    return brute.fits(heights, int(count))


def _faulty(problem: Problem, world: str, rng: random.Random) -> str:
    """A text of ``problem``, nearly always with a fault."""
    here = world_named(world)
    trace = here.solve(problem, rng.choice([*here.plans]))
    answer = trace.answer
    if rng.random() < 0.4:
        answer = rng.choice([*problem.choices] or [str(n) for n in range(1, 12)])
        trace = trace.model_copy(update={"answer": answer})
    kind = rng.choice(("trace", "cot", "terse", "edited"))
    if kind == "edited":
        text = _edited(problem, trace, rng)
    elif kind == "trace":
        text = linearize(trace)
    else:
        text = f"{here.explain(problem, trace, terse=kind == 'terse')}\n{answer_line(answer, problem.lang)}"
    for _ in range(rng.choice((0, 1, 1, 2))):
        text = _spoilt(text, rng)
    return text


def _edited(problem: Problem, trace: Trace, rng: random.Random) -> str:
    steps = list(trace.steps)
    material = Material(trace.steps, ["scene", "(1)", *problem.choices], [(step, ()) for step in trace.steps])
    for _ in range(rng.choice((1, 2, 3))):
        steps = rng.choice(EDITS)(steps, material, rng) or steps
    return linearize(trace.model_copy(update={"steps": tuple(steps)}))


def _spoilt(text: str, rng: random.Random) -> str:
    """``text`` with two words swapped from some place on, a number changed, or a sentence left out or moved."""
    *body, end = text.split("\n")
    joined = "\n".join(body)
    what = rng.randrange(4)
    words = re.findall(r"[A-Z][a-z]+(?=@| is at)|[一-鿿]{2,3}(?=@|位于)|\b[a-h][1-8]\b", joined)
    seats = re.findall(r"(?:(?<=@)|(?<=位于)|(?<=at ))[A-Z0-9]{1,2}\b", joined)
    start = rng.randrange(len(joined) + 1) if rng.random() < 0.5 else 0
    if what < 2 and len(pool := {*words} if what == 0 else {*seats}) > 1:
        one, other = rng.sample(sorted(pool), 2)
        swap = {one: other, other: one}
        joined = joined[:start] + re.sub(f"{one}|{other}", lambda match: swap[match[0]], joined[start:])
    elif what == 2:
        joined = joined[:start] + re.sub(r"(?<!\d)[1-4](?!\d)", lambda _: rng.choice("1234"), joined[start:], count=1)
    else:
        parts = re.split(r"(?<=[.。;；\n])", joined)
        part = parts.pop(rng.randrange(len(parts)))
        if rng.random() < 0.5:
            parts.insert(rng.randrange(len(parts) + 1), part)
        joined = "".join(parts)
    return f"{joined}\n{end}"


def loosened(count: int) -> Iterator[tuple[Problem, str, bool]]:
    """``count`` seating problems without one of their clues, a text that states one of their solutions, and whether its
    answer is right in all solutions."""
    rng = random.Random("loosened")
    sample = world_named("seating").sampler({})
    while count:
        problem = sample(rng.randrange(100_000))
        head, *rest = re.split(r"\n(?=\(\d\))", problem.question.rpartition("\n")[0])
        if len(rest) < 2:
            continue
        gone = rng.randrange(len(rest))
        rest = [f"({n})" + clue.partition(")")[2] for n, clue in enumerate(rest[:gone] + rest[gone + 1 :], 1)]
        loose = problem.model_copy(
            update={"question": "\n".join([head, *rest, problem.question.rpartition("\n")[2]]), "answer": None}
        )
        try:
            brute = brute_of("seating", loose)
        except (UserError, ValueError):
            continue
        assert isinstance(brute, BruteSeating)
        if (solution := brute.solution(rng)) is None:
            continue
        seats, letters = solution
        said = "\n".join(f"{name}: {seat}" for name, seat in zip(brute.names, seats, strict=True))
        yield loose, f"{said}\n{answer_line(', '.join(letters), loose.lang)}", brute.answers(letters)
        count -= 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=int)
    args = parser.parse_args()
    print("| world | texts | answer wrong | certified | certified with a wrong answer | plan does not fit |")
    print("|---|---|---|---|---|---|")
    for world in WORLDS:
        found = search(world, args.texts)
        counts = [found.texts, found.wrong, found.certified, len(found.wrong_answer), len(found.unfit)]
        print(f"| {world} | {' | '.join(f'{count:,}' for count in counts)} |")
    loose = [(bool(judge(problem, text).certified), sure) for problem, text, sure in loosened(args.texts // 40)]
    certified = [sure for was, sure in loose if was]
    print(f"\nOf {len(loose):,} texts on problems with one clue less, {len(certified):,} are certified; the answers of")
    print(f"{certified.count(False):,} of these are wrong in another solution.")


if __name__ == "__main__":
    main()
