"""Everyone sees the same pictures: each kind is planted, and the pixels that each consumer got are compared.

``python -m pytest -n 0 -s tests/test_pictures_end_to_end.py`` prints the table of consumers and kinds.
"""

from __future__ import annotations

import base64
import http.server
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import orjson
import PIL.Image
import pytest
import torch
from typer.testing import CliRunner

from eval.backends.model_inputs import PicturePrompts
from eval.backends.protocol import GenerationSettings, Request
from eval.backends.server_backend import ServerBackend
from eval.backends.vllm_engines.ray_rows import with_pictures
from eval.benchmarks.external.external_images import mirrored
from eval.run.predict import predict
from eval.scoring.score import score
from srt.cli import make_app
from srt.gallery.card import problem_card
from srt.gallery.gallery_samples import samples
from srt.images.normalise import shown_picture, shown_size
from srt.io.record_reader import read_records
from srt.io.records import Problem
from srt.llm.config import EndpointConfig
from srt.pipeline.generate import generate_file
from srt.review.server import picture_bytes
from srt.worlds.world_registry import world_named
from tests.fake_backend import FakeBackend
from tests.planted_pictures import Pixels, naive_pixels, plant
from train.data.image_tokens import Picture, open_pictures

Seen = Mapping[str, Pixels]
"""The pixels that one consumer got, by the id of the problem."""

TEACH = """
endpoint: {{base_url: "{url}", retries: 0}}
models: {{teacher: {role}, reviewer: {role}, checker: {role}, describer: {role}}}
prices: {{m: {{input: 1, output: 1, unforeseen_tokens: 9}}}}
currency: USD
budget: 5
rounds: 1
describe: true
"""
JUDGE = 'endpoint: {{base_url: "{url}", retries: 0}}\nmodel: {{model: j}}\nprice: {{input: 1, output: 1}}\n'


class Listener:
    """A chat endpoint that keeps the pictures it is sent, by the word in brackets in the question."""

    def __init__(self) -> None:
        self.seen: dict[str, Pixels] = {}
        seen = self.seen

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
                for turn in body["messages"]:
                    if isinstance(turn["content"], list):
                        told = re.search(r"\[(.*?)\]", turn["content"][-1]["text"])
                        assert told is not None
                        (url,) = [one["image_url"]["url"] for one in turn["content"] if one["type"] == "image_url"]
                        seen[told[1]] = naive_pixels(base64.b64decode(url.partition(",")[2]))
                said = {"role": "assistant", "content": "ANSWER: A"}
                usage = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
                choice = {"index": 0, "finish_reason": "stop", "message": said}
                reply = orjson.dumps({"id": "x", "model": "m", "usage": usage, "choices": [choice]})
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.server.shutdown()
    made.server.server_close()


class _Processor:
    """Stands in for a processor of transformers: keeps the pictures, and makes nothing of them."""

    image_token_id = 0

    def __init__(self) -> None:
        self.kept: list[Pixels] = []
        self.tokenizer = SimpleNamespace(encode=lambda *_, **__: [0])
        self.image_processor = SimpleNamespace(model_input_names=["pixel_values"], size={})

    def _merge_kwargs(self) -> dict[str, Any]:
        return {"images_kwargs": {}}

    def __call__(self, images: list[list[PIL.Image.Image]], **_: Any) -> dict[str, Any]:
        self.kept += [np.asarray(one) for one in images[0]]
        return {"input_ids": torch.zeros((1, 1), dtype=torch.long)}


def _training(problems: list[Problem], root: Path) -> Seen:
    def keep(problem: Problem) -> Pixels:
        (image,), kept = problem.images, []

        class Keeps:
            model_input_names = ("pixel_values",)

            def __call__(self, images: list[PIL.Image.Image], **_: Any) -> dict[str, Any]:
                kept.extend(map(np.asarray, images))
                return {"pixel_values": 0}

        open_pictures([Picture(root, image.path, image.sha256, *shown_size(root, image.path), 1, "t", 1)], Keeps())
        return kept[0]

    return {problem.id: keep(problem) for problem in problems}


def _transformers(problems: list[Problem], root: Path) -> Seen:
    prompts = PicturePrompts(processor := _Processor(), GenerationSettings())
    for problem in problems:
        prompts.make(Request("", tuple(problem.images), root))
    return dict(zip([problem.id for problem in problems], processor.kept, strict=True))


def _vllm(problems: list[Problem], root: Path) -> Seen:
    def shown(problem: Problem) -> Pixels:
        row = with_pictures({"root": str(root), "images": [image.model_dump_json() for image in problem.images]})
        return np.asarray(row["multimodal_data"]["image"][0])

    return {problem.id: shown(problem) for problem in problems}


def _twin(problems: list[Problem], root: Path) -> Seen:
    return {one.id: naive_pixels(mirrored(root, one.images[0]))[:, ::-1] for one in problems}


def _review(problems: list[Problem], root: Path) -> Seen:
    return {one.id: naive_pixels(picture_bytes(one, 1, root)[0]) for one in problems}


def _gallery(problems: list[Problem], root: Path) -> Seen:
    """The cards of ``srt show`` and of notebooks."""

    def shown(problem: Problem) -> Pixels:
        (picture,) = problem_card(problem, root).pictures
        return naive_pixels(base64.b64decode(picture.partition(",")[2]))

    return {problem.id: shown(problem) for problem in problems}


def _command(*words: object) -> None:
    result = CliRunner().invoke(make_app(), [str(word) for word in words])
    assert result.exit_code == 0, result.output


@pytest.mark.long
def test_everyone_sees_the_same_pixels(tmp_path: Path, listener: Listener) -> None:
    planted = plant(tmp_path)
    rows = [
        {"id": kind, "question": f"Where is it [{kind}]?", "choices": ["left", "right"], "answer": "A",
         "solution": "It is left.", "split": "train", "category": "c", "picture": name}
        for kind, (name, _) in planted.items()
    ]  # fmt: skip
    (tmp_path / "rows.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    path = tmp_path / "problems.jsonl"
    _command("import", "plain", tmp_path / "rows.jsonl", "-o", path)
    problems = list(read_records(path, Problem))
    assert [problem.id for problem in problems] == list(planted)

    def served() -> None:
        backend = ServerBackend("m", EndpointConfig(base_url=listener.url))
        predict(path, tmp_path / "run", backend, arm="base")

    def taught() -> None:
        role = "{model: m, max_tokens: 99}"
        (tmp_path / "teach.yaml").write_text(TEACH.format(url=listener.url, role=role))
        _command("teach", path, "-o", tmp_path / "taught", "--config", tmp_path / "teach.yaml")

    def judged() -> None:
        predict(path, tmp_path / "said", FakeBackend(lambda _: "ANSWER: A", reads_pictures=True), arm="base")
        score(tmp_path / "said")
        (tmp_path / "judge.yaml").write_text(JUDGE.format(url=listener.url))
        _command("ask-judge", tmp_path / "said", "--config", tmp_path / "judge.yaml")

    def sent(ask: Callable[[], None]) -> Seen:
        listener.seen.clear()
        ask()
        return dict(listener.seen)

    seen: dict[str, Seen] = {
        "training": _training(problems, tmp_path),
        "transformers": _transformers(problems, tmp_path),
        "vLLM": _vllm(problems, tmp_path),
        "server": sent(served),
        "teacher": sent(taught),
        "judge": sent(judged),
        "mirrored twin": _twin(problems, tmp_path),
        "review page": _review(problems, tmp_path),
        "gallery": _gallery(problems, tmp_path),
    }
    table = [["kind", *seen]]
    for kind, (_, pixels) in planted.items():
        table.append([kind, *(_compared(got.get(kind), pixels) for got in seen.values())])
    told = "\n".join("| " + " | ".join(row) + " |" for row in table)
    print(f"\n{told}")
    assert {cell for row in table[1:] for cell in row[1:]} == {"equal"}, told


def _compared(got: Pixels | None, wanted: Pixels) -> str:
    if got is None:
        return "not sent"
    if got.shape != wanted.shape:
        return f"{got.shape[1]} x {got.shape[0]}"
    worst = int(np.abs(got.astype(int) - wanted.astype(int)).max())
    return "equal" if worst == 0 else f"off by {worst}"


def test_the_gallery_shows_what_is_trained_on(tmp_path: Path) -> None:
    (sample,) = samples(world_named("views"), 1, 0, {})
    (picture,) = sample.pictures
    generate_file("views", 40, "train", tmp_path / "problems.jsonl", {})
    made = {problem.question: problem for problem in read_records(tmp_path / "problems.jsonl", Problem)}
    drawn = made[sample.problem.question]
    on_page = naive_pixels(base64.b64decode(picture.partition(",")[2]))
    assert np.array_equal(on_page, np.asarray(shown_picture(tmp_path, drawn.images[0])))
