"""How many test problems of a family mean the same as a puzzle that is trained on, said in other words.

    python -m benchmarks.ladder.meanings runs/ladder/FAMILY ...

Splits are by puzzle: clues and question as they are said, up to names, order and the symmetry of the scene. "Ann is
left of Bob" and "Bob is right of Ann" are two puzzles and one meaning. Here a meaning is what seatings each clue
allows, and who fills the blank in each seating, up to names. Prints, for each folder of an experiment, the puzzles and
meanings of its training problems, and the test problems whose meaning is not among these.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from itertools import permutations
from pathlib import Path

from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import TEST
from srt.io.problem_files import read_problems
from srt.io.records import Problem
from srt.pipeline.generate import split_key
from srt.worlds.seating.derivation.masks import masks_of
from srt.worlds.seating.reading.problem_reader import read_problem


def meaning(problem: Problem) -> Hashable:
    """The scene, and the least form of clues and question over all ways to number the names."""
    puzzle = read_problem(problem)
    masks = masks_of(puzzle.scene)

    def numbered(order: tuple[int, ...]) -> tuple[list[tuple[int, int]], tuple[int, ...]]:
        number = dict(zip(puzzle.names, order, strict=True))
        clues = sorted(tuple(masks.meaning(clue.claim, number)) for clue in puzzle.clues)
        return clues, tuple(masks.fillers(puzzle.question, number))

    clues, fillers = min(numbered(order) for order in permutations(range(len(puzzle.names))))
    return puzzle.scene, tuple(clues), fillers


def report(root: Path) -> str:
    """One line on the experiment in the folder ``root``."""
    folder = ExperimentFolder(root)
    trained = {split_key(problem): problem for problem in read_problems(folder.train).values()}
    known = {meaning(problem) for problem in trained.values()}
    tested = list(read_problems(folder.test(TEST)).values())
    new = sum(meaning(problem) not in known for problem in tested)
    return (
        f"{root.name}: {len(trained):,} puzzles of {len(known):,} meanings are trained on; "
        f"{new} of {len(tested)} test problems have a meaning that is not among them"
    )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    for name in sys.argv[1:]:
        print(report(Path(name)), flush=True)
