"""What went wrong first: the machine on traces with one planted fault, the judge elsewhere, people as the measure."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from eval.errors.error_classes import ERRORS, ErrorRow, classify_errors, read_error_summary, write_sheet
from eval.errors.error_findings import CLASS_OF, FindingKind, find_first_fault
from eval.errors.error_taxonomies import TAXONOMIES
from eval.errors.judge_model import load_judge
from eval.scoring.score import check_prediction
from srt.cli import main
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Prediction, Problem, Score
from srt.language.faults import Fault
from srt.language.text import linearize
from srt.language.trace import Trace
from srt.mutate.mutate_traces import Sources, mutants
from srt.mutate.mutation_table import MutationTable
from srt.pipeline.check import check_with_truth
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from srt.worlds.seating.faults.fault_classes import SeatingFault
from srt.worlds.world_registry import world_named

JUDGE = """
endpoint: {{base_url: "{url}", in_flight: 4}}
model: {{model: j, temperature: 0}}
price: {{input: 1.0, output: 2.0}}
"""


def found(problem: Problem, text: str, status: str = "ok") -> FindingKind:
    row = Prediction(
        key="k", problem_id=problem.id, text=text, input_tokens=1, output_tokens=1, finish_reason="stop", seconds=0
    )
    score = Score.model_validate({"problem_id": problem.id, "value": 0, "extracted": "A", "status": status})
    return find_first_fault(problem, row, score, check_prediction(problem, row, check_with_truth)).kind


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Counter[tuple[str, bool]]]:
    """By planted fault: how often the machine found what, and whether at the very step."""
    folder = tmp_path_factory.mktemp("mutants")
    generate_file("seating", 12, "train", folder / "p.jsonl", {"scenes": ["booth"]})
    solve_file(folder / "p.jsonl", folder / "t.jsonl")
    problems = read_problems(folder / "p.jsonl")
    sources = Sources(list(read_records(folder / "t.jsonl", Trace)), problems)
    counts: dict[str, Counter[tuple[str, bool]]] = defaultdict(Counter)
    for record in mutants(sources, 150, 0, MutationTable()):
        if record.outcome == "accident":
            continue
        problem = problems[record.trace.problem_id]
        row = Prediction(
            key="k",
            problem_id=problem.id,
            text=linearize(record.trace),
            input_tokens=1,
            output_tokens=1,
            finish_reason="stop",
            seconds=0,
        )
        score = Score(problem_id=problem.id, value=0.0, extracted="A", status="ok")
        finding = find_first_fault(problem, row, score, check_prediction(problem, row, check_with_truth))
        counts[record.fault][finding.kind, finding.step == (record.step or None)] += 1
    return counts


def test_the_machine_finds_the_step_where_the_fault_was_planted(
    planted: dict[str, Counter[tuple[str, bool]]],
) -> None:
    faults = world_named("seating").extras.faults
    assert faults is not None
    family = {fault.value: fault.family for fault in faults().planted}
    false = Counter[tuple[str, bool]]()
    for fault, counts in planted.items():
        if family[fault] == "truth-changing":
            false.update(counts)
    at_the_step = sum(count for (_, same), count in false.items() if same)
    assert false.total() > 30
    assert at_the_step >= 0.9 * false.total()


@pytest.mark.parametrize(
    ("fault", "kinds"),
    [
        (SeatingFault.ANOTHER_SEAT, {"rule_broken", "contradiction"}),
        (SeatingFault.SWAPPED_ROLES, {"misread"}),
        (Fault.WRONG_ANSWER, {"wrong_conclusion"}),
        (Fault.WRONG_CONCLUSION, {"wrong_conclusion"}),
        (Fault.PREMISE_LEFT_OUT, {"unsupported", "contradiction"}),
        (Fault.DANGLING_REFERENCE, {"made_up", "unsupported"}),
    ],
)
def test_each_fault_has_its_finding(
    planted: dict[str, Counter[tuple[str, bool]]], fault: Fault, kinds: set[str]
) -> None:
    seen = {kind for kind, _ in planted[fault]}
    assert seen
    assert seen <= kinds


def _cone(**changes: object) -> Problem:
    fields: dict[str, object] = {
        "id": "cone",
        "source": "made-up",
        "split": "test",
        "lang": "en",
        "question": "A cone has base radius 3 and slant height 5. Point A is its apex. What is its volume?",
        "answer": Answer(kind="expression", value="12\\pi"),
    }
    return Problem.model_validate(fields | changes)


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [
        ("INFER (1) - 3^2 + 4^2 = 24\nINFER #1 - the volume is 24\nANSWER: 24", "ok", "contradiction"),
        ("CORRELATE (1) - edge PQ is the height\nINFER #1 - the volume is 24\nANSWER: 24", "ok", "made_up"),
        ("CORRELATE (9) - the height is 4\nINFER #1 - the volume is 24\nANSWER: 24", "ok", "made_up"),
        ("CORRELATE (1) - it is a cone\nINFER #1 - it is large\nANSWER: 24", "ok", "undecided"),
        ("The area is $3 * 4 = 13$.\nANSWER: 24", "ok", "contradiction"),
        ("It is a large cone.\nANSWER: 24", "ok", "undecided"),
        ("24", "ok", "undecided"),
        ("The height", "truncated", "truncated"),
        ("I do not know", "no_answer", "no_answer"),
        ("", "error", "not_generated"),
    ],
)
def test_prose_is_classed_only_where_a_machine_is_sure(text: str, status: str, kind: str) -> None:
    assert found(_cone(), text, status) == kind


def test_every_class_is_one_of_its_taxonomy() -> None:
    for labels in CLASS_OF.values():
        assert labels.mathspatial in TAXONOMIES["mathspatial"].classes
        assert labels.hst in TAXONOMIES["hst"].classes
    assert "scale" not in {labels.mathspatial for labels in CLASS_OF.values()}
    for taxonomy in TAXONOMIES.values():
        assert sum(taxonomy.published.values()) == pytest.approx(1.0, abs=0.002)


REPLIES = {
    1: "CORRELATE (1): false\nANSWER: A",  # the fake checker refutes what says false
    2: "I am lost here\nANSWER: A",
    4: "because\nANSWER: A",
    5: "odd\nANSWER: D",
    7: "no idea",
}
# Of 30 items ten have the gold answer A, C: B is wrong there too.


@pytest.fixture
def run(make_run: Callable[..., Path]) -> Path:
    return make_run("srt", lambda number: REPLIES.get(number, "ANSWER: B"))


@pytest.fixture
def judge_url(fake_endpoint: ModuleType, tmp_path: Path) -> Iterator[str]:
    replies = Path(__file__).with_name("judge_replies.py")
    with fake_endpoint.fake_process(responder=f"{replies}:opine", log=tmp_path / "log.jsonl") as url:
        yield url


def test_without_a_judge_nothing_is_guessed(run: Path) -> None:
    before = (run / "summary.json").read_bytes()
    summary = classify_errors(run)
    rows = {row.problem_id: row for row in read_records(run / ERRORS, ErrorRow)}
    assert (summary.predictions, summary.wrong, len(rows)) == (30, 15, 15)
    assert rows["made-1"].finding.kind == "misread"
    assert (rows["made-1"].finding.step, rows["made-1"].finding.op) == (1, "CORRELATE")
    assert summary.findings == {"misread": 1, "no_answer": 1, "undecided": 13}
    assert summary.classes["mathspatial"]["projection"] == {"machine": 1, "judge": 0}
    assert summary.unclassed == {"mathspatial": 14, "hst": 14}
    assert read_error_summary(run) == summary
    assert (run / "summary.json").read_bytes() == before
    assert not (run / "judge.sqlite").exists()


def test_a_judge_speaks_where_the_machine_cannot_and_is_paid_once(run: Path, judge_url: str, tmp_path: Path) -> None:
    (tmp_path / "judge.yaml").write_text(JUDGE.format(url=judge_url))
    (tmp_path / "labels.jsonl").write_text(
        '{"problem_id": "made-1", "mathspatial": "projection", "hst": "relation_confusion", "by": "ann"}\n'
        '{"problem_id": "made-2", "mathspatial": "reasoning_gap"}\n'
        '{"problem_id": "made-4", "mathspatial": "feature"}\n'
    )
    config = load_judge(tmp_path / "judge.yaml")
    first = classify_errors(run, judge=config, labels=tmp_path / "labels.jsonl")
    rows = {row.problem_id: row for row in read_records(run / ERRORS, ErrorRow)}
    assert first.judge == "j"
    assert first.no_judgement == {"malformed": 1}
    assert first.classes["mathspatial"]["projection"] == {"machine": 1, "judge": 0}
    assert first.classes["mathspatial"]["reasoning_gap"] == {"machine": 0, "judge": 1}
    assert first.classes["mathspatial"]["scale"] == {"machine": 0, "judge": 11}
    assert first.unclassed == {"mathspatial": 2, "hst": 13}
    assert rows["made-1"].judge is not None  # labelled, so the judge is measured on it; the machine's word counts
    assert (first.agreement["judge"]["mathspatial"].count, first.agreement["judge"]["mathspatial"].same) == (3, 1)
    assert first.agreement["machine"]["mathspatial"].same == 1
    assert first.agreement["judge and machine"]["mathspatial"].count == 1
    asked = (tmp_path / "log.jsonl").read_bytes().count(b'"fault"')
    before = (run / ERRORS).read_bytes()
    again = classify_errors(run, judge=config, labels=tmp_path / "labels.jsonl")
    assert (tmp_path / "log.jsonl").read_bytes().count(b'"fault"') == asked
    assert (run / ERRORS).read_bytes() == before
    assert again == first


def test_a_spent_budget_stops_the_judge_and_is_told(run: Path, judge_url: str, tmp_path: Path) -> None:
    (tmp_path / "judge.yaml").write_text(JUDGE.format(url=judge_url) + "budget: 0.014\n")
    summary = classify_errors(run, judge=load_judge(tmp_path / "judge.yaml"))
    assert summary.no_judgement["budget spent"] > 0
    assert summary.spent is not None
    assert summary.spent.cost + summary.spent.not_certain <= 0.014


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ('{"problem_id": "nobody"}', "labels.jsonl:1: problem_id 'nobody'"),
        ('{"problem_id": "made-1", "hst": "magic"}', "labels.jsonl:1: hst: 'magic' .*fabricated"),
        ('{"problem_id": "made-1"}\n{"problem_id": "made-1"}', "labels.jsonl:2: .*'made-1'"),
        ('{"problem_id": "made-1", "class": "x"}', "labels.jsonl:1: .*class"),
    ],
)
def test_faults_of_labels(run: Path, tmp_path: Path, label: str, message: str) -> None:
    (tmp_path / "labels.jsonl").write_text(label + "\n")
    with pytest.raises(UserError, match=message):
        classify_errors(run, labels=tmp_path / "labels.jsonl")
    assert not (run / ERRORS).exists()


def test_a_summary_of_other_scores_is_stale(run: Path) -> None:
    classify_errors(run)
    rows = list(read_records(run / "scores.jsonl", Score))
    write_records(run / "scores.jsonl", [rows[0].model_copy(update={"value": 1.0}), *rows[1:]])
    with pytest.raises(UserError, match=r"errors\.json: .*scores.*srt errors"):
        read_error_summary(run)
    classify_errors(run)
    assert read_error_summary(run) is not None


def test_a_sheet_is_drawn_filled_in_and_read_back(run: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.jsonl"
    assert write_sheet(run, sheet, 5, seed=1) == 5
    lines = sheet.read_text().splitlines()
    assert not any("machine" in line or "misread" in line for line in lines)
    assert all('"mathspatial":null' in line and "Who is left of Pia?" in line for line in lines)
    filled = [line.replace('"mathspatial":null', '"mathspatial":"projection"') for line in lines[:2]]
    sheet.write_text("\n".join([*filled, *lines[2:]]) + "\n")
    assert classify_errors(run, labels=sheet).labelled == 2
    with pytest.raises(UserError, match=r"sheet\.jsonl"):
        write_sheet(run, sheet, 5)
    assert write_sheet(run, tmp_path / "all.jsonl", 100) == 14  # item 7 gave no answer: nothing to label


def test_the_command(run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["srt", "errors", str(run)])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    told = capsys.readouterr().out
    assert "mathspatial: projection" in told
    assert "1 by the machine" in told


def test_faults_of_the_config(tmp_path: Path) -> None:
    (tmp_path / "judge.yaml").write_text("endpoint: {base_url: nowhere}\nmodle: {}\n")
    with pytest.raises(UserError, match=r"judge.yaml: endpoint.base_url: .*model: .*price: .*modle: .*model"):
        load_judge(tmp_path / "judge.yaml")
