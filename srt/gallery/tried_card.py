"""The card of a text that was written under a guide: what was refused stands under the line that was kept."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from pathlib import Path

from srt.gallery.card import Card, ShownStep, problem_card, whole_card
from srt.io.records import Prediction, Problem
from srt.judging.judge import judge, trace_of
from srt.judging.output_text import read_output
from srt.pipeline.check import check_with_truth
from srt.worlds.world_registry import world_of


def tried_card(problem: Problem, prediction: Prediction, folder: Path | None = None) -> Card:
    """The card of ``problem`` and a text for it, whose refused lines are under the line that stands in their place.

    Lines of prose are its steps. What follows the steps and is no answer is not shown.
    """
    text, ended, thinking = prediction.text, prediction.finish_reason, prediction.thinking == "open"
    judged = judge(problem, text, ended, thinking_open=thinking, checker=check_with_truth)
    trace = trace_of(read_output(problem, text, ended, thinking_open=thinking), problem, prediction.problem_id)
    if trace is not None and judged.check is not None and trace.steps:
        card, spans = whole_card(problem, trace, judged.check, folder=folder), judged.spans
    else:
        begins = sorted({0, *(at.end() for at in re.finditer("\n", text)), *(one.at for one in prediction.refused)})
        lines = [(start, end) for start, end in pairwise([*begins, len(text)]) if text[start:end].strip()]
        steps, spans = tuple(ShownStep(assertion=text[start:end].strip()) for start, end in lines), tuple(lines)
        card = problem_card(problem, folder, world_of(problem))._replace(checked=judged.check, steps=steps)
    ends = [end for _, end in spans]
    places = [bisect_right(ends, one.at) for one in prediction.refused]
    under = [
        tuple(one for one, place in zip(prediction.refused, places, strict=True) if place == number)
        for number in range(len(spans) + 1)
    ]
    said = [
        prediction.guided,
        f"{prediction.output_tokens} tokens" if prediction.output_tokens is not None else None,
        f"drawn again: {prediction.tries}" if prediction.tries else None,
        f"taken back: {prediction.lines_back}" if prediction.lines_back else None,
        judged.reason,
    ]
    return card._replace(
        said=", ".join(word for word in said if word),
        steps=tuple(step._replace(refused=of_step) for step, of_step in zip(card.steps, under[:-1], strict=True)),
        refused=under[-1],
    )
