"""What a model is asked is what it was trained on: from problems to a trainer's batches, and to a back end's requests.

Whole path, nothing made by hand: srt.pipeline.solve, srt.pipeline.build, srt init-model, a training step, then srt
eval's own requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.backends.transformers_backend import TransformersBackend
from eval.run.predict import predict
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.language.text import linearize
from srt.language.trace import Trace
from srt.pipeline.build import build_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from train.data.examples import IGNORED
from train.loop.trl_trainer import TraceTrainer
from train.models.chat_templates import ChatTemplate
from train.models.init_model import init_model, sequence_texts
from train.recipe_reader import make_recipe
from train.train_srt import train

COMPLETION: dict[str, str] = {
    "qwen2.5": "{steps}\n{answer}<|im_end|>",
    "r1-distill": "{steps}\n</think>\n\n{answer}<｜end▁of▁sentence｜>",
}
PROMPT_ENDS = {"qwen2.5": "<|im_start|>assistant\n", "r1-distill": "<｜Assistant｜><think>\n"}


class Asked(TransformersBackend):
    """Writes down what it is asked, and says nothing."""

    requests: list[Request]

    def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
        self.requests += batch
        return [Generation("", len(request.prompt), 1, "stop", 0.0) for request in batch]


@pytest.mark.parametrize("style", ["full", "bare"])
@pytest.mark.parametrize("template", ["qwen2.5", "r1-distill"])
def test_trained_prompts_are_asked_prompts(
    template: ChatTemplate, style: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems_file, traces_file = tmp_path / "problems.jsonl", tmp_path / "traces.jsonl"
    made = []
    for lang in ("en", "zh"):
        generate_file("seating", 4, "train", problems_file, {"lang": lang})
        made += list(read_records(problems_file, Problem))
    write_records(problems_file, made)
    solve_file(problems_file, traces_file)
    sequences = Path(build_file(traces_file, problems_file, "srt", tmp_path / "srt", prompt=style)["file"])
    small: dict[str, Any] = {"hidden": 16, "layers": 1, "heads": 2, "vocab": 500}
    init_model("qwen2", sequence_texts([sequences]), tmp_path / "model", chat_template=template, **small)

    prompts, completions = [], []
    compute_loss = TraceTrainer.compute_loss

    def watched(self: TraceTrainer, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        for row, labels, mask in zip(inputs["input_ids"], inputs["labels"], inputs["attention_mask"], strict=True):
            first, length = int((labels != IGNORED).int().argmax()), int(mask.sum())
            assert labels[first:length].tolist() == row[first:length].tolist(), "the loss sees all from there on"
            prompts.append(row[:first].tolist())
            completions.append(row[first:length].tolist())
        return compute_loss(self, model, inputs, *args, **kwargs)

    monkeypatch.setattr(TraceTrainer, "compute_loss", watched)
    recipe = {
        "model": {"path": str(tmp_path / "model"), "attn": "eager"},
        "data": str(sequences),
        "output": str(tmp_path / "trained"),
        "steps": 1,
        "batch_size": len(made),
        "learning_rate": 1e-3,
        "max_length": 4000,
        "threads": 1,
    }
    train(make_recipe(recipe))

    backend = Asked(tmp_path / "trained", device="cpu")
    backend.requests = []
    settings = GenerationSettings(max_new_tokens=1)
    predict(problems_file, tmp_path / "run", backend, arm="srt", style=style, settings=settings)
    assert len(prompts) == len(backend.requests) == len(made) == 8
    assert sorted(prompts) == sorted(
        backend.tokenizer.encode(request.prompt, add_special_tokens=False) for request in backend.requests
    )

    texts = {backend.tokenizer.decode(ids) for ids in completions}
    expected = set()
    for trace in read_records(traces_file, Trace):
        steps, _, answer = linearize(trace).rpartition("\n")
        expected.add(COMPLETION[template].format(steps=steps, answer=answer))
    assert texts == expected
    assert all(backend.tokenizer.decode(ids).endswith(PROMPT_ENDS[template]) for ids in prompts)
