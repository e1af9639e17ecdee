"""The fewest tokens that a text can have, whatever the tokenizer: a count below it cannot be.

Tokenizers cut at spaces, so a word has at least one token. (Those that join words, as SuperBPE does, need a third fewer
tokens than others, which is about 0.9 a word: Liu et al. 2025.) Only three quarters of the words are asked for, and
more where there are no spaces to cut at. The longest tokens of o200k_base and cl100k_base, as OpenAI publishes them:

- 128 bytes, which are 128 spaces, or a punctuation mark repeated;
- without repeated characters 42 characters (``.translatesAutoresizingMaskIntoConstraints``), 26 in o200k_base: one
  token for 24 characters of a word is asked for;
- 21 characters of Thai, 7 of Khmer and Burmese, 11 of Chinese and Japanese. In these scripts a token has one to four
  characters on average: one token for eight is asked for.

So a count that is too small by less than about half goes unnoticed, in long words by less than four fifths.
"""

from __future__ import annotations

import re
from typing import Final

_LONGEST_TOKEN: Final = 128
"""Bytes."""
_LONGEST_IN_A_WORD: Final = 24
_UNSPACED: Final = re.compile("[\u0e00-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u1b00-\u1b7f\u2e80-\U0010ffff]+")
"""Thai, Lao, Tibetan, Burmese, Khmer, the Tai scripts and Balinese; and from where those of East Asia begin."""
_REPEATED: Final = re.compile(r"(.)\1{3,}", re.DOTALL)


def fewest_tokens(text: str) -> int:
    """A lower bound of the tokens of ``text``; 1 for any text that is not empty, 0 for an empty one."""
    if not text:
        return 0
    unspaced, spaced = 0, text
    if not text.isascii():
        unspaced = sum(map(len, _UNSPACED.findall(text)))
        spaced = _UNSPACED.sub("", text)
    long = sum(len(word) // _LONGEST_IN_A_WORD for word in _REPEATED.sub(r"\1", spaced).split())
    by_words = 3 * len(text.split()) // 4 + long + unspaced // 8
    return max(1, by_words, len(text.encode(errors="replace")) // _LONGEST_TOKEN)
