"""The gallery: samples of every kind, hostile text as text, and the page in a real headless Chromium."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from srt.cli import make_app
from srt.gallery.gallery_page import gallery_command, world_page
from srt.gallery.gallery_samples import samples
from srt.io.errors import UserError
from srt.io.records import Answer, Lang, Problem
from srt.language.trace import Step, Trace
from srt.worlds.world import CLAIMS, NEEDED, Refused, Sampler, World
from srt.worlds.world_registry import world_named

HOSTILE = "<img src=x onerror=\"document.title='owned'\"></script><script>document.title='owned'</script>"


class HostileWorld(World):
    """Every text that it gives out is hostile: <img src=x onerror="document.title='owned'">."""

    name = "hostile"

    def recognises(self, problem: Problem) -> bool:
        return False

    def sampler(self, fields: Mapping[str, object]) -> Sampler:
        return lambda index: Problem(
            id=f"{index}{HOSTILE}",
            source="hostile",
            split="train",
            lang="en",
            question=HOSTILE,
            choices={"A": HOSTILE, "B": "b"},
            answer=Answer(kind="choice_set", value=["A"]),
            category=HOSTILE if index % 2 else "plain",
            subcategory=HOSTILE,
            diagram_description=HOSTILE,
        )

    def split_keys(self, problem: Problem) -> tuple[str, ...]:
        return ()

    def solve(self, problem: Problem, plan: str = NEEDED) -> Trace:
        step = Step(op="INFER", args=(), claim=HOSTILE)
        return Trace(id="t", problem_id=problem.id, kind="world", lang="en", steps=(step,), answer="A", teacher=HOSTILE)

    def explain(self, problem: Problem, trace: Trace, *, terse: bool = False, style: str = CLAIMS) -> str:
        return HOSTILE

    def assertion(self, claim: str, lang: Lang) -> str:
        return HOSTILE

    def picture(self, problem: Problem) -> bytes | None:
        return b"no picture"

    def draw(self, problem: Problem) -> str | None:
        return f"<svg xmlns='http://www.w3.org/2000/svg'><text>{HOSTILE}</text></svg>"


def test_hostile_text_is_escaped() -> None:
    text = world_page(HostileWorld(), 0, samples(HostileWorld(), 4, 0, {}))
    assert "<img src=x" not in text
    assert text.count("<script>") == 1
    assert text.count("&lt;img src=x") >= 4 * 7


def test_the_same_seed_gives_the_same_page_and_another_one_another() -> None:
    world = world_named("seating")
    first, again, other = (world_page(world, seed, samples(world, 6, seed, {})) for seed in (0, 0, 1))
    assert first == again != other


def test_all_kinds_are_there_and_every_trace_is_proved() -> None:
    shown = samples(world_named("seating"), 20, 0, {"lang": "zh"})
    assert len(shown) == 20
    assert len({sample.kind for sample in shown}) == 10
    assert all(sample.checked.proved for sample in shown)
    assert all(sample.solved for sample in shown)
    assert {sample.problem.lang for sample in shown} == {"zh"}


def test_a_problem_that_its_world_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(world: World, problem: Problem) -> Trace:
        raise Refused("not_unique", "two solutions")

    monkeypatch.setattr(HostileWorld, "solve", refuse)
    with pytest.raises(UserError, match="not_unique: two solutions"):
        samples(HostileWorld(), 1, 0, {})


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = CliRunner().invoke(make_app(), ["gallery", "seating", "-n", "3", "--lang", "zh", "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert out.read_text(encoding="utf-8").count("<article") == 3
    with pytest.raises(UserError, match="seeting"):
        CliRunner().invoke(make_app(), ["gallery", "seeting"], catch_exceptions=False)


def opened(chromium: Any, path: Path, text: str, width: int = 390) -> Any:
    """The page, with what it complained of in ``page.complaints``: errors and requests for anything but itself."""
    path.write_text(text, encoding="utf-8")
    shown = chromium.new_page(viewport={"width": width, "height": 800})
    shown.complaints = []
    shown.on("pageerror", lambda error: shown.complaints.append(str(error)))
    shown.on(
        "request", lambda sent: None if sent.url.startswith(("file:", "data:")) else shown.complaints.append(sent.url)
    )
    shown.goto(path.as_uri())
    return shown


@pytest.mark.browser
def test_hostile_text_does_nothing_in_a_browser(chromium: Any, tmp_path: Path) -> None:
    shown = opened(chromium, tmp_path / "p.html", world_page(HostileWorld(), 0, samples(HostileWorld(), 4, 0, {})))
    assert shown.title() == "The world hostile"
    assert shown.locator("article").count() == 4
    assert shown.locator("article .question").first.inner_text() == HOSTILE
    shown.get_by_role("button", name=HOSTILE[:10]).click()
    assert shown.locator("article:visible").count() == 2
    assert shown.title() == "The world hostile"
    assert not shown.complaints


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1600])
def test_kinds_are_filtered_and_nothing_is_wider_than_the_window(chromium: Any, tmp_path: Path, width: int) -> None:
    shown = opened(
        chromium,
        tmp_path / "p.html",
        world_page(world_named("seating"), 0, samples(world_named("seating"), 12, 0, {})),
        width,
    )
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    shown.get_by_role("button", name="shelf").click()
    assert shown.locator("article:visible").count() == 1
    assert shown.locator("article:visible .tag").first.inner_text() == "shelf"
    shown.get_by_role("button", name="all").click()
    assert shown.locator("article:visible").count() == 12
    assert shown.locator("article figure img").first.evaluate("image => image.naturalWidth") > 100
    assert not shown.complaints


def test_a_fault_in_the_settings_names_their_file(tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text("nope: 1\n")
    with pytest.raises(UserError, match=r"spec\.yaml: seating: nope: no such key"):
        gallery_command("seating", tmp_path / "g.html", 1, 0, None, spec)
