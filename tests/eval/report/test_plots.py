"""Arms must be told apart."""

from __future__ import annotations

from eval.report.plots import _HATCHES, _MARKERS, COLOURS


def test_no_two_of_eighteen_arms_look_alike() -> None:
    assert len({(COLOURS[n % len(COLOURS)], _MARKERS[n % len(_MARKERS)]) for n in range(18)}) == 18
    assert len({(COLOURS[n % len(COLOURS)], _HATCHES[n // len(COLOURS) % len(_HATCHES)]) for n in range(18)}) == 18
