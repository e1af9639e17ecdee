"""Wrong options that do not give the answer away to somebody who cannot see the figures.

If wrong options were made from the right one (one more, one less, a mirror image, a typical mistake), the right one
could be told by its place among them: it would be most like the others. So problems are drawn that ask the same of like
solids and have different answers, and then chance decides which of them is the problem; the answers of the others are
its wrong options. Given the options, each is as likely to be right as another. For that every answer must be wrong in
all of the other problems: if this were only asked of the one that chance decides on, an answer that is seldom possible
elsewhere would be right more often.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from srt.worlds.views.kernel.stacks import Heights, count, mirrored, quarter_turn
from srt.worlds.views.kernel.voxels import canonical_in_space
from srt.worlds.views.sampling.problem_draft import ProblemDraft


def like_drafts(
    first: ProblemDraft, another: Callable[[], ProblemDraft | None], many: int, tries: int
) -> list[ProblemDraft] | None:
    """``first`` and others like it, ``many`` in all, with different answers; ``None`` if they are not found.

    ``another`` draws a problem that asks the same, of a like solid; ``None`` where chance led to none.
    """
    drafts = [first]
    for _ in range(tries):
        draft = another()
        if draft is not None and all(_differ(draft, other) for other in drafts):
            drafts.append(draft)
            if len(drafts) == many:
                return drafts
    return None


def _differ(one: ProblemDraft, other: ProblemDraft) -> bool:
    """Whether the answer of each is wrong for the other."""
    match one.asked.form:
        case "asked" | "opposes":  # One number, view or plan is right.
            return one.right != other.right
        case "fits":  # The solids that have other views.
            return one.shown != other.shown
        case "turns":
            if count(one.subject) != count(other.subject):  # Counting cubes would be enough.
                return False
            return canonical_in_space(one.subject) != canonical_in_space(other.subject)
    return one.why(other.right) is not None and other.why(one.right) is not None


def like_solid(first: ProblemDraft, heights: Heights, highest: int, rng: random.Random) -> Heights:
    """A solid with one to three stacks of another height; for pictures also a mirror image or a turned solid.

    For questions about turns in space all solids have the same number of cubes; otherwise counting would be enough.
    """
    in_space = first.asked.form == "turns"
    if not isinstance(first.right, int) and rng.random() < 0.4:
        moves = [mirrored, _front_to_back, _half_turn, quarter_turn]
        square = len(heights) == len(heights[0])
        heights = mirrored(heights) if in_space else rng.choice(moves if square else moves[:3])(heights)
        if rng.random() < 0.6:
            return heights
    rows = [list(row) for row in heights]
    changes = [1, -1] * rng.randint(1, 2) if in_space else [rng.choice((1, -1)) for _ in range(rng.randint(1, 3))]
    for change in changes:
        row = rng.choice(rows)
        x = rng.randrange(len(row))
        row[x] = min(highest, max(0, row[x] + change))
    return tuple(map(tuple, rows))


def _front_to_back(heights: Heights) -> Heights:
    return heights[::-1]


def _half_turn(heights: Heights) -> Heights:
    return mirrored(heights[::-1])
