"""Conversations: LLaVA's and ShareGPT's ``{"from": "human", "value": ...}``, and ``{"role": "user", "content": ...}``.

LLaVA-Instruct-150K has ``id``, ``image`` (a file name) and ``conversations`` with ``<image>`` once, in the first turn;
ids are not unique. ShareGPT also has the roles system, user, chatgpt, bing and bard. A conversation is one problem: its
first question and the answer to it. One of several questions is refused, since the later ones may need the earlier
ones, unless the mapping says ``turns: first`` or ``turns: each``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from srt.corpora.cells.options_in_question import split_options
from srt.corpora.cells.worked_solutions import behind_final_mark, last_boxed
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Fields, Layout, Rows

_ASKS = ("human", "user")
_ANSWERS = ("gpt", "assistant", "chatgpt", "bing", "bard", "model")
_PLACEHOLDER = re.compile(r"<image>\s?")
_LETTER_ASKED = re.compile(r"Answer with the option'?s letter from the given choices directly\.?", re.I)
_LETTER = re.compile(r"\(?([A-H])\)?\.?")


def _turns(column: str, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    turns = row[column]
    if not isinstance(turns, list) or not all(isinstance(turn, Mapping) for turn in turns):
        raise ItemRefused("unreadable", f"{column}: a list of turns was expected")
    return [(str(turn.get("from", turn.get("role"))), _text(turn.get("value", turn.get("content")))) for turn in turns]


def _text(content: Any) -> str:
    if not isinstance(content, list):
        return str(content or "")
    parts = [part for part in content if isinstance(part, Mapping)]
    return "".join(
        "<image>" if part.get("type") == "image" else str(part.get("text") or part.get("value") or "") for part in parts
    )


def _reader(column: str) -> Callable[[Mapping[str, Any]], Fields]:
    def read(row: Mapping[str, Any]) -> Fields:
        turns = _turns(column, row)
        system = "\n".join(text for role, text in turns if role == "system")
        said = [(role, text) for role, text in turns if role != "system"]
        if [role in _ASKS for role, _ in said] != [True, False] or said[1][0] not in _ANSWERS:
            roles = ", ".join(role for role, _ in said[:8])
            raise ItemRefused(
                "unreadable", f"{column}: one question and its answer were expected, not the turns {roles or 'none'}"
            )
        question, pictures = _with_pictures(said[0][1], row)
        question, choices, answer = _options(question, said[1][1].strip())
        worked = behind_final_mark(answer)
        solution = worked[1] if worked else None
        if worked:
            answer = worked[0]
        elif boxed := last_boxed(answer):
            answer, solution = boxed, answer
        return {
            "id": row.get("id"),
            "question": f"{system}\n\n{question}" if system else question,
            "choices": choices,
            "answer": answer,
            "solution": solution,
            "picture": pictures,
            "group": row.get("id"),
            "split": row.get("split"),
            "single_choice": bool(choices),
        }

    return read


def _parts(column: str) -> Callable[[Mapping[str, Any], str | None], list[Mapping[str, Any]]]:
    """The conversation cut into questions with their answers, each with what the system said."""

    def parts(row: Mapping[str, Any], turns: str | None) -> list[Mapping[str, Any]]:
        said = row.get(column)
        if turns is None or not isinstance(said, list):
            return [row]
        roles = [str(turn.get("from", turn.get("role"))) if isinstance(turn, Mapping) else "" for turn in said]
        system = [turn for turn, role in zip(said, roles, strict=True) if role == "system"]
        pairs = [
            [*system, said[at], said[at + 1]]
            for at in range(len(said) - 1)
            if roles[at] in _ASKS and roles[at + 1] in _ANSWERS
        ]
        parts: list[Mapping[str, Any]] = [
            {**row, column: pair, **shown} for pair, shown in zip(pairs, _shown(row, pairs), strict=True)
        ]
        return (parts[:1] if turns == "first" else parts) or [row]

    return parts


def _shown(row: Mapping[str, Any], pairs: list[list[Any]]) -> list[dict[str, Any]]:
    """The pictures of each pair: as many as it has marks, from where the pair before it ended; without marks, all that
    were shown before."""
    pictures, at, found = _pictures(row), 0, []
    for pair in pairs:
        asked = pair[-2]
        marks = len(_PLACEHOLDER.findall(_text(asked.get("value", asked.get("content")))))
        shown = pictures[at : at + marks] if marks else pictures[:at] or pictures
        at += marks
        found.append({"image": None, "images": shown})
    return found


def _pictures(row: Mapping[str, Any]) -> list[Any]:
    given: Any = row.get("image") or row.get("images") or []
    return given if isinstance(given, list) else [given]


def _with_pictures(text: str, row: Mapping[str, Any]) -> tuple[str, list[Any]]:
    pictures = _pictures(row)
    marks = len(_PLACEHOLDER.findall(text))
    if marks not in (0, len(pictures)):
        raise ItemRefused("picture", f"conversations: {marks} times <image>, and {len(pictures)} pictures")
    if marks > 1:
        for number in range(1, marks + 1):
            text = text.replace("<image>", f"<image{number}>", 1)
        return text.strip(), pictures
    return _PLACEHOLDER.sub("", text).strip(), pictures


def _options(question: str, answer: str) -> tuple[str, dict[str, str], str]:
    """Options that stand at the end of the question, a line each, where the answer is one letter."""
    letter = _LETTER.fullmatch(answer)
    if letter is None:
        return question, {}, answer
    asked, choices = split_options(_LETTER_ASKED.sub("", question), heading=False)
    return (asked, choices, letter[1]) if choices else (question, {}, answer)


def _has_pictures(rows: Rows) -> bool:
    return any(row.get("image") or row.get("images") for row in rows)


_USES = frozenset({"id", "split", "image", "images"})
LLAVA = Layout(
    name="LLaVA",
    about="the first turn is the question, with its picture, the second the answer",
    columns=frozenset({"conversations"}),
    uses=_USES,
    fits=_has_pictures,
    read=_reader("conversations"),
    parts=_parts("conversations"),
    ids_repeat=True,
)
SHAREGPT = Layout(
    name="ShareGPT",
    about="the first turn is the question, the second the answer",
    columns=frozenset({"conversations"}),
    uses=_USES,
    read=_reader("conversations"),
    parts=_parts("conversations"),
    ids_repeat=True,
)
CHAT_MESSAGES = Layout(
    name="chat messages",
    about="the first turn of the user is the question, the next the answer",
    columns=frozenset({"messages"}),
    uses=_USES,
    read=_reader("messages"),
    parts=_parts("messages"),
    ids_repeat=True,
)
