from __future__ import annotations

import filecmp
from pathlib import Path
from typing import Any

import PIL.Image
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor, AutoTokenizer

from srt.io.errors import UserError
from train.models.init_model import init_model, sequence_texts

TEXTS = [
    "CONSTRAIN scene #2 #14: Ana@S12 & Bo@N1\nINFER A B #3: options = {A, C}\nANSWER: A, C",
    "约束 场景 #2: 王芳在右边\n\n答案: A",
    " “Ana” sits on Bo's right;  (12) é\t?",
]


@pytest.mark.parametrize("arch", ["qwen2", "llama"])
@pytest.mark.parametrize("template", ["minimal", "qwen2.5", "r1-distill", "llama3"])
def test_reloads_the_same_and_loses_no_text(arch: str, template: str, tmp_path: Path) -> None:
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


def test_what_stands_between_pieces_is_one_token(tmp_path: Path) -> None:
    texts = [f"{name} is left of Bo\nINFER #{n}: ? = {name}@N{n}" for n, name in enumerate(["Ana", "Cleo", "Dan"], 1)]
    assert tokens_of_the_first(texts, "placements", tmp_path) == [
        *("Ana", " is left of ", "Bo", "\nINFER ", "#1", ": ? = ", "Ana@N1"),
    ]
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    for text in TEXTS:
        assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text


def test_the_letter_of_an_option_and_its_name_are_one_token(tmp_path: Path) -> None:
    texts = [f"A {name}; B Bo; D None\nINFER A B #{n} {name}: x" for n, name in enumerate(["Ana", "Cy"])]
    assert tokens_of_the_first(texts, "placements", tmp_path) == [
        *("A Ana", "; ", "B Bo", "; ", "D None", "\nINFER A B ", "#0", " ", "Ana", ": x"),
    ]


def tokens_of_the_first(texts: list[str], pieces: str, folder: Path) -> list[str]:
    """The first of ``texts`` as a tokenizer cuts it that was trained on all of them."""
    init_model("llama", texts * 9, folder, hidden=16, layers=1, heads=2, vocab=450, pieces=pieces)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    return [tokenizer.decode([i]) for i in tokenizer.encode(texts[0], add_special_tokens=False)]


def test_who_sits_where_is_one_token_in_a_trace_and_in_prose(tmp_path: Path) -> None:
    texts = [f"as {name} is at N2, {name}@N2 and whoever is at S1" for name in ("Ana", "Cy", "Dan")]
    assert tokens_of_the_first(texts, "placements", tmp_path) == [
        "as ",
        "Ana is at N2",
        ", ",
        "Ana@N2",
        " and ",
        "whoever is at S1",
    ]


def test_a_seat_is_a_token_after_a_name_that_a_seat_follows_in_a_trace_and_in_prose(tmp_path: Path) -> None:
    texts = [
        f"as {name} is at N2, {name}@N2 & ?@S1 and whoever is at 1E and 小玲位于P1。\nA {name}"
        for name in ("Ana", "Cy", "Dan")
    ]
    assert tokens_of_the_first(texts, "letters", tmp_path) == [
        *("as ", "Ana is at ", "N2", ", ", "Ana@", "N2", " & ", "?@", "S1", " and ", "whoever is at ", "1E"),
        *(" and 小玲位于", "P1", "。\n", "A Ana"),
    ]


def test_a_letter_is_a_token_with_a_name_after_it_or_without(tmp_path: Path) -> None:
    texts = [f"A {name}; B Eve\n#2 A B {name} C D: B\nthe options: A no, B {name} yes" for name in ("Ana", "Cy", "Dan")]
    assert tokens_of_the_first(texts, "letters", tmp_path) == [
        *("A Ana", "; ", "B Eve", "\n", "#2", " ", "A", " ", "B Ana", " ", "C", " ", "D", ": B\nthe options: "),
        *("A", " no, ", "B Ana", " yes"),
    ]


def test_chinese_letters_are_tokens_too(tmp_path: Path) -> None:
    text = "#2 A 小玲 B C: B\n逐个看选项：A不符合、B 小玲符合。所以"
    assert tokens_of_the_first([text], "letters", tmp_path) == [
        *("#2", " ", "A", " 小玲 ", "B", " ", "C", ": B\n逐个看选项：", "A", "不符合、", "B", " 小玲符合。所以"),
    ]


def test_names_with_accents_are_read_back(tmp_path: Path) -> None:
    names = ["José", "Žofie", "Bo", "Müller"]
    texts = [f"{name}@N1 as {name} is at S1.\nA {name}; B Bo\n" for name in names]
    init_model("llama", texts * 9, tmp_path, hidden=16, layers=1, heads=2, vocab=290, pieces="letters")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    for text in texts:
        assert tokenizer.decode(tokenizer(text, add_special_tokens=False)["input_ids"]) == text


def test_separate_words_are_never_part_of_a_longer_token(tmp_path: Path) -> None:
    texts = [f"{name} is the third on the left of Bo; leftover\n{name} = left(Bo, 3)" for name in ("Ana", "Cy", "Dan")]
    shape: dict[str, Any] = {"hidden": 16, "layers": 1, "heads": 2, "vocab": 450, "pieces": "placements"}
    init_model("llama", texts * 9, tmp_path, **shape, separate=["left", "third", "left(", ", 3"])
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    pieces = [tokenizer.decode([i]) for i in tokenizer.encode(texts[0], add_special_tokens=False)]
    assert pieces == [
        *("Ana", " is the ", "third", " on the ", "left", " of ", "Bo", "; leftover\n"),
        *("Ana", " = ", "left(", "Bo", ", 3", ")"),
    ]


@pytest.mark.parametrize("separate", ["left", [""], [True]])
def test_separate_is_a_list_of_words(separate: Any, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="separate"):
        init_model("llama", TEXTS, tmp_path, separate=separate)


def test_names_are_whole_where_passages_that_repeat_would_take_the_vocabulary(tmp_path: Path) -> None:
    """BPE alone leaves names and options in parts then, some of them and not others, and no arm learns the letters."""
    names = ("Ana", "Bo", "Cleo", "Dora", "Edgar", "Fritzi")
    passage = " sit around a table that stands in a garden under a tree and look at one another across it. "
    texts = [
        f"{passage * 3}{one}; {two}.\nA {one}; B {two}\n{one}@N1 & {two}@S1\n{one} is at N1. {two} is at S1"
        for one in names
        for two in names
        if one != two
    ]
    init_model("llama", texts, tmp_path, hidden=16, layers=1, heads=2, vocab=360, pieces="placements")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    assert len(tokenizer) == 360
    for piece in [f"{start}{name}{end}" for name in names for start, end in PLACES]:
        assert len(tokenizer(piece)["input_ids"]) == 1, piece
    for text in texts:
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
    # Only the whole piece, not a word that begins or ends with it.
    assert [tokenizer.decode([i]) for i in tokenizer("Bo@N1")["input_ids"]] == ["Bo@N1"]
    assert len(tokenizer("Bo@N12")["input_ids"]) > 1


def test_a_name_before_a_seat_is_one_token_where_the_vocabulary_is_full(tmp_path: Path) -> None:
    names = ["Ana", "Bo", "Quetzal", "Wolfgang", "Yvonne", "Zdenek"]
    texts = [f"so {name}@N1 as {name} is at S1. The {number}th" for number, name in enumerate(names * 50)]
    init_model("llama", texts, tmp_path, hidden=16, layers=1, heads=2, vocab=300, pieces="letters")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    for name in names:
        ids = tokenizer(f"so {name}@N1 as {name} is at S1.")["input_ids"]
        pieces = [tokenizer.decode([i]) for i in ids]
        assert {f"{name}@", f"{name} is at ", "N1", "S1"} <= set(pieces)


PLACES = (("", ""), ("A ", ""), ("B ", ""), ("", "@N1"), ("", "@S1"), ("", " is at N1"), ("", " is at S1"))


@pytest.mark.parametrize("spread", [0.02, 0.08])
def test_the_weights_have_the_spread_that_was_asked_for(spread: float, tmp_path: Path) -> None:
    init_model("llama", TEXTS, tmp_path, hidden=64, layers=1, heads=2, vocab=450, initializer_range=spread)
    model = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert model.model.layers[0].self_attn.q_proj.weight.std().item() == pytest.approx(spread, rel=0.05)
    assert model.model.embed_tokens.weight.std().item() == pytest.approx(spread, rel=0.05)


@pytest.mark.parametrize("arch", ["qwen2", "llama", "qwen2_5_vl"])
def test_the_head_is_tied_unless_asked_otherwise(arch: str, tmp_path: Path) -> None:
    for untied in (False, True):
        folder = tmp_path / str(untied)
        init_model(arch, TEXTS, folder, hidden=32, layers=1, heads=2, vocab=450, untied_head=untied)
        auto = AutoModelForImageTextToText if arch == "qwen2_5_vl" else AutoModelForCausalLM
        model = auto.from_pretrained(folder, local_files_only=True)
        head, embeddings = model.get_output_embeddings().weight, model.get_input_embeddings().weight
        assert (head is not embeddings) == untied
        assert torch.equal(head, embeddings) != untied


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ("placement", r"pieces 'placement' .did you mean 'placements'.* offers .*placements"),
        ("crumbs", r"pieces 'crumbs': words; .* offers .*letters"),
        ("seats", r"pieces 'seats': .*405b85f"),
    ],
)
def test_unknown_pieces_are_answered_with_those_there_are(pieces: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        init_model("llama", TEXTS, tmp_path / "m", pieces=pieces)
    assert not (tmp_path / "m").exists()


def test_faults(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gpt2.*qwen2, llama, qwen2_5_vl, internvl"):
        init_model("gpt2", TEXTS, tmp_path / "m")
    with pytest.raises(UserError, match=r"chatml.*minimal, qwen2.5"):
        init_model("llama", TEXTS, tmp_path / "m", chat_template="chatml")
    with pytest.raises(UserError, match="hidden"):
        init_model("llama", TEXTS, tmp_path / "m", hidden=30, heads=4)
    with pytest.raises(UserError, match="vocab"):
        init_model("llama", TEXTS, tmp_path / "m", vocab=100)
    with pytest.raises(UserError, match="pieces: qwen2"):
        init_model("qwen2", TEXTS, tmp_path / "m", pieces="placements")
    with pytest.raises(UserError, match="separate"):
        init_model("qwen2", TEXTS, tmp_path / "m", separate=["left"])
    with pytest.raises(UserError, match="text"):
        init_model("llama", [], tmp_path / "m")
    with pytest.raises(UserError, match=r"chat_template: internvl .*qwen2\.5"):
        init_model("internvl", TEXTS, tmp_path / "m", chat_template="qwen2.5")
    with pytest.raises(UserError, match=r"chat_template: qwen2\.5-vl .*llama"):
        init_model("llama", TEXTS, tmp_path / "m", chat_template="qwen2.5-vl")
    assert not (tmp_path / "m").exists()
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"/file: "):
        init_model("llama", TEXTS, tmp_path / "file")
    with pytest.raises(UserError, match=r"/m: .*/file "):
        init_model("llama", TEXTS, tmp_path / "file" / "m")
    (tmp_path / "file").unlink()
    with pytest.raises(UserError, match=r"\.jsonl"):
        list(sequence_texts([tmp_path]))


@pytest.mark.parametrize(
    ("arch", "processor"), [("qwen2_5_vl", "Qwen2_5_VLProcessor"), ("internvl", "InternVLProcessor")]
)
def test_a_vision_model_reads_pictures_learns_and_writes(arch: str, processor: str, tmp_path: Path) -> None:
    parameters = init_model(arch, TEXTS * 3, tmp_path, hidden=32, layers=2, heads=2, vocab=450, initializer_range=0.05)
    reads = AutoProcessor.from_pretrained(tmp_path, local_files_only=True)
    model = AutoModelForImageTextToText.from_pretrained(tmp_path, local_files_only=True)
    assert type(reads).__name__ == processor
    assert model.num_parameters() == parameters < 250_000
    assert model.config.text_config.vocab_size == len(reads.tokenizer) <= 450
    assert model.config.text_config.eos_token_id == reads.tokenizer.eos_token_id
    for text in TEXTS:
        assert reads.tokenizer.decode(reads.tokenizer.encode(text, add_special_tokens=False)) == text
    turn = [{"role": "user", "content": [{"type": "image"}, {"type": "image"}, {"type": "text", "text": TEXTS[0]}]}]
    prompt = reads.apply_chat_template(turn, add_generation_prompt=True, tokenize=False)
    pictures = [PIL.Image.new("RGB", (90, 40), "white"), PIL.Image.new("RGB", (50, 200), "black")]
    batch = reads(text=[prompt], images=pictures, return_tensors="pt")
    model(**batch, labels=batch["input_ids"]).loss.backward()
    unused = [name for name, weight in model.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert not unused
    assert model.generate(**batch, max_new_tokens=3).shape[1] > batch["input_ids"].shape[1]


def test_llama3_writes_its_template(tmp_path: Path) -> None:
    init_model("llama", TEXTS, tmp_path, hidden=16, layers=1, heads=2, vocab=450, chat_template="llama3")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    text = tokenizer.apply_chat_template([{"role": "user", "content": "a"}], add_generation_prompt=True, tokenize=False)
    assert text == (
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\na<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )
    assert tokenizer.eos_token == "<|eot_id|>"
    controls = {"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"}
    assert controls < set(tokenizer.convert_ids_to_tokens(tokenizer.encode(text, add_special_tokens=False)))
