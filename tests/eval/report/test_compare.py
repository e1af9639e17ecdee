from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from eval.backends.protocol import GenerationSettings
from eval.records.run_records import generation_unknown, read_manifest, settings_apart
from eval.report.compare import compare
from eval.report.report_wording import unlike_settings
from eval.report.write_report import choose_examples
from eval.run.scored_run import read_run
from eval.scoring.score import score
from srt.experiment.model_stages import LearningCost
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.io.records import Image, Problem

pytestmark = pytest.mark.usefixtures("blank_plots")
MakeRun = Callable[..., Path]
MakeProblem = Callable[..., Problem]


def arms(make_run: MakeRun) -> list[Path]:
    return [
        make_run("base", lambda number: "ANSWER: B" if number % 2 else "dunno"),
        make_run("answer", lambda number: "ANSWER: B"),
        make_run("cot", lambda number: "She turns round.\nANSWER: A, C"),
        make_run("srt", lambda number: "INFER (1): true\nANSWER: " + ("B" if number % 3 else "A, C")),
    ]


def test_pairs_and_their_figures(make_run: MakeRun, tmp_path: Path) -> None:
    result = compare(arms(make_run), tmp_path / "report")
    assert [arm.arm for arm in result.arms] == ["base", "answer", "cot", "srt"]
    assert [(row.arm, row.reference) for row in result.differences] == [
        ("answer", "base"),
        ("cot", "base"),
        ("srt", "base"),
        ("srt", "answer"),
        ("srt", "cot"),
    ]
    by_pair = {(row.arm, row.reference): row for row in result.differences}
    row = by_pair["srt", "answer"]
    assert (row.count, row.only_arm, row.only_reference) == (30, 10, 0)
    assert row.difference == pytest.approx(1 / 3)
    assert row.low < row.difference < row.high
    assert row.p == pytest.approx(2 * 0.5**10)
    assert row.p_holm >= row.p
    names = {path.name for path in (tmp_path / "report").iterdir()}
    assert names == {"accuracy_by_scene.png", "accuracy_tokens.png", "comparison.json", "report.html", "report.md"}
    data = orjson.loads((tmp_path / "report" / "comparison.json").read_bytes())
    assert data["differences"][3]["only_arm"] == 10


def test_the_markdown_table(make_run: MakeRun, tmp_path: Path) -> None:
    compare(arms(make_run), tmp_path / "report")
    text = (tmp_path / "report" / "report.md").read_text()
    assert "| srt | 100.0 [88.6, 100.0] | 30/30 |" in text
    assert "| srt − answer | +33.3 [+11.9, +50.6] | 10 | 0 | 0.002 |" in text
    assert "## By scene" in text
    assert "| booth | 10 | 0.0 [0.0, 27.8] |" in text


def test_problems_of_no_world_are_broken_down_by_category(
    make_run: MakeRun, make_problem: MakeProblem, tmp_path: Path
) -> None:
    some = tmp_path / "solids.jsonl"
    write_records(some, [make_problem(n, meta={}, category=("sections", "nets")[n % 2]) for n in range(30)])
    compare([make_run(arm, lambda _: "ANSWER: B", problems=some) for arm in ("base", "srt")], tmp_path / "report")
    text = (tmp_path / "report" / "report.md").read_text()
    assert "## By category" in text
    assert "| sections | 15 |" in text
    page = (tmp_path / "report" / "report.html").read_text()
    assert "Accuracy by category" in page
    assert "scene" not in text
    assert "By scene" not in page
    assert (tmp_path / "report" / "accuracy_by_category.png").exists()
    assert not (tmp_path / "report" / "accuracy_by_scene.png").exists()


def test_groups_are_counted(make_run: MakeRun, make_problem: MakeProblem, tmp_path: Path) -> None:
    some = tmp_path / "variants.jsonl"
    write_records(some, [make_problem(n, group_id=f"g{n % 6}" if n % 5 else None) for n in range(30)])
    runs = [make_run(arm, lambda _: "ANSWER: B", problems=some) for arm in ("base", "srt")]
    result = compare(runs, tmp_path / "report")
    assert (result.common, result.clusters) == (30, 6 + 6)
    assert [(row.count, row.clusters) for row in result.differences] == [(30, 12)]
    for name in ("report.md", "report.html"):
        text = (tmp_path / "report" / name).read_text()
        assert "30 problems in 12 groups, one training run each" in text
        assert (
            "30 problems in 12 groups (every interval allows for problems of one group being alike) that both" in text
        )
        assert "p: the exact sign-flip test on the totals of groups of problems, two-sided" in text
        assert "Intervals allow for dependence inside the 12 groups of problems." in text
        assert "puzzle" not in text


def test_problems_that_are_all_different_are_in_no_groups(make_run: MakeRun, tmp_path: Path) -> None:
    result = compare(arms(make_run), tmp_path / "report")
    assert (result.common, result.clusters) == (30, 30)
    text = (tmp_path / "report" / "report.md").read_text()
    assert "30 problems that all 4 arms have in common." in text
    assert "group" not in text
    assert "p: the exact McNemar test, two-sided" in text


def test_only_common_problems_are_compared(make_run: MakeRun, make_problem: MakeProblem, tmp_path: Path) -> None:
    fewer = tmp_path / "fewer.jsonl"
    write_records(fewer, [make_problem(number) for number in range(5, 33)])
    folders = [make_run("base", lambda _: "ANSWER: B"), make_run("srt", lambda _: "ANSWER: B", problems=fewer)]
    result = compare(folders, tmp_path / "report")
    assert (result.common, result.left_out) == (25, {"base": 5, "srt": 3})
    assert [arm.problems for arm in result.arms] == [25, 25]
    text = (tmp_path / "report" / "report.md").read_text()
    assert "Left out, because another arm lacks them: base 5, srt 3." in text


def test_seeds_of_an_arm_are_averaged(make_run: MakeRun, tmp_path: Path) -> None:
    base = make_run("base", lambda _: "dunno")
    seeds = [
        make_run("srt", lambda number: "INFER (1): true\nANSWER: " + ("B" if number % 3 else "A, C")),
        make_run("srt", lambda _: "ANSWER: B", seed=1),
    ]
    result = compare([base, *seeds], tmp_path / "report")
    srt = result.arms[1]
    assert [run.accuracy.right for run in result.runs["srt"]] == [30, 20]
    assert (srt.arm, srt.repeats, srt.accuracy.right, srt.accuracy.count) == ("srt", 2, 25, 30)
    assert srt.traces.with_steps.share == 0.5
    assert result.differences[0].difference == pytest.approx(25 / 30)
    assert (result.differences[0].test, result.arms[1].runs) == ("t", 2)
    assert srt.accuracy.high - srt.accuracy.low > 0.4  # the runs have 30 and 20 of 30
    assert "## By run" in (tmp_path / "report" / "report.md").read_text()


def opening(folder: Path) -> str:
    """What the report says of training runs and problems, the same in both reports and above the arms."""
    text = (folder / "report.md").read_text().splitlines()[6]
    assert text[:60] in (folder / "report.html").read_text().split("</h1>")[1].split("<h2")[0]
    return text


def test_the_answer_stands_first(make_run: MakeRun, tmp_path: Path) -> None:
    """The title, one sentence with accuracy and tokens, one row: higher, lower, or no significant difference."""
    folders = [make_run("base", lambda _: "?"), make_run("cot", lambda _: "?"), make_run("srt", lambda _: "ANSWER: B")]
    compare(folders, tmp_path / "report", title="mine: tiny")
    text, page = ((tmp_path / "report" / name).read_text() for name in ("report.md", "report.html"))
    sentence = "srt against cot: higher accuracy, +66.7 points ["
    assert text.startswith(f"# mine: tiny on made-up\n\n**{sentence}")
    first = text.splitlines()[2]
    # 10 tokens against 2, in every output.
    assert "; 5.0 times the tokens [5.0, 5.0]. 30 problems, one training run each: " in first
    assert first.endswith("a difference of these runs, and no verdict on the arms.**")
    assert page.index("<h1>mine: tiny on made-up</h1>") < page.index(sentence) < page.index('id="leaderboard"')
    again = make_run("cot", lambda _: "ANSWER: B", seed=1)
    compare([again, make_run("srt", lambda _: "ANSWER: B", seed=2)], tmp_path / "same")
    found = (tmp_path / "same" / "report.md").read_text().splitlines()[2]
    assert found.startswith("**srt against cot: no significant difference in accuracy (0.0 points [")
    assert found.endswith("30 problems, one training run each.**")


def test_three_runs_against_one_may_differ_with_other_seeds_as_one_against_one(
    make_run: MakeRun, tmp_path: Path
) -> None:
    once = make_run("cot", lambda _: "?")
    several = [make_run("srt", lambda _: "ANSWER: B", seed=seed) for seed in range(3)]
    compare([once, *several], tmp_path / "report")
    found = (tmp_path / "report" / "report.md").read_text().splitlines()[2]
    assert found.endswith("3 and 1 training runs: a difference of these runs, and no verdict on the arms.**")
    again = [make_run("cot", lambda _: "?", seed=seed) for seed in (1, 2)]
    compare([once, *again, *several], tmp_path / "each")
    assert (tmp_path / "each" / "report.md").read_text().splitlines()[2].endswith("3 training runs each.**")


def test_the_page_says_how_many_runs_would_bound_their_spread(make_run: MakeRun, tmp_path: Path) -> None:
    """Two runs of 10 and 20 right answers: too few to say how far runs lie apart."""
    base = make_run("cot", lambda _: "?")
    apart = [make_run("srt", lambda number, of=of: "ANSWER: B" if number % of == 1 else "?", seed=of) for of in (3, 6)]
    row = compare([base, *apart], tmp_path / "report").differences[0]
    assert row.runs_to_bound is not None
    sentence = f"With about {row.runs_to_bound} runs of each arm"
    assert sentence in opening(tmp_path / "report")
    assert sentence in (tmp_path / "report" / "report.html").read_text()
    alike = [make_run("srt", lambda _: "ANSWER: B", seed=seed) for seed in (7, 8)]
    compare([base, *alike], tmp_path / "alike")
    assert "runs of each arm that has several" not in (tmp_path / "alike" / "report.md").read_text()


def test_each_removed_operation_is_compared_with_srt(make_run: MakeRun, tmp_path: Path) -> None:
    arms = ("base", "srt", "srt-drop-INFER", "srt-shuffled")
    result = compare([make_run(arm, lambda _: "ANSWER: B") for arm in arms], tmp_path / "report")
    pairs = [(row.arm, row.reference) for row in result.differences]
    assert pairs[3:] == [("srt-drop-INFER", "srt"), ("srt-shuffled", "srt")]


def test_what_learning_took_stands_beside_the_arms(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run(arm, lambda n: "ANSWER: B") for arm in ("srt", "srt+rft")]
    taken = {"sampled": 363_402, "trained": 104_200, "sampling_seconds": 61, "training_seconds": 9}
    compare(runs, tmp_path / "report", learning=[LearningCost(arm="srt+rft", runs=3, **taken)])
    (kept,) = json.loads((tmp_path / "report" / "comparison.json").read_text())["learning"]
    assert kept == {"arm": "srt+rft", "runs": 3, **taken}
    assert "| srt+rft | 3 | 363,402 | 61 | 104,200 | 9 |" in (tmp_path / "report" / "report.md").read_text()
    page = (tmp_path / "report" / "report.html").read_text().split("Tokens and time of learning</caption>")[1]
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", page.split("</table>")[0])
    assert cells == ["3", "363,402", "61", "104,200", "9"]
    compare(runs, tmp_path / "without")
    assert "of learning" not in (tmp_path / "without" / "report.html").read_text()


def test_removed_operations_have_a_table_and_a_warning_stands_above_all(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run(arm, lambda _: "ANSWER: B") for arm in ("base", "srt", "srt-drop-INFER")]
    compare(runs, tmp_path / "report", warning="A rehearsal <b>only</b>.")
    text = (tmp_path / "report" / "report.md").read_text()
    table = text.partition("## What each part of a trace is worth")[2].partition("\n\n## ")[0]
    assert "srt-drop-INFER − srt |" in table
    assert "− base |" not in table
    assert text.splitlines()[2] == "> **A rehearsal <b>only</b>.**"
    page = (tmp_path / "report" / "report.html").read_text()
    assert page.index("A rehearsal &lt;b&gt;only&lt;/b&gt;.") < page.index('class="headline"')
    assert "What each part of a trace is worth" in page
    compare(runs[:2], tmp_path / "two")
    assert "What each part" not in (tmp_path / "two" / "report.html").read_text()


def test_the_first_sentence_says_what_is_known_of_training(make_run: MakeRun, tmp_path: Path) -> None:
    base, srt = make_run("base", lambda _: "ANSWER: B"), make_run("srt", lambda _: "ANSWER: B")
    compare([base, srt], tmp_path / "report")
    assert opening(tmp_path / "report").startswith(
        "Each arm has one training run: the variance of training is not in any interval or p-value here. 30 problems"
    )
    again = make_run("srt", lambda _: "ANSWER: B", seed=1)
    compare([base, srt, again], tmp_path / "report")
    assert "an arm has several runs (srt 2); of base the variance of training is in none of them. 30" in opening(
        tmp_path / "report"
    )
    compare([base, make_run("base", lambda _: "ANSWER: B", seed=1), srt, again], tmp_path / "report")
    assert "where an arm has several runs (base 2, srt 2). 30 problems" in opening(tmp_path / "report")


def test_what_differs_besides_the_arm_is_named_above_the_table(make_run: MakeRun, tmp_path: Path) -> None:
    base = make_run("base", lambda _: "ANSWER: B", settings=GenerationSettings(max_new_tokens=2048))
    result = compare([base, make_run("srt", lambda _: "ANSWER: B")], tmp_path / "report")
    assert result.differences[0].different == ["max new tokens 512 against 2048"]
    for name in ("report.md", "report.html"):
        text = (tmp_path / "report" / name).read_text()
        named = text.index("srt − base: not a difference of arms alone: max new tokens 512 against 2048.")
        assert named < text.index("McNemar")
    several = [base, *(make_run(arm, lambda _: "ANSWER: B") for arm in ("answer", "srt"))]
    compare(several, tmp_path / "report")
    assert "\n\nanswer − base, srt − base: not a diff" in (tmp_path / "report" / "report.md").read_text()
    same = compare([make_run("srt", lambda _: "ANSWER: B"), make_run("cot", lambda _: "?")], tmp_path / "report")
    assert same.differences[0].different == []
    assert "not a difference of arms alone" not in (tmp_path / "report" / "report.md").read_text()


def test_what_is_true_of_several_differences_is_said_once(make_run: MakeRun, tmp_path: Path) -> None:
    made = compare([make_run(arm, lambda number: "ANSWER: B") for arm in ("base", "cot", "srt")], tmp_path / "report")
    reasons = {"srt": ["seed 0 against 1"], "cot": ["seed 0 against 1"]}
    rows = [row.model_copy(update={"different": reasons[row.arm]}) for row in made.differences]
    assert unlike_settings(made.model_copy(update={"differences": rows})) == [
        "cot − base, srt − base, srt − cot: not a difference of arms alone: seed 0 against 1."
    ]
    rows = [row.model_copy(update={"different": [generation_unknown(row.arm)]}) for row in made.differences]
    assert unlike_settings(made.model_copy(update={"differences": rows})) == [
        "How cot and srt were generated is not known: settings may differ besides the arms."
    ]


def test_everything_in_a_manifest_but_the_weights_is_compared(make_run: MakeRun) -> None:
    manifest = read_manifest(make_run("base", lambda _: "ANSWER: B"))
    described = manifest.model_copy(update={"model": {"model": "m", "dtype": "float32", "device": "cpu"}})
    other = described.model_copy(
        update={
            "arm": "srt",
            "fingerprint": "another",
            "backend": "vllm",
            "settings": manifest.settings.model_copy(update={"think_budget": 64}),
            "style": "bare",
            "pictures": not manifest.pictures,
            "options": {**manifest.options, "rolls": "3"},
            "model": {"model": "other", "adapter": "lora", "dtype": "bfloat16", "vllm": "0.9"},
            "versions": {**manifest.versions, "srt": "9.9.9"},
        }
    )
    assert settings_apart(described, other) == [
        "backend fake against vllm",
        "think budget none against 64",
        f"prompt style {manifest.style} against bare",
        f"pictures {manifest.pictures} against {not manifest.pictures}",
        "option rolls 1 against 3",
        f"version of srt {manifest.versions['srt']} against 9.9.9",
        "dtype float32 against bfloat16",
    ]


def test_limits_of_pictures_that_the_settings_replace_do_not_count(make_run: MakeRun) -> None:
    manifest = read_manifest(make_run("base", lambda _: "ANSWER: B"))
    sides = [manifest.model_copy(update={"model": {"picture_limits": limits}}) for limits in ("64", "128")]
    assert settings_apart(*sides) == ["picture limits 64 against 128"]
    assert manifest.settings is not None
    settings = manifest.settings.model_copy(update={"max_pixels": 100})
    assert settings_apart(*(side.model_copy(update={"settings": settings}) for side in sides)) == []


def test_six_problems_are_no_certainty(make_run: MakeRun, make_problem: MakeProblem, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    write_records(few, [make_problem(3 * number + 1) for number in range(6)])
    runs = [
        make_run(arm, lambda _, text=text: text, problems=few) for arm, text in (("base", "?"), ("srt", "ANSWER: B"))
    ]
    compare(runs, tmp_path / "report")
    assert "| srt − base | +100.0 [+9.1, +100.0] | 6 | 0 | 0.031 |" in (tmp_path / "report" / "report.md").read_text()
    page = (tmp_path / "report" / "report.html").read_text()
    assert "0.00 [0.00, 0.00]" not in page


def test_examples_show_disagreement_first(make_run: MakeRun) -> None:
    runs = {folder.name: read_run(folder) for folder in arms(make_run)}
    common = list(runs["base"].problems)
    chosen = choose_examples(runs, common, 4)
    assert len(set(chosen)) == 4
    values = [[runs[arm].scores[problem_id, "plain", 0].value for arm in runs] for problem_id in chosen]
    assert all(len(set(row)) == 2 for row in values[:3])
    assert set(choose_examples(runs, common, 99)) == set(common)


def test_runs_scored_under_different_policies_are_refused(make_run: MakeRun, tmp_path: Path) -> None:
    folders = [make_run("base", lambda _: "ANSWER: B"), make_run("srt", lambda _: "ANSWER: B")]
    score(folders[1], policy="lenient")
    with pytest.raises(UserError, match=r"srt is lenient, .*base is strict"):
        compare(folders, tmp_path / "report")
    score(folders[0], policy="lenient")
    assert [arm.policy for arm in compare(folders, tmp_path / "report").arms] == ["lenient", "lenient"]


def test_faults(make_run: MakeRun, make_problem: MakeProblem, tmp_path: Path) -> None:
    base = make_run("base", lambda _: "ANSWER: B")
    out = tmp_path / "report"
    with pytest.raises(UserError, match="run folder"):
        compare([], out)
    with pytest.raises(UserError, match=r"run\.json"):
        compare([tmp_path / "nowhere"], out)
    with pytest.raises(UserError, match=r"arm 'base'.*same model"):
        compare([base, base], out)
    longer = make_run("base", lambda _: "ANSWER: B", seed=1, settings=GenerationSettings(max_new_tokens=9))
    with pytest.raises(UserError, match=r"arm 'base'.*differ in settings"):
        compare([base, longer], out)
    with pytest.raises(UserError, match=r"reference 'srt'.*base"):
        compare([base], out, reference="srt")
    other = tmp_path / "other.jsonl"
    write_records(other, [make_problem(number) for number in range(100, 110)])
    foreign = make_run("srt", lambda _: "ANSWER: B", problems=other)
    with pytest.raises(UserError, match="scored problem"):
        compare([base, foreign], out)
    write_records(other, [make_problem(1, question="Another question, item 1. Who?"), make_problem(2)])
    changed = make_run("cot", lambda _: "ANSWER: B", problems=other)
    with pytest.raises(UserError, match="'made-1'"):
        compare([base, changed], out)
    (base / "scores.jsonl").unlink()
    with pytest.raises(UserError, match=r"scores\.jsonl"):
        compare([base], out)
    assert not out.exists()


def test_the_same_problems_in_two_files_are_one(make_run: MakeRun, make_problem: MakeProblem, tmp_path: Path) -> None:
    """As a run with ``--problems`` and one with ``--data``, whose copies of the pictures have other paths."""

    def file(folder: str, sha256: str = "0" * 64) -> Path:
        (tmp_path / folder).mkdir()
        image = Image(path=f"{folder}/p.png", sha256=sha256)
        some = [make_problem(n, images=[image], diagram_description="d") for n in range(30)]
        write_records(tmp_path / folder / "p.jsonl", some)
        return tmp_path / folder / "p.jsonl"

    base, srt, again = (file(name) for name in ("one", "two", "three"))
    runs = [
        make_run("base", lambda _: "ANSWER: B", problems=base),
        make_run("srt", lambda _: "ANSWER: A", problems=srt),
        make_run("srt", lambda _: "ANSWER: C", problems=again, seed=1),
    ]
    result = compare(runs, tmp_path / "report")
    assert result.common == 30
    assert [row.different for row in result.differences] == [[]]
    other = make_run("cot", lambda _: "ANSWER: B", problems=file("five", "1" * 64))
    with pytest.raises(UserError, match=r"cot: its problem 'made-0' differs from the problem of that id in "):
        compare([runs[0], other], tmp_path / "report")
