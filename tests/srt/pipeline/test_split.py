"""Parts of a file of problems: clusters whole, labels alike, the same each time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.pipeline.split import _assign, split_file

SHARES = {"train": 0.6, "dev": 0.2, "test": 0.2}


def problem(number: int, group: int | None, category: str) -> Problem:
    return Problem(
        id=f"p{number}", source="own", split="test", lang="en", question=f"Question {number}?", category=category,
        group_id=None if group is None else f"g{group}",
    )  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """300 problems in 100 puzzles of three variants, a fifth of them of category b."""
    path = tmp_path / "all.jsonl"
    write_records(path, [problem(n, n // 3, "b" if n // 3 % 5 == 0 else "a") for n in range(300)])
    return path


def test_puzzles_stay_whole_and_labels_are_alike(file: Path, tmp_path: Path) -> None:
    summary = split_file(file, tmp_path / "out", SHARES, stratify="category")
    parts = {part: list(read_records(tmp_path / "out" / f"{part}.jsonl", Problem)) for part in SHARES}
    assert summary["problems"] == {"train": 180, "dev": 60, "test": 60}
    groups = {part: {one.group_id for one in chosen} for part, chosen in parts.items()}
    assert sum(map(len, groups.values())) == 100
    assert {part: Counter(one.category for one in chosen)["b"] for part, chosen in parts.items()} == {
        "train": 36, "dev": 12, "test": 12,
    }  # fmt: skip
    assert all(one.split == part for part, chosen in parts.items() for one in chosen)
    assert sorted(one.id for chosen in parts.values() for one in chosen) == sorted(f"p{n}" for n in range(300))
    split_file(file, tmp_path / "again", SHARES, stratify="category")
    split_file(file, tmp_path / "other", SHARES, stratify="category", seed=1)
    assert (tmp_path / "out" / "test.jsonl").read_bytes() == (tmp_path / "again" / "test.jsonl").read_bytes()
    assert (tmp_path / "out" / "test.jsonl").read_bytes() != (tmp_path / "other" / "test.jsonl").read_bytes()


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab")), min_size=1), st.integers(0, 3))
def test_each_part_has_its_share_of_each_label_to_the_nearest_whole(rows: list[tuple[int, str]], seed: int) -> None:
    clusters: dict[tuple[str, str], list[Problem]] = {}
    for number, (group, category) in enumerate(rows):
        clusters.setdefault(("group", f"g{group}"), []).append(problem(number, group, category))
    part_of = _assign(clusters, SHARES, "category", seed)
    assert set(part_of) == set(clusters)
    most = {c: Counter(one.category for one in members).most_common() for c, members in clusters.items()}
    clear = {c: counts[0][0] for c, counts in most.items() if len(counts) == 1}
    if len(clear) == len(clusters):
        for label in "ab":
            of = [c for c, one in clear.items() if one == label]
            for part, share in SHARES.items():
                assert abs(sum(part_of[c] == part for c in of) - share * len(of)) <= 1


@pytest.mark.parametrize(
    "shares", [{"train": 1.0}, {"a": 0.5, "b": 0.6}, {"a": 1.5, "b": -0.5}, {"a": float("nan"), "b": 0.5}]
)
def test_shares_that_are_none_are_refused(file: Path, tmp_path: Path, shares: dict[str, float]) -> None:
    with pytest.raises(UserError, match="parts"):
        split_file(file, tmp_path / "out", shares)
    assert not (tmp_path / "out").exists()


def test_a_field_that_is_not_there_and_a_part_that_stays_empty_are_named(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="colour"):
        split_file(file, tmp_path / "out", SHARES, stratify="colour")
    with pytest.raises(UserError, match="part tiny"):
        split_file(file, tmp_path / "out", {"tiny": 0.001, "rest": 0.999})
