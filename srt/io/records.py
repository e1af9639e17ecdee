"""The records that commands exchange, one JSON object a line.

Pydantic owns the schema: unknown fields are refused, so that a misspelt field is an error and not a silent default.
Files of records are read by :mod:`srt.io.record_reader` and written by :mod:`srt.io.record_writer`; the trace record is
:mod:`srt.language.trace`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails

from srt.io.did_you_mean import did_you_mean

Lang = Literal["en", "zh"]
AnswerKind = Literal["choice_set", "number", "expression", "text", "sequence", "boolean", "parts"]
Thinking = Literal["closed", "cut", "open"]
FinishReason = Literal["stop", "length", "error"]
Guided = Literal["proved", "not proved", "unrefuted", "refuted", "majority"]
Status = Literal["ok", "no_answer", "ambiguous", "truncated", "error"]
MOST_PICTURES = 100
"""A problem of more pictures is refused: real ones have a handful."""
SPLITS: Final = ("train", "dev", "test", "val", "validation", "demo")
"""What ``split`` of a problem may be that is made in Python. Files keep whatever their makers called it."""
FROM_FILE: Final = {"from_file": True}
"""The context in which pydantic validates what a file says."""
Letter = Annotated[str, StringConstraints(pattern=r"^[A-Z]$")]


class Record(BaseModel):
    """Base of all records: immutable; refuses unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    how_to_make: ClassVar[str] = ""
    """How files of such records are made: the end of the message about a file of something else."""
    always_written: ClassVar[tuple[str, ...]] = ()
    """Fields that have a default in Python and none in files: a line without them is no such record."""
    training_row: ClassVar[bool] = False
    """Whether trainers read files of them: in Parquet, pictures are inside, and without them no column ``images``."""

    @classmethod
    def must_have(cls) -> set[str]:
        """The fields that a line of a file must have."""
        return {name for name, field in cls.model_fields.items() if field.is_required() or name in cls.always_written}

    def _repr_html_(self) -> str | None:
        """What a notebook shows; ``None`` where :data:`CARDS` has nothing for such records."""
        card = CARDS.get(type(self))
        return None if card is None else card(self)


CARDS: dict[type[Record], Callable[[Any], str]] = {}
"""How a notebook shows a record, by its class, as HTML. :mod:`srt.api` fills it: drawing builds on records."""


class Answer(Record):
    """A gold answer. ``value`` is shaped by ``kind``.

    ``choice_set``: a list of letters, sorted, without repeats. ``number``: int or float. ``expression`` (LaTeX) and
    ``text``: str. ``sequence``: an ordered list of str. ``boolean``: bool. ``parts``: a list of answers.
    """

    kind: AnswerKind
    value: Any
    unit: str | None = None

    # Before the fields are read: what shape `value` must have is known by `kind` alone.
    @model_validator(mode="before")
    @classmethod
    def _shape_value(cls, data: Any) -> Any:
        if isinstance(data, str | int | float):
            raise ValueError(f"a kind and a value were expected, as in kind='text', value={data!r}")
        if not isinstance(data, dict) or "kind" not in data or "value" not in data:
            return data
        kind, value = data["kind"], data["value"]
        if kind == "choice_set":
            if not isinstance(value, list) or not all(
                isinstance(v, str) and len(v) == 1 and v.isupper() for v in value
            ):
                raise ValueError("a choice_set is a list of capital letters")
            return {**data, "value": sorted(set(value))}
        if kind == "parts":
            if not isinstance(value, list) or not value:
                raise ValueError("parts are a list of at least one answer")
            return {**data, "value": [Answer.model_validate(v) for v in value]}
        right = {
            "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
            "expression": lambda v: isinstance(v, str),
            "text": lambda v: isinstance(v, str),
            "boolean": lambda v: isinstance(v, bool),
            "sequence": lambda v: isinstance(v, list) and all(isinstance(x, str) for x in v),
        }.get(kind)
        if right is not None and not right(value):
            raise ValueError(f"{value!r} is not the value of an answer of kind {kind}")
        return data


class Image(Record):
    """A picture beside the records file: ``path`` is relative to it, ``sha256`` is of the file's bytes (hex)."""

    path: str
    sha256: str


class Problem(Record):
    """One problem as every command reads it. In Python ``Problem(question=...)`` is enough.

    Without an ``id`` it gets one that is made of its text, and without a ``lang`` that of its question. ``split`` is
    ``train``, ``dev``, ``test``, ``val``, ``validation`` or ``demo``; files may call it as they like. ``instruction``
    is the benchmark's own sentence on how to answer (``None`` where it has none); ``question`` is the whole problem
    text. ``labels`` are all the answers there are, word for word, where the problem has a closed list of them without
    letters. ``single_choice``: the benchmark's protocol says that exactly one option is right (never taken from the
    gold answer). ``group_id`` names problems whose errors are not independent (variants, translations).
    """

    how_to_make = (
        "to read a corpus, or your own file, run srt import first: srt import SOURCE FILE -o problems.jsonl, where "
        "SOURCE is mathspatial, solidgeo, space2025, or plain for your own"
    )
    always_written = ("id", "source", "split", "lang")

    id: str = Field("", min_length=1)
    source: str = "own"
    split: str = "test"
    lang: Lang = "en"
    question: str
    instruction: str | None = None
    choices: dict[Letter, str] = Field(default_factory=dict)
    labels: list[str] = Field(default_factory=list)
    single_choice: bool = False
    images: list[Image] = Field(default_factory=list, max_length=MOST_PICTURES)
    diagram_description: str | None = None
    answer: Answer | None = None
    solution: str | None = None
    category: str | None = None
    subcategory: str | None = None
    group_id: str | None = None
    meta: dict[str, Any] = Field(default_factory=dict)

    # Before the fields are read: the defaults of two of them are made of the others.
    @model_validator(mode="before")
    @classmethod
    def _with_defaults(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, dict):
            return data
        if info.context is FROM_FILE:
            absent = [name for name in cls.model_fields if name in cls.must_have() - data.keys()]
            if absent:
                faults = [InitErrorDetails(type="missing", loc=(name,), input=data) for name in absent]
                raise ValidationError.from_exception_data(cls.__name__, faults)
            return data
        made: dict[str, str] = {}
        if "id" not in data:
            made["id"] = _new_id(data)
        if "lang" not in data:
            made["lang"] = language_of(str(data.get("question")))
        return {**data, **made}

    @field_validator("split")
    @classmethod
    def _known_split(cls, split: str, info: ValidationInfo) -> str:
        if split not in SPLITS and info.context is not FROM_FILE:
            raise ValueError(f"{split!r} is not one of {', '.join(SPLITS)}{did_you_mean(split, SPLITS)}")
        return split


def _new_id(fields: Mapping[str, Any]) -> str:
    """A function of what a problem shows and asks, so that it is the same in every session."""
    shown = [str(fields.get(name) or "") for name in ("question", "choices", "diagram_description", "images")]
    return f"own-{hashlib.sha256(repr(shown).encode()).hexdigest()[:10]}"


def language_of(question: str) -> Lang:
    """Chinese from three characters on: a name or a unit in an English text decides nothing."""
    return "zh" if len(re.findall(r"[\u4e00-\u9fff]", question)) > 2 else "en"


Cluster = tuple[str, str]


def cluster_of(problem: Problem) -> Cluster:
    """The cluster of ``problem``: its group, or itself. Variants and translations of one puzzle are not independent."""
    # Tagged, because a group may be named like a problem that is not in it.
    return ("problem", problem.id) if problem.group_id is None else ("group", problem.group_id)


class Refusal(Record):
    """A problem that an exact world did not solve, and why. Refusals are counted, never guessed.

    ``reason`` is one of :data:`srt.worlds.world.REFUSALS`, or of the world's own.
    """

    problem_id: str
    reason: str
    detail: str


class Span(Record):
    """Characters ``[start, end)`` of a completion and what they are: an operation, or the answer."""

    start: int
    end: int
    label: Literal["CORRELATE", "CONSTRAIN", "INFER", "ANSWER"]


class Message(Record):
    """One chat turn."""

    role: Literal["system", "user", "assistant"]
    content: str


class Sequence(Record):
    """What ``srt build`` writes and ``train`` reads: TRL's prompt-completion form, with the spans of the operations."""

    how_to_make = "srt build writes sequences from traces"
    training_row = True

    problem_id: str
    trace_id: str
    arm: str
    lang: Lang
    prompt: list[Message]
    completion: list[Message]
    images: list[Image] = Field(default_factory=list)
    spans: list[Span] = Field(default_factory=list)


class Pair(Record):
    """What ``srt pairs`` writes and ``train`` reads: TRL's preference form, one completion that is proved and one that
    is not.

    ``fault`` says what keeps ``rejected`` from being proved.
    """

    how_to_make = "srt pairs writes pairs"

    problem_id: str
    arm: str
    lang: Lang
    prompt: list[Message]
    chosen: list[Message]
    rejected: list[Message]
    fault: str

    @model_validator(mode="after")
    def _says_something(self) -> Pair:
        if not all(message.content.strip() for message in (*self.chosen, *self.rejected)):
            raise ValueError("chosen, rejected: a text was expected in each")
        if [one.content.split() for one in self.chosen] == [one.content.split() for one in self.rejected]:
            raise ValueError("chosen, rejected: the same text twice, so there is nothing to prefer")
        return self


class RefusedLine(Record):
    """A line that a guide refused where the one stands that begins at character ``at`` of the text (at its end where
    none stands), ``times`` times in all, with the ``reason``; ``None`` where nobody gave one."""

    at: int
    line: str
    reason: str | None = None
    times: int = 1


class Prediction(Record):
    """One generation. Token counts come from ids, never from re-tokenized text; ``None`` where nobody gave them.

    ``image_tokens`` are part of ``input_tokens``. ``reasoning_tokens`` are part of ``output_tokens``; ``None`` where
    the text does not show where its answer begins, or the back end does not say which tokens it wrote.
    ``thinking``: how the think block that the prompt or the text opened ended: ``closed`` by the model, ``cut`` at its
    budget and closed for the model, or ``open`` to the end. ``error`` says in one line why a prediction with
    ``finish_reason`` ``error`` could not be made.

    ``guided`` is what the guide of a text found it to be in the end. Of its ``output_tokens``, all that were generated,
    ``kept_tokens`` are in the text; ``tries`` lines, or samples, were drawn again, and ``lines_back`` lines that had
    been kept were taken back. ``refused`` are such lines, in the order of their places; a long list is cut off
    (:mod:`eval.decoding.refused_lines`).
    """

    key: str
    problem_id: str
    variant: str = "plain"
    repeat: int = 0
    text: str
    input_tokens: int | None = None
    image_tokens: int = 0
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    finish_reason: FinishReason
    seconds: float
    thinking: Thinking | None = None
    error: str | None = None
    guided: Guided | None = None
    kept_tokens: int | None = None
    tries: int | None = None
    lines_back: int | None = None
    refused: tuple[RefusedLine, ...] = Field(default=(), exclude_if=lambda given: not given)


class Score(Record):
    """One prediction against gold. ``value`` is 1 or 0 (or a partial credit); anything but ``ok`` is 0.

    ``how`` says what decided whether the answer equals gold (``exact``, ``number``, ``unit``, ``algebra``,
    ``math-verify``, ...), under ``policy``; ``None`` if nothing was compared. ``reference_tokens`` is the
    length of the text by a tokenizer that all runs share, if one was given: ``reference_tokenizer``, with its hash.
    ``other_value`` is the value under the other policy, where it is not the same.
    """

    problem_id: str
    variant: str = "plain"
    repeat: int = 0
    value: float
    extracted: str | None
    status: Status
    how: str | None = None
    policy: Literal["strict", "lenient"] = "strict"
    other_value: float | None = None
    reference_tokens: int | None = None
    reference_tokenizer: str | None = None
