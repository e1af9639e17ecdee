"""The API as a notebook uses it: records made in a line, verbs that follow one another, cards, files."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import srt
from srt import (
    Answer,
    Problem,
    Trace,
    TraceCheck,
    UserError,
    build,
    check,
    corrupt,
    judge,
    linearize,
    prompt,
    read,
    sample,
    score,
    show,
    solve,
    write,
)
from srt.io.errors import RecordError
from srt.io.record_lines import dump, parse_record
from srt.io.records import Image
from srt.language.trace import Step
from srt.pipeline.generate import generate_file

HOSTILE = "<script>alert(1)</script><img src=x onerror='alert(2)'>"
OWN = Problem(question="How many are 3 and 4 apples?", answer=Answer(kind="number", value=7))


def test_a_question_is_a_problem() -> None:
    one, again, other = (Problem(question=text) for text in ("Who?", "Who?", "小明在哪里？"))
    assert one == again
    assert one.id != other.id
    assert (one.source, one.split, one.lang, other.lang) == ("own", "test", "en", "zh")
    assert Problem(question="Who?", choices={"A": "Ann"}).id != one.id
    assert Problem(question="小明在哪里？", lang="en", id="mine").model_dump(include={"id", "lang"}) == {
        "id": "mine",
        "lang": "en",
    }


def test_an_unknown_split_is_refused_in_python_and_kept_in_files() -> None:
    with pytest.raises(ValidationError, match=r"split\n.*'trian'.*'train'"):
        Problem(question="Who?", split="trian")
    line = b'{"id":"a","source":"own","split":"all","lang":"en","question":"Who?"}\n'
    assert dump(parse_record(line, Problem, "f:1")) == line


def test_files_say_what_has_a_default_in_python() -> None:
    assert dump(Problem(id="a", question="Who?")).startswith(b'{"id":"a","source":"own","split":"test","lang":"en","q')
    for name in ("id", "source", "split", "lang", "question"):
        values = Problem(question="Who?").model_dump(include={"id", "source", "split", "lang", "question"})
        del values[name]
        line = str(values).replace("'", '"').encode()
        with pytest.raises(RecordError, match=f"f:1: .*{name}: missing"):
            parse_record(line, Problem, "f:1")


def test_samples_are_those_of_the_command(tmp_path: Path) -> None:
    generate_file("views", 3, "dev", tmp_path / "g.jsonl", {})
    write(tmp_path / "w.jsonl", sample("views", 3, split="dev"))
    generated, written = (read(tmp_path / f"{name}.jsonl", Problem) for name in "gw")
    assert [one.images[0].sha256 for one in generated] == [one.images[0].sha256 for one in written]
    assert [dump(one).replace(b"g-pictures", b"w-pictures") for one in generated] == list(map(dump, written))
    again, other = sample("views", 3, seed=1), sample("views", 3, seed=2)
    assert again == sample("views", 3, seed=1) != other


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"world": "seeting"}, "'seating'"),
        ({"split": "trian"}, "split"),
        ({"n": 0}, "n: 0"),
        ({"seed": -1}, "seed: -1"),
        ({"settings": {"nope": 1}}, "nope"),
    ],
)
def test_wrong_samples(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(UserError, match=named):
        sample(**{"world": "seating", **arguments})


@pytest.mark.parametrize("world", ["seating", "views", "routes"])
def test_a_fault_that_is_planted_is_found(world: str) -> None:
    (problem,) = sample(world)
    trace = solve(problem)
    assert check(problem, trace).proved
    wrong = corrupt(problem, trace, "another_number", seed=3)
    assert wrong == corrupt(problem, trace, "another_number", seed=3) != trace
    found = check(problem, wrong)
    assert found.refuted
    assert "false" in {step.truth for step in found.steps}
    assert not check(problem, corrupt(problem, trace, "premise_left_out")).proved
    with pytest.raises(UserError, match=r"'anther_number' \(did you mean 'another_number'\?\).*premise_left_out"):
        corrupt(problem, trace, "anther_number")
    with pytest.raises(UserError, match="problem_id"):
        corrupt(OWN, trace, "another_number")
    with pytest.raises(UserError, match=trace.id):
        corrupt(problem, wrong, "another_number")


def test_a_wrong_equation_in_prose() -> None:
    trace = Trace(id="t", problem_id=OWN.id, kind="cot", lang="en", text="3 + 4 = 7, so 7.", answer="7")
    wrong = corrupt(OWN, trace, "result digit")
    assert wrong.text != trace.text
    assert check(OWN, wrong).refuted
    with pytest.raises(UserError, match=r"another_number.*operand"):
        corrupt(OWN, trace, "another_number")


def test_a_fault_in_the_steps_of_a_free_trace() -> None:
    steps = (
        Step(op="CORRELATE", args=("question",), assertion="There are 3 and 4 apples."),
        Step(op="INFER", args=("#1",), assertion="Together they are 3 + 4 = 7."),
    )
    trace = Trace(id="t", problem_id=OWN.id, kind="free", lang="en", steps=steps, answer="7")
    for fault in ("misread", "wrong_answer", "mislabelled", "operand"):
        wrong = corrupt(OWN, trace, fault)
        assert (wrong.steps, wrong.answer) != (trace.steps, trace.answer)
        assert wrong.checks is None
    with pytest.raises(UserError, match=r"'misred' \(did you mean 'misread'\?\)"):
        corrupt(OWN, trace, "misred")
    with pytest.raises(UserError, match="trace t: hallucinated_entity"):
        corrupt(OWN, trace, "hallucinated_entity")
    with pytest.raises(UserError, match=r"trace t: .*refutes"):
        corrupt(OWN, corrupt(OWN, trace, "result digit"), "misread")


@pytest.mark.parametrize(("said", "value"), [("7", 1), ("ANSWER: 7", 1), ("There are 7 apples.", 1), ("8", 0), ("", 0)])
def test_score(said: str, value: int) -> None:
    assert score(OWN, said).value == value


def test_score_of_a_formula_and_without_gold() -> None:
    formula = Problem(question="Simplify.", answer=Answer(kind="expression", value="\\frac{x+1}{2}"))
    assert score(formula, "It is (x+1)/2.").value == 1
    with pytest.raises(UserError, match=f"problem {formula.id}: answer"):
        score(formula.model_copy(update={"answer": None}), "x")


def test_what_takes_a_trace_a_text_an_answer_says_so(tmp_path: Path) -> None:
    trace = Trace(id="t", problem_id=OWN.id, kind="cot", lang="en", text="3 + 4 = 7", answer="7")
    with pytest.raises(UserError, match=r"^check takes a trace; judge.* str$"):
        check(OWN, "3 + 4 = 7")  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"^judge takes a text; check.* Trace$"):
        judge(OWN, trace)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"^score takes an answer.* int$"):
        score(OWN, 7)  # type: ignore[arg-type]
    for given in (OWN, [OWN.question]):
        with pytest.raises(UserError, match=r"p\.jsonl: .*\[problem\]"):
            write(tmp_path / "p.jsonl", given)  # type: ignore[arg-type]
    assert write(tmp_path / "p.jsonl", []) == 0
    assert read(tmp_path / "p.jsonl") == []


def test_the_prompt_is_that_of_the_sequence() -> None:
    (problem,) = sample("seating")
    for arm in ("srt", "cot", "answer"):
        assert prompt(problem, arm) == build(problem, solve(problem), arm).prompt
    with pytest.raises(UserError, match="'anser'"):
        prompt(problem, "anser")
    with pytest.raises(UserError, match="'ful'"):
        prompt(problem, style="ful")  # type: ignore[arg-type]


def test_files_of_every_kind_are_read_as_what_they_are(tmp_path: Path) -> None:
    problems = sample("routes", 2)
    traces = [solve(one) for one in problems]
    sequences = [build(*pair) for pair in zip(problems, traces, strict=True)]
    scores = [score(problem, trace.answer) for problem, trace in zip(problems, traces, strict=True)]
    for suffix in ("jsonl", "parquet"):
        for name, records in enumerate((problems, traces, sequences, scores)):
            path = tmp_path / f"{name}.{suffix}"
            assert write(path, records) == 2  # type: ignore[arg-type]
            assert read(path) == records


def test_files_that_are_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text('{"question": "Who?", "answer": "Ann"}\n')
    with pytest.raises(RecordError, match=r"own\.jsonl:1: .*id.*srt import"):
        read(tmp_path / "own.jsonl")
    (tmp_path / "no.jsonl").write_text("no\n")
    with pytest.raises(UserError, match=r"no\.jsonl:1"):
        read(tmp_path / "no.jsonl")
    with pytest.raises(UserError, match=r"absent\.jsonl"):
        read(tmp_path / "absent.jsonl")
    (problem,) = sample("routes")
    with pytest.raises(UserError, match=r"mixed\.jsonl: .*Problem.*Trace"):
        write(tmp_path / "mixed.jsonl", [problem, solve(problem)])
    assert not (tmp_path / "mixed.jsonl").exists()


def test_pictures_go_with_their_problems(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    write(tmp_path / "here/p.jsonl", sample("views"))
    (problem,) = read(tmp_path / "here/p.jsonl", Problem)
    with pytest.raises(UserError, match=rf"{problem.id}: images: .*folder="):
        write(tmp_path / "there/p.jsonl", [problem])
    assert not (tmp_path / "there/p.jsonl").exists()
    write(tmp_path / "there/p.jsonl", [problem], folder=tmp_path / "here")
    (moved,) = read(tmp_path / "there/p.jsonl", Problem)
    data = (tmp_path / "there" / moved.images[0].path).read_bytes()
    assert hashlib.sha256(data).hexdigest() == problem.images[0].sha256
    assert "data:image/png" in show(moved, folder=tmp_path / "there").html
    assert "no such file" in show(moved, folder=tmp_path).html


CARDS: dict[str, Callable[[], Any]] = {
    "problem": lambda: Problem(
        question=HOSTILE,
        category=HOSTILE,
        subcategory=HOSTILE,
        choices={"A": HOSTILE},
        images=[Image(path=HOSTILE, sha256=HOSTILE)],
        answer=Answer(kind="text", value=HOSTILE),
    ),
    "trace": lambda: Trace(
        id=HOSTILE, problem_id="p", kind="world", lang="en", steps=(Step(op="INFER", claim=HOSTILE),), answer=HOSTILE
    ),
    "prose": lambda: Trace(id="t", problem_id="p", kind="cot", lang="en", text=HOSTILE, answer="A"),
    "verdicts": lambda: TraceCheck.model_validate(
        {
            "steps": [{"support": "consistent", "reason": HOSTILE, "counterexample": HOSTILE, "witness": HOSTILE}],
            "answer": {"support": "refuted", "reason": HOSTILE},
            "prose": [{"claim": HOSTILE, "start": 0, "end": 1, "support": "refuted", "counterexample": HOSTILE}],
        }
    ),
    "judgement": lambda: judge(OWN, f"3 + 4 = 8 {HOSTILE}\nANSWER: {HOSTILE}"),
    "both": lambda: show(
        Problem(id="p", question=HOSTILE),
        Trace(id="t", problem_id="p", kind="free", lang="en", steps=(Step(op="INFER", assertion=HOSTILE),), answer="A"),
    ),
}


@pytest.mark.parametrize("name", CARDS)
def test_cards_escape_everything(name: str) -> None:
    html = str(CARDS[name]()._repr_html_())
    assert html.count("<article") == 1
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_the_card_shows_picture_steps_and_the_fault() -> None:
    (problem,) = sample("views")
    assert "data:image/png" in str(problem._repr_html_())
    trace = solve(problem)
    assert str(trace._repr_html_()).count("<li>") == len(trace.steps)
    found = check(problem, corrupt(problem, trace, "another_number"))
    shorter = trace.model_copy(update={"steps": trace.steps[:2], "checks": found})
    assert 'class="v' not in str(shorter._repr_html_())
    assert 'class="v refuted"' in str(trace.model_copy(update={"checks": found})._repr_html_())
    assert 'class="v refuted"' in str(found._repr_html_())
    assert 'class="v refuted"' in show(problem, corrupt(problem, trace, "another_number")).html
    assert "proved, " in str(judge(problem, linearize(trace))._repr_html_())
    assert OWN.answer is not None
    assert OWN.answer._repr_html_() is None  # A notebook shows it as Python does.


def test_no_torch_and_no_jinja_before_a_card_is_shown() -> None:
    code = (
        "import sys, srt\n"
        "problem, = srt.sample('views')\n"
        "assert not {'torch', 'jinja2'} & set(sys.modules)\n"
        "trace = srt.solve(problem)\n"
        "srt.check(problem, srt.corrupt(problem, trace, 'another_number')), srt.score(problem, 'A')\n"
        "problem._repr_html_(), srt.prompt(problem), srt.build(problem, trace)\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(srt.__file__).parents[1])
