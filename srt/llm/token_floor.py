"""The fewest tokens that a text can have, whatever the tokenizer: a count below it cannot be.

Tokenizers cut at spaces, so a word has at least one token. (Those that join words, as SuperBPE does, need a third fewer
tokens than others, which is about 0.9 a word: Liu et al. 2025.) In scripts without spaces a token has one to three
characters on average. Only three quarters of the words and one token for eight such characters are asked for. So a
count that is too small by less than about half goes unnoticed.
"""

from __future__ import annotations

import re
from typing import Final

_UNSPACED: Final = re.compile("[\u2e80-\U0010ffff]+")
"""From where the scripts of East Asia begin in Unicode."""


def fewest_tokens(text: str) -> int:
    """A lower bound of the tokens of ``text``; 1 for any text that is not empty, 0 for an empty one."""
    if not text:
        return 0
    words = len(text.split())
    unspaced = 0 if text.isascii() else sum(map(len, _UNSPACED.findall(text)))
    return max(1, 3 * words // 4 + unspaced // 8)
