from __future__ import annotations

import filecmp
from pathlib import Path
from typing import get_args

import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer

from srt.errors import UserError
from train.init_model import Arch, ChatTemplate, init_model, sequence_texts

TEXTS = [
    "CONSTRAIN scene #2 #14: Ana@S12 & Bo@N1\nINFER A B #3: options = {A, C}\nANSWER: A, C",
    "约束 场景 #2: 王芳在右边\n\n答案: A",
    " “Ana” sits on Bo's right;  (12) é\t?",
]


@pytest.mark.parametrize("arch", get_args(Arch))
@pytest.mark.parametrize("template", get_args(ChatTemplate))
def test_reloads_the_same_and_loses_no_text(arch: Arch, template: ChatTemplate, tmp_path: Path) -> None:
    for name in ("one", "two"):
        parameters = init_model(
            arch, TEXTS * 3, tmp_path / name, hidden=16, layers=1, heads=2, vocab=450, seed=7, chat_template=template
        )
    same, different, unread = filecmp.cmpfiles(
        tmp_path / "one", tmp_path / "two", [p.name for p in (tmp_path / "one").iterdir()], shallow=False
    )
    assert same
    assert not different + unread
    init_model(arch, TEXTS * 3, tmp_path / "three", hidden=16, layers=1, heads=2, vocab=450, seed=8)
    assert not filecmp.cmp(tmp_path / "one/model.safetensors", tmp_path / "three/model.safetensors", shallow=False)

    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "one")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "one")
    assert type(model).__name__ == {"qwen2": "Qwen2ForCausalLM", "llama": "LlamaForCausalLM"}[arch]
    assert model.num_parameters() == parameters
    assert model.config.vocab_size == len(tokenizer) <= 450
    assert model.config.eos_token_id == tokenizer.eos_token_id != tokenizer.pad_token_id
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False)
        assert tokenizer.decode(ids) == text
        # A vocabulary trained on one splitting and used with another falls apart into bytes.
        if arch == "qwen2":
            assert len(ids) < len(text.encode()) / 2 or "é" in text


def test_one_word_is_one_token(tmp_path: Path) -> None:
    init_model("llama", TEXTS * 3, tmp_path, hidden=16, layers=1, heads=2, vocab=450)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    pieces = [tokenizer.decode([i]) for i in tokenizer.encode(TEXTS[0].split("\n")[0], add_special_tokens=False)]
    assert pieces == ["CONSTRAIN", " scene", " #2", " #14", ":", " Ana", "@", "S12", " &", " Bo", "@", "N1"]


def test_faults(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="hidden"):
        init_model("llama", TEXTS, tmp_path / "m", hidden=30, heads=4)
    with pytest.raises(UserError, match="vocab"):
        init_model("llama", TEXTS, tmp_path / "m", vocab=100)
    with pytest.raises(UserError, match="no text"):
        init_model("llama", [], tmp_path / "m")
    assert not (tmp_path / "m").exists()
    with pytest.raises(UserError, match=r"no \.jsonl file"):
        list(sequence_texts([tmp_path]))
