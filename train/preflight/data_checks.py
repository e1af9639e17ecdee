"""Check every sequence against tokenizer, chat template and pictures. Faults are counted by kind, the first is named.

Training reads the same files and stops at the first fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerBase, ProcessorMixin

from srt.images.normalise import shown_picture
from srt.io.errors import UserError
from srt.io.jsonl import parse_record
from srt.io.records import Image, Sequence
from srt.language.prompts import THINK_CLOSES, THINK_OPENS, prompt_ids, render_prompt
from train.data.examples import IGNORED, Example, encode
from train.data.image_tokens import PictureFault, PictureTokens
from train.recipe import Recipe

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Called with what is being done and its total count; returns a context manager that gives ``advance``."""

Encoded = list[tuple[Sequence, Example]]
"""The sequences that can be encoded, with their examples."""

MOST_COMPARED = 64
"""How many prompts are also made as in evaluation, where the model's processor handles the pictures."""


class CountedFaults:
    """Faults by kind: the first of each is reported in full, the others are counted."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, line: str) -> None:
        """One more of ``kind``."""
        self._first.setdefault(kind, line)
        self._counts[kind] += 1

    def drop(self, kind: str) -> None:
        """Forget the faults of ``kind``."""
        self._first.pop(kind, None)

    def lines(self) -> list[str]:
        """A line for each kind."""
        return [
            line if self._counts[kind] == 1 else f"{line} (the first of {self._counts[kind]} {kind})"
            for kind, line in self._first.items()
        ]


def read_sequences(path: Path, faults: CountedFaults) -> list[Sequence]:
    """The sequences of the file ``path``; an invalid line is a fault."""
    sequences = []
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        sequences.append(parse_record(line, Sequence, f"{path}:{number}"))
                    except UserError as error:
                        faults.add("invalid lines", str(error))
    except OSError as error:
        faults.add("files", f"{path}: cannot be read: {error.strerror}")
        return []
    if not sequences:
        faults.add("empty files", f"{path}: no sequence to train on")
    return sequences


def encode_all(
    recipe: Recipe,
    sequences: list[Sequence],
    tokenizer: PreTrainedTokenizerBase,
    pictures: PictureTokens | None,
    faults: CountedFaults,
    progress: Progress,
) -> Encoded:
    """Encode every sequence as training does, and check the result."""
    root = Path(recipe.data).parent
    encoded = []
    with progress("sequences", len(sequences)) as advance:
        for sequence in sequences:
            try:
                example = encode(sequence, tokenizer, recipe.think, pictures, root)
                encoded.append((sequence, example))
                for kind, line in _lost(sequence, example, tokenizer, recipe.think):
                    faults.add(kind, line)
            except PictureFault as error:
                faults.add("sequences whose pictures cannot be read", str(error))
            except UserError as error:
                faults.add("sequences that cannot be encoded", str(error))
            advance(1)
    return encoded


def compare_prompts(
    encoded: Encoded,
    tokenizer: PreTrainedTokenizerBase,
    processor: ProcessorMixin | None,
    root: Path,
    faults: CountedFaults,
) -> int:
    """Make up to :data:`MOST_COMPARED` prompts as evaluation does, compare them by tokens, and return how many."""
    for sequence, example in encoded[:MOST_COMPARED]:
        trained = example.input_ids[example.labels == IGNORED].tolist()
        try:
            evaluated = _evaluation_prompt(sequence, tokenizer, processor, root)
        except UserError:
            continue  # a picture that cannot be opened, which is reported elsewhere
        if trained != evaluated:
            pairs = enumerate(zip(trained, evaluated, strict=False))
            at = next((at for at, (one, other) in pairs if one != other), min(len(trained), len(evaluated)))
            faults.add(
                "prompts that differ",
                f"sequence of trace {sequence.trace_id}: prompt: training has {len(trained)} tokens, evaluation "
                f"{len(evaluated)}; they first differ at token {at}",
            )
    return min(len(encoded), MOST_COMPARED)


def open_all(sequences: list[Sequence], root: Path, faults: CountedFaults, progress: Progress) -> None:
    """Open every picture of ``sequences`` completely, as a loader will."""
    named: dict[tuple[str, str], str] = {}
    for sequence in sequences:
        for image in sequence.images:
            named.setdefault((image.path, image.sha256), sequence.trace_id)

    def fault(item: tuple[tuple[str, str], str]) -> str | None:
        (path, digest), trace = item
        try:
            shown_picture(root, Image(path=path, sha256=digest))
        except UserError as error:
            return f"sequence of trace {trace}: {error}"
        return None

    with ThreadPoolExecutor() as pool, progress("pictures", len(named)) as advance:
        for line in pool.map(fault, named.items()):
            if line is not None:
                faults.add("pictures that cannot be opened", line)
                faults.drop("sequences whose pictures cannot be read")  # the same faults, described worse
            advance(1)


def _lost(
    sequence: Sequence, example: Example, tokenizer: PreTrainedTokenizerBase, think: bool
) -> Iterable[tuple[str, str]]:
    """What is missing from the tokens that are trained on, as (kind of fault, line)."""
    where = f"sequence of trace {sequence.trace_id} (arm {sequence.arm})"
    labelled = example.labels[example.labels != IGNORED].tolist()
    seen = tokenizer.decode(labelled, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    text = sequence.completion[0].content
    for span in sequence.spans:
        if text[span.start : span.end] not in seen:
            yield (
                "sequences that lose an operation",
                f"{where}: its {span.label} ({text[span.start : span.end][:40]!r}) is not in the tokens that are "
                "trained on: the chat template or the tokenizer removed it",
            )
            return
    if not sequence.spans or sequence.spans[-1].label != "ANSWER":
        yield "sequences without an answer", f"{where}: spans: the last one must be the ANSWER"
    prompt = example.input_ids[example.labels == IGNORED].tolist()
    opened = think or tokenizer.decode(prompt[-8:], skip_special_tokens=False).rstrip().endswith(THINK_OPENS)
    if opened and THINK_CLOSES not in seen:
        yield "think blocks left open", f"{where}: the think block is opened, but no {THINK_CLOSES} is trained on"
    lines = [line for line in text.split("\n") if line]
    if missing := [line for line in lines if line not in seen]:
        yield (
            "sequences that lose text",
            f"{where}: completion: decoding its tokens does not give back {missing[0][:60]!r}",
        )


def _evaluation_prompt(sequence: Sequence, tokenizer: PreTrainedTokenizerBase, processor: Any, root: Path) -> list[int]:
    """The ids of the prompt as evaluation makes them: by the processor if there are pictures."""
    if sequence.images and processor is not None:
        text = render_prompt(tokenizer, sequence.prompt, len(sequence.images))
        shown = [shown_picture(root, image) for image in sequence.images]
        ids = processor(text=[text], images=[shown], add_special_tokens=False)["input_ids"][0]
        return [int(token) for token in ids]
    return prompt_ids(tokenizer, sequence.prompt)
