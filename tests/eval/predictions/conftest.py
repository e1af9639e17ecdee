"""Problems about stacks of cubes, which the files in ``written_by`` have answers to, and a stand-in for inspect_ai.

The files of lm-eval were written by lm_eval 0.4.13 with a model that always answers rightly and two tasks of our own:
``cubes`` (two samples, two filters, of which one finds no answer) and ``mc`` (log-likelihoods, half of them right).
Those of lmms-eval were written by the functions of lmms_eval 0.7.3 that make and save a sample: ``cubes``,
``cubes_think`` (reasoning tags are stripped) and ``cubes_repeats`` (two samples, the second one wrong).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from eval.evaluation import run_evaluation
from eval.run.eval_recipe import make_eval_recipe
from eval.scoring.arm_summary import ArmSummary
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem

WRITTEN = Path(__file__).parent / "written_by"
LM_EVAL, LMMS_EVAL = WRITTEN / "lm_eval" / "dummy-7b", WRITTEN / "lmms_eval" / "vlm-7b"


def stacks(ids: Callable[[int], str], *, options: bool = False, count: int = 4) -> list[Problem]:
    """Stack ``i`` has ``i + 2`` cubes."""
    return [
        Problem(
            id=ids(number),
            source="test",
            split="test",
            lang="en",
            question=f"How many cubes are in stack {number}?",
            choices={"A": "2", "B": "3", "C": "4", "D": "5"} if options else {},
            answer=Answer(kind="choice_set", value=["ABCD"[number]])
            if options
            else Answer(kind="number", value=number + 2),
        )
        for number in range(count)
    ]


@pytest.fixture
def scored(tmp_path: Path) -> Callable[..., ArmSummary]:
    """``scored(file, problems)``: the summary of the predictions in ``file``; the run is in ``tmp_path / "run"``."""

    def run(file: Path, problems: list[Problem], **keys: Any) -> ArmSummary:
        write_records(tmp_path / "problems.jsonl", problems)
        given = {"backend": "file", "predictions": file, "problems": tmp_path / "problems.jsonl"}
        summary = run_evaluation(make_eval_recipe(given | {"output": tmp_path / "run"} | keys))
        return ArmSummary.model_validate({name: summary[name] for name in ArmSummary.model_fields if name in summary})

    return run


class _Part(SimpleNamespace):
    """An object of a log: what it does not have is ``None``, as in the real one."""

    def __getattr__(self, name: str) -> Any:
        if name == "completion":
            return self.choices[0].message.content if self.choices else ""
        if name == "stop_reason":
            return self.choices[0].stop_reason
        if name == "text":
            return self.content if isinstance(self.content, str) else self.content[-1].text
        return None


@pytest.fixture
def inspect_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """``inspect_ai.log``, which reads a log of ours as far as we read one."""

    def read_eval_log(file: str, *, resolve_attachments: bool) -> Any:
        assert resolve_attachments, "long texts would read attachment://..."
        log = json.loads(Path(file).read_text(), object_hook=lambda values: _Part(**values))
        for sample in log.samples or ():
            sample.metadata = vars(sample.metadata) if sample.metadata else None
        return log

    module = ModuleType("inspect_ai.log")
    module.read_eval_log = read_eval_log  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "inspect_ai", ModuleType("inspect_ai"))
    monkeypatch.setitem(sys.modules, "inspect_ai.log", module)
