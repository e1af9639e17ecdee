"""The ways to decode by their names in ``decode``: what watches a text, and what comes of it. A new one is an entry."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any

from eval.decoding.guide import Guide
from eval.decoding.guided_text import GuidedText
from eval.decoding.guides import AnswerGuide, ProofGuide
from eval.decoding.sampled_text import SampledText, first_whole, most_frequent
from eval.decoding.text import Text
from srt.io.records import Problem


@dataclass(frozen=True)
class Way:
    """One way. ``text`` makes an empty text from the options, the most ids that it may have, the ids that end one, and
    its problem. ``proves``: it is for problems of exact worlds, and for arms that write their traces."""

    guide: Callable[[], Guide]
    text: Callable[[Any, int, Set[int], Problem], Text]
    proves: bool = True


WAYS: dict[str, Way] = {
    "proved": Way(ProofGuide, lambda options, longest, ends, _: GuidedText(options, longest, ends)),
    "best": Way(ProofGuide, lambda options, longest, ends, _: SampledText(options, longest, ends, first_whole)),
    "majority": Way(
        AnswerGuide,
        lambda options, longest, ends, problem: SampledText(options, longest, ends, most_frequent(problem)),
        proves=False,
    ),
}
