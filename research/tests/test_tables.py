"""The tables of filed results, and the pages that show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from research import tables
from research.families import RESULTS, Family, read_families, read_family
from research.tests.test_factorial import family as factorial_family
from research.tests.test_factorial import point as toy_point
from research.tests.toy_results import ARMS, PUZZLES, points
from srt.experiment.learning_curve import TestPuzzles
from srt.statistics.paired_difference import paired_difference

DOCS = Path(__file__).resolve().parents[2] / "docs"
DEMOS = ("demo", "demo-long", "views-demo")


def toys(seeds: tuple[int, ...] = (0, 1, 2)) -> Family:
    test = TestPuzzles(puzzles=PUZZLES, training_problems=900, trained_puzzles=300, puzzles_at_least=300)
    return Family("toys", {"arms": list(ARMS)}, list(points(seeds)), test, [])


def row(table: str, *cells: str) -> list[str]:
    """The only row that begins with ``cells``."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    (found,) = (one for one in rows if tuple(one[: len(cells)]) == cells)
    return found


def test_the_table_has_the_figures_of_the_points() -> None:
    table = tables.structure_table([toys()])
    found = row(table, "toys", "srt − cot", "3", "4,000")
    assert found[4:6] == ["80.0", "40.0"]
    assert found[6].startswith("+40.0 [+")
    assert found[8] == "50.0"
    # srt is right on half of the test after 2,000 items, and cot never is.
    assert found[9] == ""
    assert row(table, "toys", "srt-drop-INFER − srt", "3", "4,000")[4:6] == ["50.0", "80.0"]
    assert row(table, "toys", "cot − answer", "3", "4,000")[8] == ""
    # A point is shown where curves end.
    assert "| 1,000 |" not in table


def test_where_both_arms_get_there_the_items_are_compared() -> None:
    family = toys()
    easy = [p.model_copy(update={"right": "1" * len(p.right)}) for p in family.points if p.items == 4000]
    others = [p for p in family.points if p.items == 1000]
    found = row(
        tables.structure_table([Family("toys", family.settings, others + easy, family.test, [])]), "toys", "srt − cot"
    )
    assert found[9].startswith("1.00 [1.00, 1.00")


def test_a_family_with_fewer_seeds_is_left_out() -> None:
    assert tables.structure_table([toys((0, 1))]).count("\n") == 1


def test_arms_are_compared_where_they_have_the_same_seeds() -> None:
    family = toys()
    one_less = [p for p in family.points if (p.arm, p.items, p.seed) != ("cot", 4000, 2)]
    table = tables.structure_table([Family("toys", family.settings, one_less, family.test, [])])
    assert row(table, "toys", "srt − cot")[3] == "1,000"


def test_p_is_adjusted_for_all_points_of_traces_and_prose() -> None:
    """Also for those that are not shown: four families have six points each."""
    families = read_families()
    (direct,) = (family for family in families if family.name == "booths-direct")
    p = paired_difference(direct.right("srt", 64000), direct.right("cot", 64000), direct.test.puzzles).p
    table = tables.structure_table(families)
    assert row(table, "booths-direct", "srt − cot")[7] == f"{min(1, 24 * p):.2g}"
    assert table.count("srt − cot") == 4


def test_the_factorial_has_its_main_effects() -> None:
    """Shares as in test_factorial.py: 80 and 70 in canonical order, 50 and 20 in a free one, a point less a seed."""
    table = tables.structure_table([factorial_family()])
    notation = row(table, "toys", "trace − sentences", "3", "2,000")
    assert notation[4:6] == ["64.0", "44.0"]
    assert notation[6].startswith("+20.0 [")
    assert row(table, "toys", "canonical − free")[4:6] == ["74.0", "34.0"]
    assert tables.structure_table([factorial_family(2)]).count("\n") == 1


def test_errors_of_a_teacher_and_filters_are_compared() -> None:
    shares = {
        "clean-all": 90,
        "slips-0.5-all": 40,
        "slips-0.5-verified": 80,
        "rule-0.3-all": 30,
        "rule-0.3-verified": 85,
    }
    points = [
        toy_point(f"{arm}-{cell}", seed, 2000, right - (arm == "cot") - seed)
        for arm in ("srt", "cot")
        for cell, right in shares.items()
        for seed in range(3)
    ]
    settings = {"arms": sorted({point.arm for point in points}), "slips": [0.1, 0.5], "rule": 0.3}
    table = tables.structure_table([Family("noisy-teacher", settings, points, factorial_family().test, [])])
    assert row(table, "noisy-teacher", "srt, slips 0.5 − clean", "3")[4:6] == ["39.0", "89.0"]
    assert row(table, "noisy-teacher", "cot, slips 0.5: certified − all")[4:6] == ["78.0", "38.0"]
    assert row(table, "noisy-teacher", "srt, rule 0.3: proved − all")[6].startswith("+55.0 [")
    assert table.count("noisy-teacher") == 8


def test_the_arms_of_one_experiment() -> None:
    table = tables.arms_table(toys())
    assert row(table, "srt")[1:] == ["3", row(table, "srt")[2], "80.0, 80.0, 80.0", "20.0", "50.0"]
    assert row(table, "srt")[2].startswith("80.0 [")
    differences = tables.differences_table(toys())
    assert row(differences, "srt − cot")[2] == "+40.0, +40.0, +40.0"


def test_the_page_has_the_table_of_what_is_filed() -> None:
    page = (DOCS / "does-structure-pay.md").read_text(encoding="utf-8")
    assert tables.structure_table([*read_families(), *tables.read_noise()]) in page


def test_the_page_says_how_many_proved_answers_are_right() -> None:
    page = " ".join((DOCS / "does-structure-pay.md").read_text(encoding="utf-8").split())
    for name in ("booths-direct", "booths"):
        greedy = [point for point in read_family(RESULTS / name).sampled if point.arm == "srt"]
        proved = "".join(point.greedy_proved for point in greedy)
        right = sum(
            one == two == "1" for point in greedy for one, two in zip(point.greedy_proved, point.greedy, strict=True)
        )
        assert f"{right:,} of {proved.count('1'):,}" in page


def test_the_picture_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PICTURE", tmp_path / "curves.png")
    monkeypatch.setattr(tables, "read_families", lambda: [toys(), toys((0, 1))])
    tables.main([])
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", [name for name in DEMOS if (RESULTS / name).exists()])
def test_the_figures_of_a_filed_demo(name: str) -> None:
    page = (DOCS / "figures.md").read_text(encoding="utf-8")
    family = read_family(RESULTS / name)
    assert tables.arms_table(family) in page
    assert tables.differences_table(family) in page
