"""``srt lift`` of bad files: one line that names file, record and field, and nothing written; of bad texts: a reason,
after work that grows with the length of the text."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from srt.checking import check
from srt.io.record_lines import dump
from srt.io.records import Problem
from srt.language.trace import Step, Trace
from srt.pipeline.lift import lift_file
from srt.worlds.solids.checker.heard import hear
from srt.worlds.solids.derivation.lift import lift
from srt.worlds.solids.solids_world import SolidsWorld
from srt.worlds.world import Refused

CONE = "A cone has base radius 3 and height 4. Find its volume."
RIGHT = "V = 1/3 × π × 3² × 4 = 12π"


def problem_of(question: str, name: str = "p", source: str = "solids") -> Problem:
    return Problem.model_validate({"id": name, "source": source, "lang": "en", "question": question})


def trace_of(text: str, name: str = "t", problem: str = "p", answer: str = "12π") -> Trace:
    step = Step(op="INFER", args=("(1)",), assertion=text)
    return Trace(id=name, problem_id=problem, kind="free", lang="en", steps=(step,), answer=answer)


def changed(trace: Trace, **fields: object) -> bytes:
    return json.dumps({**json.loads(dump(trace)), **fields}).encode() + b"\n"


GOOD = dump(trace_of(RIGHT))
FILES: dict[str, tuple[bytes | None, str]] = {
    "no file": (None, "t.jsonl: no such file"),
    "an empty file": (b"", "t.jsonl: no traces in this file"),
    "text": (GOOD + b"V = 12\n", "t.jsonl:2: not a line of JSON"),
    "problems": (GOOD + dump(problem_of(CONE)), "t.jsonl:2: a trace was expected, this is a problem"),
    "a list": (GOOD + b"[]\n", "t.jsonl:2: not a trace: record: a mapping of keys to values was expected"),
    "an unknown kind": (GOOD + changed(trace_of(RIGHT, "u"), kind="poem"), "t.jsonl:2: not a trace: kind:"),
    "a step without operation": (
        GOOD + changed(trace_of(RIGHT, "u"), steps=[{"args": [], "assertion": "x"}]),
        "t.jsonl:2: not a trace: steps.0.op:",
    ),
    "a number for an answer": (GOOD + changed(trace_of(RIGHT, "u"), answer=12), "t.jsonl:2: not a trace: answer:"),
    "an id twice": (GOOD + dump(trace_of(RIGHT, "u")) + GOOD, "t.jsonl:3: id: 't' is on line 1 already"),
    "problems that are elsewhere": (
        dump(trace_of(RIGHT, "u", "elsewhere")), "t.jsonl: no trace in this file has its problem in p.jsonl; u: "
        "problem_id: 'elsewhere' is not in the file of problems",
    ),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.jsonl").write_bytes(dump(problem_of(CONE)))
    (tmp_path / "t.jsonl").write_bytes(GOOD)
    return tmp_path


def refusal(srt: Any, folder: Path, *arguments: str) -> str:
    """The line that the command ends with; the files of the folder stay as they are."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = srt("lift", *arguments)
    assert ran.status == 2
    assert ran.err.startswith("srt: ")
    assert ran.err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    return str(ran.err)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("exists", [False, True])
def test_a_bad_file_of_traces_is_named_and_nothing_written(name: str, exists: bool, srt: Any, folder: Path) -> None:
    data, message = FILES[name]
    (folder / "t.jsonl").unlink()
    if data is not None:
        (folder / "t.jsonl").write_bytes(data)
    if exists:
        (folder / "out.jsonl").write_bytes(b"kept\n")
        (folder / "out.refusals.jsonl").write_bytes(b"kept too\n")
    assert message in refusal(srt, folder, "t.jsonl", "--problems", "p.jsonl", "-o", "out.jsonl")


@pytest.mark.parametrize(
    ("problems", "out", "message"),
    [
        ("missing.jsonl", "out.jsonl", "missing.jsonl: no such file"),
        ("twice.jsonl", "out.jsonl", "twice.jsonl:2: id: 'p' is on line 1 already"),
        ("t.jsonl", "out.jsonl", "t.jsonl:1: a problem was expected, this is a trace"),
        ("p.jsonl", "t.jsonl", "t.jsonl: is also an input"),
        ("p.jsonl", "p.jsonl", "p.jsonl: is also an input"),
        ("o.refusals.jsonl", "o.jsonl", "o.refusals.jsonl: is also an input"),
        ("p.jsonl", "nowhere/out.jsonl", "nowhere does not exist"),
    ],
)
def test_other_bad_files_are_named(problems: str, out: str, message: str, srt: Any, folder: Path) -> None:
    good = (folder / "p.jsonl").read_bytes()
    (folder / "twice.jsonl").write_bytes(good * 2)
    (folder / "o.refusals.jsonl").write_bytes(good)
    assert message in refusal(srt, folder, "t.jsonl", "--problems", problems, "-o", out)


def test_an_output_that_exists_is_replaced(folder: Path) -> None:
    out, refusals = folder / "out.jsonl", folder / "out.refusals.jsonl"
    out.write_bytes(b"old\n")
    refusals.write_bytes(b"old\n")
    assert lift_file(folder / "t.jsonl", folder / "p.jsonl", out).lifted == 1
    assert json.loads(out.read_bytes())["kind"] == "world"
    assert refusals.read_bytes() == b""


def test_each_trace_that_is_not_lifted_has_its_reason(folder: Path) -> None:
    seats = "Booth, benches on the east and west sides: Lou, Ray, Cal, Viv.\n(1) Lou looks east;\n() looks west."
    problems = [
        problem_of(CONE), problem_of(CONE, "own", "mine"), problem_of(seats, "seats", "seating"),
        problem_of("A cube has edge 6. Find its volume.", "cube"),
    ]  # fmt: skip
    world = Trace(id="w", problem_id="p", kind="world", lang="en", steps=(Step(op="INFER", claim="a"),), answer="12π")
    cot = Trace(id="c", problem_id="p", kind="cot", lang="en", text=RIGHT, answer="12π")
    traces = [
        trace_of(RIGHT), trace_of(RIGHT, "a", "own"), trace_of(RIGHT, "b", "seats"), trace_of(RIGHT, "n", "none"),
        world, cot, trace_of("6 × 6² = 216", "d", "cube", "216"), trace_of("V = 1/3·π·3²·4 = 11π + π = 12π", "m"),
        trace_of("V = 1/3·π·3²·4 = 13π = 12π", "f"),
    ]  # fmt: skip
    (folder / "p.jsonl").write_bytes(b"".join(map(dump, problems)))
    (folder / "t.jsonl").write_bytes(b"".join(map(dump, traces)))
    summary = lift_file(folder / "t.jsonl", folder / "p.jsonl", folder / "out.jsonl")
    assert (summary.traces, summary.lifted) == (9, 2)
    rows = [json.loads(line) for line in (folder / "out.refusals.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["reason"], row["detail"]) for row in rows] == [
        ("no_world", "a: no world that lifts traces knows its problem"),
        ("no_world", "b: no world that lifts traces knows its problem"),
        ("unknown_problem", "n: problem_id: 'none' is not in the file of problems"),
        ("not_lifted", "w: kind: world; a free trace was expected"),
        ("not_lifted", "c: kind: cot; a free trace was expected"),
        ("not_lifted", "d: steps: 6*6^2 = 216 can be S(cube), V(cube)"),
        ("not_lifted", "f: steps: 'V = 1/3·π·3²·4 = 13π = 12π' does not hold"),
    ]


HOSTILE = {
    "words of roots": "sqrt{n}", "a root of roots": "sqrt{n}=1", "brackets of roots": "sqrt({n}2) = 3",
    "brackets": "({n}1 = 12", "a chain": "1={n}1", "equals signs": "={n}", "an open chain": "1=x{n}",
    "spaces": "1 = {n} ", "a sum": "1+{n}1 = 12π", "digits": "1{n} = 3", "digits behind": "3 = 1{n}",
    "roots of roots": "√{n}2 = 3", "letters of pi": "pi{n}=3", "points": "1.{n}=2", "a unit": "1 = 2a{n}",
    "factors one": "1/3×π×3²×4×{n}1 = 12π",
}  # fmt: skip
REPEATED = {"sqrt{n}": "sqrt", "sqrt{n}=1": "sqrt", "sqrt({n}2) = 3": "sqrt(", "1/3×π×3²×4×{n}1 = 12π": "3/3×"}


def calls(text: str) -> int:
    """How many functions are called to refuse a step with this text."""
    problem, trace, counted = problem_of(CONE), trace_of(text), itertools.count()
    sys.setprofile(lambda *_: next(counted) and None)
    try:
        with pytest.raises(Refused) as caught:
            lift(problem, trace)
    finally:
        sys.setprofile(None)
    assert len(caught.value.detail) < 200
    return next(counted)


@pytest.mark.parametrize("name", HOSTILE)
def test_the_work_on_a_hostile_text_grows_with_its_length_at_most(name: str) -> None:
    """The matching of regular expressions is not counted: what could be tried twice in it is possessive."""
    form = HOSTILE[name]
    unit = REPEATED.get(form, form.split("{n}")[0][-2:] if "=x" in form or "=1" in form else form.split("{n}")[0][-1:])
    short, long = (form.replace("{n}", unit * (size // len(unit))) for size in (25_000, 100_000))
    calls(short)  # What is read of the problem is cached.
    assert calls(long) < 4.5 * calls(short) + 2000


@pytest.mark.parametrize(
    "text",
    [
        "2^999999999 = 4", "2^9^9 = 4", "√999999937 × √999999929 = 5", "1/0 = 3", "√(2-5) = 3", "cbrt(8) = 2",
        "×".join(f"(1+√{prime})" for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)) + " = 5",
        "3×4×π" + "×(4/4)" * 40 + " = 12π", "1" * 5000 + " = 3", "3 = " + "1" * 5000,
    ],
)  # fmt: skip
def test_an_expensive_equation_is_refused_after_little_work(text: str) -> None:
    """Equations have at most 300 characters, and of a formula at most 4000 readings are tried."""
    assert calls(text) < 2_000_000


@pytest.mark.parametrize("value", ["1" * 5000, "1/0", "√0", "5/(0π)"])
def test_what_is_no_value_is_not_read_by_either_reader(value: str) -> None:
    for problem in (
        problem_of(CONE.replace("4", value)),
        problem_of(CONE).model_copy(update={"choices": {"A": "12π", "B": value}}),
    ):
        assert not SolidsWorld().recognises(problem)
        assert hear(problem) is None
    with pytest.raises(Refused):
        lift(problem_of(CONE), trace_of(RIGHT, answer=value))
    assert not check(problem_of(CONE), trace_of(RIGHT, answer=value)).proved
