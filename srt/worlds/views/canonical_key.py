"""One key for all problems that ask the same of the same solid, in whatever position, size of numbers and language.

The key is a hash of (what is shown and asked, canonical solid). The solid is the one that the problem is about; of
several that fit the views, the greatest; where the options are solids, the right one. Turns on the table and mirror
images are divided out, and with them which side a view is from: that puts more problems together than are the same,
never fewer. Of nets, the squares of the faces that are asked for or seen stand for the solid. A split is a function of
the key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import lru_cache

from srt.io.records import Problem
from srt.worlds.views.claim_language import NET_FORMS, QUANTITIES, ViewClaim
from srt.worlds.views.derivation.exact_teacher import make_trace
from srt.worlds.views.kernel.nets import Net
from srt.worlds.views.kernel.stacks import Heights, canonical
from srt.worlds.views.kernel.voxels import Voxels, canonical_voxels, from_heights
from srt.worlds.views.reading.problem_reader import heights_of, net_of, read_problem, seen_faces, voxels_of
from srt.worlds.world import Refused


@lru_cache(maxsize=4096)
def canonical_key(asked: ViewClaim, shows_solid: bool, solid: Heights) -> str:
    """The key, 16 hexadecimal digits. ``shows_solid``: the solid itself or its plan is shown.

    ``solid`` is a height map; of nets it is :func:`squares_marked`.
    """
    if asked.form == "asked":
        what = asked.word if asked.word in (*QUANTITIES, "plan") else "view"
    else:
        what = asked.form
    if asked.form == "turns":
        return turned_key(from_heights(solid))
    text = f"{what}/{shows_solid}/{canonical(solid)}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def turned_key(solid: Voxels) -> str:
    """The key of a problem that turns ``solid`` in space."""
    return hashlib.sha256(b"turns/" + canonical_voxels(solid, reflections=True)).hexdigest()[:16]


def squares_marked(net: Net, faces: Collection[int]) -> Heights:
    """The squares of a net, without its digits: 2 for those of ``faces``, 1 for the others."""
    return tuple(tuple((digit > 0) + (digit in faces) for digit in row) for row in net)


def key_of(problem: Problem) -> str | None:
    """The key of ``problem``; ``None`` where it cannot be read, or has no single solution."""
    try:
        read = read_problem(problem)
        if read.asked.form == "turns":
            make_trace(problem)
            return turned_key(voxels_of(read.shown["solid"]))
        if read.asked.form in NET_FORMS:
            answer = make_trace(problem).answer
            net = net_of(read.options[answer] if read.asked.form == "unfolds" else read.shown["net"])
            cube = read.options[answer] if read.asked.form == "folds" else read.shown.get("cube")
            faces = [read.asked.k] if read.asked.form == "opposes" else seen_faces(cube)
            return canonical_key(read.asked, False, squares_marked(net, faces))
        if read.asked.form == "fits":
            option = read.options[make_trace(problem).answer]
            return None if isinstance(option, str) else canonical_key(read.asked, False, heights_of(option))
        return canonical_key(read.asked, read.source is not None, read.heights)
    except Refused:
        return None
