"""``srt show``: the page of one's own traces, whatever they are and whatever stands in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from srt import Problem, Trace, corrupt, sample, solve, write
from srt.cli import make_app
from srt.gallery.gallery_page import show_command
from srt.io.errors import UserError
from srt.language.trace import Step

HOSTILE = "<script>document.title='owned'</script>"
FREE = Problem(id="free", question=f"How many are 3 and 4? {HOSTILE}", category=HOSTILE)


def written(folder: Path) -> tuple[Path, Path]:
    """Traces and problems: proved, with a fault, in steps of prose, in prose, of a problem that is not there."""
    (solids,) = sample("views")
    proof = solve(solids)
    free, other = (
        Trace(id=id, problem_id=id, kind="free", lang="en", steps=(Step(op="INFER", assertion=f"3 + 4 = 8 {HOSTILE}"),),
              answer="8")
        for id in ("free", "lost")
    )  # fmt: skip
    prose = Trace(id="prose", problem_id="free", kind="cot", lang="en", text=f"3 + 4 = 7 {HOSTILE}", answer="7")
    write(folder / "p.jsonl", [solids, FREE])
    write(folder / "t.jsonl", [proof, corrupt(solids, proof, "another_number"), free, prose, other])
    return folder / "t.jsonl", folder / "p.jsonl"


def test_the_page_of_a_file(tmp_path: Path) -> None:
    traces, problems = written(tmp_path)
    done = CliRunner().invoke(
        make_app(), ["show", str(traces), "--problems", str(problems), "-o", str(tmp_path / "s.html")]
    )
    assert done.exit_code == 0, done.output
    page = (tmp_path / "s.html").read_text(encoding="utf-8")
    assert page.count("<article") == 4
    assert page.count("data:image/png") == 2
    assert page.count("<script") == 1
    assert 'class="v proved"' in page
    assert 'class="v refuted"' in page
    assert 'class="v computed"' in page


def test_counts_and_the_first_traces(tmp_path: Path) -> None:
    counts = show_command(*written(tmp_path), tmp_path / "s.html", 100)
    assert (counts["problems"], counts["proved traces"], counts["skipped"]) == (4, 1, 1)
    assert show_command(tmp_path / "t.jsonl", tmp_path / "p.jsonl", tmp_path / "s.html", 2)["problems"] == 2


def test_a_picture_that_is_not_there_is_named_on_the_card(tmp_path: Path) -> None:
    traces, problems = written(tmp_path)
    for picture in tmp_path.glob("p-pictures/*/*"):
        picture.unlink()
    show_command(traces, problems, tmp_path / "s.html", 1)
    assert "no such file" in (tmp_path / "s.html").read_text(encoding="utf-8")


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    traces, problems = written(tmp_path)
    write(tmp_path / "others.jsonl", [FREE.model_copy(update={"id": "x"})])
    with pytest.raises(UserError, match=r"t\.jsonl: .*others\.jsonl; 'views-"):
        show_command(traces, tmp_path / "others.jsonl", tmp_path / "s.html", 100)
    with pytest.raises(UserError, match=r"t\.jsonl"):
        show_command(traces, problems, traces, 100)
    assert not (tmp_path / "s.html").exists()


@pytest.mark.browser
def test_hostile_text_does_nothing_in_a_browser_and_no_style_of_a_card_leaves_it(chromium: Any, tmp_path: Path) -> None:
    cards = "".join(str(one._repr_html_()) for one in (FREE, *sample("seating")))
    (tmp_path / "p.html").write_text(f"<title>t</title><p class=card>outside</p>{cards}", encoding="utf-8")
    shown = chromium.new_page()
    shown.goto((tmp_path / "p.html").as_uri())
    assert shown.title() == "t"
    border = "one => getComputedStyle(one).borderTopWidth"
    assert shown.locator("p.card").evaluate(border) == "0px"
    assert shown.locator("article.card").first.evaluate(border) == "1px"
