"""How fast the solids world is on one core: problems made, solved, refused, and traces checked.

    python -m benchmarks.solids_speed [--n 300] [--first 0]

Seconds are those of the processor. The last column is the time beside that of parsing and dumping a problem and its
trace as plain JSON in the same run, which tells how fast the machine is. With the first trace of a problem the checker
works out what the problem says as a whole, which it keeps for the next trace. Refused are problems with one measure
more, to which a hundredth is added, and cuboids whose measures contradict each other only together. For pictures:
``python -m research.worlds.picture_speed``.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import orjson

from srt.checking import check
from srt.io.record_lines import dump
from srt.io.records import Problem
from srt.worlds.solids.derivation.derive import everything
from srt.worlds.solids.reading.quantity_words import quantities
from srt.worlds.solids.reading.read_solid import read_solid
from srt.worlds.solids.solids_world import SolidsWorld
from srt.worlds.solids.statement import GivenFact
from srt.worlds.solids.writing.problem_text import question_text
from srt.worlds.world import Refused

T = TypeVar("T")
WORLD = SolidsWorld()
_WARM = 20
"""Problems before the first that is timed: imports, patterns and tables are made at the first use."""


def main() -> None:
    """Print a row for each thing that is timed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=300, help="problems")
    parser.add_argument("--first", type=int, default=0, help="the index of the first problem")
    options = parser.parse_args()
    measured(_WARM, options.first + options.n)
    seconds = {name: sum(all_of) / len(all_of) for name, all_of in measured(options.n, options.first).items()}
    print(f"| {options.n} problems | CPU ms an item | items a second | x plain JSON |")
    print("|---|---|---|---|")
    for name, each in seconds.items():
        print(f"| {name} | {1000 * each:.2f} | {1 / each:,.0f} | {each / seconds['plain JSON']:,.0f} |")


def measured(n: int, first: int) -> dict[str, list[float]]:
    """The seconds of each item, by what was timed."""
    seconds: dict[str, list[float]] = defaultdict(list)

    def timed(name: str, work: Callable[..., T], *args: object) -> T:
        start = time.process_time()
        done = work(*args)
        seconds[name].append(time.process_time() - start)
        return done

    sample, plans = WORLD.sampler({}), list(WORLD.plans)
    for index in range(first, first + n):
        problem = timed("made", sample, index)
        trace = timed("solved", WORLD.solve, problem)
        for place, one in (("first", trace), ("second", WORLD.solve(problem, plans[-1]))):
            if not timed(f"checked, the {place} trace", check, problem, one).proved:
                raise SystemExit(f"{problem.id}: an exact trace is not proved")
        for name, false in (("one after the other", one_more(problem)), ("together", only_together(index))):
            if false is not None and timed(f"refused, {name}", refusal, false) != "no_such_solid":
                raise SystemExit(f"{false.question} This is not refused.")
        lines = [dump(problem), dump(trace)]
        timed("plain JSON", lambda texts: [orjson.dumps(orjson.loads(text)) for text in texts], lines)
    return seconds


def only_together(index: int) -> Problem:
    """A cuboid of which edges, surface and diagonal do not fit each other: a solid with them is searched in vain."""
    a, b, h, diagonal = ((1, 2, 2, 3), (2, 3, 6, 7), (1, 4, 8, 9), (4, 4, 7, 9), (2, 6, 9, 11), (6, 6, 7, 11))[
        index % 6
    ]
    k = 1 + index % 11
    edges, surface = 4 * (a + b + h) * k, 2 * (a * b + a * h + b * h) * k * k + 2
    text = f"A cuboid has total length of the edges {edges}, surface area {surface} and space diagonal {diagonal * k}. "
    return Problem(id="p", source="solids", lang="en", question=text + "Find its volume.")


def one_more(problem: Problem) -> Problem | None:
    """The problem with one measure more, which is too large by a hundredth; ``None`` where no text gives one."""
    statement = read_solid(problem).statement
    rng, given = random.Random(problem.id), {fact.name for fact in statement.facts}
    for name, step in everything(statement).items():
        if name in given or step.measure is None or name[0] in "kAQ" or name[0] not in quantities(name[2:-1], "en"):
            continue
        false = step.measure._replace(number=step.measure.number.scaled(Fraction(101, 100)))
        facts = (*statement.facts, GivenFact(max(fact.sentence for fact in statement.facts) + 1, name, false))
        question = question_text(statement._replace(facts=facts), problem.lang, rng)
        changed = Problem(id="p", source="solids", lang=problem.lang, question=question)
        if WORLD.recognises(changed):
            return changed
    return None


def refusal(problem: Problem) -> str:
    """Why the solver refuses a problem; empty where it does not."""
    try:
        WORLD.solve(problem)
    except Refused as refused:
        return refused.reason
    return ""


if __name__ == "__main__":
    main()
