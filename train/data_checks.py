"""What can be wrong between sequences, tokenizer and chat template: all of it, counted, the first of each kind named.

Training reads the same files and stops at the first fault. Here every record is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from transformers import PreTrainedTokenizerBase, ProcessorMixin

from srt.errors import UserError
from srt.jsonl import parse_record
from srt.prompts import THINK_CLOSES, THINK_OPENS, prompt_ids, render_prompt
from srt.records import Image, Sequence
from srt.shown_pictures import shown_picture
from train.examples import IGNORED, Example, encode
from train.pictures import PictureFault, PictureTokens
from train.recipe import Recipe

COMPARED = 64
"""So many prompts are also made as evaluation makes them, where pictures are shown by the model's processor."""


class Faults:
    """Faults by kind: the first of each is told in full, the others are counted."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def add(self, kind: str, line: str) -> None:
        """One more of ``kind``."""
        self._first.setdefault(kind, line)
        self._counts[kind] = self._counts.get(kind, 0) + 1

    def forget(self, kind: str) -> None:
        """Drop what is told better under another kind."""
        self._first.pop(kind, None)

    def counted(self, kind: str) -> int:
        """How many there are of ``kind``."""
        return self._counts.get(kind, 0)

    def lines(self) -> list[str]:
        """A line for each kind."""
        return [
            line if self._counts[kind] == 1 else f"{line} (the first of {self._counts[kind]} {kind})"
            for kind, line in self._first.items()
        ]


class Data(NamedTuple):
    """The sequences that can be read, and the examples of those that can be encoded (``None`` where not)."""

    sequences: list[Sequence]
    examples: list[Example | None]

    @property
    def whole(self) -> list[Example]:
        """The examples that there are."""
        return [example for example in self.examples if example is not None]


def read_sequences(path: Path, faults: Faults) -> list[Sequence]:
    """The sequences of the file ``path``; a line that is none is a fault."""
    sequences = []
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        sequences.append(parse_record(line, Sequence, f"{path}:{number}"))
                    except UserError as error:
                        faults.add("lines that are no sequence", str(error))
    except OSError as error:
        faults.add("files", f"{path}: cannot be read: {error.strerror}")
        return []
    if not sequences:
        faults.add("empty files", f"{path}: no sequence to train on")
    return sequences


def encode_all(
    recipe: Recipe,
    sequences: Iterable[Sequence],
    tokenizer: PreTrainedTokenizerBase,
    pictures: PictureTokens | None,
    faults: Faults,
) -> Data:
    """Encode every sequence as training does, and look at what came out."""
    root = Path(recipe.data).parent
    data = Data([], [])
    for sequence in sequences:
        example = None
        try:
            example = encode(sequence, tokenizer, recipe.think, pictures, root)
        except PictureFault as error:
            faults.add("sequences whose pictures cannot be read", str(error))
        except UserError as error:
            faults.add("sequences that cannot be encoded", str(error))
        if example is not None:
            for kind, line in _lost(sequence, example, tokenizer, recipe.think):
                faults.add(kind, line)
        data.sequences.append(sequence)
        data.examples.append(example)
    return data


def compare_prompts(
    data: Data, tokenizer: PreTrainedTokenizerBase, processor: ProcessorMixin | None, root: Path, faults: Faults
) -> int:
    """Make up to :data:`COMPARED` prompts as evaluation does and compare them token for token; gives how many."""
    compared = 0
    for sequence, example in zip(data.sequences, data.examples, strict=True):
        if example is None or compared >= COMPARED:
            continue
        compared += 1
        trained = example.input_ids[example.labels == IGNORED].tolist()
        try:
            shown = _as_evaluated(sequence, tokenizer, processor, root)
        except UserError:
            continue  # a picture that cannot be opened, which is told elsewhere
        if trained != shown:
            at = next((i for i, (a, b) in enumerate(zip(trained, shown, strict=False)) if a != b), -1)
            faults.add(
                "prompts that differ",
                f"sequence of trace {sequence.trace_id}: prompt: training has {len(trained)} tokens, evaluation "
                f"{len(shown)}; they part at token {at if at >= 0 else min(len(trained), len(shown))}",
            )
    return compared


def open_all(data: Data, root: Path, faults: Faults, advance: Callable[[int], None]) -> int:
    """Open every picture of ``data`` whole, as a loader will; gives how many there are. ``advance`` hears of each."""
    named: dict[tuple[str, str], str] = {}
    for sequence in data.sequences:
        for image in sequence.images:
            named.setdefault((image.path, image.sha256), sequence.trace_id)

    def fault(item: tuple[tuple[str, str], str]) -> str | None:
        (path, digest), trace = item
        try:
            shown_picture(root, Image(path=path, sha256=digest))
        except UserError as error:
            return f"sequence of trace {trace}: {error}"
        return None

    with ThreadPoolExecutor() as pool:
        for line in pool.map(fault, named.items()):
            if line is not None:
                faults.add("pictures that cannot be opened", line)
            advance(1)
    if faults.counted("pictures that cannot be opened"):
        faults.forget("sequences whose pictures cannot be read")
    return len(named)


def too_long(recipe: Recipe, data: Data) -> str | None:
    """How many sequences have more than ``max_length`` tokens, and the longest."""
    over = [example for example in data.whole if len(example.input_ids) > recipe.max_length]
    if not over:
        return None
    longest = max(over, key=lambda example: len(example.input_ids))
    pictures = sum(picture.tokens for picture in longest.pictures)
    of_pictures = f", {pictures} of them pictures" if pictures else ""
    return (
        f"max_length: {len(over)} of {len(data.whole)} sequences have more than {recipe.max_length} tokens "
        f"(the longest {len(longest.input_ids)}{of_pictures}, problem {longest.problem_id}); "
        "raise it, or leave them out: nothing is cut"
    )


def _lost(
    sequence: Sequence, example: Example, tokenizer: PreTrainedTokenizerBase, think: bool
) -> Iterable[tuple[str, str]]:
    """What of the sequence is not in the tokens that are trained on."""
    where = f"sequence of trace {sequence.trace_id} (arm {sequence.arm})"
    labelled = example.labels[example.labels != IGNORED].tolist()
    seen = tokenizer.decode(labelled, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    text = sequence.completion[0].content
    for span in sequence.spans:
        if text[span.start : span.end] not in seen:
            yield (
                "sequences that lose an operation",
                f"{where}: its {span.label} ({text[span.start : span.end][:40]!r}) is not in the tokens that are "
                "trained on: the chat template or the tokenizer took it away",
            )
            return
    if not sequence.spans or sequence.spans[-1].label != "ANSWER":
        yield "sequences without an answer", f"{where}: spans: the last one must be the ANSWER"
    prompt = example.input_ids[example.labels == IGNORED].tolist()
    opened = think or tokenizer.decode(prompt[-8:], skip_special_tokens=False).rstrip().endswith(THINK_OPENS)
    if opened and THINK_CLOSES not in seen:
        yield "think blocks left open", f"{where}: the think block is opened, and no {THINK_CLOSES} is trained on"
    lines = [line for line in text.split("\n") if line]
    if missing := [line for line in lines if line not in seen]:
        yield (
            "sequences that lose text",
            f"{where}: completion: decoding its tokens does not give back {missing[0][:60]!r}",
        )


def _as_evaluated(sequence: Sequence, tokenizer: PreTrainedTokenizerBase, processor: Any, root: Path) -> list[int]:
    """The prompt's ids from the rendered text, by the processor where pictures are shown."""
    if sequence.images and processor is not None:
        text = render_prompt(tokenizer, sequence.prompt, len(sequence.images))
        shown = [shown_picture(root, image) for image in sequence.images]
        ids = processor(text=[text], images=[shown], add_special_tokens=False)["input_ids"][0]
        return [int(token) for token in ids]
    return prompt_ids(tokenizer, sequence.prompt)
