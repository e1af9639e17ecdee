"""What a model may not write: words, and thinking beyond its budget."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import bytes_to_unicode

from eval.backends.constraints import Constrained, WordBan, token_bytes
from eval.backends.protocol import GenerationSettings, Request
from eval.backends.transformers_backend import TransformersBackend
from srt.language.prompts import THINK_CLOSES, THINK_OPENS
from srt.language.text import MARKERS


def test_a_banned_word_does_not_come(model: Path) -> None:
    backend = TransformersBackend(model, device="cpu")
    requests = [Request(f"ab{number}", seed=number) for number in range(100)]
    free = GenerationSettings(max_new_tokens=40, temperature=2.0)
    count = sum("INFER" in row.text or "推断" in row.text for row in backend.generate(requests, free))
    assert count > 3
    banned = backend.generate(requests, free.model_copy(update={"ban": "INFER"}))
    assert not any("INFER" in row.text or "推断" in row.text for row in banned)
    assert any("CONSTRAIN" in row.text for row in banned)


@pytest.fixture(scope="module")
def longer_tokenizer() -> PreTrainedTokenizerFast:
    """As ``srt init-model`` makes it with longer pieces: what stands between names and numbers may be a token."""
    words = Tokenizer(models.BPE())
    between = pre_tokenizers.Split(Regex(r"\p{Lu}\p{Ll}+|#[0-9]+|@[A-Z0-9]+"), behavior="isolated")
    words.pre_tokenizer = pre_tokenizers.Sequence(
        [between, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    words.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=360, special_tokens=["<end>"], initial_alphabet=alphabet)
    words.train_from_iterator(["Ada\nINFER #1: ? = Ben", "Ada\n推断 #1: ? = Ben", "FERN INN", "INF ERA"] * 9, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>")


def test_a_banned_word_does_not_come_inside_a_longer_token(longer_tokenizer: PreTrainedTokenizerFast) -> None:
    """A table of logits instead of a network: it wants the word in one token, then in ever smaller pieces."""
    pieces = [longer_tokenizer.decode([token]) for token in range(len(longer_tokenizer))]
    longer = [token for token, piece in enumerate(pieces) if "INFER" in piece]
    assert longer, "the tokenizer should have the word inside a longer token"
    assert longer_tokenizer.encode("INFER", add_special_tokens=False) not in [[token] for token in longer]
    for word in ("INFER", "推断"):
        text = word.encode()
        spelt = [[b] for b in longer] if word == "INFER" else []
        by_byte = [longer_tokenizer.convert_tokens_to_ids(bytes_to_unicode()[byte]) for byte in text]
        half = longer_tokenizer.encode(f"{word[:1]}", add_special_tokens=False)
        spelt += [by_byte, half + by_byte[len(word[:1].encode()) :]]
        for ids in spelt:
            refused = [at for at, token in enumerate(ids) if refuses(longer_tokenizer, by_byte, ids[:at], token)]
            assert refused == [len(ids) - 1], (word, [pieces[token] for token in ids])
        assert not refuses(longer_tokenizer, by_byte[:-1], [], by_byte[-1])


def refuses(tokenizer: PreTrainedTokenizerFast, prompt: list[int], generated: list[int], token: int) -> bool:
    """Whether the ban on INFER refuses ``token``, asked step by step as generation does."""
    bans = [WordBan(markers["INFER"], token_bytes(tokenizer)) for markers in MARKERS.values()]
    constrained = Constrained([bans], len(prompt), {0})
    for length in range(len(generated) + 1):
        scores = constrained(torch.tensor([prompt + generated[:length]]), torch.zeros(1, 400))
    return bool(scores[0, token] == float("-inf"))


def test_an_ended_row_is_left_alone() -> None:
    """After its end a row is padded: no constraint needs to understand that."""

    def never(generated: list[int], scores: torch.Tensor) -> None:
        assert 9 not in generated
        scores[0] = float("-inf")

    constrained = Constrained([[never], [never]], 1, {9})
    columns = torch.tensor([[5, 7, 9, 0], [5, 7, 7, 7]])
    forbidden = [constrained(columns[:, : 1 + step], torch.zeros(2, 3))[:, 0].isinf().tolist() for step in range(4)]
    assert forbidden == [[True, True], [True, True], [False, True], [False, True]]


def test_a_think_block_is_closed_at_its_budget(r1: Path) -> None:
    """Each row of a batch as each alone; a row that closed its block itself, or never opened one, is left alone."""
    backend = TransformersBackend(r1, device="cpu")
    prompts = ["ab", "Who is left of Cleo?", "A Ana; B Bo", "INFER", "abcabc", "Bo", "ANSWER"]
    opened = [Request(f"<｜User｜>{text}<｜Assistant｜>{THINK_OPENS}\n", seed=n) for n, text in enumerate(prompts)]
    plain = [Request(f"<｜User｜>{text}<｜Assistant｜>", seed=n) for n, text in enumerate(prompts)]
    free = GenerationSettings(max_new_tokens=36, temperature=0.8)
    budgeted = free.model_copy(update={"think_budget": 12})
    without, rows = backend.generate(opened + plain, free), backend.generate(opened + plain, budgeted)
    assert rows != without
    for request, before, row in zip(opened + plain, without, rows, strict=True):
        alone = backend.generate([request], budgeted)[0]
        assert (row.text, row.output_tokens, row.thinking) == (alone.text, alone.output_tokens, alone.thinking)
        if row.thinking != "cut":
            assert row.text == before.text
            continue
        thought, _, answer = row.text.partition(f"{THINK_CLOSES}\n\n")
        assert THINK_CLOSES not in thought
        assert before.text.startswith(thought)
        assert (row.reasoning_tokens == 13) == (THINK_CLOSES not in answer)
        assert row.output_tokens > 13
    assert sum(row.thinking == "cut" for row in rows[: len(opened)]) > 3
    assert not any(row.thinking == "cut" for row in rows[len(opened) :] if THINK_OPENS not in row.text)
