"""A language model reads the outputs from which the scorer read no answer: a second figure beside the printed one.

It sees the question, the options and the output, never the gold answer, and says what the output answers. What it
reads is compared with gold by the same equality as any other answer. Writes ``unread.jsonl``, whose records say who
read them, and ``unread.json`` into the run's folder; scores and accuracy never change.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from eval.benchmarks.benchmark_registry import find_benchmark
from eval.errors.judge_model import JudgeConfig, Spent, ask_about, read_word
from eval.records.run_records import DerivedFromScores, mean_values, read_derived, scores_sha256, write_json
from eval.records.run_rows import RowId, RunRow
from eval.run.scored_run import read_run
from eval.scoring.arm_summary import Share, share_of
from eval.scoring.score import score_answer
from eval.scoring.unread import UNREAD, with_unread_as
from eval.scoring.unread_differences import RunReadings
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem, Status
from srt.language.trace import one_line
from srt.llm.exchange import Outcome, Unusable
from srt.llm.request import JsonSchema, closed_object, within

READINGS = "unread.jsonl"
READ_SUMMARY = "unread.json"

_Reading = Literal["stated", "none"]
_WORDS = get_args(_Reading)
_TEXT = {"type": "string"}
_FORM = closed_object(
    {"token": _TEXT, "quote": _TEXT, "answer": _TEXT, "reading": {"type": "string", "enum": list(_WORDS)}}
)
SCHEMA = JsonSchema(
    name="reading", definition=_FORM, bounded=within(_FORM, {"token": 32, "quote": 1000, "answer": 300})
)


class UnreadReading(RunRow):
    """What the model ``reader`` read in one unread output; ``key`` identifies the text.

    ``answer`` is ``None`` where by its word the output states none; else ``quote`` has the words of the output that
    state it. ``extracted``, ``status`` and ``value`` are what the scorer makes of ``answer``, as in a
    :class:`~srt.io.records.Score`.
    """

    key: str
    reader: str
    quote: str | None
    answer: str | None
    extracted: str | None
    status: Status
    value: float


class ReadSummary(DerivedFromScores):
    """What ``reader`` read in the unread outputs of a run.

    ``unread`` outputs of ``outputs`` have no answer by the scorer; those with a text were ``asked`` about. Of them
    ``stated`` have an answer by the reader's word and ``right`` is the sum of their scores; ``no_reading`` counts why a
    reply was unusable. ``accuracy`` counts what was read, ``printed`` is the accuracy of ``srt score``, where all
    unread outputs are wrong.
    """

    arm: str
    reader: str
    outputs: int
    unread: int
    asked: int
    stated: int
    right: float
    no_reading: dict[str, int]
    accuracy: Share
    printed: Share
    spent: Spent


def read_unread(folder: str | Path, config: JudgeConfig) -> ReadSummary:
    """Ask the model of ``config`` what each unread output of the scored run in ``folder`` answers.

    What it was asked before is not asked again: the replies are in the folder's journal.

    Raises:
        UserError: no scored run, or a fault of the config or of the endpoint.
    """
    run = read_run(Path(folder))
    unread = [key for key, row in run.scores.items() if row.status in UNREAD]
    replies = ask_about(run, unread, config, "read_answer", lambda _: {}, SCHEMA, _read, shown=_without_gold)
    grade = find_benchmark(run.manifest.benchmark).grade
    rows: dict[RowId, UnreadReading] = {}
    for key, found in replies.values.items():
        problem, policy = run.questions[key[:2]], run.scores[key].policy
        score = None if found.answer is None else score_answer(problem, found.answer, policy, grade)
        rows[key] = UnreadReading(
            problem_id=key[0],
            variant=key[1],
            repeat=key[2],
            key=run.predictions[key].read().key,
            reader=config.model.model,
            quote=found.quote,
            answer=found.answer,
            extracted=score.extracted if score else None,
            status=score.status if score else "no_answer",
            value=score.value if score else 0.0,
        )
    read = with_unread_as(run, lambda key: rows[key].value if key in rows else 0.0)
    summary = ReadSummary(
        scores_sha256=scores_sha256(run.folder),
        arm=run.manifest.arm,
        reader=config.model.model,
        outputs=len(run.scores),
        unread=len(unread),
        asked=len(replies.asked),
        stated=sum(row.answer is not None for row in rows.values()),
        right=sum(row.value for row in rows.values()),
        no_reading=replies.unusable,
        accuracy=share_of(mean_values(read.scores.values()), run.problems),
        printed=share_of(mean_values(run.scores.values()), run.problems),
        spent=replies.spent,
    )
    write_records(run.folder / READINGS, rows.values())
    # The summary last: where it is, the file of readings belongs to it.
    write_json(run.folder / READ_SUMMARY, summary)
    return summary


def read_summary(folder: Path) -> ReadSummary | None:
    """The :class:`ReadSummary` of the run in ``folder``; ``None`` where ``srt ask-judge --unread`` wrote none.

    Raises:
        UserError: it was made from other scores than those there now.
    """
    return read_derived(folder / READ_SUMMARY, ReadSummary, "srt ask-judge --unread")


def run_readings(folder: Path) -> RunReadings | None:
    """What was read in the run in ``folder``, by output; ``None`` and errors are those of :func:`read_summary`."""
    summary = read_summary(folder)
    if summary is None:
        return None
    rows = list(read_records(folder / READINGS, UnreadReading))
    stated = frozenset(row.id for row in rows if row.answer is not None)
    return RunReadings(summary.reader, {row.id: row.value for row in rows}, stated)


@dataclass(frozen=True)
class _Found:
    """An answer, and the words of the output that state it; both are ``None`` where it states none."""

    quote: str | None = None
    answer: str | None = None


def _without_gold(problem: Problem) -> Problem:
    """``problem`` without all that a reader could answer from: it is to find what the output says."""
    hidden: dict[str, object] = {"answer": None, "solution": None, "images": [], "diagram_description": None}
    return problem.model_copy(update=hidden)


def _read(reply: Mapping[str, Any], output: str) -> _Found:
    if read_word(reply, "reading", _WORDS) == "none":
        return _Found()
    quote, answer = (one_line(said) if isinstance(said := reply.get(name), str) else "" for name in ("quote", "answer"))
    if not answer:
        raise Unusable(Outcome.MALFORMED, '"answer" is empty although the reading is "stated"')
    # A model that solves the problem instead of reading has nothing to quote.
    if not _quotes(quote, output):
        raise Unusable(Outcome.MALFORMED, '"quote" is not copied from the output')
    return _Found(quote, answer)


def _quotes(quote: str, output: str) -> bool:
    """Whether ``quote`` is in ``output``, by letters and digits, if it has any: models copy the rest inexactly."""
    words = _letters(quote)
    return words in _letters(output) if words else bool(quote) and quote in output


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()
