"""Faults planted in traces of the views world: the oracle judges them, the checker finds them."""

from __future__ import annotations

import random

import pytest

from srt.checking import check
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.text import linearize, parse
from srt.worlds.views.claim_language import parse_claim
from srt.worlds.views.faults.fitting_models import FittingModels
from srt.worlds.views.faults.planted_faults import PLANTS
from srt.worlds.views.faults.views_subject import views_subject
from srt.worlds.views.views_world import ViewsWorld

WORLD = ViewsWorld()


def few_solids_fit(problems: list[Problem]) -> list[Problem]:
    """Problems for which the oracle can write out all solids; most are left out of two side views of twelve places."""
    return [problem for problem in problems if "top" in problem.meta["shown"] or "+" not in problem.meta["shown"]]


@pytest.mark.parametrize("fault", PLANTS, ids=lambda fault: fault.value)
def test_what_is_planted_is_found(fault: Fault, problems: list[Problem]) -> None:
    rng = random.Random(fault.value)
    planted = 0
    for problem in rng.sample(few_solids_fit(problems), 60):
        trace = WORLD.solve(problem)
        subject = views_subject(problem, trace)
        mutant = subject.mutate(fault, rng)
        if mutant is None:
            continue
        verdict, checked = subject.judge(mutant.trace), check(problem, mutant.trace)
        shown = f"{problem.diagram_description}\n{mutant.change}\n{linearize(mutant.trace)}\n{verdict}\n{checked}"
        assert parse(linearize(mutant.trace)).steps == mutant.trace.steps
        if fault.family == "truth-changing":
            assert checked.refuted or not verdict.false, shown
        assert checked.proved == verdict.proved, shown
        planted += not verdict.proved
    assert planted > 5


def test_checker_and_oracle_agree_on_every_step_that_cites_true_claims(problems: list[Problem]) -> None:
    """A step of a valid trace gets other premises, drawn from what there is."""
    rng = random.Random(0)
    proved = 0
    for problem in rng.sample(few_solids_fit(problems), 120):
        trace = WORLD.solve(problem)
        subject = views_subject(problem, trace)
        number = rng.randint(1, len(trace.steps))
        step = trace.steps[number - 1]
        there = [*(f"#{n}" for n in range(1, number)), *subject.oracle.read.shown, *problem.choices, "question"]
        args = rng.sample(there, min(len(there), rng.randint(1, 4)))
        changed = step.model_copy(update={"args": tuple(args)})
        mutant = trace.model_copy(update={"steps": (*trace.steps[: number - 1], changed, *trace.steps[number:])})
        expected = not any(fault.startswith(f"step {number} ") for fault in subject.judge(mutant).faults)
        # What is used by nothing is a fault of the trace, not of the step.
        unused = f"step {number} is not used" in subject.judge(mutant).faults
        found = check(problem, mutant).steps[number - 1].support == "proved"
        assert found == expected or unused, (problem.diagram_description, linearize(mutant), number)
        proved += found
    assert proved < 60


def test_truth_is_of_all_solids_that_fit(problems: list[Problem]) -> None:
    problem = next(p for p in problems if p.meta["asked"] == "? = least" and "top" in p.meta["shown"])
    models = FittingModels(problem)
    assert models.solids is not None
    assert len(models.solids) > 1
    counts = models.solids.sum(axis=(1, 2))
    assert models.truth(parse_claim(f"least = {counts.min()}")) == "true"
    assert models.truth(parse_claim(f"least = {counts.min() + 1}")) == "false"
    assert models.truth(parse_claim(f"count = {counts.min()}")) == "unknown"
    assert models.truth(parse_claim(f"count = {counts.min() - 1}")) == "false"
    truth = WORLD.truth(problem)
    assert truth("no claim") == "unknown"
    assert {truth(step.claim or "") for step in WORLD.solve(problem).steps} == {"true"}
