"""What language models write for an experiment: traces of its training problems, and pictures in words.

Only these stages cost money. They come after everything that can be checked without them, their budget is that of the
``srt teach`` config, and nothing is paid for twice (:mod:`srt.llm.journaled_client`). In a tiny rehearsal a stand-in
takes the place of every model, whatever the config says (:mod:`srt.experiment.stand_in_teacher`).

What asks models is imported where something is taught: other experiments do without the extra ``teach``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from srt.experiment.experiment_blocks import SOLVED, TaughtTraces
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.model_stages import Say
from srt.io.errors import UserError
from srt.io.problem_files import read_problems, stream_problems
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.language.trace import Trace
from srt.teaching.case_store.case_records import State
from srt.teaching.teach_config import load_teach_config


def check_teaching(experiment: Experiment, tiny: bool) -> None:
    """Raise a :class:`UserError` for a config that cannot be used, or a key of an endpoint that is not set."""
    configs = [taught.teach for _, taught in _taught(experiment)]
    for path in dict.fromkeys([*configs, *filter(None, [experiment.describe])]):
        settings = load_teach_config(path)
        for endpoint in () if tiny else settings.endpoints_by_name.values():
            if endpoint.api_key_env and not os.environ.get(endpoint.api_key_env):
                raise UserError(f"{path}: api_key_env: {endpoint.api_key_env} is not set")
    if experiment.describe and load_teach_config(experiment.describe).models.describer is None:
        raise UserError(f"{experiment.describe}: models.describer: missing; it describes the pictures")


def describe_pictures(experiment: Experiment, part: str, problems: Path, tiny: bool, say: Say) -> None:
    """Add descriptions to the file ``problems`` of a part, where pictures have none.

    Raises:
        UserError: a problem without a usable description.
    """
    from srt.experiment.stand_in_teacher import stand_in_descriptions
    from srt.teaching.describe_pictures import describe_file, needs_description

    assert experiment.describe is not None
    if not any(needs_description(problem) for problem in stream_problems(problems)):
        return
    say(f"describe: the pictures of {part}" + _by(tiny))
    if tiny:
        stand_in_descriptions(problems, problems, experiment.describe)
    else:
        describe_file(problems, problems, experiment.output / "taught" / f"described-{part}", experiment.describe)


def teach_traces(experiment: Experiment, tiny: bool, say: Say) -> None:
    """Have the traces written that the recipe wants taught.

    Raises:
        UserError: problems are pending (the budget is spent, or a model could not be reached), or the run was stopped.
    """
    folder = ExperimentFolder(experiment.output)
    for name, source in _taught(experiment):
        problems = _without_solved(experiment, name, folder)
        out = folder.taught(name)
        done = out / ".done"
        if done.exists():
            continue
        from srt.experiment.stand_in_teacher import stand_in_traces
        from srt.teaching.teach_command import teach_file

        say(f"teach: traces of {name}" + _by(tiny))
        if tiny:
            stand_in_traces(problems, source.teach, name, out / "traces.jsonl")
        else:
            taught = teach_file(problems, out, source.teach, arm="cot" if name == "cot" else "srt")
            states = taught.summary.states
            say(f"teach: {name}: " + ", ".join(f"{state.value} {count}" for state, count in states.items() if count))
            if taught.interrupted or states[State.PENDING]:
                raise UserError(
                    f"{out}: {states[State.PENDING]} problems are pending; the same command goes on where it stopped, "
                    "with a higher budget in the config if it is spent"
                )
        done.touch()


def _without_solved(experiment: Experiment, name: str, folder: ExperimentFolder) -> Path:
    """The problems whose traces of ``name`` are taught: where those of an exact world come first, only the others.

    Raises:
        UserError: an exact world has solved all of them.
    """
    sources = experiment.traces[name]
    if SOLVED not in sources or isinstance(sources[0], TaughtTraces):
        return folder.train
    solved = {trace.problem_id for trace in read_records(folder.solved, Trace)}
    rest = [one for one in read_problems(folder.train).values() if one.id not in solved]
    if not rest:
        raise UserError(f"traces.{name}: nothing is left to teach, an exact world solves all training problems")
    write_records(folder.unsolved, rest)
    return folder.unsolved


def _taught(experiment: Experiment) -> Iterable[tuple[str, TaughtTraces]]:
    for name, sources in experiment.traces.items():
        for source in sources:
            if isinstance(source, TaughtTraces):
                yield name, source


def _by(tiny: bool) -> str:
    return " (by a stand-in that asks no model)" if tiny else ""
