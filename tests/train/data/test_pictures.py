"""Pictures are planned from their headers, and what is planned is what the real processor gives."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.utils.data import DataLoader
from transformers import AutoModelForImageTextToText, AutoProcessor

from srt.images.normalise import shown_picture
from srt.images.open import describe_picture
from srt.images.resize_limits import limit_pictures
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Image, Sequence
from srt.language.prompts import render_prompt
from train.data.examples import IGNORED, Example, Role, encode
from train.data.image_tokens import Picture, PictureFault, PictureTokens, open_pictures
from train.data.token_cache import read_examples
from train.models.model_files import load_processor
from train.recipe import Pictures, Recipe

ARCHITECTURES = ["qwen2_5_vl", "internvl"]
LIMITS = [Pictures(), Pictures(max_pixels=12_544), Pictures(min_pixels=9_000, max_pixels=40_000)]


@pytest.fixture(scope="session", params=ARCHITECTURES)
def model(request: pytest.FixtureRequest, vision_models: dict[str, Path]) -> Path:
    return vision_models[request.param]


def read(model: Path, recipe: Callable[..., Recipe], **changes: Any) -> tuple[list[Example], Any]:
    processor = load_processor(str(model))
    chosen = recipe(model={"path": str(model)}, **changes)
    return read_examples(chosen, processor.tokenizer, processor), processor


@pytest.mark.parametrize("limits", LIMITS, ids=["own", "at-most", "between"])
def test_as_many_tokens_are_planned_as_the_processor_makes(model: Path, limits: Pictures, tmp_path: Path) -> None:
    processor = load_processor(str(model))
    tokens = PictureTokens(processor, limits)
    settled = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])

    @settled
    @given(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 300)), min_size=1, max_size=3))
    def check(sizes: list[tuple[int, int]]) -> None:
        pictures = [PIL.Image.new("RGB", size) for size in sizes if max(size) / min(size) < 200]
        if not pictures:
            return
        images = []
        for number, picture in enumerate(pictures):
            picture.save(tmp_path / f"{number}.png")
            images.append(describe_picture(tmp_path, f"{number}.png"))
        planned = tokens.plan(tmp_path, images, "t")
        assert [(picture.width, picture.height) for picture in planned] == [picture.size for picture in pictures]
        text = processor.image_token * len(pictures)
        real = processor(text=[text], images=pictures, return_tensors="pt", add_special_tokens=False)
        ids = tokens.expand(processor.tokenizer.encode(text, add_special_tokens=False), planned, "t")
        assert ids == real["input_ids"][0].tolist()
        assert ids.count(processor.image_token_id) == sum(picture.tokens for picture in planned)
        opened = open_pictures(planned, processor.image_processor)
        assert opened.keys() == real.keys() - {"input_ids", "attention_mask", "mm_token_type_ids"}
        for name, value in opened.items():
            torch.testing.assert_close(value, real[name], rtol=0, atol=0)

    check()


def test_an_example_is_what_the_processor_makes_of_text_and_pictures(
    model: Path, vision_recipe: Callable[..., Recipe], vision_data: Path
) -> None:
    examples, _ = read(model, vision_recipe)
    evaluation = AutoProcessor.from_pretrained(model, local_files_only=True)
    for example, sequence in zip(examples, read_records(vision_data, Sequence), strict=True):
        pictures = [shown_picture(vision_data.parent, image) for image in sequence.images]
        assert len(example.pictures) == len(pictures)
        text = render_prompt(evaluation.tokenizer, sequence.prompt, len(pictures))
        prompt = evaluation(text=[text], images=pictures or None, add_special_tokens=False)["input_ids"][0]
        length = len(prompt)
        assert example.input_ids[:length].tolist() == list(prompt)
        assert (example.labels[:length] == IGNORED).all()
        assert (example.roles[:length] == Role.PROMPT).all()
        assert example.labels[length:].tolist() == example.input_ids[length:].tolist()
        assert (example.roles[length:] != Role.PROMPT).all()
        shown = evaluation.tokenizer.decode(example.input_ids[length:])
        assert shown == sequence.completion[0].content + evaluation.tokenizer.eos_token
        assert evaluation.image_token_id not in example.input_ids[length:]


def test_a_model_takes_an_example(model: Path, vision_recipe: Callable[..., Recipe]) -> None:
    examples, processor = read(model, vision_recipe)
    weights = AutoModelForImageTextToText.from_pretrained(model, local_files_only=True)
    example = next(example for example in examples if len(example.pictures) == 3)
    ids = torch.tensor(example.input_ids, dtype=torch.long)[None]
    kinds = {"mm_token_type_ids": (ids == processor.image_token_id).int()} if "qwen" in model.name else {}
    opened = open_pictures(example.pictures, processor.image_processor)
    with torch.no_grad():
        logits = weights(input_ids=ids, **kinds, **opened).logits
        other = open_pictures(example.pictures[::-1], processor.image_processor)
        if opened["pixel_values"].shape == other["pixel_values"].shape and "qwen" not in model.name:
            assert not torch.allclose(logits, weights(input_ids=ids, **other).logits)
    assert logits.shape[1] == len(example.input_ids)


def test_limits_are_saved_with_the_processor(model: Path, tmp_path: Path) -> None:
    processor = load_processor(str(model))
    limit_pictures(processor, 6_272, 12_544)
    processor.save_pretrained(tmp_path)
    again = AutoProcessor.from_pretrained(tmp_path, local_files_only=True)
    picture = PIL.Image.new("RGB", (300, 200))
    text = [again.image_token]
    limited = again(text=text, images=[picture])["input_ids"][0]
    assert limited == processor(text=text, images=[picture])["input_ids"][0]
    assert len(limited) < len(load_processor(str(model))(text=text, images=[picture])["input_ids"][0])


def test_limits_that_cannot_be_kept(vision_models: dict[str, Path]) -> None:
    for arch, limits, said in (
        ("qwen2_5_vl", Pictures(max_pixels=100), r"pictures: .*784 .*100 "),
        ("internvl", Pictures(max_pixels=3_000), r"pictures: max_pixels 3000 .*3136"),
        ("internvl", Pictures(min_pixels=100_000), r"pictures: .*32 .*6 tiles"),
    ):
        with pytest.raises(UserError, match=said):
            PictureTokens(load_processor(str(vision_models[arch])), limits)


def put(folder: Path, data: Path, image: Image) -> Path:
    """The first sequence of `data` with `image` alone, in a file in `folder`."""
    sequence = next(read_records(data, Sequence)).model_copy(update={"images": [image]})
    write_records(folder / "one.jsonl", [sequence])
    return folder / "one.jsonl"


def test_faults_of_headers_are_reported_before_training(
    vision_recipe: Callable[..., Recipe], vision_data: Path, vision_models: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "notes.png").write_text("no picture")
    PIL.Image.new("L", (5000, 20)).save(tmp_path / "line.png")
    PIL.Image.new("L", (17000, 1)).save(tmp_path / "wide.png")
    for path, said in (
        ("missing.png", r"missing\.png: "),
        ("../out.png", r"'\.\./out\.png': "),
        ("notes.png", r"notes\.png: "),
        ("line.png", r"line\.png: 5000 x 20 "),
        ("wide.png", r"wide\.png: 17000 x 1 "),
    ):
        data = put(tmp_path, vision_data, Image(path=path, sha256="0" * 64))
        with pytest.raises(PictureFault, match=rf"\.jsonl:1: sequence of trace t0: .*{said}") as fault:
            read(vision_models["qwen2_5_vl"], vision_recipe, data=str(data))
        assert "\n" not in str(fault.value)


class Opening:
    """A collator that only opens pictures."""

    def __init__(self, processor: Any) -> None:
        self.processor = processor

    def __call__(self, pictures: list[Picture]) -> dict[str, torch.Tensor]:
        return open_pictures(pictures, self.processor.image_processor)


@pytest.mark.parametrize("workers", [0, 1])
def test_faults_of_pixels_are_one_line_out_of_a_worker_too(
    workers: int,
    vision_recipe: Callable[..., Recipe],
    vision_data: Path,
    vision_models: dict[str, Path],
    tmp_path: Path,
) -> None:
    PIL.Image.fromarray(np.random.default_rng(0).integers(0, 256, (90, 90, 3), dtype=np.uint8)).save(tmp_path / "a.png")
    whole = (tmp_path / "a.png").read_bytes()
    for content, digest, said in (
        (whole[:9000], None, ""),
        (whole, "0" * 64, "sha256: "),
    ):
        (tmp_path / "a.png").write_bytes(content)
        sha256 = digest or hashlib.sha256(content).hexdigest()
        data = put(tmp_path, vision_data, Image(path="a.png", sha256=sha256))
        [example], processor = read(vision_models["qwen2_5_vl"], vision_recipe, data=str(data))
        loader = DataLoader(example.pictures, batch_size=1, num_workers=workers, collate_fn=Opening(processor))  # type: ignore[arg-type]
        with pytest.raises(PictureFault, match=rf"^sequence of trace t0: .*a\.png: {said}") as fault:
            list(loader)
        assert "\n" not in str(fault.value)


def test_a_text_model_has_no_pictures(
    vision_recipe: Callable[..., Recipe], models: dict[str, Path], vision_data: Path, vision_models: dict[str, Path]
) -> None:
    tokenizer = load_processor(str(vision_models["internvl"])).tokenizer
    with pytest.raises(UserError, match=r"trace t0: images: .*--pictures"):
        read_examples(vision_recipe(), tokenizer)


def test_a_vision_model_reads_text(model: Path, recipe: Callable[..., Recipe]) -> None:
    examples, _ = read(model, recipe, max_length=400)
    assert len(examples) == 40
    assert not any(example.pictures for example in examples)


def test_a_sequence_too_long_says_how_much_of_it_is_pictures(
    vision_recipe: Callable[..., Recipe], vision_models: dict[str, Path]
) -> None:
    examples, _ = read(vision_models["qwen2_5_vl"], vision_recipe)
    longest = max(examples, key=lambda example: len(example.input_ids))
    tokens = sum(picture.tokens for picture in longest.pictures)
    assert tokens > 50
    said = rf"max_length: .* {len(longest.input_ids)}, {tokens} .*problem {longest.problem_id}\)"
    with pytest.raises(UserError, match=said):
        read(vision_models["qwen2_5_vl"], vision_recipe, max_length=100)


def test_a_text_with_placeholders_of_its_own(model: Path, vision_data: Path) -> None:
    processor = load_processor(str(model))
    tokens = PictureTokens(processor, Pictures())
    sequence = next(read_records(vision_data, Sequence))
    [turn] = sequence.prompt
    for token in (processor.image_token, processor.video_token):
        forged = turn.model_copy(update={"content": f"{turn.content} {token}"})
        with pytest.raises(UserError, match=rf"trace t0: prompt: turn 1 \(user\): .*{re.escape(token)}"):
            encode(
                sequence.model_copy(update={"prompt": [forged]}), processor.tokenizer, False, tokens, vision_data.parent
            )
    [turn] = sequence.completion
    forged = turn.model_copy(update={"content": f"{processor.image_token} {turn.content}"})
    with pytest.raises(UserError, match=rf"trace t0: completion: .*{re.escape(processor.image_token)}"):
        encode(
            sequence.model_copy(update={"completion": [forged]}), processor.tokenizer, False, tokens, vision_data.parent
        )


def test_marks_of_corpora_in_a_text_stay_text(model: Path, vision_data: Path) -> None:
    processor = load_processor(str(model))
    sequence = next(read_records(vision_data, Sequence))
    marked = [turn.model_copy(update={"content": "<image1> and <ImageHere>"}) for turn in sequence.prompt]
    tokens = PictureTokens(processor, Pictures())
    example = encode(
        sequence.model_copy(update={"prompt": marked}), processor.tokenizer, False, tokens, vision_data.parent
    )
    assert "<image1> and <ImageHere>" in processor.tokenizer.decode(example.input_ids)
    assert (example.input_ids == processor.image_token_id).sum() == example.pictures[0].tokens
