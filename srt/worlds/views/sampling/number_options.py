"""Options that are numbers, chosen so that they tell nothing of the answer without the figures.

If wrong numbers were made from the right one (one more, one less, a typical mistake), the right one could be told by
its place among them. So four like solids are drawn, each from the first by a few cubes more, fewer or elsewhere, with
four different answers to the same question; then chance decides which of the four the problem shows. Given the four
numbers, each is as likely to be right as another. A wrong number that is also a typical mistake is named as that.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from srt.worlds.views.kernel.stacks import Heights
from srt.worlds.views.sampling.problem_draft import ProblemDraft, Wrong

_TRIES = 24


def like_drafts(
    first: Heights, highest: int, draw: Callable[[Heights], ProblemDraft | None], many: int, rng: random.Random
) -> list[ProblemDraft] | None:
    """``many`` drafts that ask the same of like solids and have different numbers; ``None`` if they are not found.

    ``draw`` makes the draft of a solid, ``None`` where that solid makes no problem; it must ask the same every time.
    """
    drafts: dict[int, ProblemDraft] = {}
    solid = first
    for _ in range(_TRIES):
        draft = draw(solid)
        if draft is None and solid is first:
            return None
        if draft is not None and isinstance(draft.right, int):
            drafts.setdefault(draft.right, draft)
            if len(drafts) == many:
                return list(drafts.values())
        solid = _like(first, highest, rng)
    return None


def wrong_number(draft: ProblemDraft, other: ProblemDraft) -> Wrong:
    """The number of ``other`` as a wrong option of ``draft``."""
    assert isinstance(other.right, int)
    named = {wrong.option: wrong.reason for wrong in draft.wrong}
    return Wrong(other.right, named.get(other.right, "the number of a like solid"))


def _like(heights: Heights, highest: int, rng: random.Random) -> Heights:
    """A solid with one to three stacks of another height."""
    rows = [list(row) for row in heights]
    for _ in range(rng.randint(1, 3)):
        row = rng.choice(rows)
        x = rng.randrange(len(row))
        row[x] = min(highest, max(0, row[x] + rng.choice((1, -1))))
    return tuple(map(tuple, rows))
