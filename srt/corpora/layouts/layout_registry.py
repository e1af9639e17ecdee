"""The registry of layouts. A new one is a file in this folder and a line in :data:`LAYOUTS`."""

from __future__ import annotations

from srt.corpora.layouts.arc import ARC, COMMONSENSE_QA, OPENBOOK_QA
from srt.corpora.layouts.conversations import CHAT_MESSAGES, LLAVA, SHAREGPT
from srt.corpora.layouts.free_answers import FREE_ANSWERS
from srt.corpora.layouts.gsm8k import GSM8K
from srt.corpora.layouts.layout import Layout, Rows
from srt.corpora.layouts.math_solutions import MATH, MATH_500
from srt.corpora.layouts.mathverse import MATHVERSE
from srt.corpora.layouts.mathvista import MATHVISTA
from srt.corpora.layouts.mmlu import MMLU
from srt.corpora.layouts.mmmu import MMMU
from srt.corpora.layouts.multiple_choice import MULTIPLE_CHOICE
from srt.corpora.layouts.vlmevalkit import VLMEVALKIT

LAYOUTS: tuple[Layout, ...] = (
    MATHVERSE,
    MATHVISTA,
    MMMU,
    VLMEVALKIT,
    MMLU,
    COMMONSENSE_QA,
    OPENBOOK_QA,
    ARC,
    MATH_500,
    MATH,
    GSM8K,
    LLAVA,
    SHAREGPT,
    CHAT_MESSAGES,
    *MULTIPLE_CHOICE,
    *FREE_ANSWERS,
)
"""Those with more columns of their own come first."""


def recognised(rows: Rows) -> Layout | None:
    """The layout of a file that begins with ``rows``; ``None`` if it is none of the known ones."""
    return next((one for one in LAYOUTS if _is_of(one, rows)), None)


def _is_of(layout: Layout, rows: Rows) -> bool:
    # More than half of the rows: one or another may be broken.
    whole = [row for row in rows if layout.columns <= row.keys()]
    return len(whole) * 2 > len(rows) and layout.fits(whole)
