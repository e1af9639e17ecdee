"""How many problems of a corpus with pictures fit into a sequence, for each family of models that reads pictures.

    python -m research.training.sequences_that_fit solidgeo SolidGeo.json

A sequence is the prompt with its pictures, the published solution where there is one, and the answer. The picture
processors have the sizes of the published models, so the tokens of pictures are exact. The tokenizer is one of 8,192
tokens made from these texts; those of the published models need fewer tokens.

The second table shows the plans of the seating world (``srt review`` draws them), at 1 and at 2 pixels a unit.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import transformers

from srt.corpora.import_corpus import import_file
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Message, Problem, Sequence
from srt.language.prompts import prompt_messages
from srt.language.text import MARKERS
from train.data.examples import Example, encode
from train.data.image_tokens import PictureTokens
from train.models.init_model import init_model, sequence_texts
from train.models.model_files import load_processor
from train.recipe import Pictures

FAMILIES = {"qwen2_5_vl": "Qwen2.5-VL", "internvl": "InternVL3"}
LIMITS = (None, 802_816)
LENGTHS = (4096, 8192)
PLANS = {"booth": (520, 400), "shelf": (520, 440), "hexagon": (520, 460)}
"""Width and height of each scene's plan (:mod:`srt.worlds.seating.writing.scene_svg`)."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", help="a name that srt import takes")
    parser.add_argument("path", type=Path)
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        measure(options.corpus, options.path.resolve(), Path(folder))


def measure(corpus: str, path: Path, folder: Path) -> None:
    """Print both tables."""
    import_file(corpus, path, folder / "problems.jsonl")
    write_records(folder / "sequences.jsonl", sequences(folder / "problems.jsonl"))
    made = list(read_records(folder / "sequences.jsonl", Sequence))
    texts = [sequence.model_copy(update={"images": []}) for sequence in made]
    print(f"{len(made)} problems with {sum(len(sequence.images) for sequence in made)} pictures\n")
    fit = " | ".join(f"fit in {length}" for length in LENGTHS)
    print(f"| | max_pixels | tokens of a picture: median, most | of a sequence: median, most | {fit} |")
    print("|---|---|---|---|---|---|")
    for family, title in FAMILIES.items():
        model = folder / family
        init_model(
            family, sequence_texts([folder / "sequences.jsonl"]), model, hidden=32, layers=1, heads=2, vocab=8192
        )
        for limit in LIMITS:
            print(f"| {title} | {limit or 'none'} | {row([*encoded(model, limit, made, folder)])} |", flush=True)
    print(f"| without pictures | | {row([*encoded(model, None, texts, folder)])} |")
    print(f"\n| tokens of a seating plan, at 1 and 2 pixels a unit | max_pixels | {' | '.join(PLANS)} |")
    print("|---|---|---|---|---|")
    for family, title in FAMILIES.items():
        for limit in LIMITS:
            print(f"| {title} | {limit or 'none'} | {' | '.join(plan_tokens(folder / family, limit))} |")


def sequences(problems: Path) -> Iterator[Sequence]:
    for problem in read_records(problems, Problem):
        marker = MARKERS[problem.lang]["ANSWER"]
        gold = "" if problem.answer is None else str(problem.answer.value)
        completion = f"{problem.solution or ''}\n{marker}: {gold}".strip()
        yield Sequence(
            problem_id=problem.id,
            trace_id=problem.id,
            arm="published",
            lang=problem.lang,
            prompt=prompt_messages(problem, "full", pictures=True),
            completion=[Message(role="assistant", content=completion)],
            images=problem.images,
        )


def published_pictures(model: Path, limit: int | None) -> PictureTokens:
    """The picture processor with the sizes that the published models have."""
    processor: Any = load_processor(str(model))
    images = processor.image_processor
    if hasattr(images, "max_patches"):
        images.size, images.min_patches, images.max_patches = {"height": 448, "width": 448}, 1, 12
        processor.image_seq_length = 256
    else:
        images.size = {"shortest_edge": 4 * 28 * 28, "longest_edge": 16384 * 28 * 28}
    return PictureTokens(processor, Pictures(max_pixels=limit))


def encoded(model: Path, limit: int | None, made: list[Sequence], root: Path) -> Iterator[Example]:
    tokenizer, pictures = load_processor(str(model)).tokenizer, published_pictures(model, limit)  # type: ignore[attr-defined]
    for sequence in made:
        yield encode(sequence, tokenizer, False, pictures, root)


def row(examples: list[Example]) -> str:
    of_pictures = [picture.tokens for example in examples for picture in example.pictures]
    lengths = sorted(len(example.input_ids) for example in examples)
    fitting = [sum(length <= most for length in lengths) for most in LENGTHS]
    shares = " | ".join(f"{count} of {len(lengths)} ({count / len(lengths):.1%})" for count in fitting)
    tokens = f"{statistics.median(of_pictures):.0f}, {max(of_pictures)}" if of_pictures else ""
    return f"{tokens} | {statistics.median(lengths):.0f}, {lengths[-1]} | {shares}"


def plan_tokens(model: Path, limit: int | None) -> Iterator[str]:
    pictures = published_pictures(model, limit)
    for width, height in PLANS.values():
        yield ", ".join(str(pictures.count(scale * width, scale * height)) for scale in (1, 2))


if __name__ == "__main__":
    main()
