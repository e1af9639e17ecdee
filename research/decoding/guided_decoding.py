"""What guided decoding buys at equal tokens, and what its controls say: a table, and its rows as JSON.

    python -m research.decoding.guided_decoding research/recipes/guided-decoding.yaml [key=value ...]

Every way writes the same problems with 1, 2, 4 and 8 times the tokens of greedy texts. The first ``tune`` problems set
that unit, how often the coin refuses, and from what log probability on a line is kept (so that as many are refused as
by the checker, or so that most texts end proved and right); figures are of other problems.
What is finished is read from ``output/cells``, so that a command that was killed goes on.

A whole-sample way has as many samples as its budget has greedy texts, the first greedy (``greedy`` is its first point),
and ends early where more cannot matter. A line-wise way has that many tokens for each problem, so that with 1 a text
longer than the mean is cut off. All tokens count, and the table has what was spent.

``masked`` is greedy over those tokens alone with which a line can be proved, and draws nothing again. It is there for
booths (:mod:`research.decoding.provable_lines`). Such a mask knows, before a line is written, all that the checker
would prove: that is nearly a solver, and for most worlds nobody has it. It does not know which lines lead to an answer.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import orjson
from pydantic import Field

from eval.benchmarks.tables.breakdown import markdown_rows
from eval.decoding.decode_settings import Redrawing, Samples
from eval.decoding.guide import Guide
from eval.decoding.guides import AnswerGuide, ProofGuide
from eval.decoding.sampled_text import Choose, SampledText, first_whole, most_frequent
from eval.decoding.text import Text
from eval.report.number_format import interval
from eval.scoring.arm_summary import Share, share
from research.decoding.cells import Cell, Lines, Writer, WrittenText, read_or_write
from research.decoding.controls import CertificateGuide, CoinGuide, LikelyGuide, NotingProofGuide, OperationGuide
from research.decoding.provable_lines import is_booth
from research.study_command import run_study
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.records import Problem, Record, cluster_of
from srt.io.yaml_config import Config
from srt.judging.judge import judge_trace
from srt.language.prompts import PromptStyle
from srt.language.trace import Trace
from srt.pipeline.solve import solve_one

WayName = Literal[
    "greedy",
    "majority",
    "best",
    "certificate",
    "proved",
    "coin",
    "likely",
    "likely-best",
    "constrain",
    "infer",
    "early",
    "masked",
    "solver",
]


class Study(Config):
    """The recipe. ``models`` are training runs of one arm, ``early`` an early checkpoint of each, for that way alone.

    Of ``problems`` the first ``tune`` are tuned on, and the ``report`` after them reported (by default all others).
    ``seeds`` are those of sampling.
    """

    models: tuple[Path, ...] = Field(min_length=1)
    early: tuple[Path, ...] = ()
    problems: Path
    output: Path
    prompt: PromptStyle = "bare"
    max_new_tokens: int = Field(default=192, ge=1)
    tries: int = 6
    back: int = 1
    tune: int = Field(default=50, ge=1)
    report: int | None = Field(default=None, ge=1)
    budgets: tuple[int, ...] = (1, 2, 4, 8)
    seeds: tuple[int, ...] = Field(default=(0,), min_length=1)
    ways: tuple[WayName, ...] = get_args(WayName)
    batch_size: int = 64


class Tuned(Record):
    """What the tuned problems say: the mean tokens of a greedy text, rounded up; the share of lines that the checker
    refuses; the log probability (nats a token) below which that share of the lines lies that it judged; and the one of
    several log probabilities with which most of the tuned problems end proved and right."""

    unit: int
    refusal: float
    threshold: float
    best_threshold: float


class Row(Record):
    """A way at ``budget`` times the greedy tokens: ``tokens`` a problem in all, the share of judged lines that were
    ``refused``, and shares of the problems. ``certified_and_right`` is ``None`` where nothing has a certificate."""

    way: WayName
    budget: int | None
    tokens: float | None
    refused: float | None
    right: Share
    proved_and_right: Share
    certified_and_right: Share | None


def main() -> None:
    run_study(__doc__, Study, run)


def run(study: Study) -> str:
    """Write what is missing, and ``output/guided_decoding.json``; returns the table in Markdown."""
    problems = list(read_problems(study.problems).values())
    last = None if study.report is None else study.tune + study.report
    tuning, reported = problems[: study.tune], problems[study.tune : last]
    if not reported:
        raise UserError(f"{study.problems}: {len(problems)} problems, and {study.tune} are tuned on: none is left")
    if "early" in study.ways and study.early and len(study.early) != len(study.models):
        raise UserError(f"early: {len(study.early)} folders for {len(study.models)} models; one each was expected")
    ways = [way for way in study.ways if way != "masked" or all(map(is_booth, reported))]
    tuned: list[Tuned] = []
    cells: dict[tuple[WayName, int], list[tuple[int, Cell]]] = {}
    for number, folder in enumerate(study.models):
        writer = Writer(folder, study.prompt, study.batch_size)
        early = Writer(study.early[number], study.prompt, study.batch_size) if study.early else None
        others = {"early": early, "masked": Writer(folder, study.prompt, study.batch_size, masked=True)}
        tuned.append(_tune(study, number, writer, tuning))
        for way in ways:
            for budget in _budgets(way, study):
                for seed in study.seeds[:1] if way in _GREEDY else study.seeds:
                    if (by := others.get(way, writer)) is not None:
                        cell = _cell(study, number, by, reported, way, budget, seed, tuned[-1])
                        cells.setdefault((way, budget), []).append((number, cell))
    rows = [_row(way, budget, found, reported, len(study.models)) for (way, budget), found in cells.items()]
    note = ""
    if "solver" in study.ways:
        solved, milliseconds = _solve(reported)
        rows.append(solved)
        note = f" The solver alone takes {milliseconds:.1f} ms a problem."
    if "certificate" in study.ways and all(row.certified_and_right is None for row in rows):
        rows = [row for row in rows if row.way != "certificate"]
        note += " No problem has a certificate here: that way is left out."
    if "masked" in study.ways and "masked" not in ways:
        note += " Not all problems are of booths without a compass: masked is left out."
    said = "; ".join(
        f"unit {each.unit} tokens, refusal {each.refusal:.3f}, thresholds {each.threshold:.3f} and "
        f"{each.best_threshold:.3f} nats"
        for each in tuned
    )
    halves = (
        f"Tuned on the first {len(tuning)} problems of {study.problems} ({said}); figures are of the {len(reported)} "
        f"after them, {len(study.models)} models, seeds {', '.join(map(str, study.seeds))}."
    )
    written = {
        "halves": halves,
        "tuned": [each.model_dump() for each in tuned],
        "rows": [row.model_dump(mode="json") for row in rows],
    }
    write_atomically(study.output / "guided_decoding.json", [orjson.dumps(written, option=orjson.OPT_INDENT_2)])
    return f"{_table(rows)}\n\n{halves}{note}"


_SAMPLES: dict[str, tuple[Callable[[], Guide], Callable[[Problem], Choose]]] = {
    "majority": (AnswerGuide, most_frequent),
    "best": (ProofGuide, lambda _: first_whole),
    "certificate": (CertificateGuide, lambda _: first_whole),
}
_LINES: dict[str, Callable[[Tuned], Guide]] = {
    "greedy": lambda _: CoinGuide(0.0),
    "proved": lambda _: ProofGuide(),
    "early": lambda _: ProofGuide(),
    "masked": lambda _: CoinGuide(0.0),
    "coin": lambda tuned: CoinGuide(tuned.refusal),
    "likely": lambda tuned: LikelyGuide(tuned.threshold),
    "likely-best": lambda tuned: LikelyGuide(tuned.best_threshold),
    "constrain": lambda _: OperationGuide("CONSTRAIN"),
    "infer": lambda _: OperationGuide("INFER"),
}
_GREEDY = ("greedy", "masked")


def _budgets(way: str, study: Study) -> Sequence[int]:
    if way in _GREEDY:
        return [1]
    if way in _SAMPLES:
        return [budget for budget in study.budgets if budget > 1]
    return study.budgets if way in _LINES else []


def _cell(
    study: Study,
    number: int,
    writer: Writer,
    problems: Sequence[Problem],
    way: str,
    budget: int,
    seed: int,
    tuned: Tuned,
) -> Cell:
    if way in _SAMPLES:
        make, choose = _SAMPLES[way]
        guide, options = make(), Samples(samples=budget)

        def begin(problem: Problem) -> Text:
            return SampledText(options, study.max_new_tokens, writer.ends, choose(problem))

        return _written(study, f"{way}-{budget}", number, writer, problems, seed, guide, options, begin)
    # A greedy text may be as long as it likes: nothing is refused.
    tokens = study.max_new_tokens if way in _GREEDY else budget * tuned.unit
    return _lines(study, f"{way}-{budget}", number, writer, problems, seed, _LINES[way](tuned), tokens)


def _lines(
    study: Study,
    name: str,
    number: int,
    writer: Writer,
    problems: Sequence[Problem],
    seed: int,
    guide: Guide,
    tokens: int,
) -> Cell:
    options = Redrawing(tries=study.tries, back=study.back, tokens=tokens)

    def begin(_: Problem) -> Text:
        return Lines(options, study.max_new_tokens, writer.ends)

    return _written(study, name, number, writer, problems, seed, guide, options, begin)


def _written(
    study: Study,
    name: str,
    number: int,
    writer: Writer,
    problems: Sequence[Problem],
    seed: int,
    guide: Guide,
    options: Redrawing | Samples,
    begin: Callable[[Problem], Text],
) -> Cell:
    made_by: dict[str, Any] = {
        "model": writer.digest,
        "problems": [problem.id for problem in problems],
        "prompt": study.prompt,
        "max_new_tokens": study.max_new_tokens,
        "guide": [type(guide).__name__, dict(vars(guide))],
        "options": options.model_dump(),
        "seed": seed,
        **({"masked": True} if writer.masked else {}),
    }
    path = study.output / "cells" / f"model-{number}" / f"{name}-seed-{seed}.json"
    return read_or_write(path, made_by, partial(writer.write, problems, seed, guide, begin))


def _tune(study: Study, number: int, writer: Writer, problems: Sequence[Problem]) -> Tuned:
    seed = study.seeds[0]
    greedy = _lines(study, "tune-greedy", number, writer, problems, seed, CoinGuide(0.0), study.max_new_tokens)
    unit = math.ceil(np.mean([text.output_tokens for text in greedy.texts]))
    tokens = max(study.budgets) * unit
    checked = _lines(study, "tune-proved", number, writer, problems, seed, NotingProofGuide(), tokens)
    if not (lines := sum(text.lines for text in checked.texts)):
        raise UserError(f"{study.models[number]}: in {unit} tokens it ends no line that could be judged")
    refusal = sum(text.refused for text in checked.texts) / lines
    every = [each for text in checked.texts for each in text.log_probabilities]
    found: dict[float, int] = {}
    for share_refused in _TRIED if "likely-best" in study.ways else ():
        guide = LikelyGuide(float(np.quantile(every, share_refused)))
        cell = _lines(study, f"tune-likely-{share_refused}", number, writer, problems, seed, guide, tokens)
        found[guide.threshold] = sum(text.proved and text.right for text in cell.texts)
    return Tuned(
        unit=unit,
        refusal=refusal,
        threshold=float(np.quantile(every, refusal)),
        best_threshold=max(found, key=lambda each: found[each], default=-math.inf),
    )


_TRIED = (0.02, 0.05, 0.1, 0.2)
"""Shares of the lines that the checker judged: the log probabilities below which these lie are tried."""


def _row(way: WayName, budget: int, cells: Sequence[tuple[int, Cell]], problems: Sequence[Problem], models: int) -> Row:
    texts = [text for _, cell in cells for text in cell.texts]
    lines = sum(text.lines for text in texts)
    clusters = [cluster_of(problem) for problem in problems]

    def of(holds: Callable[[WrittenText], bool]) -> Share:
        values = np.array([[holds(text) for text in cell.texts] for _, cell in cells], dtype=np.float64)
        if models > 1:  # runs are the models, and seeds of sampling their repeats
            values = values.reshape(models, -1, len(problems)).mean(axis=1)
        return share(values, clusters)

    certifiable = any(text.certified is not None for text in texts)
    return Row(
        way=way,
        budget=budget,
        tokens=float(np.mean([text.output_tokens for text in texts])),
        refused=sum(text.refused for text in texts) / lines if lines else None,
        right=of(lambda text: text.right),
        proved_and_right=of(lambda text: text.proved and text.right),
        certified_and_right=of(lambda text: text.certified is True and text.right) if certifiable else None,
    )


def _solve(problems: Sequence[Problem]) -> tuple[Row, float]:
    """The exact solver's own traces, and its milliseconds a problem."""
    started = time.perf_counter()
    # The solver may read what `without_gold` takes out of sight (what a problem of views asks for), but no answer.
    traces = [solve_one(problem.model_copy(update={"answer": None})) for problem in problems]
    milliseconds = 1000 * (time.perf_counter() - started) / len(problems)
    judged = [
        judge_trace(problem, trace) if isinstance(trace, Trace) else None
        for problem, trace in zip(problems, traces, strict=True)
    ]
    clusters = [cluster_of(problem) for problem in problems]
    right = np.array([[each is not None and each.right is True for each in judged]], dtype=np.float64)
    proved = np.array([[each is not None and each.code == "proved" for each in judged]], dtype=np.float64)
    row = Row(
        way="solver",
        budget=None,
        tokens=None,
        refused=None,
        right=share(right, clusters),
        proved_and_right=share(right * proved, clusters),
        certified_and_right=None,
    )
    return row, milliseconds


_TITLES: dict[WayName, str] = {
    "greedy": "greedy",
    "majority": "majority of samples",
    "best": "best of samples by proof",
    "certificate": "best of samples by certificate",
    "proved": "proved at every step",
    "coin": "control: a coin",
    "likely": "control: log probability, as many refused",
    "likely-best": "control: log probability, tuned",
    "constrain": "control: CONSTRAIN alone",
    "infer": "control: INFER alone",
    "early": "early checkpoint, proved at every step",
    "masked": "control: masked to provable lines",
    "solver": "exact solver alone",
}


def _table(rows: Sequence[Row]) -> str:
    head = ["way", "x greedy", "tokens", "refused %", "right % [95%]", "proved and right % [95%]"]
    certified = any(row.certified_and_right for row in rows)
    lines = [
        [
            _TITLES[row.way],
            "-" if row.budget is None else str(row.budget),
            "-" if row.tokens is None else f"{row.tokens:.0f}",
            "-" if row.refused is None else f"{100 * row.refused:.0f}",
            interval(row.right),
            interval(row.proved_and_right),
            *["-" if row.certified_and_right is None else interval(row.certified_and_right)] * certified,
        ]
        for row in rows
    ]
    return markdown_rows([*head, *["certified and right % [95%]"] * certified], lines)


if __name__ == "__main__":
    main()
