"""A row of a published data set, and how it is made of a problem and its proof."""

from __future__ import annotations

from dataclasses import dataclass

from srt.answers.written_form import canonical_text
from srt.io.problem_files import TraceLine
from srt.io.record_lines import dump, parse_record
from srt.io.records import Lang, Letter, Message, Problem, Record, Sequence
from srt.language.trace import Trace
from srt.pipeline.build import TraceRefusal, build
from srt.pipeline.record_stage import StageOutput


class DatasetOption(Record):
    """An option of a problem."""

    letter: Letter
    text: str


class DatasetRow(Record):
    """A problem with its proof. What is a text for readers comes first, what a program reads back last.

    ``prompt`` and ``completion`` are messages, as trainers take them; ``completion`` is the trace, step by step, and
    ``prose`` the same derivation in sentences. ``problem`` and ``proof`` are the records in JSON, without pictures.
    """

    training_row = True

    id: str
    lang: Lang
    category: str | None
    subcategory: str | None
    group_id: str | None
    question: str
    options: list[DatasetOption]
    answer: str
    description: str | None
    images: list[str] | None = None
    prompt: list[Message]
    completion: list[Message]
    prose: str
    problem: str
    proof: str


COLUMNS = {
    "id": "unique in the data set",
    "lang": "`en` or `zh`",
    "category": "the kind of the problem",
    "subcategory": "the finer kind",
    "group_id": "the same for variants of one puzzle, which are all in one split",
    "question": "the whole text of the problem, without its options",
    "options": "letters and texts; none where the answer is a number",
    "answer": "the answer: letters, or a number",
    "description": "what the pictures show, in words, for models that read text only",
    "images": "the pictures",
    "prompt": "the problem as messages, for training",
    "completion": "the trace as a message: a step a line, then the answer",
    "prose": "the same derivation in sentences, then the answer",
    "problem": "the problem as a record of the toolkit, in JSON",
    "proof": "the trace as a record of the toolkit, in JSON: `srt check` checks it again",
}


@dataclass(frozen=True)
class DatasetLine:
    """Makes the row of a trace that is proved; any other is refused."""

    pictures: bool

    def __call__(self, line: TraceLine, made: StageOutput) -> None:
        """Raises a :class:`~srt.io.errors.RecordError`: the line is no trace, or that of its problem no problem."""
        trace = parse_record(line.trace, Trace, line.place)
        assert line.problem is not None, "the traces were just made from these problems"
        problem = parse_record(line.problem.data, Problem, line.problem.place)
        [steps] = build([trace], {problem.id: problem}, "srt", pictures=self.pictures, keep="proved")
        # The same derivation, which was checked just now.
        [prose] = build([trace], {problem.id: problem}, "cot", pictures=self.pictures, keep="all")
        for built in (steps, prose):
            if isinstance(built, TraceRefusal):
                made.refuse(built, built.reason)
                made.example(built.reason, f"trace {built.trace_id}: {built.detail}")
                return
        assert isinstance(steps, Sequence)
        assert isinstance(prose, Sequence)
        made.lines += dump(_row(problem, trace, steps, prose, self.pictures))


def _row(problem: Problem, trace: Trace, steps: Sequence, prose: Sequence, pictures: bool) -> DatasetRow:
    assert problem.answer is not None
    return DatasetRow(
        id=problem.id,
        lang=problem.lang,
        category=problem.category,
        subcategory=problem.subcategory,
        group_id=problem.group_id,
        question=problem.question,
        options=[DatasetOption(letter=letter, text=text) for letter, text in sorted(problem.choices.items())],
        answer=canonical_text(problem.answer),
        description=problem.diagram_description,
        images=[image.path for image in problem.images] if pictures else None,
        prompt=steps.prompt,
        completion=steps.completion,
        prose=prose.completion[0].content,
        # Their paths would lead nowhere.
        problem=_json(problem.model_copy(update={"images": []})),
        proof=_json(trace),
    )


def _json(record: Record) -> str:
    return dump(record).decode().removesuffix("\n")
