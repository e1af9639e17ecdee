"""Answers that say of each option whether it is right: ``[0, 1, 0, 0]`` beside four options is B."""

from __future__ import annotations

from typing import Any

from srt.corpora.cells.positions import whole_number
from srt.corpora.corpus_reader import ItemRefused


def marked(printed: list[Any], letters: list[str]) -> list[str] | None:
    """The ``letters`` of the options that ``printed`` marks, with a 1 or ``true``; ``None`` if it is a list of answers.

    Raises:
        ItemRefused: two numbers beside two options may be places too, none is marked, or a place stands twice.
    """
    truths = len(printed) > 0 and all(isinstance(one, bool) for one in printed)
    numbers = [int(one) if isinstance(one, bool) else whole_number(str(one)) for one in printed]
    if not truths and (None in numbers or len(numbers) < 2):
        return None
    if len(numbers) != len(letters) or not set(numbers) <= {0, 1}:
        if truths or len(set(numbers)) < len(numbers):
            raise ItemRefused(
                "ambiguous",
                f"answer: {printed!r:.60}: neither places of options nor a 0 or 1 for each of {len(letters)}",
            )
        return None
    if not truths and len(set(numbers)) == len(numbers):
        raise ItemRefused("ambiguous", f"answer: {printed!r}: two places, or a 0 or 1 for each option? write letters")
    if 1 not in numbers:
        raise ItemRefused("no_answer", f"answer: {printed!r:.60} marks no option as right")
    return [letter for letter, number in zip(letters, numbers, strict=True) if number]
