from __future__ import annotations

import pytest

from srt.io.did_you_mean import did_you_mean, nearest


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("seeting", ("seating", "views"), "seating"),
        ("SEATING", ("seating", "views"), "seating"),
        ("VLLM", ("vLLM", "hf"), "vLLM"),
        ("read-as-turn", ("needed", "running", "read-as-turns"), "read-as-turns"),
        ("chess", ("seating", "views"), None),
        ("cto", ("base", "cot", "srt"), "cot"),
        ("", ("seating",), None),
        ("seating", (), None),
    ],
)
def test_the_nearest_name(word: str, known: tuple[str, ...], meant: str | None) -> None:
    assert nearest(word, known) == meant
    assert did_you_mean(word, known) == ("" if meant is None else f" (did you mean {meant!r}?)")
