"""Many texts written under a guide by one model, at once: no text waits for another.

In each turn every row gets its next token, but for those whose line is being judged: that takes another process, and
the model goes on with the others. What a row gets depends on that row alone.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, partial

import torch

from eval.decoding.decode_settings import REDRAW_TEMPERATURE
from eval.decoding.guide import Guide, LineDraft
from eval.decoding.model_rows import ModelRows
from eval.decoding.text import Break, Text
from eval.decoding.verdicts import Pending, Verdicts
from srt.io.records import Problem

Constrain = Callable[[Sequence[int], torch.Tensor], None]
"""Sets what is forbidden after the ids of a text to ``-inf`` in its scores [vocabulary], in place."""

_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’)*]*$")


@dataclass(frozen=True)
class Asked:
    """One text that is asked for: ``inputs`` are what the model takes for its prompt alone (``input_ids`` [1, length]
    and the like), ``constraints`` makes those of a text from its beginning. ``problem`` has no gold answer."""

    number: int
    problem: Problem
    inputs: Mapping[str, torch.Tensor]
    seed: int
    constraints: Callable[[], Sequence[Constrain]]


@dataclass(frozen=True)
class Written:
    """The text of ``asked`` as ``text`` has it; ``seconds`` are its share of the time."""

    asked: Asked
    text: Text
    seconds: float


@dataclass(frozen=True)
class Writing:
    """How all texts are written.

    ``begin`` makes an empty text for a problem; ``ends``: ids that end one. ``temperature`` 0 is greedy where a text
    need not be sampled.
    ``draw`` takes scores [rows, vocabulary], one random number in [0, 1) a row, and a temperature, and gives a token
    for each row [rows]. ``decode`` gives the text of ids. ``sentences``: a sentence ends a line, too.
    """

    begin: Callable[[Problem], Text]
    ends: Set[int]
    temperature: float
    draw: Callable[[torch.Tensor, torch.Tensor, float], torch.Tensor]
    decode: Callable[[Sequence[int]], str]
    sentences: bool


def write_guided(
    rows: ModelRows, at_once: int, asked: Iterable[Asked], writing: Writing, guide: Guide
) -> Iterator[Written]:
    """Write the texts that are ``asked`` for, ``at_once`` in the rows of a model; yields each when it is finished."""
    queue = iter(asked)
    breaks = lru_cache(maxsize=100_000)(partial(_break, writing))
    seats: list[_Row | None] = [None] * at_once
    with Verdicts(guide) as verdicts:
        while True:
            started = time.perf_counter()
            with torch.inference_mode():
                for number in (number for number, row in enumerate(seats) if row is None):
                    if (one := next(queue, None)) is None:
                        break
                    seats[number] = _Row(one, writing)
                    rows.open(number, one.inputs)
                taken = [number for number, row in enumerate(seats) if row is not None]
                if not taken:
                    return
                # Seats stay empty only where nothing more is asked for.
                if 2 * len(taken) <= len(seats):
                    rows.shrink(taken)
                    seats = [seats[number] for number in taken]
                there = {number: row for number, row in enumerate(seats) if row is not None}
                _take_verdicts(there.values(), verdicts)
                going = {number: row for number, row in there.items() if row.pending is None and not row.text.finished}
                if going:
                    _write_token(rows, going, writing, breaks, verdicts)
            if not going and not any(row.text.finished for row in there.values()):
                verdicts.wait([row.pending for row in there.values() if row.pending is not None])
            share = (time.perf_counter() - started) / len(there)
            for number, row in there.items():
                row.seconds += share
                if row.text.finished:
                    seats[number] = None
                    yield Written(row.asked, row.text, row.seconds)


class _Row:
    """A text that is being written, with what decides its next token."""

    def __init__(self, asked: Asked, writing: Writing) -> None:
        self.asked, self.seconds = asked, 0.0
        self.text = writing.begin(asked.problem)
        self.prompt: list[int] = asked.inputs["input_ids"][0].tolist()
        self.constraints = asked.constraints()
        # One number a token, as in plain sampling: where nothing is refused, the text is the same.
        generator = torch.Generator().manual_seed(asked.seed)
        self.uniforms = torch.rand(self.text.budget, generator=generator).tolist()
        self.logs: list[float] = []
        self.pending: Pending | None = None
        self.draft: LineDraft | None = None


def _take_verdicts(rows: Iterable[_Row], verdicts: Verdicts) -> None:
    """Go on with the rows whose verdict is there."""
    for row in rows:
        if row.pending is None or row.draft is None or not row.pending.done():
            continue
        verdict = verdicts.of(row.pending, row.draft)
        before = len(row.text.ids)
        row.text.judged(verdict)
        row.pending, row.logs = None, []
        if len(row.text.ids) < before:
            row.constraints = row.asked.constraints()


def _write_token(
    rows: ModelRows,
    going: Mapping[int, _Row],
    writing: Writing,
    breaks: Callable[[int | None, int], Break],
    verdicts: Verdicts,
) -> None:
    """The next token of each of the rows ``going``; asks for a verdict where it ends a line."""
    written = {number: row.text.ids for number, row in going.items()}
    scores = rows.step({number: [*row.prompt, *written[number]] for number, row in going.items()})
    for place, (number, row) in enumerate(going.items()):
        for constraint in row.constraints:
            constraint(written[number], scores[place])
    tokens = scores.argmax(1)
    sampled = [place for place, row in enumerate(going.values()) if writing.temperature > 0 or row.text.sampled]
    if sampled:
        every = list(going.values())
        uniforms = torch.tensor([every[place].uniforms[every[place].text.drawn] for place in sampled])
        tokens[sampled] = writing.draw(
            scores[sampled], uniforms.to(scores.device), writing.temperature or REDRAW_TEMPERATURE
        )
    logs = scores.gather(1, tokens[:, None])[:, 0] - scores.logsumexp(1)
    for (number, row), token, log in zip(going.items(), tokens.tolist(), logs.tolist(), strict=True):
        breaking = breaks(written[number][-1] if writing.sentences and written[number] else None, token)
        row.logs.append(log)
        before = row.text.redrawn
        if row.text.add(token, breaking):
            row.draft = _draft(row, writing, breaking)
            row.pending = verdicts.ask(row.draft)
        elif row.text.redrawn > before:  # it became too long
            row.logs, row.constraints = [], row.asked.constraints()


def _break(writing: Writing, last: int | None, token: int) -> Break:
    """Whether ``token`` ends a line, or opens one: some vocabularies have a break and a word in one. ``last`` is the
    token before it where sentences count."""
    if token in writing.ends:
        return "none"
    before, broken, after = writing.decode([token]).partition("\n")
    if broken:
        return "opens" if after.strip() and not before.strip() else "ends"
    if last is None or not (end := _SENTENCE_END.search(said := writing.decode([last]))):
        return "none"
    # Together: by themselves, tokens of some vocabularies do not show the space with which they begin. Without one
    # there is more to come of ``3.``.
    follows = writing.decode([last, token])[len(said) :]
    return "opens" if follows.startswith(" ") or end[0] in "。！？" else "none"


def _draft(row: _Row, writing: Writing, breaking: Break) -> LineDraft:
    """What the guide is to judge; ``breaking``: what the last token does to the line."""
    ids = row.text.ids
    ended = ids[-1] in writing.ends
    text = writing.decode(ids[:-1] if ended or breaking == "opens" else ids)
    return LineDraft(
        problem=row.asked.problem,
        # The last token may hold what the next line begins with.
        text=text[: text.rfind("\n") + 1] if breaking == "ends" else text,
        ended=ended,
        line=row.text.line,
        draw=row.text.draws,
        seed=row.asked.seed,
        log_probability=sum(row.logs) / len(row.logs),
    )
