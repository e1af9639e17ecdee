"""Problems whose lengths stand in a picture: its labels are read, and each is bound to a measure by a step."""

from __future__ import annotations

import io
import re

import numpy as np
import PIL.Image
import pytest

from srt.checking import check
from srt.language.faults import Fault
from srt.worlds.solids.checker.heard import hear
from srt.worlds.solids.reading.read_solid import read_solid
from srt.worlds.solids.solids_world import SolidsWorld
from srt.worlds.solids.statement import GivenFact, SolidStatement
from srt.worlds.solids.writing.picture import solid_picture

WORLD = SolidsWorld()
SAMPLER = WORLD.sampler({"pictures": True})


def test_the_text_has_no_numbers_and_each_label_is_bound_by_a_step() -> None:
    for index in range(25):
        problem = SAMPLER(index)
        assert not re.search("[0-9]", re.sub(r"[cm]m[23²³]", "", problem.question)), problem.question
        read, heard = read_solid(problem), hear(problem)
        assert heard is not None
        assert list(heard.said[0]) == [fact.name for fact in read.statement.facts]
        trace = WORLD.solve(problem)
        bound = [step.claim for step in trace.steps if step.args == ("scene",)]
        assert sorted(filter(None, bound)) == sorted(fact.claim for fact in read.statement.facts)
        assert check(problem, trace).proved


def test_a_label_that_is_misread_is_refuted() -> None:
    problem = SAMPLER(3)
    trace = WORLD.solve(problem)
    at = next(n for n, step in enumerate(trace.steps) if step.args == ("scene",))
    claim = trace.steps[at].claim or ""
    number = re.search("[0-9]+", claim)
    assert number is not None
    wrong = trace.steps[at].model_copy(update={"claim": claim.replace(number[0], f"{int(number[0]) + 1}")})
    steps = (*trace.steps[:at], wrong, *trace.steps[at + 1 :])
    verdict = check(problem, trace.model_copy(update={"steps": steps})).steps[at]
    assert (verdict.support, verdict.fault) == ("refuted", Fault.MISREAD)


@pytest.mark.parametrize("description", [None, "", "base radius 3 cm or so", "base radius 3 cm; base radius 3 cm"])
def test_a_picture_that_is_not_understood_is_no_problem_of_this_world(description: str | None) -> None:
    problem = SAMPLER(3).model_copy(update={"diagram_description": description})
    assert not WORLD.recognises(problem)
    assert hear(problem) is None


def test_the_picture_shows_its_labels_and_hidden_edges_are_dashed() -> None:
    draw = WORLD.extras.figures.picture
    assert draw is not None
    problem = SAMPLER(0)
    png = draw(problem)
    assert png == draw(problem)
    assert png is not None
    statement = read_solid(problem).statement
    assert PIL.Image.open(io.BytesIO(png)).size == (336, 336)
    longer = [
        GivenFact(0, fact.name, fact.measure._replace(number=fact.measure.number.scaled(2)))  # type: ignore[arg-type]
        for fact in statement.facts
        if fact.measure is not None
    ]
    other = solid_picture(SolidStatement(statement.solids, tuple(longer), statement.asked))
    assert png != other, "another label"
    assert draw(problem.model_copy(update={"diagram_description": None})) is None


def test_a_cube_has_nine_whole_edges_and_three_dashed_ones() -> None:
    index = next(index for index in range(80) if SAMPLER(index).subcategory == "cube")
    png = solid_picture(read_solid(SAMPLER(index)).statement)
    dark = np.array(PIL.Image.open(io.BytesIO(png)).convert("L")) < 128
    rows, columns = np.nonzero(dark)
    left, low = columns.min(), rows[columns == columns.min()].max()
    upper = rows[columns == left].min()
    assert dark[upper : low + 1, left].mean() > 0.95, "the front edge is a whole line"
    hidden = dark[:, left + 1 :][:, :200]
    gaps = [np.flatnonzero(np.diff(column.astype(int)) == 1).size for column in hidden.T]
    assert max(gaps) >= 6, "one column has the dashes of the hidden edge"
