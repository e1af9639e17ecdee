"""The page in a real headless Chromium: people edit, decide by keyboard, and hostile text stays text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from taught_folder import BOOTH, HOSTILE, RIGHT_BOOTH, RIGHT_BOX, WRONG_BOX, Served, box, case_of, serve, write_folder

from srt.io.record_reader import read_records
from srt.language.trace import Trace
from srt.teaching.case_store.decisions import read_decisions

pytestmark = pytest.mark.browser


@contextmanager
def opened(chromium: Any, folder: Path, *options: str) -> Iterator[tuple[Any, Served]]:
    """The page over ``folder``; it must raise no error, ask nobody but its server, and run nothing from data."""
    complaints: list[str] = []
    with serve(folder, *options) as served:
        context = chromium.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on(
            "console", lambda said: complaints.append(said.text) if "Content Security Policy" in said.text else None
        )
        page.on("request", lambda sent: complaints.append(sent.url) if not own(sent.url, served) else None)
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(served.address)
        page.wait_for_selector(".step")
        yield page, served
        assert page.evaluate("window.hacked") is None
        context.close()
    assert complaints == []


def own(url: str, served: Served) -> bool:
    return url.startswith((f"http://127.0.0.1:{served.port}/", f"blob:http://127.0.0.1:{served.port}/", "data:,"))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def row(page: Any, number: int) -> Any:
    return page.locator(".row").nth(number - 1)


def test_a_wrong_step_is_edited_into_a_right_one(chromium: Any, folder: Path) -> None:
    with opened(chromium, folder) as (page, served):
        assert page.locator("#step-2 .verdict").inner_text() == "✗ refuted"
        assert "12" in page.locator("#step-2 .against").first.inner_text()
        assert "Reviewer: false claim — 3 times 4 is 12" in page.locator("#step-2 .issue").inner_text()
        page.click("#do-e")
        assert page.evaluate("document.activeElement.value") == "one layer holds 3 * 4 = 13 cubes"
        row(page, 2).locator("textarea").fill("one layer holds 3 * 4 = 12 cubes")
        row(page, 3).locator("textarea").fill("two layers hold 2 * 12 = 24 cubes")
        page.fill("#answer", "24")
        page.wait_for_selector("#checked:has-text('ready to save')")
        assert row(page, 2).locator(".verdict").inner_text() != "✗ refuted"
        page.click("#save")
        page.wait_for_selector("#count:has-text('1 of 4 decided')")
        served.stop()
    (decision,) = read_decisions(folder)
    assert (decision.problem_id, decision.action, decision.who) == ("box-wrong", "edit", "ada")
    traces = {trace.problem_id: trace for trace in read_records(folder / "traces.jsonl", Trace)}
    assert [step.assertion for step in traces["box-wrong"].steps][1:] == [
        "one layer holds 3 * 4 = 12 cubes",
        "two layers hold 2 * 12 = 24 cubes",
    ]
    assert (traces["box-wrong"].answer, traces["box-wrong"].teacher) == ("24", "ada")


def test_a_right_step_is_not_edited_into_a_wrong_one(chromium: Any, folder: Path) -> None:
    with opened(chromium, folder) as (page, _):
        page.keyboard.press("j")
        page.wait_for_selector("h2:has-text('box-right')")
        page.keyboard.press("e")
        before = bytes_of(folder)
        row(page, 3).locator("textarea").fill("two layers hold 2 * 12 = 26 cubes")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#toast.wrong:has-text('step 3 is wrong')")
        assert row(page, 3).locator(".verdict").inner_text() == "✗ refuted"
        assert "24" in row(page, 3).locator(".against").first.inner_text()
        row(page, 3).locator("textarea").fill("two layers hold 2 * 12 = 24 cubes")
        page.fill("#answer", "26")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#toast.wrong:has-text(\"the answer is '26'\")")
        page.wait_for_selector(".note:has-text('differs from gold')")
        row(page, 2).locator("input").fill("#9 #x")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#toast.wrong:has-text('step 2, premises')")
        assert row(page, 2).locator("input").get_attribute("aria-invalid") is not None
        assert bytes_of(folder) == before
        page.keyboard.press("Escape")
        page.wait_for_selector("#do-a")
        assert "4 = 12 cubes" in page.locator("#step-2").inner_text()
    assert read_decisions(folder) == []


@pytest.mark.long
def test_the_keyboard_alone_is_enough(chromium: Any, folder: Path) -> None:
    with opened(chromium, folder) as (page, served):

        def press(*keys: str) -> None:
            for key in keys:
                page.keyboard.press(key)

        def at(name: str) -> None:
            page.wait_for_selector(f"h2:has-text('{name}')")

        press("?")
        page.wait_for_selector("#keys[open]")
        press("Escape", "a")
        page.wait_for_selector("#toast.wrong:has-text('step 2 is wrong')")
        # Mend the wrong step: take it out, put a right one in its place, and mend what follows.
        press("e", "Alt+Backspace")
        assert row(page, 2).locator("input").input_value() == ""
        press("Alt+ArrowUp", "Alt+Enter")
        page.keyboard.type("#2")
        press("Tab")
        page.keyboard.type("nothing yet")
        press("Alt+Backspace", "Escape")
        page.wait_for_selector("#do-a")
        press("e", "Control+a")
        page.keyboard.type("one layer holds 3 * 4 = 12 cubes")
        press("Tab", "Tab", "Tab", "Control+a")
        page.keyboard.type("two layers hold 2 * 12 = 24 cubes")
        press("Tab", "Control+a")
        page.keyboard.type("24")
        press("Control+Enter")
        at("box-right")
        press("a")
        at("booth")
        press("r")
        page.wait_for_selector("#reject[open]")
        page.keyboard.type("clue 2 is read backwards")
        press("Control+Enter")
        page.wait_for_selector("#count:has-text('3 of 4 decided')")
        page.wait_for_selector("h2:has-text('onerror')")
        press("u")
        at("booth")
        page.wait_for_selector("#count:has-text('2 of 4 decided')")
        press("k")
        at("box-right")
        press("u")
        page.wait_for_selector("#count:has-text('1 of 4 decided')")
        served.stop()
    assert [(one.problem_id, one.action) for one in read_decisions(folder)] == [
        ("box-wrong", "edit"),
        ("box-right", "accept"),
        ("booth", "reject"),
        ("booth", "undo"),
        ("box-right", "undo"),
    ]
    assert read_decisions(folder)[2].note == "clue 2 is read backwards"
    traces = {trace.problem_id: trace for trace in read_records(folder / "traces.jsonl", Trace)}
    assert "box-wrong" in traces
    assert "box-right" not in traces


@pytest.mark.long
def test_references_follow_a_step_that_is_moved(chromium: Any, folder: Path) -> None:
    with opened(chromium, folder) as (page, _):

        def premises() -> list[str]:
            return [row(page, n).locator("input").input_value() for n in range(1, page.locator(".row").count() + 1)]

        page.keyboard.press("e")
        assert premises() == ["question", "#1", "#2"]
        row(page, 1).get_by_label("New step below").click()
        assert premises() == ["question", "", "#1", "#3"]
        row(page, 2).get_by_label("Move up").click()
        assert premises() == ["", "question", "#2", "#3"]
        row(page, 3).get_by_label("Remove").click()
        assert premises() == ["", "question", ""]
        page.wait_for_selector("#toast:has-text('1 reference')")


def test_hostile_text_is_shown_as_text(chromium: Any, folder: Path) -> None:
    with opened(chromium, folder) as (page, _):
        page.locator("#list button").nth(3).click()
        page.wait_for_selector("h2:has-text('onerror')")
        page.wait_for_selector("details.round[open]")
        drawn = page.locator("#step-1 .said math")
        assert drawn.evaluate("one => one.textContent") == "<b>x</b>"
        assert set(drawn.locator("*").evaluate_all("all => all.map(one => one.localName)")) == {"mrow", "mi", "mo"}
        page.keyboard.press("s")  # formulas as their source
        assert HOSTILE in page.locator("#problem .said").first.inner_text()
        assert HOSTILE in page.locator("#step-1 .said").inner_text()
        assert HOSTILE in page.locator("#step-1 .issue").inner_text()
        assert HOSTILE in page.locator(".diff").inner_text()
        page.keyboard.press("e")
        assert HOSTILE in row(page, 1).locator("textarea").input_value()
        page.wait_for_selector(".row .verdict")
        page.keyboard.press("Escape")
        page.keyboard.press("r")
        page.select_option("#reject-fault", "leap")
        page.fill("#reject-note", HOSTILE)
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#count:has-text('1 of 4 decided')")
        page.keyboard.press("u")
        page.wait_for_selector(".log")
        assert HOSTILE in page.locator(".log").inner_text()
        assert page.locator("script, #problem img, #trace img, svg").count() == 1  # the page's own script
        assert page.locator("[onerror], [onload]").count() == 0


@pytest.mark.long
def test_pictures_and_filters(chromium: Any, folder: Path) -> None:
    with opened(chromium, folder) as (page, _):
        page.wait_for_selector(".pictures img")
        assert page.evaluate("document.querySelector('.pictures img').naturalWidth") == 60
        page.select_option("#by-category", "volume")
        assert page.locator("#list li").count() == 1
        page.keyboard.press("j")
        page.wait_for_selector("h2:has-text('box-right')")
        page.select_option("#by-fault", "false_claim")
        assert page.locator("#none").is_visible()
        page.select_option("#by-category", "")
        assert page.locator("#list li").count() == 1
        assert "box-wrong" in page.locator("#list li").text_content()  # inner_text is empty until it is painted


@pytest.mark.long
def test_two_windows_do_not_overwrite_each_other(chromium: Any, folder: Path) -> None:
    with opened(chromium, folder) as (page, served):
        page.keyboard.press("j")
        page.wait_for_selector("h2:has-text('box-right')")
        view = served.case(1)
        steps = [
            {"op": step["op"], "premises": " ".join(step["premises"]), "text": step["text"]}
            for step in view["trace"]["steps"]
        ]
        steps[0]["text"] = "its base has 3 rows of 4 cubes"
        assert served.decide(1, "edit", draft={"steps": steps, "answer": "24"})[0] == 200
        page.keyboard.press("a")
        page.wait_for_selector("#toast.wrong:has-text('has changed since you loaded it')")
        page.wait_for_selector("#step-1:has-text('its base has')")
        assert [one.action for one in read_decisions(folder)] == ["edit"]


@pytest.mark.long
def test_what_another_window_has_decided_is_shown_before_it_is_decided_on(chromium: Any, folder: Path) -> None:
    with opened(chromium, folder) as (page, served):
        page.keyboard.press("j")
        page.wait_for_selector("h2:has-text('box-right')")
        page.keyboard.press("a")
        page.wait_for_selector("#count:has-text('1 of 4 decided')")
        page.wait_for_selector("h2:has-text('booth')")
        assert served.decide(1, "undo")[0] == 200
        assert served.decide(1, "reject", note="bob")[0] == 200
        # Back to the decision of this window, which is gone.
        page.keyboard.press("u")
        page.wait_for_selector("#toast.wrong:has-text('was made since you loaded it')")
        page.wait_for_selector("h2:has-text('box-right')")
        page.wait_for_selector("#list .done.reject")
        page.wait_for_selector(".log:has-text('bob')")
        assert [one.action for one in read_decisions(folder)] == ["accept", "undo", "reject"]
        # Now it has been seen.
        page.keyboard.press("u")
        page.wait_for_selector("#count:has-text('0 of 4 decided')")
        assert [one.action for one in read_decisions(folder)][3:] == ["undo"]


HOLD_CASE_1 = """() => {
  const fetched = window.fetch;
  window.fetch = (path, ...rest) => path !== "api/cases/1" ? fetched(path, ...rest) : new Promise((settle) => {
    const held = document.createElement("i");
    held.id = "held";
    held.onclick = async () => {
      const reply = await fetched(path, ...rest), read = reply.json.bind(reply);
      reply.json = () => read().finally(() => setTimeout(() => held.className = "taken"));
      settle(reply);
    };
    document.body.append(held);
  });
}"""
"""The reply that holds case 1 waits for a click on ``#held``, which is told when the page has dealt with it."""


def test_a_case_that_arrives_late_does_not_replace_what_was_begun_meanwhile(chromium: Any, folder: Path) -> None:
    with opened(chromium, folder) as (page, _):
        page.evaluate(HOLD_CASE_1)
        page.keyboard.press("j")
        page.wait_for_selector("#held", state="attached")
        page.keyboard.press("e")
        row(page, 2).locator("textarea").fill("one layer holds 12 cubes")
        page.evaluate("document.getElementById('held').click()")
        page.wait_for_selector("#held.taken", state="attached")
        assert row(page, 2).locator("textarea").input_value() == "one layer holds 12 cubes"


@pytest.mark.long
def test_a_refused_edit_of_a_changed_trace_keeps_what_was_typed(chromium: Any, folder: Path) -> None:
    with opened(chromium, folder) as (page, served):
        page.keyboard.press("j")
        page.wait_for_selector("h2:has-text('box-right')")
        page.keyboard.press("e")
        row(page, 1).locator("textarea").fill("the base has 3 by 4 cubes")
        view = served.case(1)
        steps = [
            {"op": step["op"], "premises": " ".join(step["premises"]), "text": step["text"]}
            for step in view["trace"]["steps"]
        ]
        steps[0]["text"] = "its base has 3 rows of 4 cubes"
        assert served.decide(1, "edit", draft={"steps": steps, "answer": "24"})[0] == 200
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#toast.wrong:has-text('Your text is kept')")
        assert row(page, 1).locator("textarea").input_value() == "the base has 3 by 4 cubes"
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        page.wait_for_selector("#step-1:has-text('its base has')")


def test_formulas_are_drawn_and_what_is_not_latex_stays(chromium: Any, tmp_path: Path) -> None:
    long = " + ".join(f"\\frac{{{n}}}{{x^{n}}}" for n in range(1, 60))
    problem = box(
        question=f"The cost is $5 or $6. Find $\\frac{{1}}{{2}}$, $\\unknown{{1}}$ and ${long}$.",
        solution="\\[ V = \\sqrt{9} \\]",
        choices={"A": "12\\pi", "B": "none of these"},
    )
    folder = write_folder(tmp_path / "taught", [(problem, case_of(problem, RIGHT_BOX))])
    with opened(chromium, folder) as (page, _):
        question = page.locator("#problem .said").first
        assert question.locator("math").count() == 2
        assert question.locator("mfrac").first.evaluate("one => one.textContent") == "12"
        assert "The cost is $5 or $6. Find" in question.inner_text()
        assert "$\\unknown{1}$" in question.inner_text()
        assert page.locator("#problem .display msqrt").count() == 1
        assert page.locator(".choices math").count() == 1
        for width in (390, 768, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") == width
        page.keyboard.press("s")
        assert page.locator("math:visible").count() == 0
        assert "$\\frac{1}{2}$" in question.inner_text()


def test_an_answer_is_proved_only_with_its_trace(chromium: Any, tmp_path: Path) -> None:
    loose = RIGHT_BOX.replace("2 * 12 = 24", "as many again, 24")
    problems = [box("loose"), BOOTH, box("exact")]
    cases = [case_of(problems[0], loose), case_of(BOOTH, RIGHT_BOOTH), case_of(problems[2], RIGHT_BOX)]
    folder = write_folder(tmp_path / "taught", list(zip(problems, cases, strict=True)))
    with opened(chromium, folder) as (page, _):
        assert page.locator("#step-answer .verdict").all_inner_texts() == ["✓ gold", "≈ consistent"]
        page.keyboard.press("j")
        page.wait_for_selector("h2:has-text('booth')")
        assert page.locator("#step-answer .verdict").all_inner_texts() == ["✓ gold", "✓ proved"]
        page.keyboard.press("j")
        page.wait_for_selector("h2:has-text('exact')")
        assert page.locator("#step-answer .verdict").all_inner_texts() == ["✓ gold", "✓ computed"]


@pytest.mark.long
def test_a_person_decides_twenty_cases_by_keyboard(chromium: Any, tmp_path: Path) -> None:
    problems = [box(f"case-{n:02d}") for n in range(20)]
    pairs = [(one, case_of(one, WRONG_BOX if n % 5 == 4 else RIGHT_BOX)) for n, one in enumerate(problems)]
    folder = write_folder(tmp_path / "taught", pairs)
    with opened(chromium, folder) as (page, served):

        def press(*keys: str) -> None:
            for key in keys:
                page.keyboard.press(key)

        for n, problem in enumerate(problems):
            page.wait_for_selector(f"h2:has-text('{problem.id}')")
            if n % 5 == 3:
                press("r")
                page.keyboard.type("a step is missing")
                press("Control+Enter")
            elif n % 5 == 4:
                press("e", "Control+a")  # the wrong step has the focus
                page.keyboard.type("one layer holds 3 * 4 = 12 cubes")
                press("Tab", "Tab", "Tab", "Control+a")
                page.keyboard.type("two layers hold 2 * 12 = 24 cubes")
                press("Tab", "Control+a")
                page.keyboard.type("24")
                press("Control+Enter")
            else:
                press("a")
            page.wait_for_selector(f"#count:has-text('{n + 1} of 20 decided')")
        page.wait_for_selector(".done-all:visible")
        served.stop()
    actions = ["reject" if n % 5 == 3 else "edit" if n % 5 == 4 else "accept" for n in range(20)]
    expected = [(problem.id, action) for problem, action in zip(problems, actions, strict=True)]
    assert [(one.problem_id, one.action) for one in read_decisions(folder)] == expected
    assert len(list(read_records(folder / "traces.jsonl", Trace))) == 16
