"""Claims about a solid that is turned in space, for the oracle: whether they hold, and from what they follow."""

from __future__ import annotations

from collections.abc import Iterator

from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.derivation.from_turns import layers_of
from srt.worlds.views.kernel.quarter_turns import TURNS, turned
from srt.worlds.views.kernel.voxels import Voxels, canonical_voxels
from srt.worlds.views.reading.problem_reader import ViewsProblem, voxels_of

FORMS = ("layer", "turned", "same")
_MOST_TURNS = 3


def holds(read: ViewsProblem, claim: ViewClaim) -> bool | None:
    """``None`` if the problem is none of a turned solid."""
    if read.asked.form != "turns":
        return None
    if claim.option and claim.option not in read.options:
        return False
    solid = _solid(read, claim.option)
    if claim.form == "same":
        return canonical_voxels(solid) == canonical_voxels(_solid(read, ""))
    layers = layers_of(_after(solid, claim.word))
    return claim.k <= len(layers) and layers[claim.k - 1] == claim.cells


def premises(read: ViewsProblem, claim: ViewClaim) -> Iterator[frozenset[str]]:
    """Every set of premises that gives a true ``claim`` in one inference."""
    if read.asked.form != "turns":
        return
    solid = _solid(read, "")
    if claim.form == "layer":
        yield frozenset({claim.option or "solid"})
    elif claim.form == "turned":
        *before, last = claim.word.split()
        said = _said(solid, " ".join(before))
        yield frozenset({said[claim.k - 1]} if last in ("top", "bottom") else said)
    elif claim.form == "same":
        option = _solid(read, claim.option)
        found = {
            str(ViewClaim("layer", claim.option, k=k, cells=cells)) for k, cells in enumerate(layers_of(option), 1)
        }
        for word in _words(_MOST_TURNS):
            if layers_of(_after(solid, word)) == layers_of(option):
                yield frozenset({str(read.asked), *_said(solid, word), *found})


def _words(most: int) -> Iterator[str]:
    yield ""
    for word in _words(most - 1) if most else ():
        yield from (f"{word} {turn}".strip() for turn in TURNS)


def _said(solid: Voxels, word: str) -> list[str]:
    """The claims that say the layers after some turns."""
    form = "turned" if word else "layer"
    layers = enumerate(layers_of(_after(solid, word)), 1)
    return [str(ViewClaim(form, word=word, k=k, cells=cells)) for k, cells in layers]  # type: ignore[arg-type]


def _solid(read: ViewsProblem, option: str) -> Voxels:
    return voxels_of(read.options[option] if option else read.shown.get("solid"))


def _after(solid: Voxels, word: str) -> Voxels:
    for turn in word.split():
        solid = turned(solid, turn)
    return solid
