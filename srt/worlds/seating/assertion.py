"""A claim as a sentence for people, and the way back.

``claim_of(assertion(claim, lang), lang) == claim`` for every claim in normal form. Names stand bare in the sentence
where none of their words is a word of ours, else as JSON strings, so that the sentence has one reading only.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache

from srt.records import Lang
from srt.worlds.seating.claims import (
    BLANK,
    Apply,
    Atom,
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
    parse_claim,
)
from srt.worlds.seating.phrases import PEOPLE_EN, PEOPLE_ZH, Counted, Tongue

TONGUES: dict[Lang, Tongue] = {"en": PEOPLE_EN, "zh": PEOPLE_ZH}
STOPS: dict[Lang, str] = {"en": ".", "zh": "。"}


def assertion(claim_text: str, lang: Lang) -> str:
    """The sentence that says ``claim_text`` in ``lang``.

    Raises:
        ClaimError: ``claim_text`` is no claim.
    """
    return sentence(TONGUES[lang].clause(parse_claim(claim_text)), lang)


def claim_of(assertion_text: str, lang: Lang) -> str:
    """The claim, in normal form, that a sentence made by :func:`assertion` says.

    Raises:
        ClaimError: the sentence is none of ours; the column of the first clause that cannot be read.
    """
    grammar = _grammar(lang)
    text = assertion_text[:1].lower() + assertion_text[1:] if grammar.opens.match(assertion_text) else assertion_text
    alternatives: list[tuple[Atom, ...]] = []
    atoms: list[Atom] = []
    at = 0
    while True:
        atom, at = _read_atom(text, at, grammar)
        atoms.append(atom)
        if text.startswith(grammar.tongue.disjunction, at):
            alternatives.append(tuple(atoms))
            atoms = []
            at += len(grammar.tongue.disjunction)
        elif text.startswith(grammar.tongue.conjunction, at):
            at += len(grammar.tongue.conjunction)
        else:
            break
    claim = format_claim((*alternatives, tuple(atoms)))
    parse_claim(claim)  # seats and letters are checked where claims are read
    return claim


def sentence(clause: str, lang: Lang) -> str:
    """A clause with its capital letter and full stop."""
    return clause[:1].upper() + clause[1:] + STOPS[lang]


@dataclass(frozen=True)
class _Grammar:
    """The patterns of one language, compiled; the phrases turned round."""

    tongue: Tongue
    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    functions: dict[str, Counted]
    regions: dict[str, Counted]
    attributes: dict[str, tuple[str, str]]
    function: re.Pattern[str]
    opens: re.Pattern[str]


@cache
def _grammar(lang: Lang) -> _Grammar:
    tongue = TONGUES[lang]
    functions = {phrase: key for key, phrase in tongue.functions.items()}
    regions = {phrase: key for key, phrase in tongue.regions.items()}
    attributes = {phrase: key for key, phrase in tongue.attributes.items()}
    words = f"{tongue.word}(?:{tongue.gap}{tongue.word})*" if tongue.gap else _bare_characters(tongue)
    name = rf'(?:{re.escape(tongue.blank)}|"(?:[^"\\]|\\.)*"|{words})'
    function, link = _any_of(functions), re.escape(tongue.link)
    term = rf"(?:{function}{link})*{name}" if tongue.function_first else rf"{name}(?:{link}{function})*"
    groups = {
        **{key: rf"(?P<{key}>{name})" for key in ("x", "y")},
        **{key: rf"(?P<{key}>{term})" for key in ("t", "u")},
        **{key: rf"(?P<{key}>{_any_of(regions)})" for key in ("r", "s")},
        "v": rf"(?P<v>{_any_of(attributes)})",
        "seat": r"(?P<seat>[A-Z0-9]+)",
        "letters": rf"(?P<letters>[A-Z](?:{re.escape(tongue.comma)}[A-Z])*)",
    }
    ends = (
        "|".join(re.escape(end) for end in (tongue.conjunction, tongue.disjunction)) + rf"|{re.escape(STOPS[lang])}\Z"
    )
    patterns = tuple(
        (kind, re.compile(f"{_pattern(text, groups)}(?={ends})")) for kind, text in tongue.patterns.items()
    )
    opens = re.compile(r"(?:The|A|Nobody|No|Option|Options) ") if lang == "en" else re.compile(r"(?!)")
    return _Grammar(tongue, patterns, functions, regions, attributes, re.compile(function), opens)


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
    return Options(tuple(letters.split(grammar.tongue.comma)) if letters else ())


def _region(phrase: str, of: str, grammar: _Grammar) -> Region:
    name, k = grammar.regions[phrase]
    return Region(name, _name(of, grammar), k)


def _term(text: str, grammar: _Grammar) -> Term:
    tongue, chain = grammar.tongue, []
    if tongue.function_first:
        at = 0
        while match := grammar.function.match(text, at):
            chain.append(grammar.functions[match[0]])
            at = match.end() + len(tongue.link)
        term: Term = _name(text[at:], grammar)
        chain.reverse()
    else:
        quoted = re.match(r'"(?:[^"\\]|\\.)*"', text)
        at = quoted.end() if quoted else text.find(tongue.link) if tongue.link in text else len(text)
        term = _name(text[:at], grammar)
        chain = [grammar.functions[phrase] for phrase in text[at:].split(tongue.link)[1:]]
    for function, k in chain:
        term = Apply(function, term, k)
    return term


def _name(text: str, grammar: _Grammar) -> str:
    if text == grammar.tongue.blank:
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


def _bare_characters(tongue: Tongue) -> str:
    ours = "".join(re.escape(c) for c in sorted(tongue.vocabulary) if "㐀" <= c <= "鿿")
    return rf"(?:(?![{ours}]){tongue.word})+"
