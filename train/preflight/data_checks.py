"""Check every sequence against tokenizer, chat template and pictures.

Training reads the same files and stops at the first fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerBase, ProcessorMixin

from srt.images.normalise import shown_picture
from srt.io.errors import UserError
from srt.io.record_lines import parse_record
from srt.io.record_reader import read_lines
from srt.io.records import Image, Sequence
from srt.language.prompts import THINK_CLOSES, THINK_OPENS, prompt_ids, render_prompt
from train.data.encode_file import EncodedLines, Encoder, Progress, encode_file
from train.data.examples import IGNORED, Example
from train.data.line_checks import CountedFaults
from train.data.pairs import sides
from train.data.token_cache import CachedTokens
from train.data.token_table import TokenizedExamples
from train.recipe import Recipe

MOST_COMPARED = 64
"""How many prompts are also made as in evaluation, where the model's processor handles the pictures."""


def encode_and_check(
    recipe: Recipe, cached: CachedTokens, encoder: Encoder, faults: CountedFaults, progress: Progress
) -> TokenizedExamples | None:
    """Encode every sequence as training does, and check the result. Without a fault it stays in the cache.

    Returns the examples of those that can be encoded; ``None`` if there are none.
    """
    # The texts of pairs have no spans that could be looked for.
    of_spans = encoder.record is Sequence
    check = partial(lost_parts, tokenizer=encoder.tokenizer, think=encoder.think) if of_spans else None

    def counted(encoded: Iterable[EncodedLines]) -> Iterator[EncodedLines]:
        for lines in encoded:
            for kind, error in lines.faults:
                faults.add(kind, str(error))
            yield lines

    with closing(encode_file(recipe.data_file, encoder, progress, "sequences", check)) as encoded:
        examples = cached.make(counted(encoded), encoder.root)
    if len(examples):
        return examples
    if not faults.lines():
        faults.add("empty files", f"{recipe.data}: no sequence to train on")
    return None


def compare_prompts(path: Path, encoder: Encoder, processor: ProcessorMixin | None, faults: CountedFaults) -> int:
    """Make up to :data:`MOST_COMPARED` prompts as evaluation does, compare them by tokens, and return how many."""
    compared = 0
    for place, _, line in read_lines(path, encoder.record):
        if compared == MOST_COMPARED:
            break
        try:
            sequence, *_ = sides(parse_record(line, encoder.record, place))
            example = encoder(sequence)
            compared += 1
            evaluated = _evaluation_prompt(sequence, encoder, processor)
        except UserError:
            continue  # reported elsewhere
        trained = example.input_ids[example.labels == IGNORED].tolist()
        if trained != evaluated:
            pairs = enumerate(zip(trained, evaluated, strict=False))
            at = next((at for at, (one, other) in pairs if one != other), min(len(trained), len(evaluated)))
            faults.add(
                "prompts that differ",
                f"sequence of trace {sequence.trace_id}: prompt: training has {len(trained)} tokens, evaluation "
                f"{len(evaluated)}; they first differ at token {at}",
            )
    return compared


def open_all(examples: TokenizedExamples, root: Path, faults: CountedFaults, progress: Progress) -> None:
    """Open every picture of ``examples`` completely, as a loader will."""
    named: dict[tuple[str, str], str] = {}
    for picture in examples.pictures():
        named.setdefault((picture["path"], picture["sha256"]), picture["trace_id"])

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
            advance(1)


def lost_parts(
    sequence: Sequence, example: Example, *, tokenizer: PreTrainedTokenizerBase, think: bool
) -> Iterator[tuple[str, str]]:
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
    # A think tag at the end of the prompt is a few tokens; to decode the whole prompt of each sequence takes long.
    opened = think or tokenizer.decode(prompt[-8:], skip_special_tokens=False).rstrip().endswith(THINK_OPENS)
    if opened and THINK_CLOSES not in seen:
        yield "think blocks left open", f"{where}: the think block is opened, but no {THINK_CLOSES} is trained on"
    lines = [line for line in text.split("\n") if line]
    if missing := [line for line in lines if line not in seen]:
        yield (
            "sequences that lose text",
            f"{where}: completion: decoding its tokens does not give back {missing[0][:60]!r}",
        )


def _evaluation_prompt(sequence: Sequence, encoder: Encoder, processor: Any) -> list[int]:
    """The ids of the prompt as evaluation makes them: by the processor if there are pictures."""
    if sequence.images and processor is not None:
        text = render_prompt(encoder.tokenizer, sequence.prompt, len(sequence.images), encoder.kwargs)
        shown = [shown_picture(encoder.root, image) for image in sequence.images]
        ids = processor(text=[text], images=[shown], add_special_tokens=False)["input_ids"][0]
        return [int(token) for token in ids]
    return prompt_ids(encoder.tokenizer, sequence.prompt, kwargs=encoder.kwargs)
