"""How many test problems of a family mean the same as a puzzle that is trained on, said in other words.

    python -m research.meanings runs/research/FAMILY ...

A puzzle is clues and question as they are said, up to names, order and the symmetry of the scene. "Ann is left of Bob"
and "Bob is right of Ann" are two puzzles and one meaning: what seatings each clue allows, and who fills the blank in
each seating, up to names. Prints, for each folder of an experiment, the puzzles and meanings of its training problems,
and the test problems whose meaning is not among these; the same of their clues alone, and of their question alone.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import TEST
from srt.io.problem_files import read_problems
from srt.io.records import Problem
from srt.pipeline.generate import split_key
from srt.worlds.seating.derivation.masks import masks_of
from srt.worlds.seating.reading.problem_reader import read_problem


class Meaning(NamedTuple):
    """What a problem says, and its halves: what its clues say alone, and what its question asks."""

    whole: Hashable
    clues: Hashable
    question: Hashable


def meaning(problem: Problem) -> Meaning:
    """The scene, with the least form of clues and question over all ways to number the names; of each half likewise."""
    puzzle = read_problem(problem)
    masks = masks_of(puzzle.scene)

    def numbered(order: tuple[int, ...]) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
        number = dict(zip(puzzle.names, order, strict=True))
        clues = sorted(tuple(masks.meaning(clue.claim, number)) for clue in puzzle.clues)
        return tuple(clues), tuple(masks.fillers(puzzle.question, number))

    forms = [numbered(order) for order in permutations(range(len(puzzle.names)))]
    return Meaning(
        whole=(puzzle.scene, *min(forms)),
        clues=(puzzle.scene, min(clues for clues, _ in forms)),
        question=(puzzle.scene, min(fillers for _, fillers in forms)),
    )


def report(root: Path) -> str:
    """A few words on the experiment in the folder ``root``."""
    folder = ExperimentFolder(root)
    trained = {split_key(problem): problem for problem in read_problems(folder.train).values()}
    meanings = [meaning(problem) for problem in trained.values()]
    tested = [meaning(problem) for problem in read_problems(folder.test(TEST)).values()]
    known = {half: {getattr(one, half) for one in meanings} for half in Meaning._fields}
    new = {half: sum(getattr(one, half) not in known[half] for one in tested) for half in Meaning._fields}
    return (
        f"{root.name}: {len(trained):,} puzzles of {len(known['whole']):,} meanings are trained on, with "
        f"{len(known['clues']):,} meanings of their clues alone and {len(known['question']):,} of their question "
        f"alone; of {len(tested)} test problems {new['whole']} have a meaning that is not among them, {new['clues']} "
        f"clues that are not, {new['question']} a question that is not"
    )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    for name in sys.argv[1:]:
        print(report(Path(name)), flush=True)
