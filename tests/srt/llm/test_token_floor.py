from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.pre_tokenizers import ByteLevel, Metaspace

from srt.llm.token_floor import fewest_tokens

TEXTS = (
    "The right triangle has legs 3 and 4, so by Pythagoras its hypotenuse is $\\sqrt{3^2+4^2}=5$.",
    '{"token": "p-17", "steps": [{"op": "INFER", "text": "AB = 5"}], "answer": "B"}',
    "| a | b |\n| - | - |\n| 1 | 2 |",
    "Прямоугольный треугольник с катетами три и четыре",
)


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_below_the_pieces_that_no_token_crosses(text: str) -> None:
    for splitter in (ByteLevel(add_prefix_space=False), Metaspace()):
        assert 1 <= fewest_tokens(text) <= len(splitter.pre_tokenize_str(text))


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("ทฤษฎีบทพีทาโกรัสของรูปสามเหลี่ยมมุมฉาก" * 30, 4),
        ("ສາມຫຼ່ຽມມຸມສາກ" * 100, 4),
        ("ត្រីកោណកែងមានជ្រុង" * 100, 4),
        ("righttrianglewithlegsthreeandfour" * 40, 5),
        ("=" * 5000 + " \n" * 2000, 128),
    ],
)
def test_text_without_spaces_has_a_floor(text: str, most: int) -> None:
    """Where a token has ``most`` characters on average, a ninth of the tokens are asked for at least."""
    assert len(text) / most / 9 <= fewest_tokens(text) <= len(text) / most


@pytest.mark.parametrize(
    "token",
    [".translatesAutoresizingMaskIntoConstraints", " 微信公众号天天中彩票", " " * 128, "=" * 128, "a" * 64],
)
def test_the_longest_tokens_are_one(token: str) -> None:
    assert fewest_tokens(token) == 1


@given(text=st.text(alphabet=st.characters(max_codepoint=0x24F), max_size=200))
@settings(max_examples=200)
def test_any_text(text: str) -> None:
    pieces = ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    assert bool(text) <= fewest_tokens(text) <= sum(1 + len(piece) // 24 for piece in pieces)


def test_chinese_has_a_floor_too() -> None:
    text = "已知直角三角形的两条直角边分别为三和四，求斜边的长。" * 20
    assert len(text) // 10 <= fewest_tokens(text) <= len(text) // 4
    assert fewest_tokens("") == 0
