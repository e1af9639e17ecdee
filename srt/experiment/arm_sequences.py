"""The sequences of every arm, of the same problems: a problem that any arm lacks is left out of every arm.

Arms differ in which problems they can be built from: a teacher gave up on one, another's prose disagrees with gold. A
difference between two arms could then come from the problems instead of the traces.
"""

from __future__ import annotations

import hashlib
import itertools
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from srt.experiment.experiment_blocks import SOLVED
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.given_traces import GivenTraces, trace_file
from srt.experiment.model_stages import Say
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.output_paths import beside
from srt.io.problem_files import read_problems, stream_problems
from srt.io.record_reader import count_lines, read_records
from srt.io.record_writer import write_records
from srt.io.records import Cluster, Problem, Record, Refusal, cluster_of
from srt.io.records import Sequence as TrainingSequence
from srt.language.arms import arm_named
from srt.language.trace import Trace
from srt.pipeline.build import build
from srt.pipeline.check import check_file, first_fault
from srt.pipeline.kept_traces import left_out_by
from srt.pipeline.solve import solve_file

Refuse = Callable[[str, str, str], None]
"""Notes a problem, a reason in a word, and one in a line."""


class LeftOut(Record):
    """A problem that is in no arm's training because ``arm`` has no sequence of it, and why.

    ``reason`` is that of a refused trace or solution (:mod:`srt.pipeline.build`), or ``no_trace``.
    """

    problem_id: str
    arm: str
    reason: str
    detail: str


def solve_training_problems(experiment: Experiment, say: Say) -> None:
    """Write the exact world's traces of the training problems, if an arm is made from them.

    They are solved and checked part by part: after a kill, the parts that are done are not solved again. A trace that
    is not proved, such as one with a claim too long for the checker, is a refusal.

    Raises:
        UserError: a trace is refuted: the solver or the checker is wrong.
    """
    folder = ExperimentFolder(experiment.output)
    done = folder.solved.with_suffix(".counts.json")
    if done.exists() or not any(SOLVED in experiment.traces_of(arm)[1] for arm in experiment.trained_arms):
        return
    say("train: solve and check")
    problems, parts = stream_problems(folder.train), folder.data / "solved.parts"
    solved: list[Path] = []
    count = -(-count_lines(folder.train) // _SOLVED_TOGETHER)
    while some := list(itertools.islice(problems, _SOLVED_TOGETHER)):
        solved.append(parts / str(len(solved)))
        if count > 1:
            say(f"train: part {len(solved)} of {count}")
        _solve_part(solved[-1], some, experiment.plan)
    for name, out in (("traces", folder.solved), ("traces.refusals", beside(folder.solved, "refusals"))):
        write_atomically(out, ((part / f"{name}.jsonl").read_bytes() for part in solved))
    counts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for part in solved:
        of_part = orjson.loads((part / _COUNTS).read_bytes())
        refused.update(of_part.pop("refused"))
        counts.update(of_part)
    write_atomically(done, [orjson.dumps({**counts, "refused": refused})])
    shutil.rmtree(parts)


_SOLVED_TOGETHER = 4096
_COUNTS = "counts.json"


def _solve_part(folder: Path, problems: Sequence[Problem], plan: str) -> None:
    """Solve and check some of the problems in ``folder``, if this was not done before."""
    done, asked, traces = folder / _COUNTS, folder / "problems.jsonl", folder / "traces.jsonl"
    refusals = beside(traces, "refusals")
    if done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_records(asked, problems)
    solved = solve_file(asked, traces, plan=plan)
    refused = dict(solved.refused)
    if solved.solved:
        check_file(traces, asked, folder / "checked.jsonl")
        proved, unproved = list[Trace](), list[Refusal]()
        for trace in read_records(folder / "checked.jsonl", Trace):
            assert trace.checks is not None
            if trace.checks.refuted:
                raise UserError(f"train: a trace is refuted: {trace.id}: {first_fault(trace, trace.checks)} ({traces})")
            if (why := left_out_by(trace.checks, trace, "proved")) is None:
                proved.append(trace.model_copy(update={"checks": None}))
            else:
                unproved.append(Refusal(problem_id=trace.problem_id, reason=why[0], detail=why[1]))
        if unproved:
            refused["not_proved"] = len(unproved)
            write_records(refusals, [*read_records(refusals, Refusal), *unproved])
            write_records(traces, proved)
    counts = {"problems": solved.problems, "traces": solved.problems - sum(refused.values()), "refused": refused}
    write_atomically(done, [orjson.dumps(counts)])


def build_arms(experiment: Experiment, pictures: bool, say: Say) -> None:
    """Write the sequences of every arm, and those that are held out; say and file what is left out.

    ``pictures``: for a vision model.

    Raises:
        UserError: no problem is left that all arms have, or fewer than are to be held out.
    """
    folder = ExperimentFolder(experiment.output)
    arms = experiment.trained_arms
    if not arms or all(folder.sequences(arm).exists() for arm in arms):
        return
    problems = read_problems(folder.train)
    given = GivenTraces(problems, experiment.keep, say)
    built: dict[str, set[str]] = {}
    left_out: list[LeftOut] = []
    for arm in arms:
        say(f"build: the sequences of arm {arm}")
        lacking = _lacking(folder, arm)
        if not lacking.exists():
            write_records(lacking, _build_all(experiment, folder, arm, given, pictures))
        of_arm = list(read_records(lacking, LeftOut))
        built[arm] = problems.keys() - {one.problem_id for one in of_arm}
        left_out += of_arm
        if experiment.traces_of(arm)[1] != [SOLVED]:
            lacking.unlink()  # before the next start, a person may change the traces
    common = set.intersection(*built.values())
    left_out.sort(key=lambda one: (one.problem_id, arms.index(one.arm)))
    write_records(folder.left_out, left_out)
    for line in _left_out_lines(left_out, len(problems), arms):
        say(line)
    if not common:
        raise UserError(
            f"no problem has a sequence in all of {', '.join(arms)}; {folder.left_out} has the reasons, first "
            f"{left_out[0].arm}: {left_out[0].problem_id}: {left_out[0].detail}"
        )
    held_out = _held_out([problems[name] for name in problems if name in common], experiment.held_out or 0)
    common -= held_out
    trained = [name for name in problems if name in common]
    of_stages = {stage.name: _of_stage(folder, stage.name, common) for stage in experiment.stages or ()}
    for arm in arms:
        of_problem = {one.problem_id: one for one in read_records(_all_of(folder, arm), TrainingSequence)}
        # In the order of the problems: batches are drawn by place, and all arms are to have the same.
        parts = {folder.held_out(arm): [name for name in problems if name in held_out]}
        parts |= {folder.sequences(arm, stage): names for stage, names in of_stages.items()}
        parts[folder.sequences(arm)] = trained
        for file, names in parts.items():
            if names:
                write_records(file, (of_problem[name] for name in names))
    for arm in arms:
        _all_of(folder, arm).unlink(missing_ok=True)
        _lacking(folder, arm).unlink(missing_ok=True)


def require_shots(experiment: Experiment) -> None:
    """Raise a :class:`UserError` where there are fewer training problems than worked examples."""
    count = experiment.evaluate.get("shots")
    for arm in experiment.arms:
        if (shown := arm_named(arm).shots) is not None:
            file = ExperimentFolder(experiment.output).sequences(shown)
            if (there := count_lines(file)) < (count or 0):
                raise UserError(f"evaluate: shots: {count} were asked for, and {file} has {there} training problems")


def _build_all(
    experiment: Experiment, folder: ExperimentFolder, arm: str, given: GivenTraces, pictures: bool
) -> list[LeftOut]:
    """Write all sequences of ``arm``; returns the problems that have none."""
    refused: dict[str, LeftOut] = {}
    ids: list[str] = []
    write_records(_all_of(folder, arm), _noting(_sequences(experiment, folder, arm, given, pictures, refused), ids))
    unsolved = _unsolved(folder) if experiment.traces_of(arm)[1] == [SOLVED] else {}
    for problem_id in given.problems.keys() - set(ids):
        if problem_id not in refused:
            why = unsolved.get(problem_id)
            reason, detail = (why.reason, why.detail) if why else ("no_trace", "its traces have none of this problem")
            refused[problem_id] = LeftOut(problem_id=problem_id, arm=arm, reason=reason, detail=detail)
    return list(refused.values())


def _lacking(folder: ExperimentFolder, arm: str) -> Path:
    """The problems that ``arm`` has no sequence of; written when those of all others are there."""
    return folder.data / f"{arm}.lacking.jsonl"


def _of_stage(folder: ExperimentFolder, stage: str, trained: set[str]) -> list[str]:
    """The problems of a stage that are trained on."""
    names = [name for name in read_problems(folder.stage(stage)) if name in trained]
    if not names:
        raise UserError(f"stages: {stage}: no problem is left to train on, of those that all arms have")
    return names


def _all_of(folder: ExperimentFolder, arm: str) -> Path:
    """The sequences of an arm before the problems that others lack are left out."""
    return folder.data / f"{arm}.all.jsonl"


def _sequences(
    experiment: Experiment,
    folder: ExperimentFolder,
    arm: str,
    given: GivenTraces,
    pictures: bool,
    refused: dict[str, LeftOut],
) -> Iterator[TrainingSequence]:
    """The sequences of ``arm``, one for each problem at most; the others' problems are added to ``refused``."""
    name, sources = experiment.traces_of(arm)

    def refuse(problem_id: str, reason: str, detail: str) -> None:
        refused[problem_id] = LeftOut(problem_id=problem_id, arm=arm, reason=reason, detail=detail)

    traces = _one_each(name, sources, folder, given, refuse)
    styles: dict[str, Any] = {"prompt": experiment.prompt, "text": experiment.text, "pictures": pictures}
    for item in build(traces, given.problems, arm, keep="all", **styles):
        if isinstance(item, TrainingSequence):
            refused.pop(item.problem_id, None)  # the trace of an earlier source was not kept
            yield item
        else:
            refuse(item.problem_id, item.reason, item.detail)


def _one_each(
    name: str, sources: Sequence[Any], folder: ExperimentFolder, given: GivenTraces, refuse: Refuse
) -> Iterator[Trace]:
    """One trace of each problem: the first that is kept, taken from the first source that has one."""
    seen: set[str] = set()
    for source in sources:
        for trace, why in given.of(trace_file(source, name, folder), checked=source == SOLVED):
            if trace.problem_id in seen:
                continue
            if why is None:
                seen.add(trace.problem_id)
                yield trace
            else:
                refuse(trace.problem_id, *why)


def _noting(sequences: Iterator[TrainingSequence], ids: list[str]) -> Iterator[TrainingSequence]:
    for sequence in sequences:
        ids.append(sequence.problem_id)
        yield sequence


def _unsolved(folder: ExperimentFolder) -> dict[str, Refusal]:
    """The problems that no exact world solves, if the experiment asked one."""
    path = folder.solved.with_suffix(".refusals.jsonl")
    return {one.problem_id: one for one in read_records(path, Refusal)} if path.exists() else {}


def _left_out_lines(left_out: Sequence[LeftOut], problems: int, arms: Sequence[str]) -> Iterator[str]:
    """What falls out of the training of all arms, by the arm that lacks it and the reason."""
    if not left_out:
        return
    count = len({one.problem_id for one in left_out})
    yield f"build: {count} of {problems} problems are left out of all arms, because one has none (data/left_out.jsonl)"
    by_arm: dict[str, Counter[str]] = defaultdict(Counter)
    for one in left_out:
        by_arm[one.arm][one.reason] += 1
    for arm in arms:
        if arm in by_arm:
            reasons = ", ".join(f"{reason} {n}" for reason, n in by_arm[arm].most_common())
            yield f"build: {arm} lacks {by_arm[arm].total()}: {reasons}"


def _held_out(problems: Sequence[Problem], count: int) -> set[str]:
    """At least ``count`` problems, whole clusters in the order of a hash; variants of a puzzle are never parted."""
    if not count:
        return set()
    clusters: dict[Cluster, list[str]] = defaultdict(list)
    for problem in problems:
        clusters[cluster_of(problem)].append(problem.id)
    chosen: set[str] = set()
    for cluster in sorted(clusters, key=lambda one: hashlib.blake2b("/".join(one).encode(), digest_size=16).digest()):
        if len(chosen) >= count:
            break
        chosen.update(clusters[cluster])
    if len(chosen) == len(problems):
        raise UserError(f"held_out: {count}: no problem is left to train on, of {len(problems)} that all arms have")
    return chosen
