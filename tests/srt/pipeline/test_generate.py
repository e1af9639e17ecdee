"""Problems of an exact world as a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from srt.images.normalise import shown_picture
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Problem
from srt.pipeline import generate
from srt.pipeline.generate import generate_command, generate_file, split_key
from srt.worlds.kit.splits import split_of
from srt.worlds.seating.seating_world import SeatingWorld
from srt.worlds.views.canonical_key import canonical_key
from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.drawing.picture import picture
from srt.worlds.views.kernel.stacks import canonical, is_connected, is_trimmed
from srt.worlds.views.reading.figures import ViewFigure
from srt.worlds.world import Figures
from srt.worlds.world_registry import world_named

SPEC: dict[str, Any] = {"scenes": ["booth"], "relations": ["left", "right"], "names": 6}


def test_a_file_holds_what_was_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    summary = generate_file("seating", 60, "dev", out, SPEC)
    problems = list(read_records(out, Problem))
    assert summary.problems == len(problems) == 60
    assert {problem.split for problem in problems} == {"dev"}
    assert len({problem.question for problem in problems}) == 60
    assert len({problem.id for problem in problems}) == 60
    assert summary.keys == len({problem.group_id for problem in problems})
    assert summary.collisions == 0
    again = tmp_path / "again.jsonl"
    generate_file("seating", 60, "dev", again, SPEC)
    assert out.read_bytes() == again.read_bytes()


def test_pictures_stand_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = ViewFigure(name="front", rows=("#.", "##"))
    figures = Figures(picture=lambda problem: picture((figure,), "en", "varied", problem.id))
    monkeypatch.setattr(SeatingWorld, "extras", replace(SeatingWorld.extras, figures=figures))
    out = tmp_path / "p.jsonl"
    generate_file("seating", 3, "train", out, SPEC)
    for problem in read_records(out, Problem):
        (image,) = problem.images
        assert (tmp_path / image.path).read_bytes() == picture((figure,), "en", "varied", problem.id)
        assert shown_picture(tmp_path, image).width % 28 == 0


@pytest.mark.long
def test_a_small_family_is_exhausted_and_says_how_many_there_are(tmp_path: Path) -> None:
    """Numbered plans of 2 x 2 stacks of at most 2 cubes: each solid has a surface, painted faces, cubes."""
    spec = {"kinds": ["GPC"], "largest": 2, "highest": 2, "min_cubes": 1, "options_share": 0, "style": "none"}
    flat = product(range(3), repeat=4)
    solids = {canonical(s) for s in (((a, b), (c, d)) for a, b, c, d in flat) if is_trimmed(s) and is_connected(s)}
    keys = {canonical_key(ViewClaim("asked", word=word), True, s) for s in solids for word in ("surface", "painted")}
    # All cubes of these solids can be counted in some position.
    keys |= {canonical_key(ViewClaim("asked", word="count"), True, s) for s in solids}
    there = sum(split_of("views", key) == "train" for key in keys)
    with pytest.raises(UserError, match=rf"the family is exhausted.* \(with {there} split keys\), not 10,000: ask"):
        generate_file("views", 10_000, "train", tmp_path / "p.jsonl", spec)


def test_collisions_are_dropped_and_counted(tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    generate_file("seating", 3, "train", first, SPEC)
    # The same problems in Chinese: none of the texts collides, the keys do.
    summary = generate_file("seating", 200, "train", second, {**SPEC, "lang": "zh"}, exclude=[first])
    kept_out = {problem.group_id for problem in read_records(first, Problem)}
    assert summary.collisions > 0
    assert not kept_out & {problem.group_id for problem in read_records(second, Problem)}


def test_problems_that_are_split_by_meaning_are_kept_apart_from_those_of_other_splits(tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    generate_file("seating", 20, "test", first, SPEC)
    by_meaning = {**SPEC, "split_by": "meaning", "lang": "zh"}
    summary = generate_file("seating", 400, "train", second, by_meaning, exclude=[first])
    assert summary.collisions > 0
    puzzles = {split_key(problem) for problem in read_records(first, Problem)}
    assert not puzzles & {split_key(problem) for problem in read_records(second, Problem)}


def test_an_excluded_problem_that_cannot_be_solved_excludes_its_text_only(tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    other = Problem(id="x", source="y", split="test", lang="en", question="What is two and two?")
    first.write_text(other.model_dump_json() + "\n", encoding="utf-8")
    summary = generate_file("seating", 5, "train", second, SPEC, exclude=[first, first])
    assert (summary.collisions, summary.excluded_as_text) == (0, 1)


@pytest.mark.parametrize(
    ("world", "n", "split", "spec", "message"),
    [
        ("seeting", 5, "train", SPEC, "'seeting'.* seating"),
        ("seating", 0, "train", SPEC, "n: 0"),
        ("seating", 5, "trian", SPEC, "split: 'trian'"),
        ("seating", 5, "train", {**SPEC, "split": "dev"}, "spec: split: 'dev'"),
        ("seating", 5, "train", {**SPEC, "coulour": 1}, "coulour"),
    ],
)
def test_faults_are_named_and_nothing_is_written(
    world: str, n: int, split: str, spec: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        generate_file(world, n, split, tmp_path / "p.jsonl", spec)
    assert list(tmp_path.iterdir()) == []


def test_too_few_different_problems_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("srt.pipeline.generate._MOST_MISSES", 20)
    seating = world_named("seating")
    three = [seating.sampler(SPEC)(index) for index in range(3)]
    monkeypatch.setattr(seating, "sampler", lambda fields: lambda index: three[index % 3])
    with pytest.raises(UserError, match=r"3 .*'train' .*not 10"):
        generate_file("seating", 10, "train", tmp_path / "p.jsonl", SPEC)
    assert list(tmp_path.iterdir()) == []


def test_the_command_reads_a_specification_from_yaml(tmp_path: Path) -> None:
    spec, out = tmp_path / "spec.yaml", tmp_path / "p.jsonl"
    spec.write_text("scenes: [booth]\nrelations: [left, right]\nnames: 6\n", encoding="utf-8")
    assert generate_command("seating", 5, "train", out, spec)["problems"] == 5
    generate_file("seating", 5, "train", tmp_path / "q.jsonl", SPEC)
    assert out.read_bytes() == (tmp_path / "q.jsonl").read_bytes()
    assert generate_command("seating", 5, "train", out)["problems"] == 5
    with pytest.raises(UserError, match="nowhere"):
        generate_command("seating", 5, "train", out, wordings=tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("scenes: [bench", "spec.yaml: "),
        ("- booth", r"spec.yaml: .*\['booth'\]"),
        ("colour: red\nnames: many", "spec.yaml: seating: names: .*; colour: "),
        ("split: dev", "spec: split: 'dev'"),
    ],
)
def test_faults_of_a_yaml_file_are_named(text: str, named: str, tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=named):
        generate_command("seating", 5, "train", tmp_path / "p.jsonl", spec)
    assert list(tmp_path.iterdir()) == [spec]


def test_a_killed_draw_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was drawn is not drawn again, whatever was dropped on the way, and the file is the same."""
    monkeypatch.setattr(generate, "_KEPT_TOGETHER", 16)
    drawn: list[int] = []
    sampler = SeatingWorld.sampler

    def counting(world: SeatingWorld, spec: Mapping[str, Any]) -> Callable[[int], Problem]:
        sample = sampler(world, spec)

        def draw(index: int) -> Problem:
            drawn.append(index)
            return sample(index)

        return draw

    monkeypatch.setattr(SeatingWorld, "sampler", counting)
    tested, whole, out = (tmp_path / f"{name}.jsonl" for name in ("test", "whole", "broken"))
    generate_file("seating", 3, "train", tested, SPEC)
    unbroken = generate_file("seating", 60, "train", whole, SPEC, [tested])
    assert unbroken.collisions
    drawn.clear()

    def killed(problems: Iterator[Problem]) -> Iterator[Problem]:
        for _ in range(40):
            yield next(problems)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_file("seating", 60, "train", out, SPEC, [tested], killed, draws=tmp_path / "draws")
    before = len(drawn)
    assert generate_file("seating", 60, "train", out, SPEC, [tested], draws=tmp_path / "draws") == unbroken
    assert drawn[before] in (32, 48)
    assert out.read_bytes() == whole.read_bytes()
    assert not (tmp_path / "draws").exists()
