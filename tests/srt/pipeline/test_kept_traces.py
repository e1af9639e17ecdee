"""``srt build --keep``: the checker's verdict of now says which traces are trained on; the others are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import srt
from srt.cli import main
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem, Sequence
from srt.language.text import parse
from srt.language.trace import ClaimCheck, StepCheck, Trace, TraceCheck
from srt.pipeline import kept_traces
from srt.pipeline.build import TraceRefusal, build_file
from srt.pipeline.generate import generate_file
from srt.pipeline.kept_traces import left_out_of
from srt.pipeline.solve import solve_file

READS = {"op": "CORRELATE", "args": ["(1)"], "assertion": "the base radius is 3 and the height is 4"}
STEPS: dict[str, list[dict[str, Any]]] = {
    "false": [
        READS,
        {"op": "INFER", "args": ["#1"], "assertion": "2 + 2 = 5"},
        {"op": "INFER", "args": ["#2"], "assertion": "V = 12\u03c0"},
    ],
    "idle": [
        {"op": "INFER", "args": ["question"], "assertion": "the moon is made of cheese"},
        {"op": "INFER", "args": ["#1"], "assertion": "so it is 12\u03c0"},
    ],
    "right": [READS, {"op": "INFER", "args": ["#1"], "assertion": "V = 1/3 * \u03c0 * 3^2 * 4 = 12\u03c0"}],
}
TEXTS = {"false prose": "2 + 2 = 5.\nThe volume is 12\u03c0.", "right prose": "1/3 * 9 * 4 = 12.\nIt is 12\u03c0."}
PROSE = [*STEPS, *TEXTS]


def cone(name: str) -> Problem:
    question = "A cone has base radius 3 and height 4. Find its volume."
    gold = Answer(kind="expression", value="12\\pi")
    return Problem(id=f"p {name}", source="s", split="train", lang="en", question=question, answer=gold)


def in_prose(name: str) -> Trace:
    said: dict[str, Any] = {"kind": "free", "steps": STEPS[name]} if name in STEPS else {"text": TEXTS[name]}
    fields = {"id": name, "problem_id": f"p {name}", "kind": "cot", "lang": "en", "answer": "12\u03c0"}
    return Trace.model_validate(fields | said)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Traces in prose, one of a world as it was solved, one that leaps, and one that is false."""
    folder = tmp_path_factory.mktemp("kept")
    generate_file("seating", 3, "train", folder / "w.jsonl", {"scenes": ["booth"]})
    solve_file(folder / "w.jsonl", folder / "solved.jsonl")
    solved, leaps, false = read_records(folder / "solved.jsonl", Trace)
    *steps, last = leaps.steps
    without_a = last.model_copy(update={"args": last.args[1:]})
    leaps = leaps.model_copy(update={"id": "leaps", "steps": (*steps, without_a)})
    first = false.steps[0]
    name, _, other = (first.claim or "").partition(" = ")
    upside_down = first.model_copy(update={"claim": f"{name} != {other}"})
    false = false.model_copy(update={"id": "false seat", "steps": (upside_down, *false.steps[1:])})
    solved = solved.model_copy(update={"id": "solved"})
    # Prose on a problem of a world is not judged; still, nobody is to learn that 2 + 2 = 5.
    steps = ({"op": "INFER", "args": ["(1)"], "assertion": "2 + 2 = 5"},)
    beside = {"id": "false beside", "problem_id": solved.problem_id, "kind": "free", "lang": "en", "steps": steps}
    prose = Trace.model_validate({**beside, "answer": solved.answer})
    write_records(folder / "t.jsonl", [*map(in_prose, PROSE), solved, leaps, false, prose])
    write_records(folder / "p.jsonl", [*map(cone, PROSE), *read_records(folder / "w.jsonl", Problem)])
    return folder


WORLD = {"leaps": "not_proved", "false seat": "refuted", "false beside": "refuted"}
LEFT_OUT: dict[str, dict[str, str]] = {
    "auto": {"false": "refuted", "false prose": "refuted", **WORLD},
    "proved": {
        "false": "refuted", "idle": "not_proved", "right": "not_proved",
        "false prose": "refuted", "right prose": "not_proved", **WORLD,
    },
    "not-refuted": {"false": "refuted", "false prose": "refuted", "false seat": "refuted", "false beside": "refuted"},
    "all": {},
}  # fmt: skip


@pytest.mark.parametrize("keep", kept_traces.KEEP)
def test_what_is_left_out_is_counted_and_named(keep: str, files: Path, tmp_path: Path) -> None:
    told = build_file(files / "t.jsonl", files / "p.jsonl", "answer", tmp_path / "out", keep=keep)
    refused = list(read_records(tmp_path / "out" / "sequences.refusals.jsonl", TraceRefusal))
    assert {one.trace_id: one.reason for one in refused} == LEFT_OUT[keep]
    reasons = list(LEFT_OUT[keep].values())
    assert told.get("refused", {}) == {why: reasons.count(why) for why in dict.fromkeys(one.reason for one in refused)}
    assert told["sequences"] == len(PROSE) + 4 - len(refused)
    kept = [one.trace_id for one in read_records(tmp_path / "out" / "sequences.jsonl", Sequence)]
    assert not {*kept} & {*LEFT_OUT[keep]}
    assert all(one.detail for one in refused)
    if keep == "auto":
        assert refused[0].detail.startswith("step 2 is refuted: 2 + 2 = 5")


def test_checks_that_a_file_holds_are_not_believed(files: Path, tmp_path: Path) -> None:
    """A file says that a false trace is right, and that a right one is wrong."""
    found = {trace.id: trace for trace in read_records(files / "t.jsonl", Trace)}

    def told(name: str, support: str) -> Trace:
        verdict = StepCheck.model_validate({"support": support})
        claims = (ClaimCheck.model_validate({"claim": "c", "start": 0, "end": 1, "support": support}),)
        of_steps = (verdict.model_copy(update={"claims": claims}),) * len(found[name].steps)
        return found[name].model_copy(update={"checks": TraceCheck(steps=of_steps, answer=verdict)})

    claimed = [told("false", "computed"), told("leaps", "proved"), told("right", "refuted"), told("solved", "refuted")]
    write_records(tmp_path / "t.jsonl", claimed)
    build_file(tmp_path / "t.jsonl", files / "p.jsonl", "srt", tmp_path / "out")
    kept = [one.trace_id for one in read_records(tmp_path / "out" / "sequences.jsonl", Sequence)]
    assert kept == ["right", "solved"]


def test_one_trace_in_python_is_filtered_alike(files: Path) -> None:
    with pytest.raises(UserError, match=r"trace false: refuted: step 2 is refuted: 2 \+ 2 = 5"):
        srt.build(cone("false"), in_prose("false"))
    assert srt.build(cone("false"), in_prose("false"), keep="all").trace_id == "false"
    with pytest.raises(UserError, match=r"trace right: not_proved: a trace in prose is never proved"):
        srt.build(cone("right"), in_prose("right"), keep="proved")


def test_a_padded_proof_is_left_out_where_only_proofs_are_kept() -> None:
    booth = Problem(
        id="booth", source="made", split="train", lang="en",
        question="Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
        "() faces the right neighbour of Robert.",
        choices={"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"},
    )  # fmt: skip
    steps = """\
CORRELATE (1): right(Robert) = Mary
CORRELATE (2): right(James) = Jason
CORRELATE question: ? = across(right(Robert))
CONSTRAIN wlog #1: Robert@S1 & Mary@S2
CONSTRAIN scene #2 #4: James@N1 & Jason@N2
INFER #1 #3: ? = across(Mary)
INFER scene #4 #6: ?@N1
INFER #5 #7: ? = James
INFER A B C D #8: options = {C}
ANSWER: C"""
    relation = "CONSTRAIN scene #4 #5: across(Mary) = James\nCONSTRAIN scene #4 #8: James@N1\nINFER #7 #9: ? = James"
    padded = steps.replace("INFER #5 #7: ? = James", relation).replace("D #8", "D #10")
    proof, more = (parse(text).trace(name, "booth") for name, text in (("proof", steps), ("more", padded)))
    for keep in ("auto", "proved"):
        assert kept_traces.left_out(booth, proof, keep) is None
        why = kept_traces.left_out(booth, more, keep)
        assert why is not None
        assert (why[0], "step 9" in why[1]) == ("padded", True)
    assert kept_traces.left_out(booth, more, "not-refuted") is None


def test_several_processes_say_the_same() -> None:
    pairs = [(cone(name), in_prose(name)) for name in PROSE] * 8
    alone = list(left_out_of(pairs, len(pairs), "auto", "check", 1))
    assert [why is None for why in alone[: len(PROSE)]] == [False, True, True, False, True]
    assert list(left_out_of(iter(pairs), len(pairs), "auto", "check", 2)) == alone


def test_the_command(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(*options: str) -> tuple[int, str]:
        command = ["build", str(files / "t.jsonl"), "--problems", str(files / "p.jsonl"), "--arm", "answer"]
        monkeypatch.setattr("sys.argv", ["srt", *command, "-o", str(tmp_path / "out"), *options])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    code, said = build("--json", "--workers", "1")
    assert (code, '"refuted":4' in said.replace(" ", ""), '"not_proved":1' in said.replace(" ", "")) == (0, True, True)
    assert build("--strict", "--workers", "1")[0] == 1
    code, said = build("--keep", "prooved")
    assert (code, "did you mean 'proved'?" in said) == (2, True)
