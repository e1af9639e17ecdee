"""The ways to decode by their names in ``decode``: what watches a text, and what comes of it. A new one is an entry."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any

from eval.decoding.guide import Guide
from eval.decoding.guided_text import GuidedText
from eval.decoding.guides import AnswerGuide, ClaimGuide, ProofGuide
from eval.decoding.sampled_text import SampledText, first_whole, most_frequent
from eval.decoding.text import Text
from srt.io.records import Problem


@dataclass(frozen=True)
class Way:
    """One way. ``text`` makes an empty text from the options, the most ids that it may have, the ids that end one, and
    its problem. ``worlds``: it is for problems of exact worlds and for arms that write their traces; or for problems of
    no world; ``None``: for all. ``sentences``: a sentence ends a line, too."""

    guide: Callable[[], Guide]
    text: Callable[[Any, int, Set[int], Problem], Text]
    worlds: bool | None = True
    sentences: bool = False


WAYS: dict[str, Way] = {
    "proved": Way(ProofGuide, lambda options, longest, ends, _: GuidedText(options, longest, ends)),
    "best": Way(ProofGuide, lambda options, longest, ends, _: SampledText(options, longest, ends, first_whole)),
    "majority": Way(
        AnswerGuide,
        lambda options, longest, ends, problem: SampledText(options, longest, ends, most_frequent(problem)),
        worlds=None,
    ),
    "unrefuted": Way(
        ClaimGuide,
        lambda options, longest, ends, _: GuidedText(options, longest, ends, may_be_cut=True),
        worlds=False,
        sentences=True,
    ),
}
