"""Whatever the cells of a row hold, a layout reads it or refuses it by name, and is never decided by an exception."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srt.corpora.cells.decimal_commas import is_number_with_comma, with_points
from srt.corpora.cells.option_cells import read_options
from srt.corpora.cells.options_in_question import split_options
from srt.corpora.cells.worked_solutions import behind_final_mark, last_boxed
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Layout, fields_of
from srt.corpora.layouts.layout_registry import LAYOUTS, recognised

_TEXTS = st.sampled_from(
    [
        "",
        "A",
        "?",
        "3",
        "#### 7",
        "\\boxed{",
        "\\boxed{2}",
        "['a', 'b']",
        "[1,",
        "{'a'}",
        "(A) 5 (B) 6",
        "\nChoices:\nA:1",
    ]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.floats() | _TEXTS | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "label", "from", "value", "role", "content", "A", "choices", "labels", "type"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one.name)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_row_is_read_or_refused(layout: Layout, data: st.DataObject) -> None:
    needed, others = (dict.fromkeys(sorted(names), _VALUES) for names in (layout.columns, layout.uses - layout.columns))
    row = data.draw(st.fixed_dictionaries(needed, optional=others))
    recognised([row])
    for turns in (None, "first", "each"):
        for part in layout.parts(row, turns):
            with suppress(ItemRefused):
                fields_of(layout, part)
    with pytest.raises(ItemRefused, match="column"):
        fields_of(layout, {name: row[name] for name in sorted(layout.columns)[1:]})


@settings(max_examples=150, deadline=None)
@given(given_value=_VALUES)
def test_any_cell_of_options_is_read_or_refused(given_value: Any) -> None:
    with suppress(ItemRefused):
        assert all(len(letter) == 1 for letter in read_options(given_value).texts)


@pytest.mark.parametrize(
    "unit", [" ", "\n", "A. ", "(A) ", "'a' ", "'", "Choices: ", "\\boxed{", "1,", "array([", "#### "]
)
def test_long_cells_take_no_long_time(unit: str) -> None:
    text = (unit * 20_000)[:20_000]
    began = time.process_time()
    for cell in (text, f"[{text}]", f"x{text}x"):
        with suppress(ItemRefused):
            read_options(cell, answer="x")
        split_options(cell, heading=False)
        behind_final_mark(cell)
        last_boxed(cell)
        with_points(cell)
        is_number_with_comma(cell)
    assert time.process_time() - began < 5
