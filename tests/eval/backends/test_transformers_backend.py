"""The transformers back end on tiny models of real classes with random weights, made here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from transformers.convert_slow_tokenizer import bytes_to_unicode

from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.backends.transformers_backend import TransformersBackend, _WordBan
from srt.errors import UserError

WORDS = ["INFER", "CORRELATE", "CONSTRAIN", "ANSWER", "推断", "关联", "约束"]
LENGTHS = (3, 11, 7, 4, 12, 5, 9, 6, 2, 8, 10, 13)
# The tokenizer below has no token of several small letters: a letter is a token.
PROMPTS = [Request("abcdefghijklmnop"[:length], seed=length) for length in LENGTHS]


@pytest.fixture(scope="module")
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


def facts(rows: list[Generation]) -> list[tuple[str, int, int, str]]:
    return [(row.text, row.input_tokens, row.output_tokens, row.finish_reason) for row in rows]


@pytest.mark.parametrize(
    "settings",
    [GenerationSettings(max_new_tokens=24), GenerationSettings(max_new_tokens=24, temperature=0.9, top_p=0.9)],
    ids=["greedy", "sampling"],
)
def test_a_batch_equals_single_runs(model: Path, settings: GenerationSettings) -> None:
    backend = TransformersBackend(model, device="cpu")
    together = backend.generate(PROMPTS, settings)
    apart = [backend.generate([request], settings)[0] for request in PROMPTS]
    assert facts(together) == facts(apart)
    assert [row.input_tokens for row in together] == list(LENGTHS)
    assert len({row.text for row in together}) > 3
    reasons = {row.finish_reason for row in together}
    assert reasons == {"stop", "length"}, "the fixture should end some rows early and cut others"
    for row in together:
        assert (row.finish_reason == "length") <= (row.output_tokens == 24)


def test_counts_against_ids(model: Path) -> None:
    """Greedy decoding by hand, one forward pass a token without a cache, must give the ids and their number."""
    backend = TransformersBackend(model, device="cpu")
    settings = GenerationSettings(max_new_tokens=24)
    network = Qwen2ForCausalLM.from_pretrained(model, attn_implementation="eager").eval()
    for request, row in zip(PROMPTS, backend.generate(PROMPTS, settings), strict=True):
        ids = backend.tokenizer.encode(request.prompt)
        length = len(ids)
        while len(ids) < length + 24 and ids[-1] != 1:
            with torch.inference_mode():
                ids.append(int(network(torch.tensor([ids])).logits[0, -1].argmax()))
        new = ids[length:]
        assert row.output_tokens == len(new)
        assert row.finish_reason == ("stop" if new[-1] == 1 else "length")
        assert row.text == backend.tokenizer.decode([token for token in new if token != 1])


def test_seeds_decide_samples(model: Path) -> None:
    backend = TransformersBackend(model, device="cpu")
    settings = GenerationSettings(max_new_tokens=16, temperature=1.0)
    texts = {backend.generate([Request("abc", seed=seed)], settings)[0].text for seed in range(8)}
    assert len(texts) > 5
    narrow = settings.model_copy(update={"top_p": 1e-6})
    greedy = settings.model_copy(update={"temperature": 0.0})
    assert facts(backend.generate(PROMPTS, narrow)) == facts(backend.generate(PROMPTS, greedy))


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
def phrases_tokenizer() -> PreTrainedTokenizerFast:
    """As ``srt init-model`` makes it with ``pieces: phrases``: what stands between names and numbers may be a token."""
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


def test_a_banned_word_does_not_come_inside_a_longer_token(
    model: Path, phrases_tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    """A table of logits in place of a network: it wants the word in one token, then in ever smaller pieces."""
    phrases_tokenizer.save_pretrained(tmp_path)
    pieces = [phrases_tokenizer.decode([token]) for token in range(len(phrases_tokenizer))]
    longer = [token for token, piece in enumerate(pieces) if "INFER" in piece]
    assert longer, "the tokenizer should have the word inside a longer token"
    assert phrases_tokenizer.encode("INFER", add_special_tokens=False) not in [[token] for token in longer]
    for file in ("config.json", "model.safetensors"):
        (tmp_path / file).write_bytes((model / file).read_bytes())
    backend = TransformersBackend(tmp_path, device="cpu")
    for word in ("INFER", "推断"):
        text = word.encode()
        spelt = [[b] for b in longer] if word == "INFER" else []
        by_byte = [phrases_tokenizer.convert_tokens_to_ids(bytes_to_unicode()[byte]) for byte in text]
        half = phrases_tokenizer.encode(f"{word[:1]}", add_special_tokens=False)
        spelt += [by_byte, half + by_byte[len(word[:1].encode()) :]]
        for ids in spelt:
            refused = [
                at
                for at, token in enumerate(ids)
                if backend_refuses(backend, prompt=by_byte, generated=ids[:at], token=token)
            ]
            assert refused == [len(ids) - 1], (word, [pieces[token] for token in ids])
        assert not backend_refuses(backend, prompt=by_byte[:-1], generated=[], token=by_byte[-1])


def backend_refuses(backend: TransformersBackend, prompt: list[int], generated: list[int], token: int) -> bool:
    ids = torch.tensor([prompt + generated])
    scores = torch.zeros(1, 400)
    for ban in backend._bans("INFER"):
        scores = _WordBan(*ban, len(prompt))(ids, scores)
    return bool(scores[0, token] == float("-inf"))


def test_the_plan_covers_all_and_joins_like_lengths(model: Path) -> None:
    backend = TransformersBackend(model, batch_size=4, device="cpu")
    lengths = [9, 3, 7, 3, 100, 20, 5, 9, 9]
    requests = [Request("a" * length) for length in lengths]
    plan = backend.plan(requests, GenerationSettings(max_new_tokens=28))
    assert sorted(index for batch in plan for index in batch) == list(range(9))
    assert [[lengths[index] for index in batch] for batch in plan] == [[100, 20, 9, 9], [9, 7, 5, 3], [3]]
    with pytest.raises(UserError, match="longest prompt has 100 tokens"):
        backend.plan(requests, GenerationSettings(max_new_tokens=29))


def test_the_fingerprint_is_of_what_decides_the_output(model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in model.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    same = TransformersBackend(model, device="cpu").fingerprint
    (copy / "train.json").write_text("{}")
    assert TransformersBackend(copy, device="cpu").fingerprint == same
    assert TransformersBackend(copy, device="cpu", dtype="bfloat16").fingerprint != same
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    assert TransformersBackend(copy, device="cpu").fingerprint != same


def test_an_adapter_changes_the_texts(model: Path, tmp_path: Path) -> None:
    from peft import LoraConfig, get_peft_model

    network = Qwen2ForCausalLM.from_pretrained(model)
    torch.manual_seed(1)
    adapted = get_peft_model(network, LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False))
    adapted.save_pretrained(tmp_path / "adapter")
    base, lora = (
        TransformersBackend(model, device="cpu"),
        TransformersBackend(model, tmp_path / "adapter", device="cpu"),
    )
    settings = GenerationSettings(max_new_tokens=24)
    assert base.fingerprint != lora.fingerprint
    assert facts(base.generate(PROMPTS, settings)) != facts(lora.generate(PROMPTS, settings))
    merged = adapted.merge_and_unload()
    merged.save_pretrained(tmp_path / "merged")
    for file in model.glob("tokenizer*"):
        (tmp_path / "merged" / file.name).write_bytes(file.read_bytes())
    whole = TransformersBackend(tmp_path / "merged", device="cpu")
    assert facts(whole.generate(PROMPTS, settings)) == facts(lora.generate(PROMPTS, settings))


def test_faults_are_one_line(model: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such model folder"):
        TransformersBackend(tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"no config\.json"):
        TransformersBackend(tmp_path)
    lora = tmp_path / "lora"
    lora.mkdir()
    (lora / "adapter_config.json").write_text("{}")
    (lora / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(UserError, match=r"lora: this is an adapter, not a model; give it with --adapter, .* --model"):
        TransformersBackend(lora)
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(UserError, match="no weights in safetensors form"):
        TransformersBackend(tmp_path)
    with pytest.raises(UserError, match="no such adapter folder"):
        TransformersBackend(model, tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"no adapter_config\.json"):
        TransformersBackend(model, tmp_path)
    (tmp_path / "adapter_config.json").write_text(json.dumps({"peft_type": "PREFIX_TUNING"}))
    (tmp_path / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(UserError, match="only LORA is supported"):
        TransformersBackend(model, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"junk")
    (tmp_path / "config.json").write_text('{"model_type": "no-such-type"}')
    broken = TransformersBackend(tmp_path)
    for use in (lambda: broken.tokenizer, lambda: broken.plan([3], GenerationSettings())):
        with pytest.raises(UserError, match="cannot be read") as caught:
            use()
        assert "\n" not in str(caught.value)
    if not torch.cuda.is_available():
        with pytest.raises(UserError, match="device cuda: this machine has none"):
            TransformersBackend(model, device="cuda")
