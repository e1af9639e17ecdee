"""A unit on one side only: a factor of a hundred or a thousand is an unstated conversion, any other is an error."""

from __future__ import annotations

import pytest

from srt.prose import check_prose


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("50 * 40 * 30 = 60 L", "unchecked"),
        ("5 * 100 = 5 m", "unchecked"),
        ("500 m = 50 * 1000", "unchecked"),
        ("50 * 40 * 30 = 60000 cm", "computed"),
        ("50 * 40 * 30 = 61 L", "refuted"),  # not a power of ten
        ("6 * 7 = 43 cm", "refuted"),
        ("50 * 40 = 200 cm", "refuted"),  # a factor of ten only
        ("2 * 3 = 600", "refuted"),  # no unit at all
        ("3 cm = 300 cm", "refuted"),  # a unit on both sides
        ("100 * 0 = 5 cm", "refuted"),  # no factor leads from zero to five
    ],
)
def test_a_conversion_that_is_not_written_is_not_refuted(text: str, support: str) -> None:
    (claim,) = check_prose(text)
    assert claim.support == support
