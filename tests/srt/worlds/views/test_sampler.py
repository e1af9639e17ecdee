"""Sampled problems: one right answer, by the second method; splits by canonical key."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.io.errors import UserError
from srt.io.records import Problem
from srt.worlds.kit.splits import split_of
from srt.worlds.views.canonical_key import canonical_key, key_of
from srt.worlds.views.claim_language import parse_claim
from srt.worlds.views.figures import ViewFigure, figures_of
from srt.worlds.views.kernel.consistent import GivenViews, consistent
from srt.worlds.views.kernel.stacks import footprint, profile
from srt.worlds.views.problem_reader import heights_of
from srt.worlds.views.sampling.sampler import ViewsSampler, ViewsSpec
from srt.worlds.views.sampling.second_method import cube_counts, free_faces, view_rows
from tests.srt.worlds.views.conftest import KINDS, sampled


def test_the_two_methods_agree_on_all_views_of_small_solids() -> None:
    checked = 0
    for depth, width, highest in ((1, 3, 3), (2, 2, 3), (2, 3, 2), (3, 3, 1)):
        seen = set()
        for flat in product(range(highest + 1), repeat=depth * width):
            heights = tuple(tuple(flat[y * width : (y + 1) * width]) for y in range(depth))
            columns, rows, top = profile(heights, "front"), profile(heights, "left"), footprint(heights)
            for known in (1, 2, 3, 5, 6, 7):
                seen.add((columns if known & 1 else None, rows if known & 2 else None, top if known & 4 else None))
        for columns_, rows_, top_ in seen:
            first = consistent(GivenViews(depth, width, columns_, rows_, top_), highest)
            assert tuple(first) == cube_counts(depth, width, columns_, rows_, top_)
            checked += 1
    assert checked > 3000


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.tuples(
            st.lists(st.integers(0, 4), min_size=width, max_size=width),
            st.lists(st.integers(0, 4), min_size=1, max_size=4),
        )
    )
)
def test_the_two_methods_agree_on_views_that_need_not_fit(views: tuple[list[int], list[int]]) -> None:
    columns, rows = map(tuple, views)
    first = consistent(GivenViews(len(rows), len(columns), columns, rows, None), 4)
    assert tuple(first) == cube_counts(len(rows), len(columns), columns, rows, None)


def test_a_problem_is_a_function_of_its_index() -> None:
    spec = ViewsSpec(lang="zh")
    assert ViewsSampler(spec)(7) == ViewsSampler(spec)(7)
    assert ViewsSampler(spec)(7) != ViewsSampler(spec)(8)


@pytest.mark.parametrize("kind", KINDS)
def test_options_are_different_and_their_reasons_are_named(kind: str, problems: list[Problem]) -> None:
    of_kind = [problem for problem in problems if problem.meta["kind"] == kind]
    assert len(of_kind) == 40
    for problem in of_kind:
        if not problem.choices:
            assert problem.answer is not None
            assert problem.answer.kind == "number"
            continue
        assert sorted(problem.choices) == list("ABCD")
        figures = {figure.name: figure.model_dump(exclude={"name"}) for figure in figures_of(problem)}
        shown = [str(figures.get(letter, text)) for letter, text in problem.choices.items()]
        assert len(set(shown)) == 4
        assert problem.answer is not None
        assert set(problem.meta["distractors"]) == set("ABCD") - set(problem.answer.value)


def test_the_right_number_is_as_often_in_each_place() -> None:
    asked = sampled(800, kinds=["C3M", "MVC", "FPBI", "GPC", "SVT"], options_share=1.0)
    places = Counter(p.answer.value[0] for p in asked if p.answer is not None and p.choices["A"].isdigit())
    assert min(places.values()) > 0.18 * sum(places.values())


def test_keys_are_those_of_the_problem_and_stay_in_their_split() -> None:
    splits = defaultdict(set)
    for split in ("train", "dev", "test"):
        for problem in sampled(150, split=split):
            assert problem.group_id == key_of(problem)
            splits[problem.group_id].add(split)
    assert all(len(found) == 1 for found in splits.values())


@pytest.mark.parametrize("split", ["train", "test"])
def test_solids_of_wrong_options_are_of_the_split(split: str) -> None:
    """Otherwise an option that is of no other split than this one would be the right one."""
    for problem in sampled(25, kinds=["IVI"], split=split):
        asked = parse_claim(problem.meta["asked"])
        options = [figure for figure in figures_of(problem) if figure.name in problem.choices]
        keys = [canonical_key(asked, False, heights_of(option)) for option in options]
        assert problem.group_id in keys
        assert {split_of("views", key) for key in keys} == {split}


def test_a_split_with_too_few_like_solids_for_options_says_so() -> None:
    fields: dict[str, object] = {"split": "test", "kinds": ["C3M"], "largest": 2, "min_cubes": 3}
    with pytest.raises(UserError, match=r"no C3M of the split 'test'.*options_share: 0"):
        sampled(1, options_share=1.0, **fields)
    assert len(sampled(5, options_share=0.0, **fields)) == 5


def test_a_family_of_few_problems_says_so() -> None:
    fields = {"split": "test", "kinds": ["C3M"], "largest": 2, "min_cubes": 20, "max_cubes": 40}
    with pytest.raises(UserError, match="no C3M of the split 'test'"):
        sampled(1, **fields)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"kind": ["C3M"]}, "kinds"),
        ({"kinds": ["C4M"]}, "kinds.0"),
        ({"smallest": 4}, "smallest: 4 is more than largest, 3"),
        ({"min_cubes": 30}, "min_cubes: 30 is more than max_cubes, 20"),
        ({"largest": 9}, "largest"),
    ],
)
def test_a_wrong_specification_is_named(fields: dict[str, object], says: str) -> None:
    with pytest.raises(UserError, match=says):
        ViewsSpec.parse(fields)


def test_the_second_method_sees_what_is_there() -> None:
    heights = ((1, 2, 3), (4, 0, 0))
    assert view_rows(heights, "front") == ("#..", "#.#", "###", "###")
    assert view_rows(heights, "right") == ("#.", "##", "##", "##")
    assert view_rows(heights, "top") == ("###", "#..")
    assert free_faces(((1, 1),)) == (10, 2)
    assert isinstance(figures_of(sampled(1, kinds=["C3M"])[0])[0], ViewFigure)


def test_solver_and_second_method_share_no_code() -> None:
    folder = Path(__file__).resolve().parents[4] / "srt" / "worlds" / "views"

    def imported(path: Path) -> set[str]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        return {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert {name for name in imported(folder / "sampling" / "second_method.py") if name.startswith("srt")} == {
        "srt.worlds.views.kernel.stacks"
    }
    for path in (*(folder / "derivation").glob("*.py"), *(folder / "kernel").glob("*.py")):
        assert not any("sampling" in name for name in imported(path)), path
