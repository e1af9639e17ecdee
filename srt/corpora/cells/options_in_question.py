"""Options that stand at the end of the question's own text: behind ``Choices:``, or as lines ``A. left``."""

from __future__ import annotations

import re

from srt.corpora.cells.option_cells import read_options
from srt.corpora.cells.own_letters import letters_in_one_line

_HEADING = re.compile(r"(?:Choices?|Options?|选项)\s{0,3}[:：]", re.I)
_FIRST = re.compile(r"\s{0,8}[(（]?A\s{0,2}[.．、)）:：]")


def split_options(question: str, *, heading: bool) -> tuple[str, dict[str, str]]:
    """The question, and the options at its end by letter; none where it has none.

    ``heading``: they stand behind ``Choices:`` or ``Options:``; else the lines from ``A.`` on may be options too.
    """
    for match in _HEADING.finditer(question):
        before = question[: match.start()].rstrip()
        # At the beginning of a line, or behind a sentence: not "his choices: ..." inside of one.
        if not before or before[-1] in ".?:)）。？" or "\n" in question[len(before) : match.start()]:
            return _split(question, before, question[match.end() :])
    if not heading:
        lines = question.splitlines()
        first = next((at for at, line in enumerate(lines) if _FIRST.match(line)), None)
        if first is not None and letters_in_one_line(" ".join(" ".join(lines[first:]).split())):
            return _split(question, "\n".join(lines[:first]).rstrip(), "\n".join(lines[first:]))
    return question, {}


def _split(question: str, before: str, options: str) -> tuple[str, dict[str, str]]:
    texts = read_options(options).texts
    return (before.strip(), texts) if len(texts) > 1 and before.strip() else (question, {})
