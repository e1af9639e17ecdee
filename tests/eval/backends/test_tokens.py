"""Where reasoning ends, in ids; and counts by a reference tokenizer."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.backends.token_counts import ReferenceTokenizer, count_reasoning, think_state, until_end
from srt.io.errors import UserError


class Pieces:
    """A tokenizer whose ids are places in a list of byte strings, so that a token may be a part of a character."""

    def __init__(self, *pieces: str | bytes) -> None:
        self.bytes = [piece if isinstance(piece, bytes) else piece.encode() for piece in pieces]

    def decode(self, token_ids: list[int], *, skip_special_tokens: bool, clean_up_tokenization_spaces: bool) -> str:
        assert not skip_special_tokens
        assert not clean_up_tokenization_spaces
        return b"".join(self.bytes[token] for token in token_ids).decode(errors="replace")


@pytest.mark.parametrize(
    ("pieces", "reasoning"),
    [
        (["I ", "see", "</think>", "\n\n", "ANSWER", ": B"], 3),
        (["I ", "see</th", "ink>\n\nANS", "WER: B"], 3),  # the token that ends the block belongs to it
        (["a", "</think>", "b", "</think>", "c"], 4),  # the last one
        (["</think>", "B"], 1),
        (["INFER #1", ": x", "\n", "ANSWER", ": B", "\n"], 3),
        (["INFER #1", ": x", "\nANS", "WER: B"], 2),  # a token that writes of the line is of the answer
        (["ANSWER: A", " no", "\n", "ANSWER: B"], 3),
        (["ANSWER", ": B"], 0),
        (["no ", "border ", "here"], None),
        ([], None),
        (["推".encode()[:2], "推".encode()[2:], "\n", "答".encode()[:1], "答".encode()[1:], "案: B"], 3),
    ],
)
def test_reasoning_ends_where_the_answer_begins(pieces: list[str | bytes], reasoning: int | None) -> None:
    tokenizer = Pieces(*pieces)
    ids = list(range(len(pieces)))
    text = tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    assert count_reasoning(tokenizer, ids, text) == reasoning


@pytest.mark.parametrize(
    ("prompt", "text", "became"),
    [
        ("<think>\n", "ANSWER: B is a draft", "open"),
        ("<think>\n", "x</think>y", "closed"),
        ("", "\n<think>x", "open"),
        ("", "<think>x</think>", "closed"),
        ("Write <think> first.", "x", None),
    ],
)
def test_a_think_block_is_closed_or_open(prompt: str, text: str, became: str | None) -> None:
    assert think_state(prompt, text) == became


def test_a_sequence_ends_at_its_first_end() -> None:
    assert until_end([4, 5, 1, 1, 0], {1, 2}) == ([4, 5], True)
    assert until_end([4, 5], {1, 2}) == ([4, 5], False)
    assert until_end([1], {1}) == ([], True)


def test_a_reference_tokenizer_counts_texts(model: Path, r1: Path, tmp_path: Path) -> None:
    reference = ReferenceTokenizer(model)
    assert reference.count("abc") == 3
    assert reference.count("") == 0
    assert reference.count("INFER") < 5
    assert reference.name.startswith("tiny ")
    assert reference.name == ReferenceTokenizer(model).name != ReferenceTokenizer(r1).name
    with pytest.raises(UserError, match="nowhere"):
        ReferenceTokenizer(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"empty: .*tokenizer"):
        ReferenceTokenizer(tmp_path / "empty")
