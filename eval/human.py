"""What people reach on a benchmark, from a file of their responses: the baseline that a report shows beside models.

A response file (CSV, TSV, JSON or JSONL) has a row a response: ``participant, item, answer``, and ``group`` where
people worked in groups. Two figures come of it, both over the items that were answered by anyone:

- *micro-average*: right responses over all responses, however they spread over people and items;
- *majority*: in each group, an item counts by the answer that more than half of those who were asked gave (two of
  three); an item without a majority is wrong. The figure is the mean over the groups.

An empty answer is a response that is wrong. Responses of one person, and to one item, are not independent: the Wilson
interval of the micro-average is too narrow.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from eval.benchmarks import find_benchmark
from eval.benchmarks.benchmark import PLAIN, Published, Table
from eval.benchmarks.foreign_rows import Row, rows_of
from eval.equality import Policy
from eval.runs import ProblemsFile, describe_problems, write_json
from eval.score import Grade, score_prediction
from eval.summary import Share, share
from srt.errors import UserError
from srt.jsonl import parse_record
from srt.problems import read_problems
from srt.records import Prediction, Problem, Record

HUMAN = "human.json"
_COLUMNS = ("participant", "item", "answer")


class HumanSummary(Record):
    """The figures of people on one file of problems.

    ``unanswered`` counts empty answers, ``unread`` answers that are none to their item; both are wrong. ``groups`` has
    the majority's share in each group, ``majority`` their mean; ``without_majority`` counts items of a group where no
    answer had more than half. ``rows`` are what a table of models shows beside its own.
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
    participant: str
    item: str
    group: str
    said: str | None
    value: float
    empty: bool


def score_people(
    responses: str | Path,
    problems: str | Path,
    output: str | Path,
    *,
    benchmark: str = PLAIN,
    policy: Policy = "strict",
) -> HumanSummary:
    """Score the file ``responses`` against the gold answers of ``problems`` and write ``human.json`` into ``output``.

    ``benchmark`` says how an answer is graded, ``policy`` when a number or unit equals gold.

    Raises:
        UserError: a column that is missing, an item that is no problem or has no gold answer, a person who answers an
            item twice or is in two groups, each with its line.
    """
    responses, problems, output = Path(responses), Path(problems), Path(output)
    by_id = read_problems(problems)
    grade = find_benchmark(benchmark).grade
    read: list[_Response] = []
    places: dict[tuple[str, str], str] = {}
    group_of: dict[str, str] = {}
    for row in rows_of(responses):
        one = _response(row, by_id, places, group_of)
        read.append(_judged(one, by_id[one.item], policy, grade))
    if not read:
        raise UserError(f"{responses}: no response in it")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{output}: a folder was expected, this is a file") from None
    summary = _summary(read, by_id, responses.name, benchmark, describe_problems(problems, output, len(by_id)))
    write_json(output / HUMAN, summary)
    return summary


def read_people(path: str | Path) -> HumanSummary:
    """The summary at ``path``, a folder that ``srt human`` wrote or its file."""
    path = Path(path)
    path = path / HUMAN if path.is_dir() else path
    try:
        return parse_record(path.read_bytes(), HumanSummary, str(path))
    except FileNotFoundError:
        raise UserError(f"{path}: no figures of people here (srt human writes them)") from None


def with_people(tables: Iterable[Table], rows: Sequence[Published]) -> list[Table]:
    """``tables`` with those of ``rows`` beneath that have a figure in one of their columns."""
    return [
        table.model_copy(
            update={"published": [*table.published, *(row for row in rows if set(row.figures) & set(table.header[1:]))]}
        )
        for table in tables
    ]


def _response(
    row: Row, problems: Mapping[str, Problem], places: dict[tuple[str, str], str], group_of: dict[str, str]
) -> _Response:
    for column in _COLUMNS:
        if column not in row.values:
            raise UserError(f"{row.place}: no column {column!r}; a response has {', '.join(_COLUMNS)} and group")
    participant, item, answer = (
        "" if row.values[column] is None else str(row.values[column]).strip() for column in _COLUMNS
    )
    group = "" if row.values.get("group") is None else str(row.values["group"]).strip()
    if not participant:
        raise UserError(f"{row.place}: participant: empty")
    if item not in problems:
        raise UserError(f"{row.place}: item: no problem has the id {item!r}")
    if problems[item].answer is None:
        raise UserError(f"{row.place}: item: problem {item!r} has no gold answer")
    key = (participant, item)
    if key in places:
        raise UserError(f"{row.place}: {participant!r} answered {item!r} at {places[key]} already")
    if group_of.setdefault(participant, group) != group:
        raise UserError(f"{row.place}: group: {participant!r} is in {group_of[participant]!r} elsewhere")
    places[key] = row.place
    return _Response(participant, item, group, answer or None, 0.0, not answer)


def _judged(one: _Response, problem: Problem, policy: Policy, grade: Grade | None) -> _Response:
    if one.said is None:
        return one
    prediction = Prediction(
        key="",
        problem_id=problem.id,
        text=f"ANSWER: {one.said}",
        input_tokens=0,
        output_tokens=0,
        finish_reason="stop",
        seconds=0.0,
    )
    score = score_prediction(problem, prediction, policy, grade)
    return one._replace(said=score.extracted if score.status == "ok" else None, value=score.value)


def _summary(
    read: Sequence[_Response], problems: Mapping[str, Problem], file: str, benchmark: str, described: ProblemsFile
) -> HumanSummary:
    labels = {item: _labels(problems[item]) for item in {one.item for one in read}}
    micro: dict[str, list[float]] = defaultdict(list)
    for one in read:
        for label in ("overall", *labels[one.item]):
            micro[label].append(one.value)
    named = sorted({one.group for one in read} - {""})
    voted = {group: _majorities([one for one in read if one.group == group]) for group in named}
    people = len({one.participant for one in read})
    means = [(f"people, micro-average of {people}", {label: _mean(values) for label, values in micro.items()})]
    if voted:
        means.append((f"people, majority, mean of {len(voted)} groups", _mean_of_groups(voted, labels)))
    of_means = find_benchmark(benchmark).of_means or dict
    rows = [
        Published(model=name, figures=of_means(figures), source=f"responses in {file}", people=True)
        for name, figures in means
    ]
    columns = ["overall", *sorted(set(micro) - {"overall"})]
    table = Table(
        title="People",
        header=["people", *columns],
        rows=[[name, *(figures.get(column) for column in columns)] for name, figures in means],
        counts=[None, *(sum(column in ("overall", *each) for each in labels.values()) for column in columns)],
        note=f"{len(read)} responses of {people} people. Majority: the answer of more than half of a group; an item "
        "without one is wrong.",
    )
    groups = {group: share([value for value, _ in each.values()]) for group, each in voted.items()}
    return HumanSummary(
        benchmark=benchmark,
        problems=described,
        participants=people,
        items=len(labels),
        responses=len(read),
        unanswered=sum(one.empty for one in read),
        unread=sum(one.said is None and not one.empty for one in read),
        micro=share([one.value for one in read]),
        groups=groups,
        majority=_mean([each.share for each in groups.values()]) if groups else None,
        without_majority=sum(not agreed for each in voted.values() for _, agreed in each.values()),
        rows=rows,
        tables=[table],
    )


def _majorities(read: Sequence[_Response]) -> dict[str, tuple[float, bool]]:
    """By item, the value of the answer that more than half gave, and whether there is one."""
    items: dict[str, list[_Response]] = defaultdict(list)
    for one in read:
        items[one.item].append(one)
    votes: dict[str, tuple[float, bool]] = {}
    for item, each in items.items():
        said, count = Counter(one.said for one in each).most_common(1)[0]
        agreed = said is not None and 2 * count > len(each)
        votes[item] = (next(one.value for one in each if one.said == said) if agreed else 0.0, agreed)
    return votes


def _mean_of_groups(
    voted: Mapping[str, Mapping[str, tuple[float, bool]]], labels: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    figures: dict[str, list[float]] = defaultdict(list)
    for each in voted.values():
        by_label: dict[str, list[float]] = defaultdict(list)
        for item, (value, _) in each.items():
            for label in ("overall", *labels[item]):
                by_label[label].append(value)
        for label, values in by_label.items():
            figures[label].append(_mean(values))
    return {label: _mean(values) for label, values in figures.items()}


def _labels(problem: Problem) -> list[str]:
    return list(dict.fromkeys(label for label in (problem.category, problem.subcategory) if label))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
