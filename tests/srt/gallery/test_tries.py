"""``srt show --tries``: refused lines stand under the line that was kept in their place, struck out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from srt import Problem, sample, solve, write
from srt.cli import make_app
from srt.gallery.gallery_page import show_command
from srt.io.errors import UserError
from srt.io.records import Prediction, RefusedLine
from srt.language.text import linearize

HOSTILE = "<script>document.title='owned'</script>"
SUMS = Problem(id="sums", question="How many are 3 and 4, twice?")


def predicted(problem: Problem, text: str, *refused: RefusedLine, **given: object) -> Prediction:
    row = {"key": "k", "problem_id": problem.id, "text": text, "finish_reason": "stop", "seconds": 0.1}
    return Prediction.model_validate({**row, "output_tokens": 90, "tries": len(refused), "refused": refused, **given})


def shown(folder: Path, *rows: Prediction, problems: list[Problem]) -> str:
    """The page, its tags and white space between lines taken away but for what is struck out."""
    write(folder / "p.jsonl", problems)
    write(folder / "predictions.jsonl", list(rows))
    done = CliRunner().invoke(
        make_app(),
        [
            *("show", str(folder / "predictions.jsonl"), "--problems", str(folder / "p.jsonl")),
            *("--tries", "-o", str(folder / "s.html")),
        ],
    )
    assert done.exit_code == 0, done.output
    page = (folder / "s.html").read_text(encoding="utf-8")
    assert page.count("<script") == 1
    cards = page.partition("<article")[2]
    return re.sub(r"\s+", " ", re.sub(r"<(?!/?del>)[^>]*>", " ", cards))


def test_refused_steps_and_answers_are_under_what_stands(tmp_path: Path) -> None:
    (problem,) = sample("seating")
    lines = linearize(solve(problem)).split("\n")
    third = len("\n".join(lines[:2])) + 1
    gone = [
        RefusedLine(at=third, line="CONSTRAIN #1: Ann@N1", reason=f"it does not follow {HOSTILE}", times=3),
        RefusedLine(at=third, line=f"taken {HOSTILE}", reason=None),
        RefusedLine(at=len("\n".join(lines[:-1])) + 1, line="ANSWER: Z", reason="no such option"),
    ]
    page = shown(tmp_path, predicted(problem, "\n".join(lines), *gone, guided="proved"), problems=[problem])
    second, step, fourth = (line.partition(": ")[2] for line in lines[1:4])
    order = [
        *("proved, 90 tokens, drawn again: 3", second, step, "<del>CONSTRAIN #1: Ann@N1</del> 3 times"),
        *("it does not follow", "<del>taken ", fourth, "ANSWER:", "<del>ANSWER: Z</del> no such option"),
    ]
    places = [page.index(part.replace("&", "&amp;")) for part in order]
    assert places == sorted(places), "each under the line that stands"


def test_sentences_are_the_lines_of_prose(tmp_path: Path) -> None:
    text = "Once that is 3 + 4 = 7. Twice it is 2 * 7 = 14.\nANSWER: 14"
    gone = RefusedLine(at=text.index("Twice"), line="Twice it is 2 * 7 = 15.", reason="2 * 7 = 14")
    page = shown(tmp_path, predicted(SUMS, text, gone, guided="unrefuted"), problems=[SUMS])
    assert "Once that is 3 + 4 = 7. Twice it is 2 * 7 = 14. <del>Twice it is 2 * 7 = 15.</del> 2 * 7 = 14 " in page


def test_a_text_that_was_cut_off_shows_what_was_refused_after_it(tmp_path: Path) -> None:
    (problem,) = sample("seating")
    text = "\n".join(linearize(solve(problem)).split("\n")[:2]) + "\nCONSTR"
    gone = RefusedLine(at=text.index("CONSTR"), line="CONSTRAIN wlog #9: x", reason="no premise")
    row = predicted(problem, text, gone, guided="not proved", finish_reason="length")
    page = shown(tmp_path, row, predicted(problem, "", finish_reason="length"), problems=[problem])
    assert "not proved, 90 tokens, drawn again: 1" in page
    assert page.index("no answer stands") < page.index("<del>CONSTRAIN wlog #9: x</del> no premise")


def test_what_has_no_problem_in_the_file_is_skipped(tmp_path: Path) -> None:
    rows = [predicted(SUMS, "ANSWER: 14"), predicted(SUMS, "ANSWER: 14", variant="roll-1")]
    shown(tmp_path, *rows, problems=[SUMS])
    paths = tmp_path / "predictions.jsonl", tmp_path / "p.jsonl", tmp_path / "s.html"
    assert show_command(*paths, 100, tries=True)["skipped"] == 1
    with pytest.raises(UserError, match=r"predictions\.jsonl"):
        show_command(*paths, 100)


@pytest.mark.parametrize("at", [-1, 11])
def test_a_place_outside_the_text_is_refused(at: int, tmp_path: Path) -> None:
    write(tmp_path / "p.jsonl", [SUMS])
    write(tmp_path / "predictions.jsonl", [predicted(SUMS, "ANSWER: 14", RefusedLine(at=at, line="ANSWER: 15"))])
    with pytest.raises(UserError, match=rf"predictions\.jsonl.*refused\.0\.at: {at}"):
        show_command(tmp_path / "predictions.jsonl", tmp_path / "p.jsonl", tmp_path / "s.html", 5, tries=True)
