"""``srt eval --decode unrefuted`` as a whole: a scripted model that says false things, and true ones now and then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoTokenizer

from eval.backends import transformers_backend
from eval.backends.transformers_backend import TransformersBackend
from eval.decoding import verdicts
from eval.decoding.guides import ClaimGuide
from eval.decoding.ways import WAYS
from eval.evaluation import run_evaluation
from eval.run.eval_recipe import make_eval_recipe
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Prediction, Problem
from srt.language.prompts import prompt_messages
from srt.pipeline.sample import sample_problems
from train.models.init_model import init_model

PROBLEMS = [
    Problem(id=f"box-{place}", question=question, answer=Answer(kind="number", value=value))
    for place, (question, value) in enumerate(
        [
            ("A box is 3 by 4 by 5. What is its volume?", 60),
            ("A box is 2 by 4 by 6. What is its volume?", 48),
            ("A field is 8.9 by 2. What is its area?", 17.8),
        ]
    )
]
TRUE = [
    "Its base is 3 × 4 = 12 by area. With the height that is 12 × 5 = 60.\nANSWER: 60",
    "Its base is 2 × 4 = 8.\nWith the height that is 8 × 6 = 48.\nANSWER: 48",
    "That is 8.9 × 2 = 17.8 in all.\nANSWER: 17.8",
]
LIKELIER = [
    "Its base is 3 × 4 = 17 by area. With the height that is 17 × 5 = 60.\nANSWER: 60",
    "Its base is 2 × 4 = 8.\nWith the height that is 8 × 6 = 46.\nANSWER: 46",
    TRUE[2],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scripted") / "model"
    asked = [message.content for problem in PROBLEMS for message in prompt_messages(problem, "bare", False)]
    init_model("llama", [*asked, *TRUE, *LIKELIER], path, hidden=16, layers=1, heads=2, vocab=400, seed=0)
    return path


class Scripted:
    """Rows of a model that goes on with any of a prompt's texts that begin so, the likelier one first."""

    def __init__(self, texts: Mapping[tuple[int, ...], list[list[int]]], size: int) -> None:
        self._texts, self._size = texts, size
        self._prompts: dict[int, tuple[int, ...]] = {}

    def open(self, row: int, inputs: Mapping[str, torch.Tensor]) -> None:
        self._prompts[row] = tuple(inputs["input_ids"][0].tolist())

    def step(self, ids: Mapping[int, Sequence[int]]) -> torch.Tensor:
        scores = torch.zeros(len(ids), self._size)
        for place, (row, written) in enumerate(ids.items()):
            prompt = self._prompts[row]
            new = list(written[len(prompt) :])
            for score, text in zip((30.0, 30.5), self._texts[prompt], strict=True):
                if text[: len(new)] == new:
                    scores[place, text[len(new)]] = score
        return scores

    def shrink(self, rows: Sequence[int]) -> None:
        self._prompts = {new: self._prompts[old] for new, old in enumerate(rows) if old in self._prompts}


@pytest.fixture
def evaluate(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Prediction]]:
    """``evaluate(name, **recipe)``: the predictions of a run, by problem."""
    monkeypatch.setattr(verdicts, "cores_at_hand", lambda: 1)
    backend = TransformersBackend(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    texts = {
        tuple(tokenizer.encode(backend.render(prompt_messages(problem, "bare", False), 0), add_special_tokens=False)): [
            [*tokenizer.encode(text, add_special_tokens=False), tokenizer.eos_token_id] for text in both
        ]
        for problem, *both in zip(PROBLEMS, TRUE, LIKELIER, strict=True)
    }
    monkeypatch.setattr(transformers_backend, "model_rows", lambda *_: Scripted(texts, len(tokenizer)))

    def run(name: str, of: list[Problem] | None = None, **given: Any) -> list[Prediction]:
        file = tmp_path / f"{name}.jsonl"
        write_records(file, of or PROBLEMS)
        recipe = {"model": str(folder), "problems": file, "output": tmp_path / name, "prompt": "bare", "arm": "cot"}
        run_evaluation(make_eval_recipe({**recipe, "max_new_tokens": 200, "decode": "unrefuted", **given}))
        rows = read_records(tmp_path / name / "predictions.jsonl", Prediction)
        return sorted((row.model_copy(update={"seconds": 0.0}) for row in rows), key=lambda row: row.problem_id)

    return run


def test_a_false_sentence_is_drawn_again_and_a_true_one_stays(evaluate: Callable[..., list[Prediction]]) -> None:
    rows = evaluate("run", decode={"unrefuted": {"tokens": 900}})
    assert [row.text for row in rows] == TRUE
    assert {row.guided for row in rows} == {"unrefuted"}
    first, second, third = rows
    assert first.tries
    assert second.tries
    assert (third.tries, third.output_tokens) == (0, third.kept_tokens), "no sentence ends within 17.8"
    # What was refused of the first is its first sentence, and not the whole line.
    assert first.kept_tokens is not None
    assert (first.output_tokens or 0) < first.kept_tokens * (1 + first.tries * 0.7)
    assert [(one.at, one.line) for one in first.refused] == [(0, "Its base is 3 × 4 = 17 by area.")]
    assert "12" in (first.refused[0].reason or "")
    assert {second.text[one.at :].split()[0] for one in second.refused} == {"With"}
    assert third.refused == ()
    assert evaluate("alone", decode={"unrefuted": {"tokens": 900}}, batch_size=1) == rows


def test_what_the_length_cuts_off_is_not_judged(evaluate: Callable[..., list[Prediction]]) -> None:
    rows = evaluate("run", max_new_tokens=12)
    assert [row.text for row in rows] == [text[: len(row.text)] for row, text in zip(rows, LIKELIER, strict=True)]
    assert {(row.finish_reason, row.output_tokens) for row in rows} == {("length", 12)}
    assert {row.guided for row in rows} == {"unrefuted"}


def test_the_gold_answer_is_never_read(
    evaluate: Callable[..., list[Prediction]], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Problem] = []

    class Watched(ClaimGuide):
        def verdict(self, draft: Any) -> Any:
            seen.append(draft.problem)
            return super().verdict(draft)

    monkeypatch.setitem(WAYS, "unrefuted", replace(WAYS["unrefuted"], guide=Watched))
    rows = evaluate("as-is")
    wrong = [
        problem.model_copy(update={"answer": Answer(kind="number", value=77), "solution": "It is 77."})
        for problem in PROBLEMS
    ]
    assert evaluate("wrong", wrong) == rows
    assert seen
    assert all(problem.answer is None and problem.solution is None for problem in seen)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"think_budget": 30}, "^think_budget: .*decode"),
        ({"decode": {"unrefuted": {"back": 0}}}, "decode.unrefuted.back: "),
        ({"decode": {"unrefuted": {"samples": 2}}}, "decode.unrefuted.samples: "),
        ({"backend": "server", "base_url": "http://127.0.0.1:9/v1"}, "decode .*server.*transformers"),
        ({"continuous": True}, "continuous"),
        ({"of": [*PROBLEMS, *sample_problems("routes", 1, 1, "test", {})]}, "decode: .*world.*1 of 4.*proved"),
    ],
)
def test_what_cannot_be_guided_is_refused_in_one_line(
    evaluate: Callable[..., list[Prediction]], given: dict[str, Any], named: str
) -> None:
    with pytest.raises(UserError, match=named) as refused:
        evaluate("refused", **given)
    assert "\n" not in str(refused.value)
