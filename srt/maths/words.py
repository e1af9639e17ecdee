"""Tables of words, written as one string: a long list of quoted words hides what is in it."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """The words of a string, as a set."""
    return frozenset(words.split())
