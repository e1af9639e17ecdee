"""The made-up problems and model of ``cubes.py``, and the fake endpoint, for the tests of this folder."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import srt.teaching.teach_problems
from srt.answers.written_form import canonical_text
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.teaching.loop.candidate import read_candidate
from srt.teaching.loop.machine_audit import MachineAudit, audit

HERE = Path(__file__).parent


class InProcessAuditors:
    """The machine in this process: starting others takes longer than these tests."""

    def __init__(self, normal_form: bool = False) -> None:
        self.normal_form = normal_form

    async def audit(self, problem: Problem, trace: Trace) -> MachineAudit:
        return audit(problem, trace, normal_form=self.normal_form)

    def __enter__(self) -> InProcessAuditors:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def in_process_audits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(srt.teaching.teach_problems, "Auditors", InProcessAuditors)


@pytest.fixture(scope="session")
def cubes() -> ModuleType:
    from tests.srt.teaching import cubes

    return cubes


@pytest.fixture(scope="session")
def objector() -> ModuleType:
    from tests.srt.teaching import objector

    return objector


@pytest.fixture(scope="session")
def hand_written() -> list[tuple[Problem, Trace]]:
    """Problems of our own with traces that are right (``hand_written.yaml``)."""
    return [_case(**raw) for raw in yaml.safe_load((HERE / "hand_written.yaml").read_text("utf-8"))]


def _case(steps: list[str], **raw: Any) -> tuple[Problem, Trace]:
    problem = Problem.model_validate({"source": "made", "split": "train", **raw})
    listed = []
    for line in steps:
        op, premises, text = line.split("; ", 2)
        listed.append({"op": op, "premises": premises.split(", "), "text": text})
    assert problem.answer is not None
    payload = {"steps": listed, "answer": canonical_text(problem.answer)}
    candidate = read_candidate(payload, problem, "srt", problem.id, "a person")
    assert not candidate.issues
    return problem, candidate.trace
