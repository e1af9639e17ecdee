"""Options that bring their own letters or numbers: ``A. 095°``, or ``(A) 5 (B) 6 (C) 7`` on one line."""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase

from srt.corpora.corpus_reader import ItemRefused

# A letter needs a sign behind it. After a colon no letter follows: A:B is a ratio, AB: a name.
_LETTER = r"[(（\[]\s*(?P<in>[A-Za-z])\s*[)）\]]|(?P<bare>[A-Za-z])\s*(?:[.．、)）]|[:：](?!\s*[A-Z](?![a-z])))"
# A number also needs a blank behind a full stop: 1.5 is a value, and 1:2 a ratio.
_NUMBER = r"[(（\[]\s*(?P<nin>\d{1,2})\s*[)）\]]|(?P<nbare>\d{1,2})\s*(?:[)）、]|[.．](?=\s))|(?P<round>[①-⑳㉑-㉖])"
_LEADING = re.compile(rf"\s*(?:{_LETTER}|{_NUMBER})\s*(?P<text>.*)", re.S)
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖"
# What cannot follow a label: (1)(2) and ①、③ name statements, A.D. is short for words, and a.png is a file.
_NO_OPTION = re.compile(
    rf"\s*(?:[(（\[]\s*\d{{1,2}}\s*[)）\]]|[{_CIRCLED}]|(?:[、,，和及与&+]|and\b)\s*[(（\[{_CIRCLED}]).*|[A-Z]\.?",
    re.S,
)
_FILE = re.compile(
    r"(?:png|jpe?g|gif|svg|webp|bmp|tiff?|pdf|txt|csv|json|xml|html?|py|exe|zip|docx?|xlsx?|mp[34]|com|org|net)"
)
_OWN = r"(?:[(（\[]\s*{0}\s*[)）\]]|{0}\s*[.．、)）:：])(?P<text>.*)"
_BETWEEN = ("||", "|", "/", "•", "·", "-", "–", "—", ";", "；", ",", "，")
_ORDERS = (
    list(ascii_uppercase),
    list(ascii_lowercase),
    [str(number) for number in range(1, 27)],
    list(_CIRCLED),
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
            if any(_names_no_option(text, match["text"]) for text, match in zip(texts, found, strict=True)):
                return None
            return labels, [match["text"].strip() for match in found]
        if sorted(labels) == sorted(order[: len(labels)]) and len(order) <= 26 and order[0].isalpha():
            listed = ", ".join(labels)
            raise ItemRefused(
                "ambiguous", f"choices: the options bear the letters {listed}, in this order; write them without"
            )
    return None


def _names_no_option(text: str, rest: str) -> bool:
    return text[-len(rest) - 1 :][:1].strip() != "" and any(no.fullmatch(rest) for no in (_NO_OPTION, _FILE))


def without_letters_of_columns(columns: list[str], texts: list[str]) -> list[str] | None:
    """``texts`` without the label before each, where that is the letter of its column; ``None`` if they have none.

    Raises:
        ItemRefused: no blank follows the labels (``A)B`` may be a label, or all a text), or their order is another.
    """
    without_own_letters(texts)  # refuses them in another order
    matches = [
        re.fullmatch(_OWN.format(f"[{letter}{letter.lower()}]"), text, re.S)
        for letter, text in zip(columns, texts, strict=True)
    ]
    rests = [match["text"] for match in matches if match]
    if len(texts) < 2 or len(rests) < len(texts) or not any(map(str.strip, rests)):
        return None
    if all(not rest or rest[0].isspace() or not rest[0].isascii() for rest in rests):
        return [rest.strip() for rest in rests]
    if any(_FILE.fullmatch(rest) for rest in rests):
        return None
    raise ItemRefused(
        "ambiguous",
        f"choices: {texts[0][:40]!r} in column {columns[0]}: a label, or all of it a text? "
        "write a blank behind a label",
    )


def without_marks_between(pieces: list[str]) -> list[str]:
    """``pieces``, each with its label, without the sign that stands before every following label: ``A. cat |``."""
    for sign in _BETWEEN:
        if len(pieces) > 1 and all(_ends_with(piece, sign) for piece in pieces[:-1]):
            *others, last = pieces
            kept = [piece.removesuffix(sign).strip() for piece in others]
            return [*kept, last.removesuffix(sign).strip() if _ends_with(last, sign) else last]
    return pieces


def _ends_with(piece: str, sign: str) -> bool:
    """Whether ``sign`` stands behind ``piece``: behind a blank, unless it is a comma. ``Cl-`` and ``|x|`` end so."""
    return piece.endswith(sign if sign in ";；,，" else f" {sign}") or (
        sign == "|" and piece.find("|") == len(piece) - 1
    )


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
                pieces = [text[start:end].strip() for start, end in zip(cuts, ends, strict=True)]
                return [piece.rstrip(";；,，").strip() for piece in without_marks_between(pieces)]
    return None


def _cuts(text: str, order: list[str], style: str) -> list[int]:
    cuts: list[int] = []
    for label in order:
        # Labels in brackets may follow each other without a blank; others follow one, or a separator.
        before = r"(?:(?<=[\s;；,，|•])|^)" if not style.startswith("[(") and label not in _CIRCLED else ""
        behind = r"(?=\s)" if label.isdigit() and "[.．]" in style else ""
        places = [match.start() for match in re.finditer(before + style.format(label) + behind, text)]
        later = [place for place in places if not cuts or place > cuts[-1]]
        if not later or (not cuts and later[0] != len(text) - len(text.lstrip())):
            return cuts
        if len(later) > 1 or len(places) > len(later):
            return []
        cuts.append(later[0])
    return cuts
