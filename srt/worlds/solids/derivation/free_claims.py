"""The statements of a free step: which measure has which value, by which formula.

Every word, number and sign belongs to a statement or to a few words that say nothing of their own. A text with anything
else has no reading, so that nothing of it is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from srt.io.records import Lang
from srt.worlds.solids.reading.matching import letters_of, solids_of, words_of
from srt.worlds.solids.reading.measures import UNIT

ANSWER: dict[Lang, str] = {"en": "answer", "zh": "答案"}
"""Stands among the words of a statement about what is asked."""
_LONGEST, _LONGEST_SIDE = 2000, 300
"""Characters of a step, and of one side of an equation."""
_WITHIN: dict[Lang, str] = {
    "en": "a(?= [a-z]{2})|an|the|this|is|are|of|has|have|with|its|equals|equal to|given as|in total|:",
    "zh": "的|是|为|等于|它的|其|有|这个|该|：|一个",
}
"""Words inside a statement."""
_BETWEEN: dict[Lang, str] = {
    "en": r"and|so|then|hence|thus|therefore|we get|we have|this gives|which gives|that is|because|since|now|,|;|\.",
    "zh": "，|。|；|、|和|所以|因此|于是|因为|则|故|得|可得|即|已知|由题意|由题",
}
"""Words between two statements: no statement goes on behind them."""
_ATOM = r"[0-9]+(?:\.[0-9]+)?|π|√|(?:sqrt|cbrt)(?=\()|pi(?![A-Za-z])|[()+\-−×·*/÷^²³]"
_BOUND = r"(?![A-Za-z])"
_UNIT = re.compile(rf"\s?({UNIT})(?![A-Za-z])")
_ENDS_OF_VALUES = (*"0123456789π)", "pi")


class FreeClaim(NamedTuple):
    """A statement: ``words`` and ``letter`` name its measure, of the solid ``owner``; empty where the text has none.

    ``sides`` are what is set equal, in its order, each with the unit behind it.
    """

    words: tuple[str, ...]
    letter: str
    owner: str
    sides: tuple[tuple[str, str], ...]
    text: str


def free_claims(text: str, kinds: tuple[str, ...], lang: Lang) -> Iterator[FreeClaim]:
    """The statements of a step about solids of ``kinds``, in the order of the text.

    Raises:
        ValueError: a part of the text has no reading; the message begins with that part.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"a step of more than {_LONGEST} characters is not understood")
    tokens = [*_tokens(text, kinds, lang), ("between", "", len(text))]
    words: list[str] = []
    letter, owner, at, start = "", "", 0, 0
    while at < len(tokens):
        sign, word, place = tokens[at]
        at += 1
        start = start if words or letter else place
        if sign == "solid":
            owner = word
        elif sign == "word":
            words.append(word)
        elif sign == "side":
            sides = [(word, "")]
            while at < len(tokens) and tokens[at][0] in ("equals", "unit"):
                if tokens[at][0] == "unit":
                    sides[-1] = (sides[-1][0], tokens[at][1])
                elif tokens[at + 1][0] == "side":
                    at += 1
                    sides.append((tokens[at][1], ""))
                else:
                    break
                at += 1
            if len(word) == 1 and word.isalpha():
                if letter or sides[0][1]:
                    raise ValueError(f"{word!r} is not understood")
                letter, sides = word, sides[1:]
            if sides:
                end = tokens[at][2] if at < len(tokens) else len(text)
                yield FreeClaim(tuple(words), letter, owner, tuple(sides), text[start:end].strip())
                words, letter = [], ""
        elif sign == "equals":
            if not (words or letter) or tokens[at][0] != "side":
                raise ValueError("'=' is not understood")
        elif sign == "unit":
            raise ValueError(f"{word!r} is not understood")
        elif words or letter:  # Between two statements.
            if words != [ANSWER[lang]] or not letter:
                raise ValueError(f"{words[0] if words else letter!r} is named without a value")
            yield FreeClaim(tuple(words), letter, owner, (), text[start:place].strip())
            words, letter = [], ""


def _tokens(text: str, kinds: tuple[str, ...], lang: Lang) -> Iterator[tuple[str, str, int]]:
    """Signs with their words and places; the parts of one side of an equation are joined."""
    pattern, solids, letters = _pattern(kinds, lang)
    at, side, since = 0, "", 0
    while at < len(text):
        if unit := _UNIT.match(text, at) if side.endswith(_ENDS_OF_VALUES) else None:
            yield "side", side, since
            yield "unit", unit[1], at
            side, at = "", unit.end()
            continue
        match = pattern.match(text, at)
        found = match.lastgroup if match else None
        if match is None or (found == "letters" and not _are_letters(match, text, letters)):
            shown = match[0] if match else text[at]
            raise ValueError(f"{shown[:40]!r} is not understood")
        if found in ("atom", "letters"):
            if side[-1:].isdecimal() and match[0][0].isdecimal():
                raise ValueError(f"'{side[-20:]} {match[0][:20]}' is not understood")
            since = since if side else at
            side += match[0]
            if len(side) > _LONGEST_SIDE:
                raise ValueError(f"{side[:40]!r}... is not understood")
        elif found != "space":
            if side:
                yield "side", side, since
                side = ""
            if found == "solid":
                yield "solid", solids[match[0].lower()], at
            elif found in ("word", "between", "equals"):
                yield found, match[0].lower(), at
        at = match.end()
    if side:
        yield "side", side, since


def _are_letters(match: re.Match[str], text: str, letters: str) -> bool:
    """Whether letters stand for measures: one alone, or several at a number, a sign or a bracket."""
    before, behind = text[: match.start()][-3:].rstrip()[-1:], text[match.end() : match.end() + 1]
    glued = before in tuple("0123456789π²³)/=*×·") or behind in tuple("²³^(")
    return set(match[0]) <= {*letters} and (len(match[0]) == 1 or glued)


@cache
def _pattern(kinds: tuple[str, ...], lang: Lang) -> tuple[re.Pattern[str], dict[str, str], str]:
    """The pattern of one token, the kind of each name of a solid, and all letters of measures and options."""
    solids = {name: kind for kind in kinds for name in solids_of(kind, lang)}
    words = {word: "" for kind in kinds for word in words_of(kind, lang)} | {ANSWER[lang]: ""}
    # 圆柱体积 is 圆柱 and 体积.
    behind = {name: "(?!积)" for name in solids if name.endswith("体")}

    def group(name: str, forms: Iterable[str]) -> str:
        ordered = sorted(forms, key=len, reverse=True)
        parts = (f"{form}{_BOUND * (lang == 'en' and form[-1].isalpha())}" for form in ordered)
        return rf"(?P<{name}>(?i:{'|'.join(parts)}))"

    start = r"(?:(?<![A-Za-z0-9π²³)])|(?=[^A-Za-z]))" if lang == "en" else ""
    pattern = re.compile(
        rf"(?P<space>\s)|(?P<cite>#[0-9]+)|(?P<equals>[=＝])|{start}(?:{group('word', map(re.escape, words))}"
        rf"|{group('solid', (re.escape(name) + behind.get(name, '') for name in solids))}"
        rf"|{group('between', _BETWEEN[lang].split('|'))}|{group('within', _WITHIN[lang].split('|'))})"
        rf"|(?P<atom>{_ATOM})|(?P<letters>[A-Za-z]+)"
    )
    return pattern, solids, "".join({*"ABCDEFGH", *(x for kind in kinds for x in letters_of(kind, lang))})
