"""JSON is read as it stands, or refused with the key that would be lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.io.errors import RecordError
from srt.io.record_reader import read_records, read_rows
from srt.io.records import Problem
from srt.io.strict_json import JsonFault, JsonLoss, load_json

PROBLEM = '{"id": "p", "source": "s", "split": "train", "lang": "en", "question": "q", "meta": %s}'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"a": 1, "b": {"c": [0, {"d": 1, "d": 2}]}}', "b.c.1.d: this key occurs twice"),
        ('{"a": 1, "a": 1}', "a: this key occurs twice"),
        ('{"a": [1, 18446744073709551616]}', "a.1: an integer of 20 digits"),
        ('{"n": -9223372036854775809}', "n: an integer of 19 digits"),
        ("9" * 5000, "record: an integer of 5000 digits"),
        ('{"n": 99999999999999999999, "a": 1, "a": 2}', "a: this key occurs twice"),
    ],
)
def test_what_would_be_lost_is_named(text: str, fault: str) -> None:
    with pytest.raises(JsonLoss) as caught:
        load_json(text)
    assert str(caught.value).startswith(fault)


@pytest.mark.parametrize("text", ['{"a": 1', '{"a": NaN}', '"\\ud800"', b"\xff", "[" * 100_000, '{"a": 01}', ""])
def test_what_is_no_json_is_said_to_be_none(text: str) -> None:
    with pytest.raises(JsonFault, match=r"^not JSON: ") as caught:
        load_json(text)
    assert not isinstance(caught.value, JsonLoss)


def test_deep_nesting_is_a_fault_and_no_crash() -> None:
    for depth in range(200, 1100, 50):
        try:
            load_json("[" * depth + "1" * 30 + "]" * depth)
        except JsonFault as error:
            assert "integer of 30 digits" in str(error) or "not JSON" in str(error)  # noqa: PT017
        # As bytes it is read by the quick way first, which reads deeper than it writes.
        try:
            found = load_json(b"[" * depth + b"]" * depth)
        except JsonFault as error:
            # From Python 3.12 on, json reads deeper than orjson, which says it in its words.
            assert "nested too deep" in str(error) or "depth limit" in str(error)  # noqa: PT017
        else:
            assert isinstance(found, list)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)


@given(VALUES)
def test_everything_else_is_read_as_it_stands(value: Any) -> None:
    assert load_json(orjson.dumps(value)) == value


@given(st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1), st.integers(2**64, 2**80))
def test_a_large_integer_is_found_wherever_it_stands(value: dict[str, Any], large: int) -> None:
    text = orjson.dumps(value).decode()
    with pytest.raises(JsonLoss, match=rf"^z\.1: an integer of {len(str(large))} digits"):
        load_json(f'{{"y": {text}, "z": [{text}, {large}]}}')


@pytest.mark.parametrize("reader", [lambda path: read_records(path, Problem), read_rows])
@pytest.mark.parametrize(
    ("meta", "fault"),
    [('{"year": 1, "year": 2}', r"meta\.year: this key occurs twice"), ('{"n": 36893488147419103232}', r"meta\.n: ")],
)
def test_a_reader_of_records_names_file_line_and_key(tmp_path: Path, reader: Any, meta: str, fault: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(PROBLEM % "{}" + "\n" + PROBLEM % meta + "\n")
    with pytest.raises(RecordError, match=rf"p\.jsonl:2: {fault}"):
        list(reader(path))
