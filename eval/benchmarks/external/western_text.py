"""Whether bytes read as Windows-1252 are the text of a Western European language.

Almost any bytes are valid in it: GBK, Mac Roman and code page 437 give letters and marks too, but of other kinds, or
where no such sign stands: a degree sign behind a blank, an umlaut behind a digit, two accents in a row.
"""

from __future__ import annotations

import re

_LOWER, _UPPER = "àáâãäåæçèéêëìíîïñòóôõöøùúûüÿœß", "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒ"
_MARKS = "€£°²³±µ×·÷§½¼¾–—„“”‘’‚«»…¿¡•ªº\xa0"
_LETTER = rf"[A-Za-z{_LOWER}{_UPPER}]"
_STRANGE = re.compile(rf"[^\x00-\x7f{_LOWER}{_UPPER}{_MARKS}]")
_RUN = re.compile(r"[^\x00-\x7f]{3}")
_WORD = re.compile(rf"(\d?)({_LETTER}+)")
_WORDS_OF_ONE = frozenset("àáåèéêìíîòóôöùúûÀÁÅÈÉÊÌÍÎÒÓÔÖÙÚÛ")
_FALSE_CASE = re.compile(rf"[a-z{_LOWER}][{_UPPER}]")
_PAIR = re.compile(rf"[{_LOWER}{_UPPER}]{{2}}")
_PAIRS = re.compile("[öäüÖÄÜ]ß|éé|ÉÉ|ç[ãõáóéíúàâôêè]|Ç[ÃÕÁÓÉÍÚÀÂÔÊÈ]|ñ[áéíóú]|[áéíóú]ñ|Ñ[ÁÉÍÓÚ]|[ÁÉÍÓÚ]Ñ")
_BEHIND_NUMBER = re.compile("è|é|ª|º")  # 3ème, 2ème, 1ère; 1ér
_MISPLACED = (
    r"(?<![\d\w)\]'])[²³]|[²³]\w",  # behind a letter, digit or bracket, and no letter follows
    r"[^\W\d_]{4}[²³]|[À-ÿ][²³]",  # cm², but no word has one
    r"(?<!\d)(?<!\d[ \xa0])°|[^\W\d_]°|°(?![CFKNSEWO]?\b|[\W\d_]|$)",
    r"[^\W\d_][½¼¾]|[½¼¾][^\W_]",
    r"[^\W_][±÷]{2}|±(?![\d\s.(])|[^\W_]§|§(?![\d\s\xa0§])",
    r"[^\W\d_]µ|µ(?![mslgAVFWJNLMHSK]|\s|$)",
    r"[^\W_][¡¿]|[¡¿](?![\w\s\"'«“‘(¡¿])",
    r"(?<![\dnN.])[ªº]",
    r"[^\W\d_][€£]|[€£][^\W\d_]",
    r"[a-zß-ÿ][–—][a-zß-ÿ]",
    r"\w[„‚]|[„‚](?!\S)",
    r"\w[“”‘](?=\w)",
    r"…(?=[a-zß-ÿ])",
    r"[×÷·±](?=[À-ÿ])|[À-ÿ][×÷·±]",
    r"[¡¿][À-ÿ](?!\w)",
)
_FALSE_PLACE = re.compile("|".join(_MISPLACED))


def is_western(text: str) -> bool:
    """Whether each sign of ``text`` beyond ASCII is a letter or a mark of such a language, and stands where it can."""
    if _STRANGE.search(text) or _RUN.search(text) or _FALSE_PLACE.search(text):
        return False
    if not _marks_are_closed(text):
        return False
    words = (match for match in _WORD.finditer(text) if not match[2].isascii())
    return all(_is_word(match[2], behind_digit=bool(match[1])) for match in words)


def _marks_are_closed(text: str) -> bool:
    low, opening, closing = (text.count(mark) for mark in "„“”")
    return (
        text.count("«") == text.count("»")
        and low <= opening + closing
        and opening <= low + closing
        and text.count("‚") <= text.count("‘") + text.count("’")
    )


def _is_word(word: str, *, behind_digit: bool) -> bool:
    if len(word) == 1:
        return word in _WORDS_OF_ONE and not behind_digit
    if behind_digit and not word[0].isascii() and not _BEHIND_NUMBER.match(word):
        return False
    if not any(letter.isascii() for letter in word) or _FALSE_CASE.search(word):
        return False
    return all(_PAIRS.fullmatch(match[0]) for match in _PAIR.finditer(word))
