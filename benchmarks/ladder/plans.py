"""Where texts about seats go wrong: in the plan, the seat that is asked for, who sits there, or that one's letter.

    python -m benchmarks.ladder.plans runs/ladder/FAMILY ...

Each is judged by what the text says before it, so that one fault does not make all the rest wrong. For each arm, seed,
number of items and kind of scene, ``benchmarks/results/ladder/FAMILY/plans.jsonl`` then has in how many texts

- the last plan that is written seats everybody right, held against the exact solver's;
- the seats that are asked for are right, too, held against the solver's answer in that plan;
- those who are named sit on the asked seats by the text's own plan, of the texts that have all three;
- the letters are those of the people who are named, of these texts again, also by how many of these are options, and
  where one is, by its letter.

Reads traces (``srt``) and English prose (``cot``) of seating problems, by patterns: the parser and the checker stop at
the first wrong step.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ladder.results import FILED, PLANS, PlanCount, scene_of
from eval.run.run_records import PREDICTIONS
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import TEST
from srt.io.jsonl import read_records, write_records
from srt.io.problem_files import read_problems
from srt.io.records import Prediction, Problem
from srt.worlds.seating.derivation.solver import right_options, solve
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.world import Refused

ARMS = ("cot", "srt")
_SEAT = r"[A-Z0-9]{1,2}\b"
_SENTENCE = re.compile(r"\n|(?<=\.) ")
_ASKED_IN_TRACE = re.compile(rf"\?@({_SEAT})(?= \||$)")
_ASKED_IN_PROSE = re.compile(r"look for whoever is at ([A-Z0-9, or]+)\.")
_NAMED_IN_PROSE = re.compile(rf"(?:\bSo | is at {_SEAT}, )([^.?]*?) fills? the blank\.$")
_ANSWER = re.compile(r"^ANSWER: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """A problem that the solver solves: who fills the blank, and the ways in which everybody may be seated."""

    puzzle: Puzzle
    filled: tuple[str, ...]
    placements: list[dict[str, str]]

    @classmethod
    def read(cls, problem: Problem) -> Asked | None:
        """The problem; ``None`` if the solver does not read it."""
        try:
            puzzle = read_problem(problem)
            solved = solve(puzzle)
        except Refused:
            return None
        seats = puzzle.scene.seats
        turned = [dict(zip(seats, (seats[to] for to in turn), strict=True)) for turn in puzzle.scene.symmetries]
        placements = [{name: turn[seat] for name, seat in solved.placement.items()} for turn in turned]
        return cls(puzzle, solved.filled, placements)


@dataclass(frozen=True)
class Links:
    """What of one text is right; ``named`` and ``letter`` are ``None`` where the text does not come so far.

    ``asked`` is so only of a right plan. ``options``: the letters of those who are named, if they are options.
    """

    plan: bool
    asked: bool = False
    named: bool | None = None
    letter: bool | None = None
    options: tuple[str, ...] = ()


def links(asked: Asked, text: str) -> Links:
    """What of ``text`` is right, each link by those before it."""
    plan = last_plan(asked.puzzle.names, text)
    if plan is None:
        return Links(plan=False)
    right = plan in asked.placements
    seats, names = _asked_seats(text), _named(asked.puzzle.names, text)
    wanted = {plan[name] for name in asked.filled}
    if not seats or not names:
        return Links(right, asked=right and seats == wanted)
    said = _ANSWER.search(text)
    letters = list(right_options(asked.puzzle.options, names))
    return Links(
        plan=right,
        asked=right and seats == wanted,
        named=set(names) == {name for name, seat in plan.items() if seat in seats},
        letter=said is not None and said[1].split(", ") == letters,
        options=tuple(sorted(letter for letter, name in asked.puzzle.options.items() if name in names)),
    )


def last_plan(names: Sequence[str], text: str) -> dict[str, str] | None:
    """The last seat of each of ``names`` that a step or a sentence gives, if one gives all; lookups are no plans."""
    placed = re.compile(rf"\b({_any_of(names)})(?:@| is at )({_SEAT})")
    plan = None
    for sentence in _SENTENCE.split(text):
        if sentence.startswith(("INFER", "Who is at")) or " | " in sentence or "either" in sentence:
            continue
        if len(seated := dict(placed.findall(sentence))) == len(names):
            plan = seated
    return plan


def _asked_seats(text: str) -> set[str]:
    """The seats of whoever fills the blank, as they are found last; none if the text does not come so far."""
    steps = [line for line in text.split("\n") if line.startswith("INFER") and _ASKED_IN_TRACE.search(line)]
    if steps:
        return set(_ASKED_IN_TRACE.findall(steps[-1]))
    sentences = _ASKED_IN_PROSE.findall(text)
    return set(re.findall(_SEAT, sentences[-1])) if sentences else set()


def _named(names: Sequence[str], text: str) -> list[str]:
    """Who fills the blank, as the text says last."""
    name = _any_of(names)
    steps = [line for line in text.split("\n") if line.startswith("INFER") and re.search(rf"\? = (?:{name})", line)]
    if steps:
        return re.findall(rf"\? = ({name})", steps[-1])
    sentences = [found[1] for found in map(_NAMED_IN_PROSE.search, _SENTENCE.split(text)) if found]
    return re.findall(rf"\b(?:{name})\b", sentences[-1].rpartition(" is at ")[2]) if sentences else []


def _any_of(names: Sequence[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


def count(root: Path) -> Iterator[PlanCount]:
    """A row for each arm, seed, number of items and kind of scene whose outputs the experiment in ``root`` has."""
    folder = ExperimentFolder(root)
    problems = read_problems(folder.test(TEST))
    asked = {name: found for name, problem in problems.items() if (found := Asked.read(problem)) is not None}
    for path in sorted(folder.curve.glob(f"{TEST}/*/*/{PREDICTIONS}")):
        arm, _, seed = path.parts[-3].rpartition("-")
        if arm not in ARMS:
            continue
        by_scene: dict[str, list[Links]] = {}
        for output in read_records(path, Prediction):
            if (name := output.problem_id) in asked:
                by_scene.setdefault(scene_of(problems[name]), []).append(links(asked[name], output.text))
        for scene, found in sorted(by_scene.items()):
            whole = [one for one in found if one.named is not None]
            yield PlanCount(
                arm=arm,
                seed=int(seed),
                items=int(path.parts[-2]),
                scene=scene,
                texts=len(found),
                plans=sum(one.plan for one in found),
                asked=sum(one.asked for one in found),
                naming=len(whole),
                named=sum(bool(one.named) for one in whole),
                letters=sum(bool(one.letter) for one in whole),
                by_options=(
                    _letters([one for one in whole if not one.options]),
                    _letters([one for one in whole if len(one.options) == 1]),
                    _letters([one for one in whole if len(one.options) > 1]),
                ),
                by_letter={
                    letter: _letters([one for one in whole if one.options == (letter,)])
                    for letter in sorted({one.options[0] for one in whole if len(one.options) == 1})
                },
            )


def _letters(found: Sequence[Links]) -> tuple[int, int]:
    """How many, and how many with the right letters."""
    return len(found), sum(bool(one.letter) for one in found)


def main(roots: Sequence[str]) -> None:
    """File the counts of each folder of an experiment, and print them."""
    for root in map(Path, roots):
        rows = sorted(count(root), key=lambda row: (row.scene, row.items, row.arm, row.seed))
        write_records(FILED / root.name / PLANS, rows)
        for row in rows:
            print(
                f"{root.name}, {row.scene}, {row.items:,} items, {row.arm}, seed {row.seed}: plan {row.plans} of "
                f"{row.texts}, asked {row.asked}; of {row.naming}, named {row.named}, letter {row.letters} "
                f"(no, one, several options: {', '.join(f'{right} of {of}' for of, right in row.by_options)})"
            )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(sys.argv[1:])
