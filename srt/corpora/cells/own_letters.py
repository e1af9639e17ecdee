"""Options that bring their own letters or numbers: ``A. 095°``, or ``(A) 5 (B) 6 (C) 7`` on one line."""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase

from srt.corpora.corpus_reader import ItemRefused

# A letter needs a sign behind it. After a colon no letter follows: A:B is a ratio, AB: a name.
_LETTER = r"[(（\[]\s*(?P<in>[A-Za-z])\s*[)）\]]|(?P<bare>[A-Za-z])\s*(?:[.．、)）]|[:：](?!\s*[A-Z](?![a-z])))"
# A number also needs a blank behind a full stop: 1.5 is a value, and 1:2 a ratio.
_NUMBER = r"[(（\[]\s*(?P<nin>\d{1,2})\s*[)）\]]|(?P<nbare>\d{1,2})\s*(?:[)）、]|[.．](?=\s))|(?P<round>[①-⑩])"
_LEADING = re.compile(rf"\s*(?:{_LETTER}|{_NUMBER})\s*(?P<text>.*)", re.S)
_ORDERS = (
    list(ascii_uppercase),
    list(ascii_lowercase),
    [str(number) for number in range(1, 27)],
    list("①②③④⑤⑥⑦⑧⑨⑩"),
)
_STYLES = (
    r"[(（\[]\s*{}\s*[)）\]]",
    r"{}\s*[)）]",
    r"{}\s*[.．](?=\s|\S)",
    r"{}\s*[:：]",
    r"{}\s*、",
)


def without_own_letters(texts: list[str]) -> tuple[list[str], list[str]] | None:
    """The labels that stand before all ``texts``, and the texts without them; ``None`` if they have none.

    Raises:
        ItemRefused: the labels stand in another order than the options, so an answer ``A`` has two readings.
    """
    matches = [_LEADING.fullmatch(text) for text in texts]
    if len(texts) < 2 or not all(matches):
        return None
    found = [match for match in matches if match]
    if not any(match["text"].strip() for match in found):
        return None  # "(a)", "(b)": that is all they say
    labels = [next(filter(None, (m["in"], m["bare"], m["nin"], m["nbare"], m["round"]))) for m in found]
    for order in _ORDERS:
        if labels == order[: len(labels)]:
            return labels, [match["text"].strip() for match in found]
        if sorted(labels) == sorted(order[: len(labels)]) and len(order) <= 26 and order[0].isalpha():
            listed = ", ".join(labels)
            raise ItemRefused(
                "ambiguous", f"choices: the options bear the letters {listed}, in this order; write them without"
            )
    return None


def letters_in_one_line(text: str, least: int = 2) -> list[str] | None:
    """The options of ``(A) 5 (B) 6 (C) 7``, each with its label; ``None`` where there are fewer than ``least``.

    The labels begin the text, follow each other in order, and are written in one way throughout. A label that occurs
    twice makes the text unreadable as options.
    """
    for order in _ORDERS:
        for style in _STYLES if order[0] != "①" else ("{}",):
            cuts = _cuts(text, order, style)
            if len(cuts) >= least:
                ends = [*cuts[1:], len(text)]
                return [text[start:end].strip().rstrip(";；,，").strip() for start, end in zip(cuts, ends, strict=True)]
    return None


def _cuts(text: str, order: list[str], style: str) -> list[int]:
    cuts: list[int] = []
    for label in order:
        # Labels in brackets may follow each other without a blank; others follow one, or a separator.
        before = r"(?:(?<=[\s;；,，])|^)" if not style.startswith("[(") and label not in "①②③④⑤⑥⑦⑧⑨⑩" else ""
        behind = r"(?=\s)" if label.isdigit() and "[.．]" in style else ""
        places = [match.start() for match in re.finditer(before + style.format(label) + behind, text)]
        later = [place for place in places if not cuts or place > cuts[-1]]
        if not later or (not cuts and later[0] != len(text) - len(text.lstrip())):
            return cuts
        if len(later) > 1 or len(places) > len(later):
            return []
        cuts.append(later[0])
    return cuts
