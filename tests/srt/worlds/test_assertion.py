"""A claim said to people, and read back."""

from __future__ import annotations

import contextlib
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.records import Lang
from srt.worlds.seating.assertion import assertion, claim_of
from srt.worlds.seating.claims import (
    ATTRIBUTE_VALUES,
    COUNTED_FUNCTIONS,
    COUNTED_REGIONS,
    FUNCTIONS,
    REGIONS,
    Apply,
    Attribute,
    ClaimError,
    Equal,
    Meet,
    Member,
    Nobody,
    Options,
    Place,
    Region,
    Term,
    format_claim,
)
from srt.worlds.seating.scenes import SCENES

TAME = [
    "Ann",
    "Red Oak",
    "Zoe",
    "?",
    "小芳",
    "铜钱草",
    "左慈",
    "The",
    "A",
    "is at",
    "Ann and Bob",
    'says "hi"',
    "Is North",
    "\\",
]
SEATS = sorted({seat for scene in SCENES for seat in scene.seats})

wild_names = st.text(
    st.characters(blacklist_characters="@=!&|,(){}?", blacklist_categories=("Cs",)), min_size=1
).filter(lambda name: name == " ".join(name.split()) and name not in ("none", ""))
names = st.sampled_from(TAME) | wild_names


def applied(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    counted = st.builds(Apply, st.sampled_from(COUNTED_FUNCTIONS), inner, st.integers(1, 5))
    return counted | st.builds(Apply, st.sampled_from(FUNCTIONS), inner)


terms: st.SearchStrategy[Term] = st.recursive(names, applied, max_leaves=3)
regions = st.builds(Region, st.sampled_from(REGIONS), names) | st.builds(
    Region, st.sampled_from(COUNTED_REGIONS), names, st.sampled_from([1, 2])
)
attributes = st.sampled_from([(f, v) for f, values in ATTRIBUTE_VALUES.items() for v in values])
atoms = st.one_of(
    st.builds(Place, names, st.sampled_from(SEATS)),
    st.builds(Equal, terms, terms, st.booleans()),
    st.builds(Member, names, regions, st.booleans()),
    st.builds(Meet, regions, regions),
    st.builds(lambda attribute, name: Attribute(attribute[0], name, attribute[1]), attributes, names),
    st.just(Nobody()),
    st.builds(lambda letters: Options(tuple(sorted(letters))), st.sets(st.sampled_from("ABCD"))),
)
claims = st.lists(st.lists(atoms, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple)


@pytest.mark.parametrize("lang", get_args(Lang))
@given(claim=claims)
def test_every_claim_comes_back_exactly(lang: Lang, claim: tuple[tuple[object, ...], ...]) -> None:
    text = format_claim(claim)  # type: ignore[arg-type]
    said = assertion(text, lang)
    assert claim_of(said, lang) == text
    assert "\n" not in said
    assert said.endswith("." if lang == "en" else "。")


@pytest.mark.parametrize("lang", get_args(Lang))
@given(text=st.text())
def test_other_text_raises_nothing_but_a_claim_error(lang: Lang, text: str) -> None:
    for end in ("", ".", "。"):
        with contextlib.suppress(ClaimError):
            claim_of(text + end, lang)


@pytest.mark.parametrize(
    ("claim", "en", "zh"),
    [
        ("right(Ann) = Red Oak", "The right neighbour of Ann is Red Oak.", '"Ann"的右邻是"Red Oak"。'),
        ("小芳@N1 & ?@S2", '"小芳" is at N1 and the blank is at S2.', "小芳位于N1，且所求位于S2。"),
        (
            "? = across(right(Bob))",
            "The blank is the one opposite the right neighbour of Bob.",
            '所求是"Bob"的右邻的正对面。',
        ),
        ("? = none", "Nobody fills the blank.", "无人可填空。"),
        ("options = {A, C}", "Options A, C are right.", "正确选项为A、C。"),
        ("左慈 notin beside(小芳)", '"左慈" is not beside "小芳".', '"左慈"未在小芳的旁边。'),
    ],
)
def test_what_it_sounds_like(claim: str, en: str, zh: str) -> None:
    assert assertion(claim, "en") == en
    assert assertion(claim, "zh") == zh


def test_a_quoted_name_cannot_smuggle_a_claim_in() -> None:
    with pytest.raises(ClaimError, match="not a name"):
        claim_of('"Ann@N1 | Bob" is at N2.', "en")


def test_a_claim_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ClaimError):
        assertion("Ann sits well", "en")
