"""The options of a problem, from whatever a cell of a file holds: text, a list, an object, a list of objects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

from srt.corpora.cells.own_letters import (
    letters_in_one_line,
    without_letters_of_columns,
    without_marks_between,
    without_own_letters,
)
from srt.corpora.cells.printed_lists import printed_list
from srt.corpora.corpus_reader import ItemRefused
from srt.io.strict_json import JsonFault, JsonLoss, load_json

_TEXTS = ("text", "texts", "content", "option", "option_text", "choice", "value", "answer")
_LABELS = ("label", "labels", "key", "id", "letter", "identifier", "option_label", "index", "idx")
_SEPARATORS = (";", "；", "||", "|", "、")
# A tag of HTML, or a backslash and an n that began no command of LaTeX (\\neq, \\nu).
_LINE_BREAK = re.compile(
    r"(?i:<br\s{0,3}/?>)|\\n(?!(?:eq?|eg|abla|u|ot|otin|i|mid|leq?|geq?|less|gtr|earrow|warrow|atural|parallel|cong|sim|"
    r"exists|subseteq|supseteq|prec|succ|ewline|olimits|onumber|[RLvV][a-zA-Z]+)(?![A-Za-z]))"
)
_PARALLEL = re.compile(r"(?<![A-Za-z])[A-Z]{2} ?\|\| ?[A-Z]{2}(?![A-Za-z])")
_ONE_WORD = re.compile(r"[^\s,]{1,40}")
_COMMA = re.compile(r" ?[,，] | ?， ?")


@dataclass(frozen=True)
class Options:
    """``texts`` by letter. ``labels``: the letter by the name that the file gives an option (``1``, ``b``), where it
    gives one; ``by_file``: the file has labels in a field of their own, not only before the texts."""

    texts: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    by_file: bool = False


def read_options(given: Any, separator: str | None = None, answer: str = "", *, in_columns: bool = False) -> Options:
    """The options that a cell gives: ``A``, ``B``, ... in their order, whatever the file calls them.

    A list or an object by letter; ``{"text": [...], "label": [...]}`` as ARC has it; objects with a text and a label;
    a text with any of these in JSON or as Python prints it; a line each; ``(A) 5 (B) 6`` on one line; or texts between
    ``;``, ``|`` or commas. Letters before the texts are taken off: they would contradict rolled options. At commas a
    text is divided only where every piece is one word, or ``answer`` is one of the pieces. ``separator`` divides it
    whatever it holds. ``in_columns``: ``given`` are the cells of columns A, B, ..., so that nothing but their own
    letter can be a label.

    Raises:
        ItemRefused: something else, or letters that stand in another order than their options.
    """
    if isinstance(given, str):
        given = given.split(separator) if separator else _in_text(given, answer)
    if isinstance(given, Mapping):
        return _of_object(given)
    if isinstance(given, Sequence) and not isinstance(given, str):
        if given and all(isinstance(one, Mapping) for one in given):
            return _of_objects(given)
        if any(isinstance(one, Mapping | list) for one in given):
            raise ItemRefused("unreadable", "choices: texts were expected, or objects with a text and a label each")
        return _of_texts([_text(one) for one in given], in_columns=in_columns)
    if given is None:
        return Options()
    return _of_texts([_text(given)])


def _of_object(given: Mapping[Any, Any]) -> Options:
    columns = {str(name).casefold(): value for name, value in given.items()}
    texts = next(
        (columns[name] for name in (*_TEXTS, "choices", "options") if isinstance(columns.get(name), list)), None
    )
    if texts is not None:
        labels = next((columns[name] for name in _LABELS if isinstance(columns.get(name), list)), None)
        if labels is None:
            return _of_texts([_text(one) for one in texts])
        if len(labels) != len(texts):
            raise ItemRefused("unreadable", f"choices: {len(labels)} labels for {len(texts)} texts")
        return _labelled([_text(one) for one in labels], [_text(one) for one in texts])
    texts = [_inner_text(one) for one in given.values()]
    return _labelled([str(label).strip() for label in given], texts)


def _inner_text(value: Any) -> str:
    """The text of an option that is an object: ``{"A": {"text": "sky"}}``."""
    if isinstance(value, list):
        raise ItemRefused("unreadable", "choices: a text for each option was expected, not a list")
    if not isinstance(value, Mapping):
        return _text(value)
    names = {str(name).casefold(): name for name in value}
    text = next((names[name] for name in _TEXTS if name in names), None)
    if text is None or isinstance(value[text], Mapping | list):
        raise ItemRefused("unreadable", f"choices: an object with a text was expected, not {dict(value)!r:.80}")
    return _text(value[text])


def _of_objects(given: Sequence[Mapping[str, Any]]) -> Options:
    labels, texts = [], []
    for one in given:
        names = {str(name).casefold(): name for name in one}
        text = next((names[name] for name in _TEXTS if name in names), None)
        label = next((names[name] for name in _LABELS if name in names and names[name] != text), None)
        if text is None and len(one) == 1:
            label, text = None, None
            [(key, value)] = one.items()
            labels.append(str(key).strip())
            texts.append(_text(value))
            continue
        if text is None or isinstance(one[text], Mapping | list):
            raise ItemRefused(
                "unreadable", f"choices: an object with text and label was expected, not {dict(one)!r:.80}"
            )
        texts.append(_text(one[text]))
        labels.append(_text(one[label]) if label is not None else "")
    if any(labels) and not all(labels):
        raise ItemRefused("unreadable", "choices: some options have a label and others have none")
    return _labelled(labels, texts) if any(labels) else _of_texts(texts)


def _labelled(labels: list[str], texts: list[str]) -> Options:
    if len(set(map(str.casefold, labels))) < len(labels):
        raise ItemRefused("unreadable", f"choices: two options have the same label ({', '.join(labels)})")
    if all(re.fullmatch("[A-Z]", label) for label in labels):
        # Letters that the file gives are kept, in whatever order: {"B": ..., "A": ...}.
        kept = _without_empty_end(dict(sorted(zip(labels, texts, strict=True))))
        return Options(_without_their_own_letter(kept), {letter: letter for letter in kept}, by_file=True)
    letters = list(ascii_uppercase[: len(texts)])
    if len(letters) < len(texts):
        raise ItemRefused("unreadable", f"choices: {len(texts)} options; at most 26 have a letter")
    return Options(dict(zip(letters, texts, strict=True)), dict(zip(labels, letters, strict=True)), by_file=True)


def _without_their_own_letter(texts: dict[str, str]) -> dict[str, str]:
    """``{"A": "A. sky"}`` as ``{"A": "sky"}``."""
    own = without_letters_of_columns(list(texts), list(texts.values()))
    return dict(zip(texts, own, strict=True)) if own else texts


def _of_texts(texts: list[str], *, in_columns: bool = False) -> Options:
    texts = list(_without_empty_end(dict(enumerate(texts))).values())
    if len(texts) > len(ascii_uppercase):
        raise ItemRefused("unreadable", f"choices: {len(texts)} options; at most 26 have a letter")
    if in_columns:
        letters = list(ascii_uppercase[: len(texts)])
        return Options(dict(zip(letters, without_letters_of_columns(letters, texts) or texts, strict=True)))
    own = without_own_letters(texts)
    if own is None:
        return Options(dict(zip(ascii_uppercase, texts, strict=False)))
    letters = list(ascii_uppercase[: len(texts)])
    return Options(dict(zip(letters, own[1], strict=True)), dict(zip(own[0], letters, strict=True)))


def _without_empty_end(texts: dict[Any, str]) -> dict[Any, str]:
    kept = dict(texts)
    while kept and not kept[max(kept)]:
        del kept[max(kept)]
    return kept


def _text(value: Any) -> str:
    return "" if value is None or value != value else str(value).strip()  # NaN equals nothing


def _in_text(text: str, answer: str) -> Any:
    """What the text of a cell holds: a list, an object, or the pieces of the text."""
    body = text.strip()
    if body.startswith(("[", "{", "('", '("')):
        try:
            found = load_json(body)
        except JsonLoss as error:
            raise ItemRefused("unreadable", f"choices: {error}") from None
        except JsonFault:
            found = printed_list(body)
        if isinstance(found, list | dict):
            return found
    lines = [line.strip() for line in _LINE_BREAK.sub("\n", body).splitlines() if line.strip()]
    lettered = letters_in_one_line(" ".join(lines))
    if len(lines) > 1:
        # Two options a line: A. 5 B. 6, then C. 7 D. 8.
        return lettered if lettered and len(lettered) > len(lines) else without_marks_between(lines)
    return lettered or _between_separators(body, answer) or lines


def _closed(text: str) -> bool:
    return all(text.count(opens) == text.count(closes) for opens, closes in ("()", "[]", "{}"))


def _between_separators(text: str, answer: str) -> list[str] | None:
    if "||" in text and any(sign in text for sign in ";；"):
        return None  # AB || CD; EF || GH: which of the two divides it?
    for separator in _SEPARATORS:
        if separator == "||" and _PARALLEL.search(text):
            continue
        pieces = [piece.strip() for piece in text.rstrip(separator).split(separator)]
        if len(pieces) > 1 and all(pieces):
            return pieces
    pieces = _COMMA.split(" ".join(text.split()))
    if len(pieces) < 2 or not all(pieces) or not all(map(_closed, pieces)):
        return None
    return pieces if answer.strip() in pieces or all(map(_ONE_WORD.fullmatch, pieces)) else None
