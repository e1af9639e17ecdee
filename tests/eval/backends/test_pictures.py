"""Pictures in prompts: the same tokens as in training, a batch equal to single runs, and faults of one row alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import PIL.Image
import pytest
import torch
from transformers import AutoModelForImageTextToText, AutoProcessor

from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.backends.transformers_backend import TransformersBackend
from srt.io.errors import UserError
from srt.io.records import Image, Message, Sequence
from train.data.examples import encode
from train.data.image_tokens import PictureTokens
from train.models.model_files import load_processor
from train.recipe import Pictures

TEXTS = ["Who is left of Cleo?", "A Ana; B Bo", "(1) right(Ana) = Bo", "x", "ANSWER: B or what is it?"]


def asked(number: int) -> Message:
    return Message(role="user", content=f"{TEXTS[number % 5]} {number}")


def make_requests(backend: TransformersBackend, pictures: tuple[Path, list[Image]], count: int = 16) -> list[Request]:
    """Requests with none to three pictures each."""
    folder, images = pictures
    requests = []
    for number in range(count):
        shown = tuple(images[number : number + number % 4])
        requests.append(Request(backend.render([asked(number)], len(shown)), shown, folder, seed=number))
    return requests


def facts(rows: list[Generation]) -> list[Generation]:
    return [replace(row, seconds=0.0) for row in rows]


@pytest.mark.parametrize("temperature", [0.0, 0.9], ids=["greedy", "sampling"])
def test_a_batch_equals_single_runs(vision_model: Path, pictures: tuple[Path, list[Image]], temperature: float) -> None:
    backend = TransformersBackend(vision_model, device="cpu")
    requests = make_requests(backend, pictures)
    settings = GenerationSettings(max_new_tokens=12, temperature=temperature)
    together = backend.generate(requests, settings)
    apart = [backend.generate([request], settings)[0] for request in requests]
    assert facts(together) == facts(apart)
    assert len({row.text for row in together}) > 12
    assert [row.image_tokens == 0 for row in together] == [not request.images for request in requests]


def test_what_transformers_writes_by_itself(vision_model: Path, pictures: tuple[Path, list[Image]]) -> None:
    """Its own processor and chat template, from turns that hold the pictures; no cache, one forward pass a token."""
    backend = TransformersBackend(vision_model, device="cpu")
    requests = make_requests(backend, pictures, 8)
    rows = backend.generate(requests, GenerationSettings(max_new_tokens=8))
    processor = AutoProcessor.from_pretrained(vision_model)
    network = AutoModelForImageTextToText.from_pretrained(vision_model, attn_implementation="eager").eval()
    end = processor.tokenizer.eos_token_id
    for number, (request, row) in enumerate(zip(requests, rows, strict=True)):
        shown = [{"type": "image", "image": PIL.Image.open(request.root / image.path)} for image in request.images]
        content = [*shown, {"type": "text", "text": asked(number).content}]
        inputs = processor.apply_chat_template(
            [{"role": "user", "content": content}],
            tokenize=True,
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
        )
        ids = inputs.pop("input_ids")
        kinds = inputs.pop("mm_token_type_ids", None)
        length = ids.shape[1]
        while ids.shape[1] < length + 8 and int(ids[0, -1]) != end:
            also = (
                {}
                if kinds is None
                else {"mm_token_type_ids": torch.nn.functional.pad(kinds, (0, ids.shape[1] - length))}
            )
            features = {name: value for name, value in inputs.items() if name != "attention_mask"}
            with torch.inference_mode():
                logits = network(input_ids=ids, attention_mask=torch.ones_like(ids), **features, **also).logits
            ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
        new = ids[0, length:].tolist()
        assert row.input_tokens == length
        assert row.output_tokens == len(new)
        assert row.text == processor.tokenizer.decode([token for token in new if token != end])


def test_prompts_are_those_of_training(vision_model: Path, pictures: tuple[Path, list[Image]]) -> None:
    """Token for token, and the plan knows their number from headers alone; also with limits of pictures."""
    backend = TransformersBackend(vision_model, device="cpu")
    folder, _ = pictures
    limits = {"max_pixels": 20_000} if "qwen" in vision_model.name else {"max_pixels": 3 * 56 * 56}
    for given in ({}, limits):
        processor = load_processor(str(vision_model))
        tokens = PictureTokens(processor, Pictures(**given))
        prompts = backend._prompts(GenerationSettings(**given))
        for number, request in enumerate(make_requests(backend, pictures)):
            sequence = Sequence(
                problem_id="p",
                trace_id="t",
                arm="srt",
                lang="en",
                prompt=[asked(number)],
                completion=[Message(role="assistant", content="ANSWER: B")],
                images=list(request.images),
            )
            example = encode(sequence, processor.tokenizer, False, tokens, folder)
            trained = [token for token, label in zip(example.input_ids, example.labels, strict=True) if label == -100]
            made = prompts.make(request)
            assert made.ids == trained
            assert made.image_tokens == sum(picture.tokens for picture in example.pictures)
            assert prompts.length(request) == len(made.ids)
    wide = sum(
        row.image_tokens for row in map(backend._prompts(GenerationSettings()).make, make_requests(backend, pictures))
    )
    narrow = sum(row.image_tokens for row in map(prompts.make, make_requests(backend, pictures)))
    assert narrow < wide


def test_pictures_are_seen_and_in_order(vision_model: Path, pictures: tuple[Path, list[Image]]) -> None:
    backend = TransformersBackend(vision_model, device="cpu")
    folder, images = pictures
    prompt = backend.render([Message(role="user", content="x")], 2)
    ways = [(images[0], images[1]), (images[1], images[0]), (images[0], images[2])]
    rows = backend.generate(
        [Request(prompt, images=way, root=folder) for way in ways], GenerationSettings(max_new_tokens=24)
    )
    assert len({row.text for row in rows}) == 3


def test_a_picture_that_cannot_be_shown_fails_its_row_alone(
    vision_model: Path, pictures: tuple[Path, list[Image]]
) -> None:
    backend = TransformersBackend(vision_model, device="cpu")
    settings = GenerationSettings(max_new_tokens=8)
    requests = make_requests(backend, pictures, 7)
    missing = Image(path="nowhere.png", sha256="0" * 64)
    spoilt = replace(requests[2], images=(requests[2].images[0], missing))
    text_alone = replace(requests[4], prompt=requests[1].prompt)
    wrong = [*requests[:2], spoilt, requests[3], text_alone, *requests[5:]]
    plan = backend.plan(wrong, settings)
    assert sorted(index for batch in plan for index in batch) == list(range(7))
    rows = backend.generate(wrong, settings)
    assert [row.finish_reason == "error" for row in rows] == [False, False, True, False, True, False, False]
    assert "nowhere.png: no such file" in (rows[2].error or "")
    assert "1 placeholders for 0 pictures" in (rows[4].error or "")
    assert (rows[2].text, rows[2].output_tokens, rows[2].input_tokens) == ("", 0, 0)
    right = backend.generate([wrong[n] for n in (0, 1, 3, 5, 6)], settings)
    assert facts(right) == facts([rows[n] for n in (0, 1, 3, 5, 6)])
    assert [row.finish_reason for row in backend.generate([spoilt], settings)] == ["error"]


def test_limits_that_cannot_be_kept_are_refused(vision_model: Path) -> None:
    backend = TransformersBackend(vision_model, device="cpu")
    with pytest.raises(UserError, match="pictures"):
        backend.plan([], GenerationSettings(min_pixels=10_000_000, max_pixels=50_000))
    with pytest.raises(UserError, match="continuous"):
        TransformersBackend(vision_model, device="cpu", continuous=True)


def test_a_text_model_refuses_pictures_row_by_row(model: Path, pictures: tuple[Path, list[Image]]) -> None:
    backend = TransformersBackend(model, device="cpu")
    folder, images = pictures
    rows = backend.generate(
        [Request("ab"), Request("ab", images=(images[0],), root=folder)], GenerationSettings(max_new_tokens=4)
    )
    assert [row.finish_reason == "error" for row in rows] == [False, True]
