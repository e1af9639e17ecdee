"""The page in a real browser: it filters, opens fast, asks nothing of the network, and hostile text stays text."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

from eval.backends.protocol import GenerationSettings
from eval.errors.error_classes import classify_errors
from eval.report import report_examples
from eval.report.compare import compare
from eval.report.leaderboard import leaderboard
from eval.run.predict import predict
from eval.scoring.score import Checker, score
from srt.io.record_writer import write_records
from srt.io.records import Image, Problem
from tests.fake_backend import FakeBackend

pytestmark = pytest.mark.usefixtures("blank_plots")
MakeRun = Callable[..., Path]
MakeProblem = Callable[..., Problem]

HOSTILE = "</script><script>document.title='owned'</script><!--<img src=x onerror=\"document.title='owned'\">{{ 7*7 }}"


@pytest.fixture
def hostile_page(make_run: MakeRun, make_problem: MakeProblem, fake_checker: Checker, tmp_path: Path) -> Path:
    problems = tmp_path / "hostile.jsonl"
    choices = {"A": HOSTILE, "B": '"onerror="x', "C": "Pia"}
    write_records(
        problems,
        [
            make_problem(n, question=f"{HOSTILE} item {n}. Who?", choices=choices, id=f"{HOSTILE}{n}", category=HOSTILE)
            for n in (1, 2)
        ],
    )
    arm = "srt<script>document.title='owned'</script>"
    run = make_run("folder", lambda _: f"INFER (1): false {HOSTILE}\nANSWER: B", problems=problems)
    manifest = run / "run.json"
    manifest.write_text(manifest.read_text().replace('"arm": "folder"', f'"arm": "{arm}"'))
    score(run, checker=fake_checker)
    compare([run], tmp_path / "report", drawing=drawing)
    return tmp_path / "report" / "report.html"


def drawing(problem: Problem) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>document.title="owned"</script>'
        '<circle cx="20" cy="20" r="9"/></svg>'
    )


@contextmanager
def opened(chromium: Any, path: Path, width: int = 1240) -> Iterator[Any]:
    """The page at ``path``; it must say nothing on the console and ask for nothing but itself."""
    complaints: list[str] = []
    context = chromium.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("console", lambda said: complaints.append(said.text))
    page.on("request", lambda sent: complaints.append(sent.url) if not own(sent.url, path) else None)
    page.goto(path.as_uri())
    yield page
    context.close()
    assert complaints == []


def own(url: str, path: Path) -> bool:
    return url.split("#")[0] == path.as_uri() or url.startswith("data:image/")


def test_the_page_needs_nothing_but_itself(hostile_page: Path) -> None:
    page = hostile_page.read_text()
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    assert [attributes for attributes, _ in scripts] == [' type="application/json" id="island"', ""]
    digest = base64.b64encode(hashlib.sha256(scripts[1][1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert not set("<>&") & set(scripts[0][1])
    assert "<img src=x" not in page
    assert "default-src 'none'" in page
    sources = re.findall(r"(?:src|srcset)=\"([^\"]{0,20})", page)
    assert sources
    assert all(source.startswith("data:image/") for source in sources)
    assert set(re.findall(r"href=\"(.)", page)) == {"#"}


@pytest.mark.browser
def test_hostile_text_is_shown_as_text(hostile_page: Path, chromium: Any) -> None:
    with opened(chromium, hostile_page) as page:
        assert page.title().endswith(": SRT comparison")
        assert page.locator("script").count() == 2
        assert HOSTILE in page.locator(".question").first.inner_text()
        assert HOSTILE in page.locator("ol.lines").first.inner_text()
        assert page.locator(".v.refuted").count() > 1
        assert page.locator(".problem img").first.evaluate("image => image.naturalWidth") == 40


@pytest.fixture
def answered(make_run: MakeRun, tmp_path: Path) -> Path:
    """Thirty problems: base is always B, srt is right but in seven of them, and loses its answer in five more."""

    def reply(number: int) -> str:
        if number < 5:
            return "INFER (1): true"
        claim = "false" if number < 12 else "true"
        return f"INFER (1): {claim}\nANSWER: " + ("D" if number < 12 else "B" if number % 3 else "A, C")

    folders = [make_run("base", lambda _: "ANSWER: B"), make_run("srt", reply)]
    for folder in folders:
        classify_errors(folder)
    compare(folders, tmp_path / "report", drawing=lambda _: None)
    return tmp_path / "report" / "report.html"


@pytest.mark.browser
def test_examples_are_filtered(answered: Path, chromium: Any) -> None:
    with opened(chromium, answered) as page:
        page.clock.install()

        def shown(**filters: str) -> int:
            page.get_by_role("button", name="Clear").click()
            for name, value in filters.items():
                if name == "text":
                    page.locator("input[name=text]").fill(value)
                else:
                    page.locator(f"select[name={name}]").select_option(value)
            page.clock.run_for(250)  # it waits for the end of the typing
            said = int(page.locator("#count").inner_text().split(" of ")[0])
            assert page.locator(".example").count() == said
            return said

        assert shown() == 30
        assert shown(arm="1", outcome="wrong") == 12
        assert shown(arm="0", outcome="wrong") == 10
        assert shown(outcome="differ") == 14
        assert shown(arm="1", status="no_answer") == 5
        assert shown(arm="1", verdict="refuted") == 7
        assert shown(arm="1", verdict="proved-whole") == 18
        assert shown(category="booth") == 10
        assert shown(text="ITEM 17") == 1
        assert shown(text="nothing of that kind") == 0
        assert shown(arm="1", fault="no answer") == 5
        page.get_by_role("button", name="Clear").click()


@pytest.mark.browser
def test_by_keyboard_and_on_a_narrow_screen(answered: Path, chromium: Any) -> None:
    with opened(chromium, answered, width=360) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        third = page.locator(".example").nth(2)
        assert third.locator(".output").count() == 0
        third.locator("summary").focus()
        page.keyboard.press("Enter")
        third.locator(".output").first.wait_for()
        assert third.locator(".output").count() == 2
        unlabelled = "[...document.querySelectorAll('select, input')].filter(e => !e.closest('label')).length"
        assert page.evaluate(unlabelled) == 0
        assert page.evaluate("[...document.images].filter(image => !image.alt).length") == 0


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_headline_row_is_whole_on_a_phone(answered: Path, chromium: Any, width: int) -> None:
    """Every figure of the row is within the screen, and nothing of it scrolls."""
    with opened(chromium, answered, width=width) as page:
        figures = page.locator(".answer dd")
        assert figures.count() == 7
        assert (
            page.evaluate(
                "Math.max(...[...document.querySelectorAll('.answer *')].map(it => it.getBoundingClientRect().right))"
            )
            <= width
        )
        assert page.evaluate("document.querySelector('.answer').scrollWidth") <= width


@pytest.mark.slow
@pytest.mark.browser
def test_two_thousand_examples_open_quickly(
    make_run: MakeRun, make_problem: MakeProblem, tmp_path: Path, chromium: Any
) -> None:
    problems = tmp_path / "many.jsonl"
    write_records(problems, [make_problem(number) for number in range(2000)])
    steps = "".join(f"INFER ({n}): true seat {n}\n" for n in range(1, 9))
    runs = [make_run(arm, lambda number: f"{steps}ANSWER: B", problems=problems) for arm in ("base", "srt")]
    compare(runs, tmp_path / "report", drawing=lambda _: None, examples=2000)
    started = time.monotonic()
    with opened(chromium, tmp_path / "report" / "report.html") as page:
        page.locator(".example").nth(39).wait_for()
        assert time.monotonic() - started < 6
        assert page.locator("#count").inner_text() == "2,000 of 2,000 examples, 40 listed"
        assert page.locator(".output").count() == 4
        page.locator("#more").click()
        assert page.locator(".example").count() == 80
        spent = """() => {
            const started = performance.now();
            const text = document.querySelector("input[name=text]");
            text.value = "item 1999";
            document.querySelector("select[name=arm]").dispatchEvent(new Event("input", {bubbles: true}));
            return new Promise(done => setTimeout(() => done(performance.now() - started), 0));
        }"""
        assert page.evaluate(spent) < 1000
        assert page.locator("#count").inner_text() == "1 of 2,000 examples, 1 listed"


def test_published_rows_and_people_are_marked_and_enter_no_test(
    make_problem: MakeProblem, fake_checker: Checker, tmp_path: Path
) -> None:
    problems = tmp_path / "bench.jsonl"
    write_records(problems, [make_problem(number, subcategory="CR") for number in range(12)])
    folder = tmp_path / "runs" / "srt"
    predict(problems, folder, FakeBackend(lambda _: "ANSWER: B"), arm="GPT-5", benchmark="mathspatial")
    score(folder, checker=fake_checker)
    result = compare([folder], tmp_path / "report", drawing=lambda _: None)
    board = leaderboard(result)
    assert [(place.name, place.rank, place.low is None) for place in board.arms] == [("GPT-5", 1, False)]
    published = [place.score for place in board.published]
    assert published == sorted(published, reverse=True)
    assert [place.name for place in board.published if place.kind == "human"] == ["80 students"]
    assert result.differences == []
    page = (tmp_path / "report" / "report.html").read_text()
    assert '80 students <span class="tag human">human</span>' in page
    assert page.count('GPT-5 <span class="tag published">published</span>') == 2
    assert "| GPT-5 (published) | " in (tmp_path / "report" / "report.md").read_text()


def test_errors_sampling_and_what_is_not_classed_are_shown(
    make_run: MakeRun, problems_file: Path, fake_checker: Checker, tmp_path: Path
) -> None:
    sampled = tmp_path / "runs" / "many"
    backend = FakeBackend(lambda _: "ANSWER: B", model="many")
    predict(problems_file, sampled, backend, arm="many", repeats=3, settings=GenerationSettings(temperature=0.7))
    score(sampled, checker=fake_checker)
    base = make_run("base", lambda _: "ANSWER: D")
    classify_errors(sampled)
    out = tmp_path / "report"
    compare([base, sampled], out, drawing=lambda _: None)
    page, text = (out / "report.html").read_text(), (out / "report.md").read_text()
    assert "base: not classed (srt errors)." in page
    assert "30 of 90" in page
    assert "| many | 30 | 0 | 0 | 0 | 0 | 0 | 0 | 30 |" in text
    assert "| many | 3 | 30 | 66.7 [" in text
    assert {"sampling.png", "errors_mathspatial.png", "errors_hst.png"} <= {path.name for path in out.iterdir()}


def test_pictures_are_scaled_down_and_their_budget_is_kept(
    make_problem: MakeProblem, make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = []
    for number in range(4):
        path = tmp_path / f"{number}.png"
        Pillow.effect_noise((900, 600), 40 + number).save(path)
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        image = Image(path=path.name, sha256=sha256 if number else "0" * 64)
        rows.append(make_problem(number, images=[image], diagram_description="noise"))
    problems = tmp_path / "pictures.jsonl"
    write_records(problems, rows)
    run = make_run("base", lambda _: "ANSWER: B", problems=problems)
    compare([run], tmp_path / "whole")
    page = (tmp_path / "whole" / "report.html").read_text()
    found = re.findall(r"data:image/webp;base64,([^\"]+)", page)
    assert len(found) == 3
    sizes = {Pillow.open(io.BytesIO(base64.b64decode(data))).size for data in found}
    assert sizes == {(560, 373)}
    assert "Pictures that could not be read: 1." in page
    monkeypatch.setattr(report_examples, "PICTURE_BUDGET", len(base64.b64decode(found[0])) * 3 // 2)
    compare([run], tmp_path / "little")
    page = (tmp_path / "little" / "report.html").read_text()
    assert len(re.findall(r"data:image/webp", page)) == 1
    assert "left out for that, 2." in page


def test_long_texts_keep_their_end(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run("cot", lambda _: "word " * 70 + "\nANSWER: B")
    limit = report_examples.LONGEST_TEXT
    lines: list[list[str | None]] = [["x" * limit], ["y" * 10, "proved", None, None]]
    kept, cut = report_examples._last(lines)
    assert (kept, cut) == ([["y" * 10, "proved", None, None]], limit)
    kept, cut = report_examples._last([["z" * (limit + 5)]])
    assert ([len(line[0] or "") for line in kept], cut) == ([limit], 5)
    compare([run], tmp_path / "report")
    assert "Long outputs of which" not in (tmp_path / "report" / "report.html").read_text()
