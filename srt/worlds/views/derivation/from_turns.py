"""Derivations for a solid that is turned in space: the turns that lead to one of the options, layer by layer."""

from __future__ import annotations

import numpy as np

from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.derivation.steps import Derivation
from srt.worlds.views.kernel.quarter_turns import position, turned, turns_to_positions
from srt.worlds.views.kernel.stacks import cell_name
from srt.worlds.views.kernel.voxels import Voxels
from srt.worlds.views.reading.problem_reader import voxels_of
from srt.worlds.world import Refused


def turned_solid(derivation: Derivation, asked: int) -> str:
    """Says which option is the solid that is shown, turned; returns its letter."""
    problem = derivation.problem
    solid = voxels_of(problem.shown.get("solid"))
    options = {letter: voxels_of(figure) for letter, figure in problem.options.items()}
    rows = turns_to_positions(solid)
    right = [(letter, rows[position(option)]) for letter, option in options.items() if position(option) in rows]
    if len(right) != 1:
        raise Refused("not_unique", f"choices: {len(right)} of them are the solid that is shown")
    letter, row = right[0]
    layers = _read(derivation, solid, "")
    for many, turn in enumerate(row, 1):
        solid = turned(solid, turn)
        word = " ".join(row[:many])
        steps = []
        for k, cells in enumerate(layers_of(solid), 1):
            before = [layers[k - 1]] if turn in ("top", "bottom") else layers
            steps.append(derivation.say(ViewClaim("turned", word=word, k=k, cells=cells), steps=before))
        layers = steps
    found = _read(derivation, options[letter], letter)
    same = derivation.say(ViewClaim("same", letter), steps=[asked, *layers, *found])
    derivation.say(ViewClaim("options", letter), problem.options, [same])
    return letter


def layers_of(solid: Voxels) -> list[tuple[str, ...]]:
    """The cells of each layer, from the bottom up."""
    deep = solid.shape[1]
    return [tuple(sorted(cell_name((int(y), int(x)), deep) for y, x in np.argwhere(layer))) for layer in solid]


def _read(derivation: Derivation, solid: Voxels, letter: str) -> list[int]:
    """The layers of a solid are read from its picture."""
    return [
        derivation.say(ViewClaim("layer", letter, k=k, cells=cells), [letter or "solid"])
        for k, cells in enumerate(layers_of(solid), 1)
    ]
