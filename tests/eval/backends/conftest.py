"""Tiny models of real classes with random weights, made here; nothing is fetched."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from srt.images.open import describe_picture
from srt.io.records import Image
from train.models.init_model import init_model

WORDS = ["INFER", "CORRELATE", "CONSTRAIN", "ANSWER", "推断", "关联", "约束"]
TEXTS = [
    f"{word} (1): right(Ana) = Bo\nWho is left of Cleo? A Ana; B Bo\n</think>\n\nANSWER: B {number}"
    for number, word in enumerate(WORDS * 3)
]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny"
    marks = ["<pad>", "<end>", "<|user|>", "<|assistant|>"]
    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=marks, initial_alphabet=alphabet, show_progress=False)
    words.train_from_iterator([f"{word} {word}\n" for word in WORDS] * 3, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<end>")
    tokenizer.chat_template = "{% for m in messages %}<|user|> {{ m.content }} {% endfor %}<|assistant|>"
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        initializer_range=0.4,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=0,
        tie_word_embeddings=False,
    )
    network = Qwen2ForCausalLM(config)
    with torch.no_grad():
        network.lm_head.weight[1] *= 1.7  # the end of sequence comes now and then, so that rows end at different steps
    # A checkpoint's own defaults that must not leak into what is asked for.
    network.generation_config.update(do_sample=True, temperature=0.1, repetition_penalty=1.9, max_new_tokens=2)
    network.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def r1(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Qwen2 with the tokenizer and the template of R1-Distill: its prompts open a think block."""
    folder = tmp_path_factory.mktemp("models") / "r1"
    init_model(
        "qwen2",
        TEXTS,
        folder,
        hidden=32,
        layers=2,
        heads=2,
        vocab=400,
        chat_template="r1-distill",
        seed=3,
        initializer_range=0.4,
    )
    return folder


@pytest.fixture(scope="session", params=["qwen2_5_vl", "internvl"])
def vision_model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vision-language model of about 0.1 million parameters that writes something else for each prompt."""
    folder = tmp_path_factory.mktemp("vision") / request.param
    init_model(request.param, TEXTS, folder, hidden=32, layers=2, heads=2, vocab=400, seed=2, initializer_range=0.3)
    return folder


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Image]]:
    """A folder, and 30 pictures of noise of different sizes in it."""
    folder = tmp_path_factory.mktemp("pictures")
    images = []
    for number in range(30):
        noise = np.random.default_rng(number)
        height, width = noise.integers(30, 180, 2)
        PIL.Image.fromarray(noise.integers(0, 256, (height, width, 3), dtype=np.uint8)).save(folder / f"{number}.png")
        images.append(describe_picture(folder, f"{number}.png"))
    return folder, images
