"""Problems and traces in prose, made up here."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from srt.io.records import Problem
from srt.language.trace import Step, Trace

MakeProblem = Callable[..., Problem]
MakeTrace = Callable[..., Trace]


@pytest.fixture
def problem() -> MakeProblem:
    """``problem("text", solution=..., choices=...)``."""

    def make(question: str, **fields: object) -> Problem:
        plain = {"id": "p", "source": "made", "split": "test", "lang": "en", "question": question}
        return Problem.model_validate({**plain, **fields})

    return make


@pytest.fixture
def trace() -> MakeTrace:
    """``trace("INFER #1 | h = 4", ..., answer="4")``: operation, premises, a bar, prose."""

    def make(*lines: str, answer: str = "1", lang: str = "en") -> Trace:
        def step(line: str) -> Step:
            head, _, prose = line.partition(" | ")
            words = re.findall(r'"[^"]*"|\S+', head)
            return Step.model_validate({"op": words[0], "args": words[1:], "assertion": prose})

        steps: Sequence[Step] = [step(line) for line in lines]
        return Trace.model_validate(
            {"id": "t", "problem_id": "p", "kind": "free", "lang": lang, "steps": steps, "answer": answer}
        )

    return make
