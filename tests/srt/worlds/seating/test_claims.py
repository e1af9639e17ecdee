"""The claim language: what is written is read back, and nothing but ClaimError comes of bad text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.worlds.seating.claim_language import (
    ATTRIBUTE_VALUES,
    COUNTED_FUNCTIONS,
    COUNTED_REGIONS,
    FUNCTIONS,
    REGIONS,
    Apply,
    Atom,
    Attribute,
    Claim,
    ClaimError,
    Equal,
    Meet,
    Member,
    Nobody,
    Place,
    Region,
    RightOptions,
    Term,
    atom_names,
    format_claim,
    innermost,
    names_of,
    parse_claim,
)

SEATS = ["S1", "N2", "W2", "P6", "NE", "S", "1E", "3W"]
plain = st.one_of(
    st.sampled_from(["?", "James", "Monthly Rose", "in", "Man in beside", "左边", "tier"]),
    st.text(st.characters(blacklist_characters="@=!&|,(){}?", blacklist_categories=("Cs",)), min_size=1),
)
names = plain.map(lambda text: " ".join(text.split())).filter(lambda name: name not in ("", "none"))


def terms(depth: int = 2) -> st.SearchStrategy[Term]:
    if not depth:
        return names
    counted = st.builds(Apply, st.sampled_from(COUNTED_FUNCTIONS), terms(depth - 1), st.integers(1, 5))
    return st.one_of(names, st.builds(Apply, st.sampled_from(FUNCTIONS), terms(depth - 1)), counted)


regions = st.one_of(
    st.builds(Region, st.sampled_from(REGIONS), names),
    st.builds(Region, st.sampled_from(COUNTED_REGIONS), names, st.integers(1, 2)),
)
attributes = st.sampled_from(sorted(ATTRIBUTE_VALUES)).flatmap(
    lambda function: st.builds(Attribute, st.just(function), names, st.sampled_from(ATTRIBUTE_VALUES[function]))
)
letters = st.sets(st.sampled_from("ABCDEF")).map(lambda chosen: tuple(sorted(chosen)))
atoms: st.SearchStrategy[Atom] = st.one_of(
    st.builds(Place, names, st.sampled_from(SEATS)),
    st.builds(Equal, terms(), terms(), st.booleans()),
    st.builds(Member, names, regions, st.booleans()),
    st.builds(Meet, regions, regions),
    attributes,
    st.just(Nobody()),
    st.builds(RightOptions, letters),
)
claims = st.lists(st.lists(atoms, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple)


@given(claims)
def test_what_is_written_is_read_back(claim: Claim) -> None:
    assert parse_claim(format_claim(claim)) == claim


@given(
    st.one_of(
        st.text(), claims.map(format_claim).flatmap(lambda text: st.sampled_from([text[1:], text[:-1], text + " "]))
    )
)
def test_any_text_is_a_claim_in_normal_form_or_a_claim_error(text: str) -> None:
    try:
        written = format_claim(parse_claim(text))
    except ClaimError as error:
        column, message = error.column, str(error)
    else:
        column, message = 1, "column 1: "
        assert written == text
    assert 1 <= column <= len(text) + 1
    assert message.startswith(f"column {column}: ")


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("James", 1),
        ("James@Q7", 7),
        ("James@N1 & Mary@", 12),
        ("James@N1 |Mary@N2", 1),
        ("tier(Ann) = 4", 13),
        ("left(Ann, 1) = Bob", 11),
        ("across(Ann, 2) = Bob", 13),
        ("above(Ann) = Bob", 1),
        ("Bob in left(Ann, 2)", 18),
        ("Bob in nowhere(Ann)", 8),
        ("left(Ann = Bob", 9),
        ("left(Ann)) = Bob", 10),
        ("Bob = none", 1),
        ("options = {B, A}", 1),
        ("left(" * 9 + "Ann" + ")" * 9 + " = Bob", 41),
    ],
)
def test_faults_are_named_by_column(text: str, column: int) -> None:
    with pytest.raises(ClaimError) as caught:
        parse_claim(text)
    assert caught.value.column == column


def test_names_come_in_order() -> None:
    claim = parse_claim("left(Cleo) = Ada & faces(Ben) = N | meet(left(Dov), over(?)) & Eli in beside(Fay) & Gus@N1")
    assert names_of(claim) == ("Cleo", "Ada", "Ben", "Dov", "?", "Eli", "Fay", "Gus")
    assert innermost(Apply("left", Apply("right", "Ada"))) == "Ada"
    assert atom_names(RightOptions(("A",))) == ()
