"""The problems of an experiment: of each test, and those that are trained on, kept apart from the tests.

OUTPUT/data/PART.jsonl    the problems of one part: ``train``, ``stage.NAME``, ``test``, or a benchmark's name
OUTPUT/data/PART.N.jsonl  the problems of source N, before the tests were kept out
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from srt.experiment.experiment_blocks import BenchmarkTest
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import TEST, Experiment
from srt.experiment.model_stages import ModelStages, Say
from srt.experiment.problem_sources import CorpusSource, FileSource, SampledSource, Source
from srt.images.store import PictureFolder
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.io.records import Problem, cluster_of
from srt.io.worker_processes import cores_at_hand
from srt.language.arms import arm_named
from srt.pipeline.generate import generate_file, identities, sampler_of, split_key
from srt.worlds.world import Kind, World
from srt.worlds.world_registry import check_offered, world_named

_FEW_GROUPS = 20  # below, the interval of a share is wider than some twenty points to each side


def check_sources(experiment: Experiment) -> None:
    """Raise a :class:`UserError` for a source that is of no use, before anything is made from the others.

    Its file is not there, its world does not take its ``spec``, or has no traces with this plan or in this style.
    """
    listed: dict[str, Sequence[Source | BenchmarkTest]] = {
        "train_problems": experiment.train_problems or (),
        **{f"stages.{number}.train_problems": one.train_problems for number, one in enumerate(experiment.stages or ())},
        "test_problems": experiment.test_problems,
        "benchmarks": experiment.benchmarks,
    }
    for name, sources in listed.items():
        for number, source in enumerate(sources):
            if source.needs and not os.environ.get(source.needs):
                continue
            if isinstance(source, SampledSource):
                try:
                    sampler_of(source.world, source.n, "test" if name == "test_problems" else "train", source.spec)
                except UserError as error:
                    raise UserError(f"{name}.{number}: {error}") from None
                if name != "test_problems" and not experiment.traces:
                    _check_world(f"{name}.{number}.world", source.world, experiment)
                continue
            key = {FileSource: "problems", CorpusSource: "path", BenchmarkTest: "data"}[type(source)]
            place, path = f"{name}.{number}.{key}", _path(getattr(source, key))
            if unset := re.search(r"\$(\w+|\{\w+\})", str(path)):
                raise UserError(f"{place}: {path}: the environment variable {unset[1].strip('{}')} is not set")
            if not path.exists():
                raise UserError(f"{place}: {path}: no such file or folder")
            if isinstance(source, FileSource) and not path.is_file():
                raise UserError(f"{place}: {path}: a file of problems was expected, this is a folder")


def _check_world(place: str, name: str, experiment: Experiment) -> None:
    """Raise a :class:`UserError` if the exact teacher of world ``name`` cannot write what the experiment asks for."""
    world = world_named(name)
    for arm in experiment.arms:
        if arm_named(arm).input.startswith("free") and type(world).free_form is World.free_form:
            raise UserError(f"arms: {arm}: the world {name!r} has no free form ({place})")
    wanted: dict[str, tuple[Kind, str]] = {
        "plan": ("plan", experiment.plan),
        "text": ("text style", experiment.text),
    }
    for key, (kind, asked) in wanted.items():
        try:
            check_offered(kind, asked, [world])
        except UserError as error:
            raise UserError(f"{key}: {error} ({place})") from None


def _path(given: str) -> Path:
    """A path of the recipe, which may begin with ``~`` and have environment variables in it."""
    return Path(os.path.expandvars(given)).expanduser()


def tests_of(experiment: Experiment, say: Say) -> dict[str, BenchmarkTest | None]:
    """The tests by name; ``None`` is that of ``test_problems``. A benchmark whose data are not there is left out."""
    tests: dict[str, BenchmarkTest | None] = {TEST: None} if experiment.test_problems else {}
    for test in experiment.benchmarks:
        if test.needs and not os.environ.get(test.needs):
            say(f"{test.name}: is left out: {test.needs} is not set")
        else:
            tests[test.name] = test
    if not tests:
        raise UserError("benchmarks: none is left to test on")
    return tests


def gather_problems(
    experiment: Experiment, tests: Mapping[str, BenchmarkTest | None], stages: ModelStages, say: Say
) -> None:
    """Write the problems of the tests, then those of training, which are not in any test. What is there is kept.

    Raises:
        UserError: a source cannot be read, a part has no problem, two sources of a part have the same one, or none of a
            test's has a gold answer.
    """
    folder = ExperimentFolder(experiment.output)
    folder.data.mkdir(parents=True, exist_ok=True)
    for name, benchmark in tests.items():
        sources = experiment.test_problems if benchmark is None else [_source_of(benchmark)]
        _gather(name, sources, folder.test(name), (), stages, say)
        asked = read_problems(folder.test(name)).values()
        if all(problem.answer is None for problem in asked):
            raise UserError(f"{_key(name)}: no problem has a gold answer, so there is nothing to score")
        groups = len({cluster_of(problem) for problem in asked})
        if groups < min(_FEW_GROUPS, len(asked)):
            say(
                f"warning: {_key(name)}: its {len(asked)} problems are of {groups} groups (one puzzle reworded is one "
                "group), so intervals will be wide; take a larger family, or a split that leaves it more"
            )
        stages.check_test(experiment, folder.test(name), benchmark)
    kept_out = [folder.test(name) for name in tests]
    if experiment.train_problems is not None:
        _gather("train", experiment.train_problems, folder.train, kept_out, stages, say)
    for stage in experiment.stages or ():
        out = folder.stage(stage.name)
        _gather(out.stem, stage.train_problems, out, kept_out, stages, say)
    if not folder.train.exists():
        write_records(folder.train, _of_all_stages(experiment))


def _of_all_stages(experiment: Experiment) -> Iterable[Problem]:
    """The problems of all stages, each once."""
    folder, together = ExperimentFolder(experiment.output), dict[str, Problem]()
    for stage in experiment.stages or ():
        for problem in read_problems(folder.stage(stage.name)).values():
            if together.setdefault(problem.id, problem) != problem:
                raise UserError(f"stages: {stage.name}: {problem.id!r} is another problem in an earlier stage")
    return together.values()


def _source_of(test: BenchmarkTest) -> CorpusSource:
    return CorpusSource(corpus=test.benchmark, path=test.data, lang=test.lang, where=test.where, n=test.n)


def _key(part: str) -> str:
    """The recipe's key for the sources of a part."""
    if part.startswith("stage."):
        return f"stages: {part.removeprefix('stage.')}: train_problems"
    return f"{part}_problems" if part in ("train", TEST) else f"benchmarks: {part}"


def _gather(
    part: str, sources: Sequence[Source], out: Path, tests: Sequence[Path], stages: ModelStages, say: Say
) -> None:
    """Write the problems of all ``sources`` to ``out``, without those of the files ``tests``, and count them."""
    if out.exists():
        return
    gathered: list[Problem] = []
    keys: set[str] = set()
    dropped = 0
    for number, source in enumerate(sources, 1):
        if source.needs and not os.environ.get(source.needs):
            say(f"{part}: source {number} is left out: {source.needs} is not set")
            continue
        say(f"{part}: source {number}")
        kept_out = tests if source.exclude_test else ()
        found = _problems_of(source, part, out.with_name(f"{part}.{number}.jsonl"), kept_out, stages)
        if found.dropped:
            say(f"{part}: source {number}: {found.dropped} problems are in the test and were dropped")
        if not isinstance(source, SampledSource) and source.n and len(found.problems) < source.n:
            say(f"{part}: source {number}: {len(found.problems)} problems, fewer than n: {source.n}")
        gathered += found.problems
        keys |= found.keys
        dropped += found.dropped
    if not gathered:
        raise UserError(f"{_key(part)}: no source has a problem")
    if twice := [name for name, count in Counter(problem.id for problem in gathered).items() if count > 1]:
        raise UserError(f"{_key(part)}: {len(twice)} problems come from two sources, first {twice[0]!r}")
    counts = {"problems": len(gathered), "keys": len(keys), "dropped": dropped}
    write_atomically(out.with_suffix(".counts.json"), [orjson.dumps(counts)])
    write_records(out, gathered)


@dataclass(frozen=True)
class _Found:
    """What a source gave: its problems, their split keys, and how many were dropped because they are in a test."""

    problems: list[Problem]
    keys: set[str]
    dropped: int


def _problems_of(source: Source, part: str, path: Path, tests: Sequence[Path], stages: ModelStages) -> _Found:
    """The problems of ``source``, without those with the content or the split key of one in the files ``tests``."""
    if isinstance(source, SampledSource):
        split = "test" if part == TEST else "train"
        draws = path.with_suffix(".draws")
        cores = cores_at_hand()
        summary = generate_file(
            source.world, source.n, split, path, source.spec, exclude=tests, workers=cores, draws=draws
        )
        problems = list(read_problems(path).values())
        return _Found(problems, {p.group_id for p in problems if p.group_id}, summary.collisions)
    if isinstance(source, FileSource):
        write_records(path, _referred(_path(source.problems), path))
    else:
        stages.import_problems(source.corpus, _path(source.path), path, source.lang)
    seen: set[str | bytes] = set()
    for test in tests:
        seen |= identities(read_problems(test).values())
    chosen = selected(read_problems(path).values(), source.where, f"{part}: {_origin(source)}")
    kept = [(p, split_key(p)) for p in chosen if not seen & identities([p])]
    dropped = len(chosen) - len(kept)
    kept = kept[: source.n]
    return _Found([p for p, _ in kept], {key for _, key in kept if key}, dropped)


def selected(problems: Iterable[Problem], where: Mapping[str, str], place: str) -> list[Problem]:
    """The problems whose fields, or fields of ``meta``, are those of ``where``.

    Raises:
        UserError: no problem is left with one of them; ``place`` begins the message.
    """
    problems = list(problems)
    for name, value in where.items():
        there = {str(given) for problem in problems if (given := _field(problem, name)) is not None}
        if value not in there:
            if not there:
                raise UserError(f"{place}: where: {name}: no problem has this field, in itself or in meta")
            known = ", ".join(sorted(there)[:8])
            raise UserError(f"{place}: where: {name}: no problem has {value!r}, the values are {known}")
        problems = [problem for problem in problems if str(_field(problem, name)) == value]
    return problems


def _origin(source: CorpusSource | FileSource) -> str:
    return source.problems if isinstance(source, FileSource) else source.path


def _referred(problems: Path, out: Path) -> Iterable[Problem]:
    """The problems of a file, with their pictures as ``out`` refers to them."""
    pictures = PictureFolder(out)
    for problem in read_problems(problems).values():
        images = [pictures.refer(problems.parent, image.path) for image in problem.images]
        yield problem.model_copy(update={"images": images}) if images else problem


def _field(problem: Problem, name: str) -> object:
    return getattr(problem, name) if name in Problem.model_fields else problem.meta.get(name)
