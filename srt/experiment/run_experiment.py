"""``srt experiment``: arms x seeds, from problems to a comparison for each test, resumed where it was killed.

Every stage writes its result atomically into the experiment's folder (:mod:`srt.experiment.experiment_folder`) and is
skipped when the result is there; teaching, training and evaluation resume inside themselves. A folder of other settings
is refused, so that nothing old is mixed with something new.

What a later stage would refuse is looked for as early as it can be: settings before the folder is claimed for them, or
goes on with them; the tests before anything is paid for; the data of all arms before the first one is trained.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from srt.experiment.arm_sequences import build_arms, require_shots, solve_training_problems
from srt.experiment.experiment_blocks import SOLVED, BenchmarkTest, ContinuedModel, InitModel, Model, TaughtTraces
from srt.experiment.experiment_folder import DATA_LOCK, ExperimentFolder, claim, give_up, held_in_output, one_at_a_time
from srt.experiment.experiment_models import (
    PROBE,
    check_continued,
    example_model,
    initial_model,
    start_of_arm,
    trained_model,
)
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.experiment_result import ExperimentResult, read_result, write_result
from srt.experiment.gather_problems import check_sources, gather_problems, tests_of
from srt.experiment.given_traces import trace_file
from srt.experiment.learned_arms import (
    ORIGIN,
    check_learn,
    cost_line,
    first_recipe,
    in_order,
    learn,
    learned_model,
    learning_costs,
    spent,
)
from srt.experiment.learning_curve import LearningCurves, curve_table
from srt.experiment.model_stages import Evaluation, ModelStages, Say, TrainedModel
from srt.experiment.picture_probe import check_probe, pass_probe, write_probe
from srt.experiment.portion import Portion
from srt.experiment.teaching_stages import check_teaching, describe_pictures, teach_traces
from srt.experiment.training_recipes import evaluation_settings, recipe_of, reporting_settings, write_recipe
from srt.io.bundled_files import find_bundled, no_model_folder
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Sequence


def run_experiment(
    experiment: Experiment,
    stages: ModelStages,
    say: Say,
    portion: Portion | None = None,
    *,
    tiny: bool = False,
    recipe: Path | None = None,
) -> ExperimentResult:
    """Run every stage that is not done yet. ``say`` is called with one line when a stage begins or is left out.

    ``tiny``: the experiment is a rehearsal, and no language model is asked. ``recipe`` is the file that the experiment
    was read from; faults of its settings name it.

    ``portion`` is what is run now; the result is then of what the folder has by now. Several processes may run portions
    of one experiment at the same time: what all of them need is made by the first, and each run by one.

    Raises:
        UserError: the output folder holds an experiment with other settings, a data source is empty, no problem is left
            that all arms have, and whatever the stages themselves refuse.
    """
    if portion is not None:
        portion.check(experiment)
    now = portion or Portion()
    try:
        check_continued(experiment, now.trained_arms(experiment), now.seeds_of(experiment))
    except UserError as error:
        raise UserError(f"{recipe}: {error}") if recipe else error from None
    held = held_in_output(experiment)
    if held == "same" and portion is None and (done := read_result(experiment.output)) is not None:
        say(f"this experiment is finished, and {experiment.output} has not changed since")
        return done
    try:
        if held == "nothing":
            _check_inputs(experiment)
        if held != "same":  # else nothing may be left to train
            _check_launch(experiment, "launch", stages)
        _check_launch(experiment, "eval_launch", stages)  # it may be another one each time
        _check_settings(experiment, stages)
    except UserError as error:
        raise UserError(f"{recipe}: {error}") if recipe else error from None
    if held == "nothing":
        check_teaching(experiment, tiny)
    with one_at_a_time(experiment.output, DATA_LOCK, "prepares this experiment", say):
        tests = _prepare(experiment, stages, say, now, tiny=tiny)
    folder = ExperimentFolder(experiment.output)
    if now.prepare:
        calls = now.calls(experiment)
        return ExperimentResult(summaries=["\n".join(["prepared; to be run are", *calls])], files=[folder.data])
    if experiment.curve is not None:
        result = _measure_curves(experiment, tests, stages, say, now)
    else:
        models = _train_all(experiment, stages, say, now)
        runs = _evaluate_all(experiment, tests, models, stages, say)
        if portion is not None:
            there = [
                f"{test}: evaluated are {', '.join(run.name for run in of_test)}" for test, of_test in runs.items()
            ]
            return ExperimentResult(summaries=there, files=[folder.tested_on(test) for test in runs])
        with one_at_a_time(experiment.output, ".report.lock", "compares the arms", say):
            result = _compare(experiment, runs, stages, _REHEARSAL if tiny else None, say)
    if portion is None:
        write_result(experiment.output, result)
    return result


def _prepare(
    experiment: Experiment, stages: ModelStages, say: Say, now: Portion, *, tiny: bool
) -> dict[str, BenchmarkTest | None]:
    """Make and check all data and the weights that training starts from; return the tests."""
    held = held_in_output(experiment)
    if held != "same":
        claim(experiment)
    try:
        tests = tests_of(experiment, say)
        gather_problems(experiment, tests, stages, say)
    except UserError:
        if held == "nothing":
            give_up(experiment)
        raise
    if experiment.learn is not None and experiment.learned_arms:
        check_learn(experiment)
    _describe_all(experiment, tests, stages, tiny, say)
    solve_training_problems(experiment, say)
    teach_traces(experiment, tiny, say)
    build_arms(experiment, stages.reads_pictures(example_model(experiment)), say)
    require_shots(experiment)
    write_probe(experiment, say)
    seeds = now.seeds_of(experiment)
    shared = experiment.seeds[:1] if experiment.probe and experiment.probe.shared else []
    if isinstance(experiment.model, InitModel):
        for seed in dict.fromkeys([*shared, *seeds]):
            _init_model(experiment, experiment.model, stages, seed, say)
    _check_training(experiment, now, stages, [*shared, *seeds][0], say)
    pass_probe(experiment, stages, seeds, say)
    return tests


def _describe_all(
    experiment: Experiment, tests: Mapping[str, BenchmarkTest | None], stages: ModelStages, tiny: bool, say: Say
) -> None:
    """Put pictures into words, for a model that reads none; of the tests first, which are the fewer."""
    if experiment.describe is None or stages.reads_pictures(example_model(experiment)):
        return
    folder = ExperimentFolder(experiment.output)
    for part in (*tests, "train"):
        describe_pictures(experiment, part, folder.test(part), tiny, say)


def _measure_curves(
    experiment: Experiment,
    tests: Mapping[str, BenchmarkTest | None],
    stages: ModelStages,
    say: Say,
    portion: Portion,
) -> ExperimentResult:
    curves = LearningCurves(
        experiment,
        tests,
        stages,
        lambda arm, seed: write_recipe(experiment, arm, seed, start_of_arm(experiment, arm, seed)),
        (_launch_file(experiment.launch), _launch_file(experiment.eval_launch)),
        say,
    )
    points, file = curves.measure(portion), ExperimentFolder(experiment.output).points
    return ExperimentResult(summaries=[curve_table(points, test) for test in tests], files=[file] * len(tests))


def _check_inputs(experiment: Experiment) -> None:
    """Look for what an experiment begins with, before anything is written; one that goes on may have all it needs."""
    if isinstance(experiment.model, Path) and not experiment.model.is_dir():
        raise no_model_folder(experiment.model, "model: ")
    check_sources(experiment)
    for name, sources in experiment.traces.items():
        for source in sources:
            if not isinstance(source, TaughtTraces) and source != SOLVED:
                file = trace_file(source, name, ExperimentFolder(experiment.output))
                if not file.is_file():
                    raise UserError(f"traces.{name}: {file}: no such file; srt teach -o {source} writes it")


def _check_settings(experiment: Experiment, stages: ModelStages) -> None:
    """Report faults of the settings before anything is written."""
    arm, seed = next(iter(experiment.trained_arms or experiment.arms)), experiment.seeds[0]
    stages.check(experiment, recipe_of(experiment, arm, seed, initial_model(experiment, arm, seed)))
    if experiment.probe is not None:
        check_probe(experiment, stages)


def _check_launch(experiment: Experiment, key: str, stages: ModelStages) -> None:
    """Report a launch file that cannot be used here."""
    path = getattr(experiment, key)
    try:
        if path is not None:
            stages.check_launch(path)
    except UserError as error:
        raise UserError(f"{key}: {error}") from None


def _launch_file(path: Path | None) -> Path | None:
    return None if path is None else find_bundled(path, "configs")


def _check_training(experiment: Experiment, now: Portion, stages: ModelStages, seed: int, say: Say) -> None:
    """Look for what a training run would refuse, in each arm, before the first one is trained."""
    folder = ExperimentFolder(experiment.output)
    recipes: dict[str, Path] = {}
    for arm in now.trained_arms(experiment):
        if not folder.model(arm, seed).exists():
            recipes[arm] = write_recipe(experiment, arm, seed, initial_model(experiment, arm, seed))
    for arm in now.learned_arms(experiment):
        recipe = first_recipe(experiment, arm, seed, initial_model(experiment, ORIGIN, seed))
        recipes |= {} if recipe is None else {arm: recipe}
    faults: dict[str, list[str]] = {}
    for arm, recipe in recipes.items():
        say(f"preflight: {arm}")
        if found := stages.preflight(recipe, _launch_file(experiment.launch)):
            faults[arm] = found
    if faults:
        arm, found = next(iter(faults.items()))
        raise UserError(f"{', '.join(faults)}: cannot be trained; {arm}: {'; '.join(found)}")


def _train_all(
    experiment: Experiment, stages: ModelStages, say: Say, now: Portion
) -> dict[tuple[str, int], TrainedModel]:
    """Train every arm with every seed, ``parallel`` at a time; returns the models of all arms, in their order."""
    failed = Event()
    launch = _launch_file(experiment.launch)

    def train(job: tuple[str, int]) -> None:
        arm, seed = job
        name = f"{arm}, seed {seed}"
        if failed.is_set():
            return
        say(f"train: {name}")
        try:
            with one_at_a_time(experiment.output, f".{arm}-{seed}.lock", f"trains {name}", say):
                recipe = write_recipe(experiment, arm, seed, start_of_arm(experiment, arm, seed))
                stages.train(recipe, launch, lambda line: say(f"{name}: {line}"))
        except BaseException as error:
            # Reported at once; the runs beside it are still waited for, and kept.
            failed.set()
            if not isinstance(error, SystemExit):  # a signal has stopped it
                say(f"{name}: failed: {error}")
            raise

    jobs = [(arm, seed) for seed in now.seeds_of(experiment) for arm in now.trained_arms(experiment)]
    if experiment.parallel == 1 or len(jobs) == 1:
        for job in jobs:  # in the main thread, where a signal is passed on to the training, which writes a checkpoint
            train(job)
    else:
        with ThreadPoolExecutor(experiment.parallel) as pool:
            list(pool.map(train, jobs))
    for seed in now.seeds_of(experiment):
        for arm in in_order(now.learned_arms(experiment)):
            say(f"learn: {arm}, seed {seed}")
            with one_at_a_time(experiment.output, f".{arm}-{seed}.lock", f"trains {arm}, seed {seed}", say):
                learn(experiment, arm, seed, stages, launch, say)
            say(cost_line(spent(experiment, arm, seed), seed))
    folder = ExperimentFolder(experiment.output)
    models: dict[tuple[str, int], TrainedModel] = {}
    for arm, seed in now.evaluated(experiment):
        origin = experiment.trained_as(arm)
        trained = folder.model(origin, seed) if origin else None
        if arm in experiment.learned_arms:
            trained = learned_model(experiment, arm, seed)
        models[arm, seed] = trained_model(experiment, origin or arm, seed, trained)
    return models


def _evaluate_all(
    experiment: Experiment,
    tests: Mapping[str, BenchmarkTest | None],
    models: Mapping[tuple[str, int], TrainedModel],
    stages: ModelStages,
    say: Say,
) -> dict[str, list[Path]]:
    """Evaluate every model on every test; the run folders by test, in the order of the arms."""
    folder = ExperimentFolder(experiment.output)
    runs: dict[str, list[Path]] = {test: [] for test in tests}
    for (arm, seed), model in models.items():
        for test, benchmark in tests.items():
            name = f"{arm}, seed {seed}" + (f", {test}" if len(tests) > 1 else "")
            say(f"evaluate: {name}")
            runs[test].append(folder.tested(test, arm, seed))
            evaluation = Evaluation(
                trained=model,
                problems=folder.test(test),
                arm=arm,
                prompt=experiment.prompt,
                out=runs[test][-1],
                benchmark=benchmark,
                settings=evaluation_settings(experiment, f"{arm}/{seed}" + (f"/{test}" if len(tests) > 1 else ""), arm),
                launch=_launch_file(experiment.eval_launch),
            )
            with one_at_a_time(experiment.output, f".{test}-{arm}-{seed}.lock", f"evaluates {name}", say):
                stages.evaluate(evaluation)
    return runs


_REHEARSAL = (
    "A tiny rehearsal: the model has random weights and a few steps of training, a stand-in has written any taught "
    "traces, and a handful of problems was asked. No figure here means anything."
)


def _compare(
    experiment: Experiment, runs: Mapping[str, list[Path]], stages: ModelStages, warning: str | None, say: Say
) -> ExperimentResult:
    folder = ExperimentFolder(experiment.output)
    title = f"{experiment.name}: {_start_in_words(experiment.model)}"
    learning = learning_costs(experiment)
    summaries, files = [], []
    for test, of_test in runs.items():
        say("compare: the arms side by side" + (f" on {test}" if len(runs) > 1 else ""))
        report = folder.report(test, len(runs))
        reporting = reporting_settings(experiment, "report" + (f"/{test}" if len(runs) > 1 else ""))
        summaries.append(stages.compare(of_test, report, title, reporting, warning, learning))
        files.append(report / "report.html")
    return ExperimentResult(summaries=summaries, files=files)


def _start_in_words(model: Model) -> str:
    match model:
        case Path(name=name):
            return name
        case ContinuedModel(continues=folder, items=items):
            return f"{folder.name} after {items:,} items"
        case InitModel(arch=arch):
            return f"{arch} from random weights"


def _init_model(experiment: Experiment, model: InitModel, stages: ModelStages, seed: int, say: Say) -> None:
    """The random weights of this seed, which every arm starts from."""
    folder = ExperimentFolder(experiment.output).start(seed)
    if not folder.exists():
        say(f"init-model: {model.arch}, seed {seed}")
        # Made beside its place and moved there whole: after a kill, half a model must not pass for one.
        making = folder.with_name(f".{folder.name}.tmp")
        shutil.rmtree(making, ignore_errors=True)
        stages.init_model(model, _texts(experiment), seed, making)
        making.rename(folder)


def _texts(experiment: Experiment) -> Iterator[str]:
    """What the tokenizer of a new model is trained on: the sequences of all arms, so that no arm is favoured."""
    assert isinstance(experiment.model, InitModel)
    arms = experiment.model.tokenizer_arms or experiment.trained_arms
    for arm in (*arms, *([PROBE] if experiment.probe else [])):
        for sequence in read_records(ExperimentFolder(experiment.output).sequences(arm), Sequence):
            yield from (message.content for message in (*sequence.prompt, *sequence.completion))
