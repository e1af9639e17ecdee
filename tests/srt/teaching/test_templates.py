"""Prompts: ours are whole, people's own replace them, and data cannot break them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.errors import UserError
from srt.teaching.templates import FIELDS, LANGS, load_templates


def own(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


def test_ours_are_there_in_both_languages_and_use_what_they_may() -> None:
    templates = load_templates(None)
    assert set(templates.texts) == {f"{lang}/{name}" for lang in LANGS for name in FIELDS}
    for lang in LANGS:
        for name in FIELDS:
            values = {field: f"<{field}>" for field in FIELDS[name]}
            filled = "\n".join(
                templates.fill(name, lang, values)
                if not name.startswith("form_") and name != "again"
                else [templates.piece(name, lang, values)]
            )
            for field in FIELDS[name] - {"form"}:
                expected = field in ("token", "reason") if name.startswith("form_") or name == "again" else True
                assert (f"<{field}>" in filled) == (expected and f"{{{field}}}" in templates.texts[f"{lang}/{name}"])


def test_the_two_languages_use_the_same_fields() -> None:
    texts = load_templates(None).texts
    for name in FIELDS:
        used = [{field for field in FIELDS[name] if f"{{{field}}}" in texts[f"{lang}/{name}"]} for lang in LANGS]
        assert used[0] == used[1], name


OURS = load_templates(None)


@given(st.text())
def test_data_is_put_in_once_and_never_looked_at_again(text: str) -> None:
    values = dict.fromkeys(FIELDS["describer"], "x")
    values["question"] = hostile = "{token} {unknown} {{x}} --- \n---\n" + text
    system, user = OURS.fill("describer", "en", values)
    assert hostile.strip() in user
    assert hostile.strip() not in system


def test_own_prompts_replace_ours_and_the_others_stay(tmp_path: Path) -> None:
    folder = own(tmp_path, "en/describer", 'You look.\n---\n{question} {"token": "{token}"}')
    templates = load_templates(folder)
    assert templates.fill("describer", "en", {"question": "Q", "token": "t"}) == ("You look.", 'Q {"token": "t"}')
    assert templates.texts["zh/describer"] == load_templates(None).texts["zh/describer"]


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("en/reviewer", "a\n---\n{token} {candidate} {gold}", r"reviewer.md:3: \{gold\} is no field .* \{answer\}"),
        ("en/reviewer", "a\n---\n{token}", r"the field \{candidate\} is missing"),
        ("en/describer", "a {token}", "a line --- between"),
        ("fr/describer", "a\n---\n{token}", "no prompt of that name"),
        ("en/describr", "a\n---\n{token}", "no prompt of that name"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(tmp_path: Path, name: str, text: str, fault: str) -> None:
    with pytest.raises(UserError, match=fault) as raised:
        load_templates(own(tmp_path, name, text))
    assert "\n" not in str(raised.value)


def test_a_folder_that_is_missing_or_empty(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        load_templates(tmp_path / "none")
    with pytest.raises(UserError, match="no prompt in it"):
        load_templates(tmp_path)
