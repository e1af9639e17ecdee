"""The figures on the SolidGeo sample: gold written in other ways is met, wrong answers are not."""

from __future__ import annotations

import pytest

from research.evaluation import answer_equality
from tests.published_copies import copy_in


@pytest.mark.slow
def test_figures() -> None:
    items, refused = answer_equality.read_items(copy_in("SRT_SOLIDGEO"))
    rows = answer_equality.measure(items, 10)
    for name, row in rows.items():
        share = row.accepted / row.tried
        if name.endswith((" (strict)", " (lenient)")):
            assert share >= 0.98, (name, row.odd)
        else:
            assert share <= 0.01, (name, row.odd)
    assert not {item.item for item in refused} & {item.id for item in items}
