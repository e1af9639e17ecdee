"""``srt eval --decode proved`` as a whole: a scripted model that knows exact traces and slips at two of their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
import torch
from transformers import AutoTokenizer

from eval.backends import transformers_backend
from eval.backends.transformers_backend import TransformersBackend
from eval.decoding import verdicts
from eval.decoding.guided_text import TAKEN_BACK
from eval.decoding.guides import ProofGuide
from eval.decoding.ways import WAYS
from eval.evaluation import run_evaluation
from eval.run.eval_recipe import make_eval_recipe
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Prediction, Problem
from srt.language.prompts import prompt_messages
from srt.language.text import linearize
from srt.pipeline.sample import sample_problems
from srt.worlds.world_registry import world_named
from train.models.init_model import init_model


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return [*sample_problems("routes", 5, 1, "test", {}), *sample_problems("seating", 3, 1, "test", {"lang": "zh"})]


@pytest.fixture(scope="module")
def solved(problems: list[Problem]) -> list[str]:
    worlds = {"routes": world_named("routes"), "seating": world_named("seating")}
    return [linearize(worlds[problem.source].solve(problem)) for problem in problems]


@pytest.fixture(scope="module")
def folder(problems: list[Problem], solved: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its vocabulary has tokens that end a line and open the next."""
    path = tmp_path_factory.mktemp("scripted") / "model"
    asked = [message.content for problem in problems for message in prompt_messages(problem, "bare", False)]
    init_model("llama", [*asked, *solved], path, hidden=16, layers=1, heads=2, vocab=600, seed=0, pieces="placements")
    return path


class Scripted:
    """Rows of a model that writes the text of each prompt, and something else a little more likely at two places."""

    def __init__(self, texts: Mapping[tuple[int, ...], list[int]], size: int, newline: int, end: int) -> None:
        self._texts, self._size, self._newline, self._end = texts, size, newline, end
        self._prompts: dict[int, tuple[int, ...]] = {}

    def open(self, row: int, inputs: Mapping[str, torch.Tensor]) -> None:
        self._prompts[row] = tuple(inputs["input_ids"][0].tolist())

    def step(self, ids: Mapping[int, Sequence[int]]) -> torch.Tensor:
        scores = torch.zeros(len(ids), self._size)
        for place, (row, written) in enumerate(ids.items()):
            prompt = self._prompts[row]
            assert tuple(written[: len(prompt)]) == prompt
            new, right = list(written[len(prompt) :]), self._texts[prompt]
            if new != right[: len(new)]:
                scores[place, self._end if new[-1] == self._newline else self._newline] = 30  # It has slipped.
                continue
            scores[place, right[len(new)]] = 30.5
            if len(new) in (len(right) // 3, 2 * len(right) // 3):
                scores[place, (right[len(new)] + 7) % self._size] = 31
        return scores

    def shrink(self, rows: Sequence[int]) -> None:
        self._prompts = {new: self._prompts[old] for new, old in enumerate(rows) if old in self._prompts}


@pytest.fixture
def evaluate(
    folder: Path, problems: list[Problem], solved: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[Prediction]]:
    """``evaluate(name, **recipe)``: the predictions of a run, by problem."""
    monkeypatch.setattr(verdicts, "cores_at_hand", lambda: 1)
    backend = TransformersBackend(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    texts = {
        tuple(tokenizer.encode(backend.render(prompt_messages(problem, "bare", False), 0), add_special_tokens=False)): [
            *tokenizer.encode(text, add_special_tokens=False),
            tokenizer.eos_token_id,
        ]
        for problem, text in zip(problems, solved, strict=True)
    }
    newline = tokenizer.encode("\n", add_special_tokens=False)[-1]
    monkeypatch.setattr(
        transformers_backend, "model_rows", lambda *_: Scripted(texts, len(tokenizer), newline, tokenizer.eos_token_id)
    )

    def run(name: str, of: list[Problem] | None = None, **given: Any) -> list[Prediction]:
        file = tmp_path / f"{name}.jsonl"
        write_records(file, of or problems)
        recipe = {"model": str(folder), "problems": file, "output": tmp_path / name, "prompt": "bare", "arm": "srt"}
        run_evaluation(make_eval_recipe({**recipe, "max_new_tokens": 900, "decode": "proved", **given}))
        rows = read_records(tmp_path / name / "predictions.jsonl", Prediction)
        return sorted((row.model_copy(update={"seconds": 0.0}) for row in rows), key=lambda row: row.problem_id)

    return run


def test_lines_that_are_not_proved_are_drawn_again(
    evaluate: Callable[..., list[Prediction]], folder: Path, solved: list[str], tmp_path: Path
) -> None:
    vocabulary = AutoTokenizer.from_pretrained(folder).batch_decode([[token] for token in range(600)])
    assert any(token.startswith("\n") and token.strip() for token in vocabulary), "such a token goes with the next line"
    rows = evaluate("run", decode={"proved": {"tokens": 3000}})
    assert {row.guided for row in rows} == {"proved"}
    assert {row.text for row in rows} == set(solved)
    for row in rows:
        assert row.tries
        assert row.kept_tokens
        assert row.output_tokens
        assert row.kept_tokens < row.output_tokens <= 3000
        assert row.reasoning_tokens is not None
        assert row.output_tokens - row.reasoning_tokens < 12, "an answer line, whatever was taken back"
        assert sum(one.times for one in row.refused) == row.tries + (row.lines_back or 0)
        for one in row.refused:
            stands = row.text[one.at :].partition("\n")[0]
            assert row.text[: one.at].endswith("\n"), "the line in its place begins there"
            assert one.line != stands or one.reason == TAKEN_BACK
            assert one.line.split()[0] == stands.split()[0], "whole lines, whatever token their first word is in"
            assert one.reason
    summary = orjson.loads((tmp_path / "run" / "summary.json").read_bytes())
    assert summary["traces"]["proved_and_right"]["share"] == summary["accuracy"]["share"] == 1
    assert summary["redrawn"]["kept_tokens"] < summary["output_tokens"]["mean"]
    assert summary["redrawn"]["tries"] > 0


def test_the_gold_answer_is_never_read(
    evaluate: Callable[..., list[Prediction]], problems: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Problem] = []

    class Watched(ProofGuide):
        def verdict(self, draft: Any) -> Any:
            seen.append(draft.problem)
            return super().verdict(draft)

    monkeypatch.setitem(WAYS, "proved", replace(WAYS["proved"], guide=Watched))
    rows = evaluate("as-is")
    wrong = [
        problem.model_copy(
            update={
                "answer": Answer(kind=problem.answer.kind, value=["A", "B"] if problem.choices else 77),
                "solution": "It is 77.",
            }
        )
        for problem in problems
        if problem.answer
    ]
    assert evaluate("wrong", wrong) == rows
    assert seen
    assert all(problem.answer is None and problem.solution is None for problem in seen)


@pytest.mark.parametrize("way", ["best", "majority"])
def test_whole_samples_are_drawn_until_one_is_chosen(
    evaluate: Callable[..., list[Prediction]], solved: list[str], way: str
) -> None:
    rows = evaluate(way, decode=way, repeats=5, arm="srt" if way == "best" else "cot", batch_size=3)
    assert len(rows) == len(solved), "one prediction a question"
    assert evaluate(f"{way}-alone", decode=way, repeats=5, arm="srt" if way == "best" else "cot", batch_size=1) == rows
    for row in rows:
        assert row.output_tokens is not None
        assert row.kept_tokens is not None
        assert row.tries, "greedily it slips"
        assert row.output_tokens > row.kept_tokens
        if way == "best":
            assert (row.guided == "proved") == (row.text in solved)
    assert {row.guided for row in rows} == ({"proved", "not proved"} if way == "best" else {"majority"})


def test_killed_and_resumed_is_unbroken(
    evaluate: Callable[..., list[Prediction]], monkeypatch: pytest.MonkeyPatch
) -> None:
    unbroken = evaluate("unbroken", batch_size=8)
    made = TransformersBackend._guided_generation
    left = [3]

    def dies(self: TransformersBackend, *given: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return made(self, *given)

    with monkeypatch.context() as patched:
        patched.setattr(TransformersBackend, "_guided_generation", dies)
        with pytest.raises(KeyboardInterrupt):
            evaluate("broken", batch_size=2)
    assert evaluate("broken", batch_size=2) == unbroken
    # A folder has one way to decode.
    with pytest.raises(UserError, match="settings"):
        evaluate("broken", decode={"proved": {"tries": 1}})


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"arm": "cot"}, "^arm 'cot': decode: "),
        ({"arm": "srt-drop-INFER"}, "^arm 'srt-drop-INFER': decode: "),
        ({"think_budget": 30}, "^think_budget: .*decode"),
        ({"decode": "refuted"}, "decode: .*proved"),
        ({"decode": "best"}, "decode: best .*repeats"),
        ({"decode": "best", "repeats": 1}, "decode.best.samples: "),
        ({"decode": "best", "repeats": 2, "arm": "answer"}, "^arm 'answer': decode: "),
        ({"decode": {"proved": {"back": 0}}}, "decode.proved.back: "),
        ({"backend": "vllm"}, "decode: .*transformers.*server.*vllm"),
    ],
)
def test_what_cannot_be_guided_is_refused_in_one_line(
    evaluate: Callable[..., list[Prediction]], given: dict[str, Any], named: str
) -> None:
    with pytest.raises(UserError, match=named) as refused:
        evaluate("refused", **given)
    assert "\n" not in str(refused.value)


def test_a_problem_of_no_world_is_refused_by_name(
    evaluate: Callable[..., list[Prediction]], problems: list[Problem]
) -> None:
    box = Problem(
        id="box", question="A box is 3 by 4 by 5. What is its volume?", answer=Answer(kind="number", value=60)
    )
    with pytest.raises(UserError, match=r"problem 'box': decode: .*1 of 9"):
        evaluate("refused", [*problems, box])
