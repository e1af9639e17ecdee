r"""LaTeX in a model's JSON: doubled, not doubled, and text that only looks like it."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.llm.structured_output import read_json

COMMANDS = [
    r"h = \sqrt{5^2 - 3^2} = 4",
    r"V = \frac{1}{3} \times \pi \cdot r^2 h",
    r"$a \neq b$, $a \ne b$, $\nu = 3$, \(x \nmid y\)",
    r"\beta \rho \theta \nabla f, P \notin A, \not= 2",
    r"\(x\) \[y\] \{1\} \underline{a}",
    r"\text{cm}, \triangle ABC, \left( x \right), \vec{n} \rangle, \bar x, \boxed{3}",
    r"\therefore \because \parallel \perp \angle \circ \to \tan 30^{\circ}",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_backslashes_that_are_not_doubled_are_read_as_they_were_meant(text: str) -> None:
    assert read_json('{"steps": [{"text": "' + text + '"}]}') == {"steps": [{"text": text}]}


@pytest.mark.parametrize("text", COMMANDS)
def test_in_a_fence_and_between_words_too(text: str) -> None:
    assert read_json('Here it is:\n```json\n{"text": "' + text + '"}\n```\nDone.') == {"text": text}
    assert read_json('So {"text": "' + text + '"} is it') == {"text": text}


@pytest.mark.parametrize(
    "text",
    [
        *COMMANDS,
        "first line\nnext line\nelse\nu = 3\nmid-way\nexists\neg",
        "one\r\ntwo\rend",
        "a\ttable\tof words\tand numbers\t12",
        "a cost of $5\nand\ne.g. more\nnot\n",
    ],
)
def test_what_is_written_rightly_is_left_alone(text: str) -> None:
    assert read_json(orjson.dumps({"text": text}).decode()) == {"text": text}


@given(
    st.text(alphabet=st.characters(exclude_characters="\b\f\t\r\n", exclude_categories=["Cs"])).filter(
        lambda text: "\\\\" not in text  # before a command, two backslashes are one that was doubled twice
    )
)
def test_text_without_control_characters_survives(text: str) -> None:
    assert read_json(orjson.dumps({"text": text}).decode()) == {"text": text}


@pytest.mark.parametrize("text", COMMANDS)
def test_backslashes_that_are_doubled_twice_are_halved(text: str) -> None:
    twice = text.replace("\\", "\\\\")
    assert read_json(orjson.dumps({"steps": [{"text": twice}]}).decode()) == {"steps": [{"text": text}]}


def test_some_that_are_doubled_twice_beside_others_that_are_not() -> None:
    said = orjson.dumps({"text": r"V = \frac{1}{3} \\times \\pi r^2 \cdot h"}).decode()
    assert read_json(said) == {"text": r"V = \frac{1}{3} \times \pi r^2 \cdot h"}
    assert read_json(r'{"text": "\\(x = 3\\), \\\\sqrt{2}"}') == {"text": r"\(x = 3\), \sqrt{2}"}


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{cases} x = 1 \\ y = 2 \end{cases}",
        r"\begin{matrix} 1 & 2 \\\alpha & 3 \\times \end{matrix}",
        r"x = 1 \\ y = 2",
        r"C:\\Users\\me",
        r"a \\\\ b",
    ],
)
def test_line_breaks_and_paths_are_left_alone(text: str) -> None:
    assert read_json(orjson.dumps({"text": text}).decode()) == {"text": text}


def test_what_is_broken_otherwise_is_told_as_before() -> None:
    with pytest.raises(ValueError, match="broken"):
        read_json(r'{"text": "\sqrt{2}"')
