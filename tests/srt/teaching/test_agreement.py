"""How well Reviewers find faults: the traces shown, the opinions, and the figures counted from them."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_reader import read_records
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.llm.exchange import LlmContext, Outcome
from srt.llm.llm_errors import BudgetSpent
from srt.llm.prompt_templates import token_of
from srt.llm.request import LlmRequest, Reply
from srt.mutate.step_faults import STEP_FAULTS
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from srt.teaching.agreement.agreement_figures import agreement_rows, reviewer_summary
from srt.teaching.agreement.opinions import Opinion, ask_opinions
from srt.teaching.agreement.shown_traces import DrawnTraces, ShownTrace, draw_traces
from srt.teaching.case_store.case_records import Issue, ModelRole
from srt.teaching.loop.machine_audit import audit
from srt.teaching.loop.review_classes import names_it, review_class, review_classes
from srt.teaching.loop.reviewer import candidate_text
from srt.teaching.teach_config import load_teach_config
from srt.teaching.teach_prompts import load_teach_prompts
from srt.worlds.seating.faults.fault_classes import SeatingFault
from srt.worlds.seating.faults.mutation_subject import MUTATIONS

CONFIG = """
endpoint: {base_url: "http://127.0.0.1:1/v1", in_flight: 4}
models:
  teacher: {model: m}
  reviewer: {model: m}
  checker: {model: m}
prices: {m: {input: 1.0, output: 2.0}}
"""


@pytest.fixture(scope="module")
def booths(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    generate_file("seating", 8, "train", folder / "p.jsonl", {"scenes": ["booth"]})
    solve_file(folder / "p.jsonl", folder / "t.jsonl")
    (folder / "teach.yaml").write_text(CONFIG)
    return folder


@pytest.fixture(scope="module")
def mixed(booths: Path, hand_written: list[tuple[Problem, Trace]]) -> tuple[list[Trace], dict[str, Problem]]:
    """Traces of a world and, by hand, in prose."""
    cases = hand_written
    problems = {**read_problems(booths / "p.jsonl"), **{problem.id: problem for problem, _ in cases}}
    return [*read_records(booths / "t.jsonl", Trace), *(trace for _, trace in cases)], problems


@pytest.fixture(scope="module")
def drawn(mixed: tuple[list[Trace], dict[str, Problem]]) -> DrawnTraces:
    return draw_traces(*mixed, 60, 8, seed=0, normal_form=True)


def opinions_of(
    drawn: DrawnTraces,
    problems: dict[str, Problem],
    folder: Path,
    ask: Callable[[LlmRequest], Any],
    model: str = "m",
    at_once: int = 4,
) -> list[Opinion]:
    context = LlmContext(load_teach_config(folder / "teach.yaml").choices(), load_teach_prompts(None), ask)
    audits = [audit(problems[one.trace.problem_id], one.trace, normal_form=True) for one in drawn.shown]
    return asyncio.run(ask_opinions(model, drawn.shown, audits, problems, context, at_once))


class Reviewer:
    """Objects to each faulty trace at the rate of its class, and names that class; to others at the rate ``alarms``."""

    def __init__(self, shown: tuple[ShownTrace, ...], problems: dict[str, Problem], rates: dict[Fault, float]) -> None:
        self.shown = {candidate_text(one.trace): one for one in shown}
        self.problems = problems
        self.rates = rates
        self.alarms = 0.25
        self.found: Counter[tuple[str, Fault | None]] = Counter()
        self.asked = 0

    async def __call__(self, request: LlmRequest) -> Reply:
        assert request.role == ModelRole.REVIEWER
        self.asked += 1
        (text,) = (text for text in self.shown if f"\n{text}\n" in request.user)
        one = self.shown[text]
        fault = None if one.planted is None else review_class(one.planted)
        rate = self.alarms if fault is None else self.rates.get(fault, 0.5)
        objects = random.Random(text).random() < rate
        self.found[one.sort, fault] += objects
        named = (fault or Fault.DOES_NOT_FOLLOW).value
        issue = {"step": one.step, "fault": named, "explanation": "so it seems", "suggested_fix": None}
        answer = {"token": token_of(self.problems[request.problem_id]), "issues": [issue] if objects else []}
        return Reply(
            text=orjson.dumps(answer).decode(), finish_reason="stop", input_tokens=100, output_tokens=10, seconds=0
        )


@pytest.mark.long
def test_traces_are_faulty_or_untouched_and_always_the_same(
    mixed: tuple[list[Trace], dict[str, Problem]], drawn: DrawnTraces
) -> None:
    shown = drawn.shown
    assert len({one.trace.id for one in shown}) == len(shown)
    controls = [one for one in shown if one.planted is None]
    assert Counter(one.sort for one in controls) == {"world": 8, "prose": 8}
    by_id = {trace.id: trace for trace in mixed[0]}
    assert all(one.trace.model_copy(update={"checks": None}) == by_id[one.trace.id] for one in controls)
    planted = {one.planted for one in shown if one.sort == "world"} - {None}
    assert len(planted) > 15
    assert {one.planted for one in shown if one.sort == "prose"} == {None, Fault.FALSE_CLAIM, *STEP_FAULTS}
    assert draw_traces(*mixed, 12, 3, seed=3) == draw_traces(*mixed, 12, 3, seed=3)
    assert draw_traces(*mixed, 12, 3, seed=3).shown != draw_traces(*mixed, 12, 3, seed=4).shown


def computed(problem: Problem, trace: Trace) -> set[str | None]:
    """What the computed steps of ``trace`` say."""
    verdicts = zip(trace.steps, audit(problem, trace).checks.steps, strict=True)
    return {step.assertion for step, verdict in verdicts if verdict.support == "computed"}


def test_every_fault_in_prose_is_a_change_where_it_says(
    mixed: tuple[list[Trace], dict[str, Problem]], drawn: DrawnTraces
) -> None:
    originals = {trace.id: trace for trace in mixed[0]}
    for one in drawn.shown:
        if one.sort == "world" or one.planted is None:
            continue
        old, new = originals[one.trace.id.split("~")[0]], one.trace
        assert (old.steps, old.answer) != (new.steps, new.answer)
        assert new.checks is None
        if review_class(one.planted) is Fault.DOES_NOT_FOLLOW:
            problem = mixed[1][new.problem_id]
            assert computed(problem, old) > computed(problem, new)
        if one.planted is Fault.WRONG_ANSWER:
            assert (old.steps, one.step) == (new.steps, None)
        elif one.planted is Fault.MISLABELLED:
            assert one.step is not None
            assert old.steps[one.step - 1].op != new.steps[one.step - 1].op
        elif one.planted is Fault.UNUSED_STEP:
            assert len(new.steps) == len(old.steps) + 1
            assert one.step in audit(mixed[1][new.problem_id], new).checks.unused
        elif one.planted is Fault.STEP_DROPPED:
            assert len(new.steps) == len(old.steps) - 1
        elif one.planted in (Fault.PREMISE_LEFT_OUT, Fault.PREMISE_REPLACED):
            assert one.step is not None
            assert old.steps[one.step - 1].assertion == new.steps[one.step - 1].assertion
            assert old.steps[one.step - 1].args != new.steps[one.step - 1].args
        else:
            assert [s.args for s in old.steps] == [s.args for s in new.steps]
            assert one.step is not None
            assert old.steps[one.step - 1].assertion != new.steps[one.step - 1].assertion
            assert one.in_reading == (new.steps[one.step - 1].op == "CORRELATE")


@pytest.mark.long
def test_no_right_objection_is_overruled(mixed: tuple[list[Trace], dict[str, Problem]], drawn: DrawnTraces) -> None:
    """What is wrong and not found by the machine goes to the Reviewer, and what he says of it counts."""
    unseen = 0
    for one in drawn.shown:
        found = audit(mixed[1][one.trace.problem_id], one.trace, normal_form=True)
        if one.planted is None or found.issues:
            continue
        unseen += 1
        named = review_class(one.planted)
        assert named is not None
        for said in ("it is wrong", f"{one.change} is wrong", "这一步不对"):
            assert not found.overrules(Issue(by="reviewer", step=one.step, fault=named, explanation=said)), one.change
    assert unseen > 10


@pytest.mark.long
def test_a_reviewer_of_known_rates_is_measured_as_such(
    mixed: tuple[list[Trace], dict[str, Problem]], drawn: DrawnTraces, booths: Path
) -> None:
    rates = {Fault.FALSE_CLAIM: 1.0, Fault.MISLABELLED: 0.0, Fault.DOES_NOT_FOLLOW: 0.5}
    model = Reviewer(drawn.shown, mixed[1], rates)
    found = opinions_of(drawn, mixed[1], booths, model)
    assert model.asked == len(drawn.shown)
    rows = [row for row in agreement_rows(found) if row.planted is None]
    assert len(rows) == len(model.found)
    for row in rows:
        share = row.reviewers["m"]
        assert share.found == model.found[row.sort, row.review_class]
        assert share.named == (None if row.review_class is None else share.found)
        rate = model.alarms if row.review_class is None else rates.get(row.review_class, 0.5)
        assert share.low <= rate <= share.high
        assert share.of == row.machine.of
    alarms = [row for row in rows if row.review_class is None]
    assert [row.machine.found for row in alarms] == [0, 0]


def test_a_reviewer_that_cannot_be_understood_is_in_no_figure(
    mixed: tuple[list[Trace], dict[str, Problem]], booths: Path
) -> None:
    few = DrawnTraces(shown=tuple(ShownTrace(trace=trace) for trace in mixed[0][:3]), left_out=0, unusable=())

    async def mumbles(request: LlmRequest) -> Reply:
        return Reply(text="hm", finish_reason="stop", input_tokens=1, output_tokens=1, seconds=0)

    found = opinions_of(few, mixed[1], booths, mumbles)
    summary = reviewer_summary(found)
    assert (summary["reviewed"], summary["kappa"]) == (0, None)
    assert summary["without_review"] == {"malformed": 3}
    (row,) = agreement_rows(found)
    assert (row.reviewers["m"].of, row.reviewers["m"].share, row.reviewers["m"].high) == (0, None, 1.0)
    assert row.machine.of == 3


def test_a_spent_budget_leaves_the_rest_for_the_next_run(
    mixed: tuple[list[Trace], dict[str, Problem]], booths: Path
) -> None:
    few = DrawnTraces(shown=tuple(ShownTrace(trace=trace) for trace in mixed[0][:6]), left_out=0, unusable=())
    model = Reviewer(few.shown, mixed[1], {})
    model.alarms = 0.0

    async def poor(request: LlmRequest) -> Reply:
        if model.asked == 2:
            raise BudgetSpent
        return await model(request)

    found = opinions_of(few, mixed[1], booths, poor, at_once=1)
    assert [opinion.reviewer for opinion in found] == [(), (), None, None, None, None]
    assert reviewer_summary(found)["without_review"] == {"budget spent": 4}


def test_what_concerns_the_whole_run_ends_it(
    mixed: tuple[list[Trace], dict[str, Problem]], drawn: DrawnTraces, booths: Path
) -> None:
    async def down(request: LlmRequest) -> Reply:
        raise UserError("the endpoint is down")

    with pytest.raises(UserError, match="the endpoint is down"):
        opinions_of(drawn, mixed[1], booths, down)


def opinion(planted: Fault | None, machine: bool, said: Fault | None, model: str = "m") -> Opinion:
    issue = Issue(by="machine", fault=Fault.LEAP, explanation="so it seems")
    return Opinion(
        model=model,
        trace_id="t",
        problem_id="p",
        sort="world",
        planted=planted,
        machine=(issue,) if machine else (),
        reviewer=() if said is None else (Issue(by="reviewer", fault=said, explanation="so it seems"),),
        outcome=Outcome.OK,
    )


def test_the_figures() -> None:
    found = [
        opinion(Fault.LEAP, True, Fault.DOES_NOT_FOLLOW),
        opinion(Fault.STEP_DROPPED, True, None),
        opinion(Fault.LEAP, True, Fault.FALSE_CLAIM),
        opinion(SeatingFault.ANOTHER_SEAT, False, Fault.FALSE_CLAIM),
        opinion(None, False, Fault.UNUSED_STEP),
        *[opinion(None, False, None)] * 3,
        *[opinion(fault, bool(fault), None, "other") for fault in (Fault.LEAP, None)],
    ]
    rows = {(row.review_class, row.planted): row for row in agreement_rows(found)}
    assert list(rows) == [
        (Fault.FALSE_CLAIM, None),
        (Fault.DOES_NOT_FOLLOW, None),
        (Fault.DOES_NOT_FOLLOW, "leap"),
        (Fault.DOES_NOT_FOLLOW, "step_dropped"),
        (None, "all faults"),
        (None, None),
    ]
    row = rows[Fault.DOES_NOT_FOLLOW, None]
    share = row.reviewers["m"]
    assert (row.machine.found, share.found, share.of, share.named) == (3, 2, 3, 1)
    assert share.share == pytest.approx(2 / 3)
    assert share.low == pytest.approx(0.0943, abs=1e-4)  # Clopper-Pearson, 2 of 3, from a table.
    assert (row.reviewers["other"].found, row.reviewers["other"].of) == (0, 1)
    assert rows[None, "all faults"].reviewers["m"].found == 3
    assert rows[None, None].reviewers["m"].share == 0.25
    assert rows[None, None].reviewers["m"].named is None
    summary = reviewer_summary([one for one in found if one.model == "m"])
    counts = {"both": 2, "only_machine": 1, "only_reviewer": 2, "neither": 3}
    assert {name: summary[name] for name in counts} == counts
    # p_o = 5/8; p_e = 3/8 * 4/8 + 5/8 * 4/8 = 1/2.
    assert summary["kappa"] == pytest.approx(0.25)


def test_every_planted_fault_has_a_class_that_a_reviewer_may_name() -> None:
    for fault in MUTATIONS:
        assert review_class(fault) in review_classes("world")
    for fault in (Fault.FALSE_CLAIM, *STEP_FAULTS):
        assert review_class(fault) in review_classes("free")
    assert names_it(Fault.MISREAD, Fault.ANOTHER_NUMBER, in_reading=True)
    assert not names_it(Fault.MISREAD, Fault.ANOTHER_NUMBER, in_reading=False)
    assert names_it(Fault.FALSE_CLAIM, Fault.ANOTHER_NUMBER, in_reading=True)
    assert not names_it(Fault.DOES_NOT_FOLLOW, Fault.ANOTHER_NUMBER, in_reading=True)
