"""A search for texts that are paid too much: traces are edited, texts are made by hand, and a brute force is asked.

No text without an answer may earn anything, and none that is no proof more than half of its honest prefix: the share of
the exact teacher's claims that it has in steps which are entailed by what they cite, before the first that is not, by
brute forces that share no code with the solver or the checker. A proof earns 1.5. Edited traces that earn much without
a proof are built on.

    python -m tests.redteam.rewards 20000           # edited traces for each world; prints a table
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from srt.io.records import Answer, Problem
from srt.language.text import TraceSyntaxError, answer_line, linearize, parse_step, step_lang
from srt.language.trace import Step, Trace
from srt.rewards import PREFIX_WEIGHT, reward
from tests.redteam.attacks import Attack, attacks
from tests.redteam.search import MOST_STEPS, PROBLEMS, WORLDS, Target, edited, entailed, keep, targets_of
from tests.redteam.test_tricks import TRICKS

_MARK = re.compile(r"[-*>|\s]*(?:\d+[.)] +)?")


@dataclass
class Paid:
    """What texts of one class earned: how many there are, the most that one earned, and those above their bound."""

    texts: int = 0
    highest: float = 0.0
    bound: float = 0.0
    above: list[str] = field(default_factory=list)

    def add(self, name: str, text: str, value: float, bound: float) -> None:
        """Count ``text``, which earned ``value``."""
        self.texts += 1
        self.highest = max(self.highest, value)
        self.bound = max(self.bound, bound)
        if value > bound + 1e-9:
            self.above.append(f"{name}: {value} > {bound}\n{text[:3000]}")


Table = Mapping[str, Paid]
"""By what a text states, and whether it is a proof."""


def by_search(world: str, candidates: int, problems: int = PROBLEMS) -> Table:
    """Pay ``candidates`` edited traces of ``problems`` problems of ``world``, and some texts made of each."""
    rng = random.Random(f"{world} rewards")
    targets = targets_of(world, rng, problems)
    table: dict[str, Paid] = defaultdict(Paid)
    tried = 0
    while tried < candidates:
        target = rng.choice(targets)
        trace = edited(target, rng)
        if trace is None or len(trace.steps) > MOST_STEPS or (text := linearize(trace)) in target.seen:
            continue
        target.seen.add(text)
        tried += 1
        value = _pay(table, target, trace.steps, text, trace.answer)
        keep(target, trace, 0 if value > PREFIX_WEIGHT else 4 - int(8 * value))
        for text, answer, steps in _spoilt(target, trace, rng):
            _pay(table, target, steps, text, answer)
    return table


def _pay(table: dict[str, Paid], target: Target, steps: Sequence[Step], text: str, answer: str | None) -> float:
    """Count ``text``, which has ``steps`` or some of them, and states ``answer``."""
    followed, honest = _honest(target, steps)
    right = answer is not None and target.brute.answers(answer.split(", "))
    value = reward(target.problem, text).value
    if answer is None:
        table["no answer"].add("search", text, value, 0.0)
    elif not right:
        table["a wrong answer"].add("search", text, value, PREFIX_WEIGHT * honest)
    elif not followed:
        table["the right answer, a step that does not follow"].add("search", text, value, PREFIX_WEIGHT * honest)
    else:
        table["the right answer, all steps follow"].add("search", text, value, 1 + PREFIX_WEIGHT)
    return value


def _honest(target: Target, steps: Sequence[Step]) -> tuple[bool, float]:
    """Whether all ``steps`` follow, and the share of the teacher's claims before the first that does not."""
    teacher = {step.claim for step in target.exact.steps}
    claims = [step.claim or "" for step in steps]
    good = next((n for n, step in enumerate(steps) if not entailed(target.brute, claims, step)), len(steps))
    return good == len(steps), len(teacher & set(claims[:good])) / len(teacher)


def _spoilt(target: Target, trace: Trace, rng: random.Random) -> Iterator[tuple[str, str | None, Sequence[Step]]]:
    """Texts made of ``trace``, each with the answer that it states and its steps: cut, with another answer, or with
    lines again."""
    lines = linearize(trace).split("\n")
    lang = target.problem.lang
    how = rng.randrange(4)
    if how == 0:
        kept = lines[: rng.randrange(len(lines))]
        text = "\n".join(kept)[: -rng.randrange(1, 9)]
        # Of a word cut after its first letter, an option may be left: that is an answer.
        if text.split("\n")[-1] not in target.problem.choices:
            yield text, None, trace.steps
    elif how == 1:
        other = rng.choice([*target.problem.choices, *"123456789"][: len(target.problem.choices) or 9])
        kept = lines[: rng.randrange(1, len(lines))]
        yield "\n".join([*kept, answer_line(other, lang)]), other, trace.steps[: len(kept)]
    elif how == 2:
        at = rng.randrange(len(lines) - 1)
        yield "\n".join([*lines[:at], *[lines[at]] * rng.randrange(2, 80), *lines[at:]]), trace.answer, trace.steps


def by_hand(world: str, problems: int = 4) -> Table:
    """Pay the texts by hand for ``problems`` problems of ``world``."""
    rng = random.Random(f"{world} by hand")
    table: dict[str, Paid] = defaultdict(Paid)
    for target in targets_of(world, rng, problems):
        *steps, answer = linearize(target.exact).split("\n")
        right = target.exact.answer
        wrong = rng.choice([one for one in target.problem.choices if one != right] or [str(int(right) + 1)])
        given = [*attacks(target.problem, right, wrong, steps)]
        if target.problem.lang == "en" and target.problem.choices:
            tricked = {name: trick([*steps, answer]) for name, trick in TRICKS.items()}
            # Some change one letter, and nothing where the answer has several.
            given += [
                Attack(name, "\n".join(lines), "the right answer")
                for name, lines in tricked.items()
                if lines != [*steps, answer]
            ]
        for name, text, states in given:
            bound = (
                0.0 if states == "no answer" else PREFIX_WEIGHT * _honest(target, _steps_in(target.problem, text))[1]
            )
            table[states].add(name, text, reward(target.problem, text).value, bound)
    return table


def _steps_in(problem: Problem, text: str) -> list[Step]:
    """Whatever can be read as a step in ``text``, by lines."""
    steps = []
    for line in text[:100_000].split("\n"):
        said = line[_MARK.match(line).end() :].strip("*| ")  # type: ignore[union-attr]
        if step_lang(said) is not None:
            try:
                kind, step = parse_step(said, 1, problem.lang)
            except TraceSyntaxError:
                break
            steps += [step] if kind == "world" else []
    return steps


FREE: Sequence[tuple[Problem, str, str]] = [
    (Problem(question="How many are 2 apples and 2 apples?", answer=Answer(kind="number", value=4)), "4", "5"),
    (Problem(question="长方体的体积是多少？长 2, 宽 3, 高 4。", answer=Answer(kind="number", value=24)), "24", "9"),
    (
        Problem(
            question="A cone has base radius 3 and slant height 5; its volume?",
            answer=Answer(kind="expression", value="12\\pi"),
        ),
        "12\\pi",
        "15\\pi",
    ),
    (
        Problem(
            question="Which is a cube?", choices={"A": "cone", "B": "ball", "C": "die"},
            answer=Answer(kind="choice_set", value=["C"]),
        ),
        "C",
        "A",
    ),
    (Problem(question="Is a square a rectangle?", answer=Answer(kind="boolean", value=True)), "yes", "no"),
    (
        Problem(question="Which colour has the roof?", answer=Answer(kind="text", value="red")),
        "red",
        "green",
    ),
]  # fmt: skip
"""Problems of no world, with a right answer and a wrong one. For them 1 is paid for the right answer."""


def free() -> Table:
    """Pay the texts by hand for problems of no world."""
    table: dict[str, Paid] = defaultdict(Paid)
    for problem, right, wrong in FREE:
        for name, text, states in attacks(problem, right, wrong):
            value = reward(problem, text).value
            table[states].add(name, text, value, 1.0 if states == "the right answer" else 0.0)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("candidates", type=int)
    parser.add_argument("worlds", nargs="*", default=WORLDS)
    args = parser.parse_args()
    print("| texts | what they state | number | highest reward | highest bound | above their bound |")
    print("|---|---|---|---|---|---|")
    makers = [(f"{world}, edited", partial(by_search, world, args.candidates)) for world in args.worlds]
    makers += [(f"{world}, by hand", partial(by_hand, world)) for world in args.worlds]
    for name, make in [("no world, by hand", free), *makers]:
        table = make()
        for states, paid in sorted(table.items()):
            counts = f"{paid.texts:,} | {paid.highest:.3f} | {paid.bound:.3f} | {len(paid.above)}"
            print(f"| {name} | {states} | {counts} |", flush=True)
            for text in paid.above[:3]:
                print(text)


if __name__ == "__main__":
    main()
