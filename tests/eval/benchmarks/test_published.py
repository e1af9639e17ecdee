"""Published rows: what follows from what, and every figure against the page of the papers' tables, where it is here."""

from __future__ import annotations

import re
import statistics

import pytest

from eval.benchmarks.hst import DIMENSIONS
from eval.benchmarks.space2025 import totals
from eval.benchmarks.tables.ability_scores import OVERALL, TESTS, overall
from eval.benchmarks.tables.published_rows import published_rows
from tests.published_copies import copy_in

_PRINTED_OTHERWISE = {"people": "humans", "people: mean": "humans", "Human": "humans"}


@pytest.fixture(scope="session")
def page() -> str:
    """The page with the papers' tables."""
    return copy_in("SRT_PROTOCOLS").read_text("utf-8")


def table_after(page: str, heading: str) -> dict[str, dict[str, str]]:
    """The first table after ``heading``: its cells by row and column, as they are printed."""
    lines = page[page.index(heading) :].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().strip("*") for cell in line.strip().strip("|").split("|")])
    head, _, *body = rows
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in body}


def number(cell: str) -> float | None:
    """The first number of a cell."""
    found = re.match(r"[+-]?[\d.]+", cell.replace("−", "-"))
    return float(found[0]) if found else None


def check(rows: dict[str, dict[str, str]], benchmark: str, entry: str, scale: float = 100, **names: str) -> int:
    """Hold the entry against ``rows`` both ways and return how many figures were compared."""
    ours = {row.model: row.figures for row in published_rows(benchmark, entry)}
    compared = 0
    for printed, cells in rows.items():
        name = names.get(printed, _PRINTED_OTHERWISE.get(printed, printed))
        row = next(figures for model, figures in ours.items() if model == name or model.startswith(f"{name} ("))
        for column, cell in cells.items():
            value = number(cell)
            assert (column in row) is (value is not None), (entry, printed, column)
            if value is not None:
                assert row[column] == pytest.approx(value / scale, abs=1e-9), (entry, printed, column)
                compared += 1
    assert len(rows) == len(ours), entry
    return compared


def test_the_tables_of_the_ability_paper(page: str) -> None:
    printed = table_after(page, "**Table 3**: accuracy in %, in brackets the deviation")
    means = {name: row for name, row in printed.items() if not name.startswith(("deviation", "people: d", "people: n"))}
    assert check(means, "spatial-abilities", "tests") == 112
    spread = {}
    for name, row in printed.items():
        if name == "people: number" or name.startswith("mean of") or name == "people: mean":
            continue
        cells = {column: "".join(re.findall(r"\((.+)\)", cell)) or cell for column, cell in row.items()}
        spread[name] = cells
    names = {"deviation over 13 models": "13 models", "people: deviation": "humans"}
    assert check(spread, "spatial-abilities", "deviations", **names) == 111
    persons = {"people: number": printed["people: number"]}
    assert check(persons, "spatial-abilities", "persons", 1, **{"people: number": "humans"}) == 9
    apart = {
        name: {"in the picture": row["options in the picture"], "set apart": row["options set apart"]}
        for name, row in table_after(page, "**Table 4**: SBST in %").items()
    }
    assert check(apart, "spatial-abilities", "options set apart") == 10


def test_the_tables_of_hst(page: str) -> None:
    groups = {f"mean of the six {kind}": f"mean of six {kind}" for kind in ("thinking", "non-thinking")}
    assert check(table_after(page, "**Table 1**: circular accuracy"), "hst", "circular", **groups) == 214
    assert check(table_after(page, "**Table 6**: average accuracy"), "hst", "average", **groups) == 210
    assert check(table_after(page, "**Table 2**: means of the two groups"), "hst", "groups") == 42
    for heading, entry, after, count in (
        ("**Rewriting** (Table 3)", "rewriting", "after", 33),
        ("**CoT-v** (Table 4)", "cot-v", "CoT-v", 12),
    ):
        printed = table_after(page, heading)
        rows = {
            name: {("after" if column == after else column): cell for column, cell in row.items()}
            for name, row in printed.items()
        }
        assert check(rows, "hst", entry) == count
    assert check(table_after(page, "**Picture** (Table 7)"), "hst", "picture") == 40


def test_the_tables_of_space2025(page: str) -> None:
    baseline = {"Baseline": "DeepSeek-R1-Distill-Qwen-7B zero-shot"}
    final = table_after(page, "**Table 2**: accuracy as a share; final results")
    assert check(final, "space2025", "totals", 1, **baseline) == 104
    subset = table_after(page, "**Table 3**: the people's subset")
    assert check(subset, "space2025", "subset", 1, Average="mean of six teams") == 40
    by_label = table_after(page, "**Table 4**: mean accuracy of the six best teams by gold label")
    [row] = published_rows("space2025", "labels")
    labels = {"correct/same": ("正确", "正确", "相同"), "incorrect/different": ("错误", "错误", "不同")}
    for printed, words in labels.items():
        for (code, cell), word in zip(by_label[printed].items(), words, strict=True):
            assert row.figures[f"{code} {word}"] == pytest.approx(float(cell))
    assert {code: row.figures[code] for code in by_label["total"]} == {
        code: pytest.approx(float(cell)) for code, cell in by_label["total"].items()
    }
    [said] = [line for line in page.splitlines() if line.startswith("**By kind.**")]
    kinds = [figure for row in published_rows("space2025", "kinds") for figure in row.figures.values()]
    assert kinds == pytest.approx([float(figure) for figure in re.findall(r"0\.\d+", said)])
    assert len(kinds) == 6
    assert check(table_after(page, "**Table 5**: SPR accuracy by number"), "space2025", "right options", 1) == 48
    rho = {
        name: {
            column.replace("–", "-").removesuffix(" ρ"): cell for column, cell in row.items() if column.endswith("ρ")
        }
        for name, row in table_after(page, "**Table 7**: Spearman correlation").items()
    }
    assert check(rho, "space2025", "correlations", 1, Average="average as printed") == 20
    # Its three columns of p have one name.
    lines = re.findall(r"^\| (\w+) \|(.*)\|$", page[page.index("**Table 7**: Spearman correlation") :], re.MULTILINE)[
        1:8
    ]
    p_values = {
        name: dict(zip(("DSA-RSE", "RSR-RSE", "SPR zh-en"), map(str.strip, cells.split("|")[1::2]), strict=True))
        for name, cells in lines
    }
    assert check(p_values, "space2025", "correlation p-values", 1, Average="average as printed") == 13


def test_the_categories_of_mathspatial(page: str) -> None:
    rows = published_rows("mathspatial", "categories")
    printed = table_after(page, "| base model → tuned (computed) |")
    for name, cells in printed.items():
        base, tuned = (
            next(row.figures for row in rows if row.model == f"{prefix}{name}") for prefix in ("", "MathSpatial-")
        )
        for column, cell in cells.items():
            before, after = re.findall(r"[\d.]+", cell)[:2]
            assert base[column] == pytest.approx(float(before) / 100)
            assert tuned[column] == pytest.approx(float(after) / 100)


def test_published_totals_of_space2025_follow_from_their_subtasks() -> None:
    for row in published_rows("space2025", "totals"):
        for name, value in totals(row.figures)._asdict().items():
            assert value == pytest.approx(row.figures[name], abs=1e-4), (row.model, name)


def test_published_dimensions_of_hst_are_the_means_of_their_parts() -> None:
    apart = []
    for view in ("circular", "average"):
        for row in published_rows("hst", view):
            for letter in "ABC":
                parts = [row.figures[name] for name in DIMENSIONS if name[0] == letter and name in row.figures]
                if parts and abs(statistics.fmean(parts) - row.figures[letter]) > 0.00105:
                    apart.append((view, row.model, letter))
    assert apart == [("circular", "gpt-o1-mini", "B")]  # printed 34.9, its parts give 34.6


def test_the_overall_figures_of_models_lie_between_the_printed_extremes() -> None:
    printed = {row.model: row.figures[OVERALL] for row in published_rows("spatial-abilities", "overall")}
    rows = [row for row in published_rows("spatial-abilities", "tests") if not row.model.startswith("mean of")]
    of = {row.model: overall({test: row.figures.get(test) for test in TESTS})[OVERALL] for row in rows}
    assert round(of.pop("humans"), 4) == printed["humans"]
    assert len(of) == 13
    assert round(max(of.values()), 4) == printed["best of 13 models"]
    assert round(min(of.values()), 4) == printed["worst of 13 models"]
    assert of["GPT-4o"] == pytest.approx(0.3048, abs=5e-5)
