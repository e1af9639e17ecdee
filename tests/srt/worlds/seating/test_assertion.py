"""A claim said to people, and read back by a reader that is here: a sentence has one reading only."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from functools import cache
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.io.records import Lang
from srt.worlds.seating.claim_language import (
    ATTRIBUTE_VALUES,
    BLANK,
    COUNTED_FUNCTIONS,
    COUNTED_REGIONS,
    FUNCTIONS,
    REGIONS,
    Apply,
    Atom,
    Attribute,
    ClaimError,
    Equal,
    Meet,
    Member,
    Nobody,
    Place,
    Region,
    RightOptions,
    Term,
    format_claim,
    parse_claim,
)
from srt.worlds.seating.scenes import SCENES
from srt.worlds.seating.writing.assertion import LEXICONS, STOPS, assertion
from srt.worlds.seating.writing.phrases import Counted, Lexicon

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
    st.builds(lambda letters: RightOptions(tuple(sorted(letters))), st.sets(st.sampled_from("ABCD"))),
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
    with pytest.raises(ClaimError):
        claim_of('"Ann@N1 | Bob" is at N2.', "en")


def test_a_claim_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ClaimError):
        assertion("Ann sits well", "en")


def claim_of(assertion_text: str, lang: Lang) -> str:
    """The claim, in normal form, that a sentence made by :func:`assertion` says.

    Raises:
        ClaimError: not such a sentence; the column is that of the first clause that cannot be read.
    """
    grammar = _grammar(lang)
    text = assertion_text[:1].lower() + assertion_text[1:] if grammar.opens.match(assertion_text) else assertion_text
    alternatives: list[tuple[Atom, ...]] = []
    atoms: list[Atom] = []
    at = 0
    while True:
        atom, at = _read_atom(text, at, grammar)
        atoms.append(atom)
        if text.startswith(grammar.lexicon.disjunction, at):
            alternatives.append(tuple(atoms))
            atoms = []
            at += len(grammar.lexicon.disjunction)
        elif text.startswith(grammar.lexicon.conjunction, at):
            at += len(grammar.lexicon.conjunction)
        else:
            break
    claim = format_claim((*alternatives, tuple(atoms)))
    parse_claim(claim)  # seats and letters are checked where claims are read
    return claim


@dataclass(frozen=True)
class _Grammar:
    """The patterns of one language, compiled; the phrases turned round."""

    lexicon: Lexicon
    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    functions: dict[str, Counted]
    regions: dict[str, Counted]
    attributes: dict[str, tuple[str, str]]
    function: re.Pattern[str]
    opens: re.Pattern[str]


@cache
def _grammar(lang: Lang) -> _Grammar:
    lexicon = LEXICONS[lang]
    functions = {phrase: key for key, phrase in lexicon.functions.items()}
    regions = {phrase: key for key, phrase in lexicon.regions.items()}
    attributes = {phrase: key for key, phrase in lexicon.attributes.items()}
    words = f"{lexicon.word}(?:{lexicon.gap}{lexicon.word})*" if lexicon.gap else _bare_characters(lexicon)
    name = rf'(?:{re.escape(lexicon.blank)}|"(?:[^"\\]|\\.)*"|{words})'
    function, link = _any_of(functions), re.escape(lexicon.link)
    term = rf"(?:{function}{link})*{name}" if lexicon.function_first else rf"{name}(?:{link}{function})*"
    groups = {
        **{key: rf"(?P<{key}>{name})" for key in ("x", "y")},
        **{key: rf"(?P<{key}>{term})" for key in ("t", "u")},
        **{key: rf"(?P<{key}>{_any_of(regions)})" for key in ("r", "s")},
        "v": rf"(?P<v>{_any_of(attributes)})",
        "seat": r"(?P<seat>[A-Z0-9]+)",
        "letters": rf"(?P<letters>[A-Z](?:{re.escape(lexicon.comma)}[A-Z])*)",
    }
    ends = (
        "|".join(re.escape(end) for end in (lexicon.conjunction, lexicon.disjunction)) + rf"|{re.escape(STOPS[lang])}\Z"
    )
    patterns = tuple(
        (kind, re.compile(f"{_pattern(text, groups)}(?={ends})")) for kind, text in lexicon.patterns.items()
    )
    opens = re.compile(r"(?:The|A|Nobody|No|Option|Options) ") if lang == "en" else re.compile(r"(?!)")
    return _Grammar(lexicon, patterns, functions, regions, attributes, re.compile(function), opens)


def _read_atom(text: str, at: int, grammar: _Grammar) -> tuple[Atom, int]:
    for kind, pattern in grammar.patterns:
        if match := pattern.match(text, at):
            return _atom(kind, match.groupdict(), grammar), match.end()
    raise ClaimError("this is no sentence for a claim", at + 1)


def _atom(kind: str, found: dict[str, str], grammar: _Grammar) -> Atom:
    match kind:
        case "place":
            return Place(_name(found["x"], grammar), found["seat"])
        case "attribute":
            function, value = grammar.attributes[found["v"]]
            return Attribute(function, _name(found["x"], grammar), value)  # type: ignore[arg-type]
        case "member" | "not member":
            region = _region(found["r"], found["y"], grammar)
            return Member(_name(found["x"], grammar), region, kind == "not member")
        case "meet":
            return Meet(_region(found["r"], found["x"], grammar), _region(found["s"], found["y"], grammar))
        case "equal" | "not equal":
            return Equal(_term(found["t"], grammar), _term(found["u"], grammar), kind == "not equal")
        case "nobody":
            return Nobody()
    letters = found.get("letters")
    return RightOptions(tuple(letters.split(grammar.lexicon.comma)) if letters else ())


def _region(phrase: str, of: str, grammar: _Grammar) -> Region:
    name, k = grammar.regions[phrase]
    return Region(name, _name(of, grammar), k)


def _term(text: str, grammar: _Grammar) -> Term:
    lexicon, chain = grammar.lexicon, []
    if lexicon.function_first:
        at = 0
        while match := grammar.function.match(text, at):
            chain.append(grammar.functions[match[0]])
            at = match.end() + len(lexicon.link)
        term: Term = _name(text[at:], grammar)
        chain.reverse()
    else:
        quoted = re.match(r'"(?:[^"\\]|\\.)*"', text)
        at = quoted.end() if quoted else text.find(lexicon.link) if lexicon.link in text else len(text)
        term = _name(text[:at], grammar)
        chain = [grammar.functions[phrase] for phrase in text[at:].split(lexicon.link)[1:]]
    for function, k in chain:
        term = Apply(function, term, k)
    return term


def _name(text: str, grammar: _Grammar) -> str:
    if text == grammar.lexicon.blank:
        return BLANK
    if not text.startswith('"'):
        return text
    try:
        name = json.loads(text)
    except ValueError:
        raise ClaimError(f"{text} is not a quoted name", 1) from None
    if parse_claim(f"{name}@N1") != ((Place(name, "N1"),),):
        raise ClaimError(f"{text} is not a name", 1)
    return str(name)


def _pattern(text: str, groups: dict[str, str]) -> str:
    parts = re.split(r"{(\w+)}", text)
    return "".join(groups[part] if i % 2 else re.escape(part) for i, part in enumerate(parts))


def _any_of(phrases: dict[str, Counted] | dict[str, tuple[str, str]]) -> str:
    return "(?:" + "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True)) + ")"


def _bare_characters(lexicon: Lexicon) -> str:
    ours = "".join(re.escape(c) for c in sorted(lexicon.vocabulary) if "㐀" <= c <= "鿿")
    return rf"(?:(?![{ours}]){lexicon.word})+"
