"""All arms are trained on the same problems, whatever their traces come from; what falls out is said and filed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from srt.answers.written_form import canonical_text
from srt.checking import check
from srt.experiment import arm_sequences
from srt.experiment.arm_sequences import LeftOut, build_arms, solve_training_problems
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import Experiment
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem, Sequence, cluster_of
from srt.language.trace import Step, StepCheck, Trace, TraceCheck
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file

COUNT = 8


@pytest.fixture
def folder(tmp_path: Path) -> ExperimentFolder:
    """An experiment's folder with its training problems: cubes, in pairs of one group."""
    folder = ExperimentFolder(tmp_path / "out")
    folder.data.mkdir(parents=True)
    write_records(folder.train, [cube(edge) for edge in range(1, COUNT + 1)])
    return folder


def cube(edge: int) -> Problem:
    return Problem(
        id=f"cube-{edge}",
        source="made",
        split="train",
        lang="en",
        question=f"A cube has an edge of {edge} cm. What is its volume?",
        answer=Answer(kind="number", value=edge**3),
        group_id=f"pair-{(edge + 1) // 2}",
    )


def free(edge: int, answer: int | None = None) -> Trace:
    steps = (Step(op="CORRELATE", args=("(1)",), assertion=f"the edge is {edge}"),)
    steps += (Step(op="INFER", args=("#1",), assertion=f"{edge}^3 = {edge**3}"),)
    return Trace(
        id=f"t{edge}", problem_id=f"cube-{edge}", kind="free", lang="en", steps=steps,
        answer=str(edge**3 if answer is None else answer), teacher="hand",
    )  # fmt: skip


def prose(edge: int) -> Trace:
    text = f"It is {edge}^3 = {edge**3}."
    return Trace(
        id=f"p{edge}", problem_id=f"cube-{edge}", kind="cot", lang="en", text=text, answer=str(edge**3), teacher="hand"
    )


def experiment(folder: ExperimentFolder, **changes: Any) -> Experiment:
    values: dict[str, Any] = {
        "name": "cubes",
        "output": folder.root,
        "arms": ["base", "answer", "cot", "srt", "srt-drop-INFER"],
        "train_problems": [{"problems": "cubes.jsonl"}],
        "test_problems": [{"problems": "cubes.jsonl"}],
        "model": {"arch": "llama"},
        "train": {},
    }
    return Experiment.model_validate(values | changes)


def write_traces(folder: ExperimentFolder, **by_name: list[Trace]) -> dict[str, str]:
    """Files of traces as ``srt teach`` leaves them, and the recipe's ``traces``."""
    for name, traces in by_name.items():
        (folder.root / name).mkdir()
        write_records(folder.root / name / "traces.jsonl", traces)
    return {name: str(folder.root / name) for name in by_name}


def built(folder: ExperimentFolder, arm: str) -> list[str]:
    return [one.problem_id for one in read_records(folder.sequences(arm), Sequence)]


def test_only_problems_that_every_arm_has_are_trained_on(folder: ExperimentFolder) -> None:
    # srt lacks 3, and its answer of 5 is wrong; cot lacks 7 and 8, and comes in another order.
    srt = [free(edge, answer=1 if edge == 5 else None) for edge in range(1, COUNT + 1) if edge != 3]
    cot = [prose(edge) for edge in (6, 5, 4, 3, 2, 1)]
    said: list[str] = []
    build_arms(experiment(folder, traces=write_traces(folder, srt=srt, cot=cot)), False, said.append)
    for arm in ("answer", "cot", "srt", "srt-drop-INFER"):
        assert built(folder, arm) == ["cube-1", "cube-2", "cube-4", "cube-6"], arm
    left = {(one.problem_id, one.arm): one.reason for one in read_records(folder.left_out, LeftOut)}
    of_srt = {"cube-3": "no_trace", "cube-5": "disagrees_with_gold"}
    assert left == {
        **{(name, arm): why for arm in ("answer", "srt", "srt-drop-INFER") for name, why in of_srt.items()},
        ("cube-7", "cot"): "no_trace",
        ("cube-8", "cot"): "no_trace",
    }
    assert any("4 of 8 problems" in line for line in said)
    assert "build: cot lacks 2: no_trace 2" in said
    assert "build: srt lacks 2: no_trace 1, disagrees_with_gold 1" in said
    assert not list(folder.data.glob("*.all.jsonl"))
    # Nothing is built again.
    build_arms(experiment(folder), False, pytest.fail)


def test_arms_without_a_problem_in_common_are_refused(folder: ExperimentFolder) -> None:
    traces = write_traces(folder, srt=[free(1), free(2)], cot=[prose(3)])
    with pytest.raises(UserError, match=r"in all of answer, cot, srt.*cube-1"):
        build_arms(experiment(folder, traces=traces), False, lambda line: None)
    assert folder.left_out.exists()
    assert not folder.sequences("srt").exists()


def test_the_first_source_that_has_a_trace_gives_it(folder: ExperimentFolder) -> None:
    traces = write_traces(folder, first=[free(2)], second=[free(1), free(2).model_copy(update={"answer": "0"})])
    build_arms(experiment(folder, arms=["srt"], traces={"srt": list(traces.values())}), False, lambda line: None)
    assert built(folder, "srt") == ["cube-1", "cube-2"]


def test_solved_traces_stand_beside_taught_ones(folder: ExperimentFolder) -> None:
    """The traces of an exact world in one arm, a teacher's prose in another."""
    generate_file("seating", 4, "train", folder.train, {"scenes": ["booth"], "names": 6})
    problems = read_problems(folder.train)
    ids = list(problems)
    taught = []
    for name in ids[1:]:
        problem = problems[name]
        assert problem.answer is not None
        written = {"id": name, "problem_id": name, "kind": "cot", "lang": problem.lang, "text": "As the clues say."}
        taught.append(Trace.model_validate({**written, "answer": canonical_text(problem.answer), "teacher": "hand"}))
    chosen = experiment(folder, arms=["cot", "srt", "answer"], traces=write_traces(folder, cot=taught))
    assert [chosen.traces_of(arm)[0] for arm in chosen.arms] == ["cot", "solved", "cot"]
    solve_training_problems(chosen, lambda line: None)
    build_arms(chosen, False, lambda line: None)
    assert built(folder, "srt") == built(folder, "cot") == ids[1:]


def test_what_no_world_solves_is_named_with_its_reason(folder: ExperimentFolder) -> None:
    solve_training_problems(experiment(folder), lambda line: None)
    with pytest.raises(UserError, match="no exact world"):
        build_arms(experiment(folder), False, lambda line: None)
    assert {one.reason for one in read_records(folder.left_out, LeftOut)} == {"no_world"}


def test_held_out_problems_are_the_same_in_all_arms_and_whole_groups(folder: ExperimentFolder) -> None:
    every = range(1, COUNT + 1)
    traces = write_traces(folder, srt=[free(edge) for edge in every], cot=[prose(edge) for edge in every])
    build_arms(experiment(folder, traces=traces, held_out=3, train={"eval_steps": 2}), False, lambda line: None)
    groups = {problem.id: cluster_of(problem) for problem in read_records(folder.train, Problem)}
    trained = {arm: built(folder, arm) for arm in ("answer", "cot", "srt")}
    held = {arm: [one.problem_id for one in read_records(folder.held_out(arm), Sequence)] for arm in trained}
    assert trained["cot"] == trained["srt"] == trained["answer"]
    assert held["cot"] == held["srt"] == held["answer"]
    assert len(held["srt"]) == 4
    assert not {groups[name] for name in held["srt"]} & {groups[name] for name in trained["srt"]}
    for arm in trained:
        folder.sequences(arm).unlink()
    with pytest.raises(UserError, match=r"held_out: 8: .* of 8"):
        build_arms(experiment(folder, traces=traces, held_out=8, train={"eval_steps": 2}), False, lambda line: None)


@pytest.fixture
def booths(folder: ExperimentFolder) -> Experiment:
    """Ten problems that an exact world solves."""
    generate_file("seating", 10, "train", folder.train, {"scenes": ["booth"], "names": 6})
    return experiment(folder, arms=["answer", "cot", "srt"])


def killed_at(number: int, work: Callable[..., Any]) -> tuple[list[Any], Callable[..., Any]]:
    """``work``, which is killed at its call ``number``; and a list of its calls."""
    calls: list[Any] = []

    def call(*arguments: Any, **named: Any) -> Any:
        calls.append(arguments)
        if len(calls) == number:
            raise KeyboardInterrupt
        return work(*arguments, **named)

    return calls, call


def test_a_killed_solving_goes_on(
    folder: ExperimentFolder, booths: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arm_sequences, "_SOLVED_TOGETHER", 3)
    solve_file(folder.train, tmp_path / "whole.jsonl")
    calls, solving = killed_at(3, arm_sequences.solve_file)
    monkeypatch.setattr(arm_sequences, "solve_file", solving)
    with pytest.raises(KeyboardInterrupt):
        solve_training_problems(booths, lambda line: None)
    assert not folder.solved.exists()
    solve_training_problems(booths, lambda line: None)
    assert [Path(out).parent.name for _, out in calls] == ["0", "1", "2", "2", "3"]
    assert folder.solved.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    counts = orjson.loads(folder.solved.with_suffix(".counts.json").read_bytes())
    assert counts == {"problems": 10, "traces": 10, "refused": {}}
    assert not (folder.data / "solved.parts").exists()


def test_a_trace_that_is_not_proved_is_left_out_with_the_reason(
    folder: ExperimentFolder, booths: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A teacher that forgets to cite option A in its first trace."""

    def careless(asked: Path, traces: Path, **named: Any) -> Any:
        solved = solve_file(asked, traces, **named)
        first, *others = read_records(traces, Trace)
        *steps, last = first.steps
        last = last.model_copy(update={"args": last.args[1:]})
        write_records(traces, [first.model_copy(update={"steps": (*steps, last)}), *others])
        return solved

    monkeypatch.setattr(arm_sequences, "solve_file", careless)
    said: list[str] = []
    solve_training_problems(booths, said.append)
    build_arms(booths, False, said.append)
    counts = orjson.loads(folder.solved.with_suffix(".counts.json").read_bytes())
    assert counts == {"problems": 10, "traces": 9, "refused": {"not_proved": 1}}
    left_out = list(read_records(folder.left_out, LeftOut))
    assert [(one.arm, one.reason) for one in left_out] == [(arm, "not_proved") for arm in ("answer", "cot", "srt")]
    assert {one.problem_id for one in left_out} == {next(iter(read_problems(folder.train)))}
    assert "option A" in left_out[0].detail
    assert all(len(list(read_records(folder.sequences(arm), Sequence))) == 9 for arm in ("answer", "cot", "srt"))
    assert "build: srt lacks 1: not_proved 1" in said


def wrong(edge: int) -> Trace:
    """A trace with the right answer, one step of which is false, whatever its file says of it."""
    right = free(edge)
    false = Step(op="INFER", args=("#1",), assertion="2 + 2 = 5")
    checks = TraceCheck(steps=(StepCheck(support="computed"),) * 3, answer=StepCheck(support="computed"))
    return right.model_copy(
        update={"id": f"w{edge}", "steps": (right.steps[0], false, right.steps[1]), "checks": checks}
    )


def test_refuted_traces_of_users_are_left_out_or_another_is_taken(
    folder: ExperimentFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = [wrong(edge) if edge in (2, 3) else free(edge) for edge in range(1, COUNT + 1)]
    cot = [
        prose(edge) if edge != 5 else prose(5).model_copy(update={"text": "2 + 2 = 5.\nIt is 125."})
        for edge in range(1, 9)
    ]
    given = write_traces(folder, first=first, second=[free(3)], cot=cot)
    asked: list[str] = []

    def counted(problem: Problem, trace: Trace) -> TraceCheck:
        asked.append(trace.id)
        return check(problem, trace)

    monkeypatch.setattr("srt.pipeline.kept_traces.check_claims", counted)
    monkeypatch.setattr("srt.experiment.given_traces.cores_at_hand", lambda: 1)
    said: list[str] = []
    made = experiment(folder, traces={"srt": [given["first"], given["second"]], "cot": given["cot"]})
    build_arms(made, False, said.append)
    assert built(folder, "srt") == built(folder, "cot") == [f"cube-{edge}" for edge in (1, 3, 4, 6, 7, 8)]
    of_3 = next(one for one in read_records(folder.sequences("srt"), Sequence) if one.problem_id == "cube-3")
    assert of_3.trace_id == "t3"
    left = {(one.problem_id, one.arm): (one.reason, one.detail) for one in read_records(folder.left_out, LeftOut)}
    assert {key: why for key, (why, _) in left.items()} == {
        **{("cube-2", arm): "refuted" for arm in ("answer", "srt", "srt-drop-INFER")},
        ("cube-5", "cot"): "refuted",
    }
    assert left["cube-2", "srt"][1].startswith("step 2 is refuted: 2 + 2 = 5")
    assert "build: srt lacks 1: refuted 1" in said
    # Once for all arms.
    assert sorted(asked) == sorted(trace.id for trace in (*first, free(3), *cot))


def test_all_traces_of_users_are_taken_if_the_recipe_says_so(folder: ExperimentFolder) -> None:
    given = write_traces(folder, srt=[wrong(edge) for edge in range(1, COUNT + 1)])
    build_arms(experiment(folder, arms=["srt"], keep="all", traces=given), False, lambda line: None)
    assert len(built(folder, "srt")) == COUNT
    with pytest.raises(ValidationError, match="keep"):
        experiment(folder, keep="some")


def test_a_killed_building_goes_on(
    folder: ExperimentFolder, booths: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve_training_problems(booths, lambda line: None)
    build_arms(booths, False, lambda line: None)
    whole = {path.name: path.read_bytes() for path in folder.data.iterdir()}
    for arm in booths.trained_arms:
        folder.sequences(arm).unlink()
    calls, building = killed_at(3, arm_sequences.build)
    monkeypatch.setattr(arm_sequences, "build", building)
    with pytest.raises(KeyboardInterrupt):
        build_arms(booths, False, lambda line: None)
    build_arms(booths, False, lambda line: None)
    assert [arguments[2] for arguments in calls] == ["answer", "cot", "srt", "srt"]
    assert {path.name: path.read_bytes() for path in folder.data.iterdir()} == whole
