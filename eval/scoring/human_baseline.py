"""Human scores on a benchmark, from a file of responses: the baseline that a report shows beside models.

A response file (CSV, TSV, JSON or JSONL) has one row for each response: ``participant, item, answer``, and ``group`` if
participants worked in groups. Two figures are computed, both over the items that anyone answered:

- *micro-average*: right responses over all responses, however they spread over participants and items;
- *majority*: in each group, an item counts by the answer that more than half of those who were asked gave (two of
  three); an item without a majority is wrong. The figure is the mean over the groups.

An empty answer is a wrong response. The interval of the micro-average allows for responses to one item, which are not
independent, but not for those of one participant: it is too narrow.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eval.benchmarks.benchmark_registry import find_benchmark
from eval.benchmarks.definition.benchmark import PLAIN, Published, Table
from eval.benchmarks.external.external_rows import Row, rows_of
from eval.records.run_records import ProblemsFile, describe_problems, write_json
from eval.scoring.arm_summary import Share, share, share_of
from eval.scoring.score import score_answer
from srt.answers.equality import PolicyName
from srt.answers.score_text import Grade
from srt.io.errors import UserError
from srt.io.folder_lock import make_folder
from srt.io.problem_files import read_problems
from srt.io.record_lines import parse_record
from srt.io.records import Problem, Record, cluster_of

HUMAN = "human.json"
_COLUMNS = ("participant", "item", "answer")


class HumanSummary(Record):
    """The human figures on one file of problems.

    ``unanswered`` counts empty answers, ``unread`` those that could not be read as an answer to their item; both are
    wrong. ``groups`` has the majority's share in each group, ``majority`` their mean; ``without_majority`` counts items
    of a group in which no answer had more than half. ``rows`` are what a table of models shows beside its own.
    """

    benchmark: str
    problems: ProblemsFile
    participants: int
    items: int
    responses: int
    unanswered: int
    unread: int
    micro: Share
    groups: dict[str, Share]
    majority: float | None
    without_majority: int
    rows: list[Published]
    tables: list[Table]


class _Response(NamedTuple):
    """One response; ``extracted`` is ``None`` where no answer could be read."""

    participant: str
    item: str
    group: str
    empty: bool
    extracted: str | None
    value: float


def score_human(
    responses: str | Path,
    problems: str | Path,
    output: str | Path,
    *,
    benchmark: str = PLAIN,
    policy: PolicyName = "strict",
) -> HumanSummary:
    """Score the file ``responses`` against the gold answers of ``problems`` and write ``human.json`` into ``output``.

    ``benchmark`` decides how an answer is graded, ``policy`` when a number or unit equals gold.

    Raises:
        UserError: with its line: a missing column, an item that is not among the problems or has no gold answer, a
            participant who answers an item twice or is in two groups.
    """
    responses, problems, output = Path(responses), Path(problems), Path(output)
    by_id = read_problems(problems)
    grade = find_benchmark(benchmark).grade
    read: list[_Response] = []
    places: dict[tuple[str, str], str] = {}
    group_of: dict[str, str] = {}
    for row in rows_of(responses):
        participant, item, group, answer = _cells(row)
        if item not in by_id:
            raise UserError(f"{row.place}: item: no problem has the id {item!r}")
        if by_id[item].answer is None:
            raise UserError(f"{row.place}: item: problem {item!r} has no gold answer")
        if (participant, item) in places:
            place = places[participant, item]
            raise UserError(f"{row.place}: item: {participant!r} already answered {item!r} at {place}")
        # A participant who counts in two groups would make their figures depend on each other.
        if group_of.setdefault(participant, group) != group:
            raise UserError(f"{row.place}: group: {participant!r} is in {group_of[participant]!r} elsewhere")
        places[participant, item] = row.place
        extracted, value = _scored(by_id[item], answer, policy, grade) if answer else (None, 0.0)
        read.append(_Response(participant, item, group, not answer, extracted, value))
    if not read:
        raise UserError(f"{responses}: no response in this file")
    make_folder(output)
    summary = _summary(read, by_id, responses.name, benchmark, describe_problems(problems, output, len(by_id)))
    write_json(output / HUMAN, summary)
    return summary


def read_human_baseline(path: str | Path) -> HumanSummary:
    """The summary at ``path``: a folder that ``srt human`` wrote, or its file."""
    path = Path(path)
    path = path / HUMAN if path.is_dir() else path
    try:
        return parse_record(path.read_bytes(), HumanSummary, str(path))
    except FileNotFoundError:
        raise UserError(f"{path}: no human baseline here (srt human writes it)") from None


def with_human_rows(tables: Iterable[Table], rows: Sequence[Published]) -> list[Table]:
    """``tables`` with those of ``rows`` added that have a figure in one of their columns."""
    return [
        table.model_copy(
            update={"published": [*table.published, *(row for row in rows if set(row.figures) & set(table.header[1:]))]}
        )
        for table in tables
    ]


def _cells(row: Row) -> tuple[str, str, str, str]:
    """Participant, item, group and answer of a row; the last two may be empty."""
    for column in _COLUMNS:
        if column not in row.values:
            raise UserError(f"{row.place}: no column {column!r}; a response has {', '.join(_COLUMNS)} and group")
    participant, item, group, answer = (
        "" if row.values.get(column) is None else str(row.values[column]).strip()
        for column in ("participant", "item", "group", "answer")
    )
    if not participant:
        raise UserError(f"{row.place}: participant: empty")
    return participant, item, group, answer


def _scored(problem: Problem, answer: str, policy: PolicyName, grade: Grade | None) -> tuple[str | None, float]:
    """What was read of ``answer``, and its score, as if a model had written it."""
    score = score_answer(problem, answer, policy, grade)
    return score.extracted if score.status == "ok" else None, score.value


def _summary(
    read: Sequence[_Response], problems: Mapping[str, Problem], file: str, benchmark: str, described: ProblemsFile
) -> HumanSummary:
    labels = {
        item: [*dict.fromkeys(filter(None, ("overall", problems[item].category, problems[item].subcategory)))]
        for item in {response.item for response in read}
    }
    micro = _means((label, response.value) for response in read for label in labels[response.item])
    named = sorted({response.group for response in read} - {""})
    voted = {group: _majorities([response for response in read if response.group == group]) for group in named}
    participants = len({response.participant for response in read})
    means = [(f"humans, micro-average of {participants}", micro)]
    if voted:
        by_group = [
            _means((label, votes[item][0]) for item in votes for label in labels[item]) for votes in voted.values()
        ]
        majority = _means(figure for each in by_group for figure in each.items())
        means.append((f"humans, majority, mean of {len(voted)} groups", majority))
    of_means = find_benchmark(benchmark).of_means or dict
    rows = [
        Published(model=name, figures=of_means(figures), source=f"responses in {file}", human=True)
        for name, figures in means
    ]
    columns = ["overall", *sorted(set(micro) - {"overall"})]
    table = Table(
        title="Humans",
        header=["humans", *columns],
        rows=[[name, *(figures.get(column) for column in columns)] for name, figures in means],
        counts=[None, *(sum(column in each for each in labels.values()) for column in columns)],
        note=f"{len(read)} responses of {participants} participants. Majority: the answer of more than half of a "
        "group; an item without one is wrong.",
    )
    groups = {
        group: share_of({item: value for item, (value, _) in each.items()}, problems) for group, each in voted.items()
    }
    return HumanSummary(
        benchmark=benchmark,
        problems=described,
        participants=participants,
        items=len(labels),
        responses=len(read),
        unanswered=sum(response.empty for response in read),
        unread=sum(response.extracted is None and not response.empty for response in read),
        micro=share(
            np.array([[response.value for response in read]], dtype=np.float64),
            [cluster_of(problems[response.item]) for response in read],
        ),
        groups=groups,
        majority=sum(each.share for each in groups.values()) / len(groups) if groups else None,
        without_majority=sum(not agreed for each in voted.values() for _, agreed in each.values()),
        rows=rows,
        tables=[table],
    )


def _majorities(read: Sequence[_Response]) -> dict[str, tuple[float, bool]]:
    """By item, the value of the answer that more than half gave, and whether there is one."""
    items: dict[str, list[_Response]] = defaultdict(list)
    for response in read:
        items[response.item].append(response)
    votes: dict[str, tuple[float, bool]] = {}
    for item, each in items.items():
        # Of answers that tie none has more than half, so it does not matter which comes first.
        answer, count = Counter(response.extracted for response in each).most_common(1)[0]
        agreed = answer is not None and 2 * count > len(each)
        votes[item] = (next(one.value for one in each if one.extracted == answer) if agreed else 0.0, agreed)
    return votes


def _means(labelled: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The mean of the values of each label."""
    values: dict[str, list[float]] = defaultdict(list)
    for label, value in labelled:
        values[label].append(value)
    return {label: sum(each) / len(each) for label, each in values.items()}
