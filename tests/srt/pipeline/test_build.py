"""``srt build``: the arms differ in the text of the completion, and in nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from srt.checking import check
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem, Sequence
from srt.language.arms import ARMS, arm_named
from srt.language.text import linearize, parse
from srt.language.trace import Step, Trace
from srt.pipeline.build import TraceRefusal, build, build_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file, solve_one
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample
from srt.worlds.seating.seating_world import SeatingWorld

FREE = ("cot-free", "srt-free")
"""Of booths alone."""
TRAINED = [name for name, arm in ARMS.items() if arm.build and name not in FREE]


@pytest.fixture(scope="module", params=["en", "zh"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    generate_file("seating", 12, "train", folder / "p.jsonl", {"lang": request.param})
    solve_file(folder / "p.jsonl", folder / "t.jsonl")
    return folder


def sequences(files: Path, arm: str, out: Path, **options: str) -> list[Sequence]:
    told = build_file(files / "t.jsonl", files / "p.jsonl", arm, out / arm, **options)
    made = list(read_records(out / arm / "sequences.jsonl", Sequence))
    assert told == {"file": str(out / arm / "sequences.jsonl"), "arm": arm, "sequences": len(made)}
    return made


@pytest.mark.parametrize("prompt", ["full", "bare"])
def test_every_arm_has_the_same_prompts_in_the_same_order(prompt: str, files: Path, tmp_path: Path) -> None:
    reference = sequences(files, "srt", tmp_path, prompt=prompt)
    ids = [(trace.id, trace.problem_id) for trace in read_records(files / "t.jsonl", Trace)]
    assert len(ids) == 12
    completions = {}
    for arm in TRAINED:
        made = sequences(files, arm, tmp_path, prompt=prompt)
        assert [(s.trace_id, s.problem_id) for s in made] == ids
        assert [s.prompt for s in made] == [s.prompt for s in reference]
        assert {s.arm for s in made} == {arm}
        assert (
            len(
                {
                    s.completion[0].content.splitlines()[-1] == r.completion[0].content.splitlines()[-1]
                    for s, r in zip(made, reference, strict=True)
                }
            )
            == 1
        )
        completions[arm] = tuple(s.completion[0].content for s in made)
    # srt-ban-OP and srt+... train on the text of srt; any two other arms differ.
    same = [arm for arm in TRAINED if arm_named(arm).generates_otherwise or arm_named(arm).learns]
    assert len(same) == 10
    assert {completions[arm] for arm in same} == {completions["srt"]}
    others = [completions[arm] for arm in TRAINED if arm not in same]
    assert len(set(others)) == len(others)


def test_free_arms_are_of_booths_and_refuse_the_rest_by_name(tmp_path: Path) -> None:
    generate_file("seating", 6, "train", tmp_path / "p.jsonl", {"scenes": ["booth"]})
    generate_file("seating", 1, "train", tmp_path / "ring.jsonl", {"scenes": ["hexagon-in"]})
    generate_file("views", 1, "train", tmp_path / "cubes.jsonl", {})
    problems = {
        problem.id: problem
        for name in ("p", "ring", "cubes")
        for problem in read_records(tmp_path / f"{name}.jsonl", Problem)
    }
    traces = [trace for problem in problems.values() if isinstance(trace := solve_one(problem), Trace)]
    plain, *free = (list(build(traces, problems, arm)) for arm in ("srt", *FREE))
    for made in free:
        *booths, ring, cubes = made
        for one, other in zip(booths, plain, strict=False):
            assert isinstance(one, Sequence)
            assert isinstance(other, Sequence)
            assert one.prompt == other.prompt
            assert one.completion[0].content.splitlines()[-1] == other.completion[0].content.splitlines()[-1]
            assert one.completion != other.completion
        assert isinstance(ring, TraceRefusal)
        assert (ring.reason, "hexagon-in" in ring.detail) == ("arm", True)
        assert isinstance(cubes, TraceRefusal)
        assert (cubes.reason, "'views'" in cubes.detail) == ("arm", True)


@pytest.mark.parametrize(
    ("op", "gone"),
    [("CORRELATE", "Clue|question"), ("CONSTRAIN", "(?<!whoever) is at "), ("INFER", "look for|the answer")],
)
def test_in_removals_the_sentences_of_an_operation_leave_prose_too(op: str, gone: str) -> None:
    problems = {f"{number}": sample(SampleSpec.parse({"scenes": ["booth"]}), number) for number in range(8)}
    problems = {problem.id: problem for problem in problems.values()}
    traces = [trace for one in problems.values() if isinstance(trace := solve_one(one, "running"), Trace)]
    arms = [list(build(traces, problems, arm)) for arm in ("cot", f"cot-drop-{op}")]
    for trace, whole, rest in zip(traces, *arms, strict=True):
        assert isinstance(whole, Sequence)
        assert isinstance(rest, Sequence)
        before, after = (re.findall(r"[.]", one.completion[0].content) for one in (whole, rest))
        assert len(before) - len(after) == sum(step.op == op for step in trace.steps)
        assert re.search(gone, whole.completion[0].content)
        assert not re.search(gone, rest.completion[0].content)
        # Nobody is left over but the last; what a removed sentence said is no reason any more.
        assert rest.completion[0].content.count("Every other seat") <= 1


def test_of_taught_data_free_prose_is_the_teachers_own(tmp_path: Path) -> None:
    problem = Problem(id="sum", source="test", split="train", lang="en", question="What is 2 + 2?")
    said = Trace(id="t", problem_id="sum", kind="cot", lang="en", text="Hmm. 2 + 2 = 4, I think.", answer="4")
    (built,) = build([said], {"sum": problem}, "cot-free")
    assert isinstance(built, Sequence)
    assert built.completion[0].content == "Hmm. 2 + 2 = 4, I think.\nANSWER: 4"
    (refused,) = build([said], {"sum": problem}, "cot-drop-INFER")
    assert isinstance(refused, TraceRefusal)
    assert (refused.reason, "INFER" in refused.detail) == ("arm", True)


def test_spans_cover_the_completion(files: Path, tmp_path: Path) -> None:
    for arm in ("answer", "cot", "srt", "srt-unlabelled", "srt-drop-INFER"):
        for sequence in sequences(files, arm, tmp_path):
            text = sequence.completion[0].content
            assert sequence.spans[-1].label == "ANSWER"
            assert text[sequence.spans[-1].start : sequence.spans[-1].end] == text.splitlines()[-1]
            at = sequence.spans[0].start if arm == "cot" else 0
            for span in sequence.spans:
                assert span.start == at
                at = span.end
            assert at == len(text)


def test_the_srt_arm_is_the_trace(files: Path, tmp_path: Path) -> None:
    traces = list(read_records(files / "t.jsonl", Trace))
    for trace, sequence in zip(traces, sequences(files, "srt", tmp_path), strict=True):
        parsed = parse(sequence.completion[0].content)
        assert (parsed.kind, parsed.steps, parsed.answer) == ("world", trace.steps, trace.answer)


def test_assertions_in_place_of_claims(files: Path, tmp_path: Path) -> None:
    claims = sequences(files, "srt", tmp_path)
    told = sequences(files, "srt", tmp_path, text="assertions")
    for one, other in zip(claims, told, strict=True):
        assert [span.label for span in one.spans] == [span.label for span in other.spans]
        assert one.completion != other.completion


@pytest.mark.parametrize("style", ["anchored", "lettered"])
def test_every_trace_in_a_fine_cut_is_proved(style: str, files: Path, tmp_path: Path) -> None:
    problems = {problem.id: problem for problem in read_records(files / "p.jsonl", Problem)}
    fine = sequences(files, "srt", tmp_path / style, text=style)
    plain = sequences(files, "srt", tmp_path / "claims")
    for sequence in fine:
        trace = parse(sequence.completion[0].content).trace(sequence.trace_id, sequence.problem_id)
        assert check(problems[trace.problem_id], trace).proved
    assert all(one.completion != other.completion for one, other in zip(fine, plain, strict=True))


def test_a_name_that_is_offered_twice_leaves_the_scan() -> None:
    clues = "Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
    problem = Problem(
        id="twice",
        source="test",
        split="test",
        lang="en",
        question=f"{clues}() faces the right neighbour of Robert.",
        choices={"A": "James", "B": "Mary", "C": "James", "D": "None of the above"},
    )
    trace = solve_one(problem, "running")
    assert isinstance(trace, Trace)
    lettered = next(build([trace], {"twice": problem}, "srt", text="lettered"))
    assert isinstance(lettered, Sequence)
    text = lettered.completion[0].content
    assert ": ?@N1 & Robert@S1 & Mary@S2 & James@N1 & ? = James" in text
    assert "INFER A B C D #5 #8 James: options = {A, C}" in text


def test_a_trace_that_no_fine_cut_leaves_proved_is_cut_less_finely(tmp_path: Path) -> None:
    """5 to 6% of the traces with no step more than needed; seats stay written out where that is proved."""
    spec: dict[str, Any] = {"lang": "en"}
    generate_file("seating", 60, "train", tmp_path / "p.jsonl", spec)
    problems = {problem.id: problem for problem in read_records(tmp_path / "p.jsonl", Problem)}
    fallen = 0
    for problem in problems.values():
        trace = solve_one(problem)
        assert isinstance(trace, Trace)
        finest, *coarser = SeatingWorld().respell(problem, trace, "anchored")
        (built,) = build([trace], problems, "srt", text="anchored")
        assert isinstance(built, Sequence)
        text = built.completion[0].content
        if not check(problem, finest).proved:
            fallen += 1
            assert text == linearize(coarser[0]) != linearize(trace)
        else:
            assert text == linearize(finest)
    assert 0 < fallen < 10


@pytest.mark.parametrize("style", ["anchored", "lettered", "assertions"])
def test_a_claim_that_no_style_reads_is_refused(style: str, files: Path) -> None:
    (problem, trace) = (
        next(read_records(files / name, kind)) for name, kind in (("p.jsonl", Problem), ("t.jsonl", Trace))
    )
    *before, last = trace.steps
    broken = trace.model_copy(update={"steps": (*before, last.model_copy(update={"claim": "options are C"}))})
    (refusal,) = build([broken], {problem.id: problem}, "srt", text=style, keep="all")
    assert isinstance(refusal, TraceRefusal)
    assert (refusal.reason, f"steps.{len(trace.steps)}" in refusal.detail) == ("arm", True)


@pytest.mark.parametrize("style", ["anchored", "lettered"])
@pytest.mark.parametrize("cited", ["#99", "#8", "#0"])
def test_a_trace_that_cites_no_earlier_step_is_refused(cited: str, style: str, files: Path) -> None:
    (problem, trace) = (
        next(read_records(files / name, kind)) for name, kind in (("p.jsonl", Problem), ("t.jsonl", Trace))
    )
    steps = list(trace.steps)
    steps[5] = steps[5].model_copy(update={"args": (*steps[5].args, cited)})
    broken = trace.model_copy(update={"steps": tuple(steps)})
    (refusal,) = build([broken], {problem.id: problem}, "srt", text=style, keep="all")
    assert isinstance(refusal, TraceRefusal)
    assert (refusal.reason, "steps.6: args" in refusal.detail) == ("arm", True)


@pytest.mark.parametrize("plan", ["needed", "running"])
@pytest.mark.parametrize("again", ["anchored", "lettered"])
@pytest.mark.parametrize("first", ["anchored", "lettered"])
def test_what_is_cut_may_be_cut_again(first: str, again: str, plan: str, files: Path) -> None:
    """A proved trace that a model wrote in one style is proved in any, and unchanged in its own."""
    problems = {problem.id: problem for problem in read_records(files / "p.jsonl", Problem)}
    traces = [trace for problem in problems.values() if isinstance(trace := solve_one(problem, plan), Trace)]
    texts = []
    for style in (first, again):
        built = [one for one in build(traces, problems, "srt", text=style) if isinstance(one, Sequence)]
        assert len(built) == len(problems)
        parsed = (parse(one.completion[0].content).trace(one.trace_id, one.problem_id) for one in built)
        traces = [trace.model_copy(update={"kind": "world"}) for trace in parsed]
        assert all(check(problems[trace.problem_id], trace).proved for trace in traces)
        texts.append([one.completion for one in built])
    if first == again and plan == "running":
        assert texts[0] == texts[1]


def test_prose_is_cut_as_finely_as_traces(files: Path, tmp_path: Path) -> None:
    lettered, plain = (sequences(files, "cot", tmp_path / style, text=style) for style in ("lettered", "anchored"))
    asked = re.compile("Who is at|谁位于")
    assert sum(bool(asked.search(one.completion[0].content)) for one in lettered) > 2
    assert not any(asked.search(one.completion[0].content) for one in plain)
    through = re.compile("Going through the options: A|逐个看选项：A")
    assert all(through.search(one.completion[0].content) for one in lettered)
    assert not any(through.search(one.completion[0].content) for one in plain)
    assert [one.prompt for one in lettered] == [one.prompt for one in plain]


@pytest.mark.parametrize(
    ("arm", "begins"),
    [
        ("srt", r"(INFER|推断) .*\bA .*= \{"),
        ("srt-unlabelled", r".*\bA .*= \{"),
        ("cot", "Going through the options: A|逐个看选项：A"),
        ("srt-drop-INFER", "ANSWER:|答案"),
        ("cot-terse", "ANSWER:|答案"),
        ("answer", "ANSWER:|答案"),
    ],
)
def test_the_options_count_as_part_of_the_answer(arm: str, begins: str, files: Path, tmp_path: Path) -> None:
    for lettered in sequences(files, arm, tmp_path / "lettered", text="lettered"):
        text, (*others, answer) = lettered.completion[0].content, lettered.spans
        assert re.match(begins, text[answer.start : answer.end]), text[answer.start :]
        assert (answer.label, answer.end) == ("ANSWER", len(text))
        # Everything before is as it is: each step one span, without a gap.
        ends = [span.end for span in others]
        assert [span.start for span in (*others, answer)] == [0, *ends] or arm.startswith("cot")
        lines = text[: answer.start].count("\n")
        assert len(others) == (0 if arm.startswith("cot") else lines)


def test_prose_of_a_teacher_has_no_line_of_options(files: Path) -> None:
    """Its last line may be anything."""
    problem, trace = next(read_records(files / "p.jsonl", Problem)), next(read_records(files / "t.jsonl", Trace))
    prose = trace.model_copy(update={"kind": "cot", "steps": (), "text": "First this.\nThen that."})
    plain, lettered = (
        next(build([prose], {problem.id: problem}, "cot", text=style)) for style in ("claims", "lettered")
    )
    assert isinstance(plain, Sequence)
    assert lettered == plain


def test_a_trace_of_another_problem(files: Path) -> None:
    traces = list(read_records(files / "t.jsonl", Trace))
    problems = {p.id: p for p in read_records(files / "p.jsonl", Problem) if p.id != traces[3].problem_id}
    built = list(build(traces, problems, "srt"))
    refusal = built.pop(3)
    assert isinstance(refusal, TraceRefusal)
    assert (refusal.trace_id, refusal.problem_id) == (traces[3].id, traces[3].problem_id)
    assert refusal.reason == "unknown_problem"
    assert [one.trace_id for one in built] == [trace.id for trace in traces if trace is not traces[3]]


def free_trace(number: int, answer: str) -> Trace:
    step = Step(op="INFER", assertion=f"so it is {answer}")
    return Trace(id=f"t{number}", problem_id=f"p{number}", kind="free", lang="en", steps=(step,), answer=answer)


GOLD_AND_ANSWER = [
    (Answer(kind="expression", value="\\frac{1}{2}"), "1/2", None),
    (Answer(kind="number", value=4, unit="cm²"), "4 cm^2", None),
    (Answer(kind="expression", value="√12"), "2√3", None),
    (Answer(kind="parts", value=[{"kind": "number", "value": 1}, {"kind": "number", "value": 2}]), "1; 2", None),
    (Answer(kind="number", value=4), "5", "disagrees_with_gold"),
    (Answer(kind="choice_set", value=["C"]), "hard to say", "disagrees_with_gold"),
    (Answer(kind="text", value="the red one"), "red", "undecided"),
    (None, "whatever", None),
]


def test_answers_that_are_not_gold_are_refused_by_name(tmp_path: Path) -> None:
    made = [
        Problem(id=f"p{number}", source="s", split="train", lang="en", question="?", answer=gold)
        for number, (gold, _, _) in enumerate(GOLD_AND_ANSWER)
    ]
    write_records(tmp_path / "p.jsonl", made)
    traces = [free_trace(number, answer) for number, (_, answer, _) in enumerate(GOLD_AND_ANSWER)]
    write_records(tmp_path / "t.jsonl", traces)
    summary = build_file(tmp_path / "t.jsonl", tmp_path / "p.jsonl", "srt", tmp_path / "out")
    wanted = {f"t{number}": reason for number, (_, _, reason) in enumerate(GOLD_AND_ANSWER)}
    built = read_records(tmp_path / "out" / "sequences.jsonl", Sequence)
    assert [one.trace_id for one in built] == [name for name, reason in wanted.items() if reason is None]
    refused = list(read_records(tmp_path / "out" / "sequences.refusals.jsonl", TraceRefusal))
    assert {one.trace_id: one.reason for one in refused} == {name: why for name, why in wanted.items() if why}
    assert summary["refused"] == {"disagrees_with_gold": 2, "undecided": 1}
    assert summary["refusals"] == str(tmp_path / "out" / "sequences.refusals.jsonl")
    # Built again without them: the old refusals are gone.
    write_records(tmp_path / "t.jsonl", traces[:4])
    assert "refused" not in build_file(tmp_path / "t.jsonl", tmp_path / "p.jsonl", "srt", tmp_path / "out")
    assert (tmp_path / "out" / "sequences.refusals.jsonl").read_bytes() == b""


def test_a_file_without_one_good_trace_is_a_fault_of_the_file(tmp_path: Path) -> None:
    problem = Problem(
        id="p0", source="s", split="train", lang="en", question="?", answer=Answer(kind="number", value=4)
    )
    write_records(tmp_path / "p.jsonl", [problem])
    write_records(tmp_path / "t.jsonl", [free_trace(0, "5")])
    with pytest.raises(UserError, match=r"t\.jsonl: .*t0: .*'5'.*'4'"):
        build_file(tmp_path / "t.jsonl", tmp_path / "p.jsonl", "srt", tmp_path / "out")
    write_records(tmp_path / "p.jsonl", [problem, problem])
    with pytest.raises(UserError, match=r"p0"):
        build_file(tmp_path / "t.jsonl", tmp_path / "p.jsonl", "srt", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_arm_that_has_no_text_for_a_trace(tmp_path: Path) -> None:
    problem = Problem(id="p0", source="s", split="train", lang="en", question="?")
    built = list(build([free_trace(0, "5")], {"p0": problem}, "cot"))
    assert [one.reason for one in built if isinstance(one, TraceRefusal)] == ["arm"]
