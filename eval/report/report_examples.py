"""The examples of the page: problems, what every arm wrote, verdicts and pictures, as one JSON element.

The page's script builds an example when it is opened, from text alone. The size is bounded: long texts keep their end,
which has the answer, and pictures are embedded, scaled down, until their budget is spent; the page reports both.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from eval.benchmarks.definition.benchmark import PLAIN
from eval.records.run_records import Run, problems_path
from eval.records.run_rows import Checked, RowId, StoredScore
from eval.report.plots import colour
from eval.report.report_errors import first_faults
from eval.scoring.dimensions import labels_of
from srt.answers.written_form import canonical_text
from srt.images.normalise import scaled_down, shown_picture
from srt.io.errors import UserError
from srt.io.records import Image, Prediction, Problem
from srt.language.trace import StepCheck
from srt.pages.page_template import data_uri

PICTURE_BUDGET = 8 * 2**20
"""Bytes of pictures that a page embeds, before base64; the examples that come first get them."""

PICTURE_SIDE = 560
"""Longest side of an embedded picture, in pixels: twice the size on the page."""

LONGEST_TEXT = 6_000
"""Characters shown of one output: its last, since the answer is at the end."""

Drawing = Callable[[Problem], str | None]


@dataclass(frozen=True)
class Examples:
    """``json``, in pieces, is safe inside a script element; the counts say what it leaves out."""

    json: list[str]
    count: int
    pictures: int
    over_budget: int
    unreadable: int
    shortened: int


def collect_examples(runs: Mapping[str, Run], chosen: Sequence[str], drawing: Drawing) -> Examples:
    """The problems ``chosen`` with the outputs of every arm; ``drawing`` gives the scene of one without pictures."""
    album = _Album(drawing)
    faults = {arm: first_faults(run) for arm, run in runs.items()}
    rows_of = {arm: run.scores_by_problem() for arm, run in runs.items()}
    first = next(iter(runs.values()))
    shortened = 0
    pieces = []
    for problem_id in chosen:
        problem = first.problems[problem_id]
        outputs = [
            _output(index, run, rows_of[arm].get(problem_id, []), faults[arm])
            for index, (arm, run) in enumerate(runs.items())
        ]
        shortened += sum(bool(output["cut"]) for output in outputs)
        # Each example is a piece of its own: the whole is several times the size of all other parts of the page.
        pieces.append(_in_script(_example(problem, outputs, album.pictures_of(problem, first))))
    arms = _in_script([{"name": arm, "colour": colour(index)} for index, arm in enumerate(runs)])
    commas = [","] * (len(pieces) - 1) + [""]
    return Examples(
        json=[
            f'{{"arms":{arms},"examples":[',
            *(text for pair in zip(pieces, commas, strict=False) for text in pair),
            '],"pictures":[',
            ",".join(map(_in_script, album.uris)),
            "]}",
        ],
        count=len(pieces),
        pictures=len(album.uris),
        over_budget=album.over_budget,
        unreadable=album.unreadable,
        shortened=shortened,
    )


def _in_script(content: Any) -> str:
    """JSON that cannot end the script element around it, nor begin a comment or another element."""
    # A model's output may hold "</script>": HTML ends the element there, whatever JSON says. Escapes of JSON keep the
    # text.
    return orjson.dumps(content).decode().replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _example(problem: Problem, outputs: list[dict[str, Any]], pictures: list[int]) -> dict[str, Any]:
    gold = problem.answer.value if problem.answer and problem.answer.kind == "choice_set" else []
    category = problem.subcategory or next(iter(labels_of(problem).values()))
    return {
        "id": problem.id,
        "question": problem.question,
        "choices": [[letter, text, letter in gold] for letter, text in problem.choices.items()],
        "gold": canonical_text(problem.answer) if problem.answer else "",
        "category": "" if category == "-" else category,
        "lang": problem.lang,
        "description": None if problem.images == [] else problem.diagram_description,
        "pictures": pictures,
        "outputs": outputs,
    }


def _output(index: int, run: Run, keys: Sequence[RowId], faults: Mapping[RowId, tuple[str, str]]) -> dict[str, Any]:
    """The first variant's first sample with its text; of the others only the answer read, and its score."""
    key = keys[0]
    score, prediction, checked = run.scores[key], run.predictions.get(key), run.checked.get(key)
    lines, note = ([], "no prediction") if not prediction or not checked else _lines(prediction.read(), checked.read())
    lines, cut = _last(lines)
    return {
        "arm": index,
        "value": score.value,
        "all": sum(run.scores[each].value for each in keys) / len(keys),
        "read": _read(score),
        "status": score.status,
        "how": score.how,
        "tokens": prediction.output_tokens if prediction else None,
        "lines": lines,
        "cut": cut,
        "note": note,
        "proved": checked is not None and checked.proved,
        "computed": checked is not None and checked.computed,
        "verdicts": sorted({line[1] for line in lines if len(line) > 1 and line[1]}),
        "fault": faults[key][0] if key in faults else None,
        "failed": faults[key][1] if key in faults else None,
        "variant": key[1],
        "others": [[_name(each), run.scores[each].value, _read(run.scores[each])] for each in keys[1:]],
    }


def _name(key: RowId) -> str:
    _, variant, repeat = key
    sample = f"sample {repeat + 1}"
    return sample if variant == PLAIN else variant if repeat == 0 else f"{variant}, {sample}"


def _read(score: StoredScore) -> str:
    return (score.extracted or "") if score.status == "ok" else score.status.replace("_", " ")


_PROSE = "prose: it has no steps that the checker could judge"

Line = list[str | None]
"""A line of text, and if the checker gave a verdict: that verdict, the solver's truth (if known), and the reason."""


def _lines(prediction: Prediction, checked: Checked) -> tuple[list[Line], str | None]:
    """The text line by line, each with its verdict if the checker gave one, and a note on the whole text."""
    if prediction.error:
        return [], f"not generated: {prediction.error}"
    bare: list[Line] = [[text] for text in prediction.text.strip().split("\n")]
    if checked.check is None:
        if checked.fault:
            return bare, f"no trace: {checked.fault}"
        return bare, f"not checked: {checked.refusal}" if checked.refusal else _PROSE
    if len(checked.spans) != len(checked.check.steps):
        return bare, "the verdicts are not shown: they are of version 0.1, and srt score makes them anew"
    unused = ", ".join(f"#{number}" for number in checked.check.unused)
    notes = [checked.fault, f"not used by a later step or the answer: {unused}" if unused else None]
    return list(_with_verdicts(prediction.text, checked)), "; ".join(filter(None, notes)) or None


def _with_verdicts(text: str, checked: Checked) -> Iterator[Line]:
    """The lines of ``text``, each step with its verdict, and the first line after the steps with that of the answer."""
    assert checked.check is not None
    verdicts = {start: verdict for (start, _), verdict in zip(checked.spans, checked.check.steps, strict=True)}
    answer: StepCheck | None = checked.check.answer
    last = max(verdicts, default=len(text))
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        verdict = next((verdicts[at] for at in verdicts if start <= at <= end), None)
        if verdict is None and start > last and line.strip() and answer is not None:
            verdict, answer = answer, None
        start = end + 1
        if verdict is None:
            yield [line]
        else:
            yield [line, verdict.support, None if verdict.truth == "unknown" else verdict.truth, _why(verdict)]


def _why(verdict: StepCheck) -> str | None:
    parts = {"": verdict.reason, "counterexample: ": verdict.counterexample, "could also be: ": verdict.witness}
    return "; ".join(f"{name}{text}" for name, text in parts.items() if text) or None


def _last(lines: Sequence[Line]) -> tuple[list[Line], int]:
    """The last lines, together at most :data:`LONGEST_TEXT` characters, and how many characters are left out."""
    kept: list[Line] = []
    room = LONGEST_TEXT
    for line in reversed(lines):
        text = line[0] or ""
        if len(text) > room:
            if not kept:
                kept.append([text[-room:], *line[1:]])
            break
        kept.append(line)
        room -= len(text)
    total, shown = (sum(len(line[0] or "") for line in each) for each in (lines, kept))
    return kept[::-1], total - shown


class _Album:
    """The pictures that are embedded, each once, until the budget is spent."""

    def __init__(self, drawing: Drawing) -> None:
        self.uris: list[str] = []
        self.over_budget = 0
        self.unreadable = 0
        self._drawing = drawing
        self._room = PICTURE_BUDGET
        self._places: dict[str, int] = {}

    def pictures_of(self, problem: Problem, run: Run) -> list[int]:
        """Places in :attr:`uris` of the problem's pictures, or of its drawn scene if it has none."""
        found = [self._image(image, run) for image in problem.images] or [self._scene(problem)]
        return [place for place in found if place is not None]

    def _image(self, image: Image, run: Run) -> int | None:
        if image.sha256 in self._places:
            return self._places[image.sha256]
        if self._room <= 0:
            self.over_budget += 1
            return None
        try:
            picture = shown_picture(problems_path(run).parent, image)
        except UserError:
            self.unreadable += 1
            return None
        buffer = io.BytesIO()
        scaled_down(picture, PICTURE_SIDE).save(buffer, format="WEBP", quality=80, method=2)
        return self._put(image.sha256, "image/webp", buffer.getvalue())

    def _scene(self, problem: Problem) -> int | None:
        if self._room <= 0:
            self.over_budget += 1
            return None
        svg = self._drawing(problem)
        return None if svg is None else self._put(svg, "image/svg+xml", svg.encode())

    def _put(self, name: str, kind: str, data: bytes) -> int | None:
        if name in self._places:
            return self._places[name]
        if len(data) > self._room:
            self.over_budget += 1
            return None
        self._room -= len(data)
        self.uris.append(data_uri(kind, data))
        self._places[name] = len(self.uris) - 1
        return self._places[name]
