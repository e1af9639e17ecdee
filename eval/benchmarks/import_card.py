"""The card that ``srt import`` prints: what it understood, so that a wrong reading is seen before anything is scored.

Three records as they were read; counts of options, of gold letters, of pictures by kind and size; and one prompt with
its options rolled, where a letter inside an option would show at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.benchmarks.definition.benchmark import Asking, Benchmark
from srt.answers.written_form import canonical_text
from srt.corpora.corpus_reader import ImportRefusal
from srt.images.open import picture_header
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Image, Problem

_MOST_PICTURES = 2_000
"""Pictures whose headers are read: enough to see kinds and sizes."""
_LONGEST = 400
"""Characters of a text that the card shows."""


@dataclass(frozen=True)
class ImportCard:
    """``records`` are three of the problems, ``rolled`` a prompt with rolled options (``None`` where none are rolled),
    ``refused`` one refusal of each reason, ``figures`` the counts, as the summary prints them."""

    records: list[Problem]
    rolled: str | None
    refused: list[ImportRefusal]
    figures: dict[str, Any]

    def lines(self) -> Iterator[str]:
        """The records and the prompt, for a terminal."""
        for problem in self.records:
            yield from _record_lines(problem)
            yield ""
        if self.rolled is not None:
            yield "with its options rolled, a problem is asked so:"
            yield from (f"  {line}" for line in self.rolled.splitlines())
            yield ""
        for one in self.refused:
            yield f"refused: {one.item}: {one.detail}"
            yield ""

    def as_data(self) -> dict[str, Any]:
        """The same as data, for ``--json``."""
        records = [one.model_dump(mode="json", exclude_defaults=True) for one in self.records]
        refused = [one.model_dump(mode="json") for one in self.refused]
        return {"records": records, "rolled prompt": self.rolled, "refused": refused}


def import_card(file: Path, benchmark: Benchmark | None, refusals: Path | None = None) -> ImportCard:
    """The card of the problems in ``file``, which were imported as those of ``benchmark``, if it is one, and of those
    in ``refusals``, which were not.

    Raises:
        UserError: the file cannot be read.
    """
    options: Counter[str] = Counter()
    golds: Counter[str] = Counter()
    pictures: dict[str, Image] = {}
    rolled: str | None = None
    first: list[Problem] = []
    middle: Problem | None = None
    last: Problem | None = None
    for number, problem in enumerate(read_records(file, Problem), 1):
        options[str(len(problem.choices)) if problem.choices else "none"] += 1
        golds.update(_golds(problem))
        pictures |= {image.path: image for image in problem.images if len(pictures) < _MOST_PICTURES}
        rolled = rolled or _rolled(problem, benchmark)
        if number == 1:
            first.append(problem)
        if number & (number - 1) == 0:  # 2, 4, 8, ...: in the end one from the second half
            middle = last
        last = problem
    records = [one for one in (*first, middle, last) if one is not None]
    refused: dict[str, ImportRefusal] = {}
    unmet = 0
    for refusal in read_records(refusals, ImportRefusal) if refusals else ():
        refused.setdefault(refusal.reason, refusal)
        unmet += refusal.reason == "answer_cannot_be_met"
    figures: dict[str, Any] = {
        "options per problem": _sorted(options),
        "gold": _sorted(golds),
        "golds that do not equal themselves": unmet,
    }
    if pictures:
        figures["pictures"] = _kinds(file.parent, pictures.values())
    return ImportCard(list({one.id: one for one in records}.values()), rolled, list(refused.values()), figures)


def _golds(problem: Problem) -> Iterable[str]:
    answer = problem.answer
    if answer is None:
        return ["none"]
    if answer.kind == "choice_set":
        return answer.value if len(answer.value) < 2 else [canonical_text(answer)]
    return [answer.kind]


def _rolled(problem: Problem, benchmark: Benchmark | None) -> str | None:
    """The prompt of ``problem`` with its options moved on by one place."""
    if benchmark is None or "rolls" not in benchmark.options or not problem.choices:
        return None
    defaults = {name: values[0] for name, values in benchmark.options.items()}
    asking = Asking(style="full", pictures=bool(problem.images), options={**defaults, "rolls": "all"})
    for question in benchmark.ask([problem], asking):
        if "roll-" in question.variant:
            gold = "" if question.problem.answer is None else f"\n(gold: {canonical_text(question.problem.answer)})"
            return question.messages[-1].content + gold
    return None


def _kinds(root: Path, images: Iterable[Image]) -> dict[str, str]:
    """How many pictures there are of each kind, and of what sizes."""
    sizes: dict[str, list[tuple[int, int]]] = {}
    for image in images:
        try:
            with picture_header(root, image.path) as picture:
                sizes.setdefault(str(picture.format), []).append(picture.size)
        except UserError:
            sizes.setdefault("unreadable", []).append((0, 0))
    return {kind: _extent(found) for kind, found in sorted(sizes.items())}


def _extent(sizes: list[tuple[int, int]]) -> str:
    ordered = sorted(sizes, key=lambda size: size[0] * size[1])
    smallest, largest = ("{} x {}".format(*ordered[at]) for at in (0, -1))
    return f"{len(sizes)}, {smallest}" + (f" to {largest}" if largest != smallest else "")


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _record_lines(problem: Problem) -> Iterator[str]:
    yield f"{problem.id} ({problem.lang}, {problem.split})"
    yield f"  question: {_short(problem.question)}"
    for letter, text in problem.choices.items():
        yield f"  {letter}. {_short(text)}"
    if problem.images:
        yield f"  pictures: {', '.join(image.path for image in problem.images[:4])}"
    answer = problem.answer
    if answer is None:
        yield "  gold: none"
    else:
        unit = f", unit {answer.unit}" if answer.unit else ""
        value = canonical_text(answer.model_copy(update={"unit": None}))
        yield f"  gold: {_short(value)} ({answer.kind.replace('_', ' ')}{unit})"
    if problem.solution:
        yield f"  solution: {_short(problem.solution)}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."
