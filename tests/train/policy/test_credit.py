"""Which tokens bear an advantage: by the offsets of the ids that were sampled, whatever their bytes are."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from train.models.model_files import load_tokenizer
from train.policy.credit import first_token_of, from_first_fault

TEXT = "INFER #1: 小美 = S3\nÄ 🪑\nANSWER: B"


def test_a_negative_advantage_is_laid_on_the_tokens_from_the_first_fault_on() -> None:
    advantages = torch.tensor([0.5, -0.5, -1.0, 0.0])
    laid = from_first_fault(advantages, [1, 2, 4, 0], 4)
    assert laid.tolist() == [[0.5] * 4, [0, 0, -0.5, -0.5], [0] * 4, [0] * 4]


@pytest.mark.parametrize("template", ["minimal", "qwen2.5", "llama3"])
def test_tokens_that_share_a_character_bear_it_together(template: str, models: dict[str, Path]) -> None:
    """Each byte is a token here, as where a model spells what it has no piece for."""
    tokenizer = load_tokenizer(str(models[template]))
    ids = [one for byte in bytes_of(TEXT) for one in tokenizer.convert_tokens_to_ids([byte])]
    assert tokenizer.decode(ids) == TEXT
    for at in range(len(TEXT) + 1):
        assert first_token_of(tokenizer, ids, TEXT, at) == len(TEXT[:at].encode())


@pytest.mark.parametrize("template", ["minimal", "qwen2.5", "r1-distill", "llama3"])
def test_a_token_on_both_sides_of_the_fault_bears_it(template: str, models: dict[str, Path]) -> None:
    tokenizer = load_tokenizer(str(models[template]))
    tokens = tokenizer(TEXT, add_special_tokens=False, return_offsets_mapping=True)
    ids = [*tokens["input_ids"], tokenizer.eos_token_id]
    for at in range(len(TEXT)):
        expected = next(number for number, (_, end) in enumerate(tokens["offset_mapping"]) if end > at)
        assert first_token_of(tokenizer, ids, TEXT, at) == expected
    assert first_token_of(tokenizer, ids, TEXT, len(TEXT)) == len(ids) - 1  # where more was to come, the end


def bytes_of(text: str) -> list[str]:
    """The bytes of a text as byte-level tokenizers write them: printable ones as they are, others from U+0100 on."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    names = {byte: chr(byte) for byte in printable} | {byte: chr(256 + at) for at, byte in enumerate(others)}
    return [names[byte] for byte in text.encode()]
