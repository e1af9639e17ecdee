"""The loop around one problem: who is asked, in which order, and where each way of failing leads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from srt.io.records import Image, Problem
from srt.language.faults import Fault
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.llm.exchange import LlmContext, Outcome
from srt.llm.llm_errors import BudgetSpent, RequestRejected, Unavailable
from srt.llm.prompt_templates import token_of
from srt.llm.request import LlmRequest, Reply
from srt.teaching.case_store.case_records import Issue, ModelRole, State, TeachingCase
from srt.teaching.loop.machine_audit import MachineAudit
from srt.teaching.loop.problem_loop import teach_problem
from srt.teaching.teach_config import load_teach_config
from srt.teaching.teach_prompts import load_teach_prompts

Said = dict[str, Any] | str | Exception | Reply


class Models:
    """Replies by role, in order; what was asked is kept."""

    def __init__(self, problem: Problem, **replies: Iterable[Said]) -> None:
        self.problem = problem
        self.replies: dict[str, Iterator[Said]] = {role: iter(said) for role, said in replies.items()}
        self.asked: list[LlmRequest] = []

    async def __call__(self, request: LlmRequest) -> Reply:
        self.asked.append(request)
        said = next(self.replies[request.role])
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Reply):
            return said
        if isinstance(said, dict):
            said = orjson.dumps({"token": token_of(self.problem), **said}).decode()
        return reply(said)

    @property
    def roles(self) -> str:
        """Who was asked, by first letters: ``trc`` is teacher, reviewer, checker."""
        return "".join(request.role[0] for request in self.asked)


def reply(text: str, finish_reason: str = "stop", refusal: str | None = None) -> Reply:
    return Reply(text=text, finish_reason=finish_reason, refusal=refusal, input_tokens=1, output_tokens=1, seconds=0.0)


def steps(*texts: str, answer: str = "27", premises: list[str] | None = None) -> dict[str, Any]:
    return {
        "steps": [{"op": "INFER", "premises": premises or ["(1)"], "text": text} for text in texts],
        "answer": answer,
    }


def objections(*faults: tuple[int, Fault]) -> dict[str, Any]:
    return {
        "issues": [
            {"step": n, "fault": f.value, "explanation": "it is wrong", "suggested_fix": None} for n, f in faults
        ]
    }


FINE: dict[str, Any] = {"issues": []}


def machine(
    refutes: Callable[[Trace], bool] = lambda trace: False, computes: bool = False, doubt: str | None = None
) -> Any:
    """A stand-in for the machine: every step that says ``bad`` is refuted, others are computed or unchecked."""

    async def audit(problem: Problem, trace: Trace) -> MachineAudit:
        issues = tuple(
            Issue(by="machine", step=number, fault=Fault.FALSE_CLAIM, explanation="3^3 = 28 is wrong: 3^3 is 27")
            for number, step in enumerate(trace.steps, 1)
            if "bad" in (step.assertion or "")
        )
        support = "computed" if computes else "unchecked"
        answer = StepCheck(support="computed")
        checks = TraceCheck(steps=(StepCheck(support=support),) * len(trace.steps), answer=answer)
        covered = {n: step.assertion or "" for n, step in enumerate(trace.steps, 1)} if computes else {}
        return MachineAudit(checks, issues, "undecided" if doubt else "equal", doubt, settled=covered)

    return audit


@pytest.fixture
def teach(cubes: ModuleType, tmp_path: Path) -> Callable[..., tuple[TeachingCase, Models]]:
    def run(
        problem: Problem | None = None, config: str = "", audit: Any = None, models: str = "", **replies: Any
    ) -> tuple[TeachingCase, Models]:
        problem = problem or cubes.problem(3)
        path = cubes.config(tmp_path / "c.yaml", "http://h/v1", config)
        if models:
            path.write_text(path.read_text().replace("models:\n", f"models:\n{models}"))
        asked = Models(problem, **replies)
        settings = load_teach_config(path)
        context = LlmContext(settings.choices(), load_teach_prompts(None), asked)
        return asyncio.run(teach_problem(problem, settings, context, audit or machine())), asked

    return run


def test_the_first_draft_passes(teach: Any) -> None:
    case, asked = teach(teacher=[steps("fine")], reviewer=[FINE])
    assert (case.state, asked.roles, case.reason) == (State.ACCEPTED, "tr", None)
    assert case.trace is not None
    assert case.trace.checks is not None
    assert (case.trace.id, case.trace.teacher, case.trace.kind) == ("cube-3:srt:1", "fake-teacher", "free")
    assert case.outcomes == {ModelRole.TEACHER: {Outcome.OK: 1}, ModelRole.REVIEWER: {Outcome.OK: 1}}


def test_what_the_machine_refutes_goes_to_the_checker_without_a_review(teach: Any) -> None:
    case, asked = teach(teacher=[steps("bad")], checker=[steps("fine")], reviewer=[FINE])
    assert (case.state, asked.roles) == (State.REPAIRED, "tcr")
    assert [(r.made_by, r.reviewed, len(r.issues)) for r in case.rounds] == [
        ("teacher", False, 1),
        ("checker", True, 0),
    ]
    assert "3^3 = 28 is wrong: 3^3 is 27" in asked.asked[1].user
    assert "- machine (computed), step 1, false_claim" in asked.asked[1].user


def test_the_reviewer_objects_and_the_checker_mends(teach: Any) -> None:
    case, asked = teach(teacher=[steps("one")], checker=[steps("two")], reviewer=[objections((1, Fault.LEAP)), FINE])
    assert (case.state, asked.roles) == (State.REPAIRED, "trcr")
    assert case.rounds[0].issues[0].by == "reviewer"
    assert "- reviewer, step 1, does_not_follow: leap: it is wrong" in asked.asked[2].user


def test_a_refuted_trace_is_never_accepted_whatever_the_reviewer_says(teach: Any) -> None:
    case, asked = teach(teacher=[steps("bad")], checker=[steps("bad 2"), steps("bad 3")], reviewer=[])
    assert (case.state, asked.roles) == (State.HUMAN, "tcc")
    assert case.reason == "after 3 rounds: machine (computed), step 1, false_claim: 3^3 = 28 is wrong: 3^3 is 27"


def test_the_machine_overrules_the_reviewer_where_it_has_computed_the_step(teach: Any) -> None:
    case, asked = teach(
        teacher=[steps("fine")], reviewer=[objections((1, Fault.FALSE_CLAIM))], audit=machine(computes=True)
    )
    assert (case.state, asked.roles) == (State.ACCEPTED, "tr")
    assert [issue.fault for issue in case.rounds[0].overruled] == [Fault.FALSE_CLAIM]
    case, _ = teach(
        teacher=[steps("fine")],
        reviewer=[objections((1, Fault.UNUSED_STEP))],
        audit=machine(computes=True),
        config="rounds: 1\n",
    )
    assert case.state is State.HUMAN


def test_a_checker_that_changes_nothing_ends_the_loop(teach: Any) -> None:
    objection = objections((1, Fault.LEAP))
    case, asked = teach(
        teacher=[steps("one")], checker=[steps("one")], reviewer=[objection, objection], config="rounds: 9\n"
    )
    assert (case.state, asked.roles) == (State.HUMAN, "trcr")
    assert case.reason is not None
    assert case.reason.startswith("the Checker repeated")


def test_a_premise_that_cannot_be_read_is_mended_like_any_fault(teach: Any) -> None:
    case, asked = teach(teacher=[steps("one", premises=["step 0"])], checker=[steps("two")], reviewer=[FINE])
    assert (case.state, asked.roles) == (State.REPAIRED, "tcr")
    assert case.rounds[0].issues[0].fault is Fault.MALFORMED


def test_what_the_machine_cannot_decide_is_asked_of_the_reviewer(teach: Any) -> None:
    case, asked = teach(teacher=[steps("one")], reviewer=[FINE], audit=machine(doubt="is it the same?"))
    assert (case.state, case.rounds[0].doubt) == (State.ACCEPTED, "is it the same?")
    # The doubt of the record quotes the answers; the question to the model does not.
    assert "A machine cannot tell" in asked.asked[1].user
    assert "is it the same?" not in asked.asked[1].user


FAILURES: list[tuple[Said, Outcome, int, State]] = [
    ("", Outcome.EMPTY, 3, State.FAILED),
    ("no json", Outcome.MALFORMED, 3, State.FAILED),
    ('{"token": ', Outcome.MALFORMED, 3, State.FAILED),
    ({"steps": []}, Outcome.MALFORMED, 3, State.FAILED),
    ('{"steps": [], "answer": "27"}', Outcome.MALFORMED, 3, State.FAILED),
    ('{"token": "0123456789", "steps": [], "answer": "27"}', Outcome.ANOTHER_PROBLEM, 3, State.FAILED),
    (reply("{", "length"), Outcome.LENGTH, 2, State.FAILED),
    (reply("", "stop", "no"), Outcome.REFUSAL, 2, State.HUMAN),
    (reply("", "content_filter"), Outcome.REFUSAL, 2, State.HUMAN),
    ("I'm sorry, but I can’t help with that.", Outcome.REFUSAL, 2, State.HUMAN),
    ("抱歉，我无法回答。", Outcome.REFUSAL, 2, State.HUMAN),
    (RequestRejected("picture too large"), Outcome.REJECTED, 1, State.FAILED),
    (Unavailable("500"), Outcome.UNAVAILABLE, 1, State.PENDING),
]


@pytest.mark.parametrize(("said", "outcome", "times", "state"), FAILURES)
def test_every_unusable_draft_has_its_policy(
    teach: Any, said: Said, outcome: Outcome, times: int, state: State
) -> None:
    case, asked = teach(teacher=[said] * 9)
    assert (case.state, asked.roles) == (state, "t" * times)
    assert case.outcomes == {ModelRole.TEACHER: {outcome: times}}
    assert [(r.outcome, r.trace) for r in case.rounds] == [(outcome, None)]
    assert len({request.key for request in asked.asked}) == times


@pytest.mark.parametrize(("said", "outcome", "times", "state"), FAILURES)
def test_with_a_trace_at_hand_it_goes_to_people(
    teach: Any, said: Said, outcome: Outcome, times: int, state: State
) -> None:
    for roles, replies in [
        ("t" + "r" * times, {"teacher": [steps("one")], "reviewer": [said] * 9}),
        ("t" + "c" * times, {"teacher": [steps("bad")], "checker": [said] * 9}),
    ]:
        case, asked = teach(**replies)
        assert (case.state, asked.roles) == (State.PENDING if state is State.PENDING else State.HUMAN, roles)
        assert case.trace is not None
        assert outcome.value in (case.reason or "")


def test_an_answer_that_was_cut_off_is_asked_for_with_twice_the_tokens(teach: Any) -> None:
    case, asked = teach(teacher=[reply("{", "length"), steps("one")], reviewer=[FINE])
    assert case.state is State.ACCEPTED
    assert [request.max_tokens for request in asked.asked] == [400, 800, 300]
    assert case.outcomes[ModelRole.TEACHER] == {Outcome.LENGTH: 1, Outcome.OK: 1}


def test_the_second_question_says_what_was_wrong_with_the_first_answer(teach: Any) -> None:
    _, asked = teach(teacher=["no json", steps("one")], reviewer=[FINE])
    assert asked.asked[1].attempt == 1
    assert asked.asked[1].user.startswith(asked.asked[0].user)
    assert "could not be used" in asked.asked[1].user


def test_no_solution_and_no_gold(teach: Any, cubes: ModuleType) -> None:
    unsolved = cubes.problem(3, solution="  ")
    case, asked = teach(unsolved)
    assert (case.state, asked.roles) == (State.FAILED, "")
    assert (case.reason or "").startswith("no solution")
    case, asked = teach(unsolved, config="solve_without_solution: true\n", teacher=[steps("one")], reviewer=[FINE])
    assert case.state is State.ACCEPTED
    assert "derive the answer yourself" in asked.asked[0].user
    case, asked = teach(cubes.problem(3, answer=None))
    assert (case.state, asked.roles) == (State.FAILED, "")


PICTURE = (Image(path="a.png", sha256="0" * 64),)
DESCRIBER = "  describer: {model: fake-teacher, max_tokens: 50}\n"


def test_pictures_go_with_the_question(teach: Any, cubes: ModuleType) -> None:
    _, asked = teach(cubes.problem(3, images=list(PICTURE)), teacher=[steps("one")], reviewer=[FINE])
    assert [request.pictures for request in asked.asked] == [PICTURE, PICTURE]


def test_a_description_is_made_once_and_given_to_all(teach: Any, cubes: ModuleType) -> None:
    case, asked = teach(
        cubes.problem(3, images=list(PICTURE)),
        config="describe: true\n",
        models=DESCRIBER,
        describer=[{"description": "a drawn cube"}],
        teacher=[steps("one")],
        reviewer=[FINE],
    )
    assert (case.state, asked.roles, case.diagram_description) == (State.ACCEPTED, "dtr", "a drawn cube")
    assert all("a drawn cube" in request.user for request in asked.asked[1:])


def test_a_known_description_is_not_made_again(teach: Any, cubes: ModuleType) -> None:
    known = cubes.problem(3, images=list(PICTURE), diagram_description="known")
    _, asked = teach(known, config="describe: true\n", models=DESCRIBER, teacher=[steps("one")], reviewer=[FINE])
    assert asked.roles == "tr"


def test_a_model_without_eyes_needs_a_description(teach: Any, cubes: ModuleType) -> None:
    blind = cubes.CONFIG
    try:
        cubes.CONFIG = blind.replace("max_tokens: 300", "max_tokens: 300, pictures: false")
        drawn = cubes.problem(3, images=list(PICTURE))
        case, asked = teach(drawn)
        assert (case.state, asked.roles) == (State.FAILED, "")
        assert "the reviewer reads no pictures" in (case.reason or "")
        case, asked = teach(
            drawn.model_copy(update={"diagram_description": "known"}), teacher=[steps("one")], reviewer=[FINE]
        )
        assert case.state is State.ACCEPTED
        assert [len(request.pictures) for request in asked.asked] == [1, 0]
    finally:
        cubes.CONFIG = blind


def test_a_describer_that_fails_matters_only_to_models_without_eyes(teach: Any, cubes: ModuleType) -> None:
    case, asked = teach(
        cubes.problem(3, images=list(PICTURE)),
        config="describe: true\n",
        models=DESCRIBER,
        describer=[""] * 3,
        teacher=[steps("one")],
        reviewer=[FINE],
    )
    assert (case.state, asked.roles) == (State.ACCEPTED, "dddtr")


def test_prose_goes_through_the_same_pipeline(teach: Any) -> None:
    case, asked = teach(
        config="arm: cot\n", teacher=[{"text": "The edge is 3. So V = 27.", "answer": "27"}], reviewer=[FINE]
    )
    assert case.state is State.ACCEPTED
    assert case.trace is not None
    assert case.trace.kind == "cot"
    assert "So V = 27." in asked.asked[1].user


def test_chinese_problems_are_asked_in_chinese(teach: Any, cubes: ModuleType) -> None:
    chinese = cubes.problem(3, lang="zh", question="正方体的棱长是 3 cm，体积是多少？")
    case, asked = teach(chinese, teacher=[steps("棱长是 3")], reviewer=[FINE])
    assert "标准解答" in asked.asked[0].user
    assert "推断 (1) - 棱长是 3" in asked.asked[1].user
    assert case.state is State.ACCEPTED


def test_what_concerns_the_whole_run_is_raised(teach: Any) -> None:
    with pytest.raises(BudgetSpent):
        teach(teacher=[BudgetSpent()])


def test_equal_replies_lead_to_equal_questions(teach: Any) -> None:
    said: dict[str, Any] = {
        "teacher": ["", steps("bad")],
        "checker": [steps("one"), steps("two")],
        "reviewer": [objections((1, Fault.LEAP)), FINE],
    }
    (first, one), (second, two) = teach(**said), teach(**said)
    assert first == second
    assert [request.key for request in one.asked] == [request.key for request in two.asked]


@pytest.mark.parametrize("issue", [3, {"step": "x", "fault": 7}, {"step": 99, "fault": "nonsense"}, {}])
def test_odd_objections_are_kept_or_refused_but_never_lost(teach: Any, issue: Any) -> None:
    case, asked = teach(teacher=[steps("one")], reviewer=[{"issues": [issue]}] * 3, config="rounds: 1\n")
    assert case.state is State.HUMAN
    if isinstance(issue, dict):
        assert case.rounds[0].issues[0].fault is Fault.DOES_NOT_FOLLOW
        assert case.rounds[0].issues[0].step is None
    else:
        assert asked.roles == "trrr"
