"""No regular expression that sees a model's text takes long on any text of 10,000 characters."""

from __future__ import annotations

import re

import pytest

from tests.patterns.collected import collected
from tests.patterns.pumped import MOST_S, slowest


def slow(*, thorough: bool) -> list[str]:
    """The patterns that are too slow, with what they are slow on."""
    found = []
    for one in collected():
        seconds, method, text = slowest(one.pattern, one.methods, thorough=thorough)
        if seconds >= MOST_S:
            found.append(
                f"{', '.join(one.places)}: {method} on {text[:40]!r}...{text[-3:]!r}: {one.pattern.pattern[:80]}"
            )
    return found


def test_patterns_are_found_wherever_they_stand() -> None:
    places = {place for one in collected() for place in one.places}
    assert {"srt.answers.boxes._BOXED", "srt.prose.claims.claim_context._OR_AFTER"} <= places
    assert any(place.startswith("srt.worlds.seating.checker") for place in places)
    assert len(places) > 500


@pytest.mark.parametrize("pattern", [r"\s*,", r"(?:a|a)*$", r"\d+\s*\d+\s*x", r"(?:[ab]*c?)*d"])
def test_slow_patterns_are_noticed(pattern: str) -> None:
    assert slowest(re.compile(pattern), {"search"}, thorough=False)[0] >= MOST_S


def test_no_pattern_is_slow() -> None:
    assert slow(thorough=False) == []


@pytest.mark.slow
def test_no_pattern_is_slow_on_any_pair_of_its_characters() -> None:
    assert slow(thorough=True) == []
