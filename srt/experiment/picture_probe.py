"""The probe: before any arm is trained, the model learns to read single places of pictures, and must be able to.

A vision model with random weights that cannot tell whether a square is there learns nothing from a trace that says so,
and arms that are compared on top of it say nothing about traces. So the weights that all arms start from are first
trained on questions about single places of the pictures of the training problems
(:meth:`srt.worlds.world.Figures.readings`), and asked about pictures of the test. If too few answers are right, the
experiment ends there.

OUTPUT/data/probe.jsonl            the questions that are asked
OUTPUT/data/probe.sequences.jsonl  those that are trained on
OUTPUT/runs/probe-S/               the training run of seed S; its model is what all arms of this seed start from, or,
                                   where one probe is shared, of all seeds
OUTPUT/tested/probe/answer-S/      what was answered
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from srt.experiment.experiment_blocks import Probe
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_models import PROBE, example_model, initial_model
from srt.experiment.experiment_recipe import TEST, Experiment
from srt.experiment.model_stages import Evaluation, ModelStages, Say, TrainedModel
from srt.experiment.problem_sources import SampledSource
from srt.experiment.training_recipes import evaluation_settings, write_recipe
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.io.records import Answer, Message, Problem, Sequence, Span
from srt.language.prompts import prompt_messages
from srt.language.text import answer_line
from srt.worlds.world_registry import world_named, world_of, worlds

_ARM = "answer"


def check_probe(experiment: Experiment, stages: ModelStages) -> None:
    """Raise a :class:`UserError` where the model cannot see, or all problems are of worlds that show nothing."""
    if not stages.reads_pictures(example_model(experiment)):
        raise UserError("probe: the model reads no pictures; a vision model was expected (model: {arch: qwen2_5_vl})")
    sources = [*(experiment.train_problems or ()), *experiment.test_problems]
    if all(isinstance(one, SampledSource) and not world_named(one.world).extras.figures.picture for one in sources):
        names = ", ".join(sorted({one.world for one in sources if isinstance(one, SampledSource)}))
        raise UserError(f"probe: no problem of the world {names} shows a picture; {_showing()}")


def _showing() -> str:
    names = [world.name for world in worlds() if world.extras.figures.picture]
    return f"these do: {', '.join(names)}"


def write_probe(experiment: Experiment, say: Say) -> None:
    """Write the questions of the probe, those that are asked and those that are trained on; what is there is kept.

    Raises:
        UserError: the problems show nothing that a world could ask single places of.
    """
    folder, probe = ExperimentFolder(experiment.output), experiment.probe
    if probe is None or folder.sequences(PROBE).exists():
        return
    say("probe: questions about single places of the pictures")
    asked = [one for found in _questions(folder.test(TEST), probe.asked_of_each) for one in found]
    random.Random(0).shuffle(asked)
    write_records(folder.test(PROBE), asked[: probe.asked])
    trained = list(_sequences(experiment, folder.train))
    if not asked or not trained:
        raise UserError("probe: no problem of this experiment shows a picture with places that can be asked for")
    random.Random(0).shuffle(trained)
    write_records(folder.sequences(PROBE), trained)


def pass_probe(experiment: Experiment, stages: ModelStages, seeds: Iterable[int], say: Say) -> None:
    """Train the weights that arms start from with ``seeds``, if there is a probe.

    Raises:
        UserError: with some seed too few of the answers are right.
    """
    probe = experiment.probe
    if probe is None:
        return
    seeds = experiment.seeds[:1] if probe.shared else list(seeds)

    def train(seed: int) -> None:
        say(f"train: {PROBE}, seed {seed}")
        recipe = write_recipe(_of_probe(experiment, probe), PROBE, seed, initial_model(experiment, PROBE, seed))
        stages.train(recipe, None, lambda line: say(f"{PROBE}, seed {seed}: {line}"))

    with ThreadPoolExecutor(experiment.parallel) as pool:
        list(pool.map(train, seeds))
    for seed in seeds:
        _judge(experiment, probe, stages, seed, say)


def _judge(experiment: Experiment, probe: Probe, stages: ModelStages, seed: int, say: Say) -> None:
    """Ask the questions of the probe; raise where too few answers are right."""
    folder = ExperimentFolder(experiment.output)
    out = folder.tested(PROBE, _ARM, seed)
    model = TrainedModel(folder.model(PROBE, seed))
    settings = {**evaluation_settings(experiment, f"{PROBE}/{seed}"), "max_new_tokens": _LONGEST_ANSWER}
    stages.evaluate(Evaluation(model, folder.test(PROBE), _ARM, experiment.prompt, out, settings=settings))
    right = stages.figures(out).right
    count, share = right.count("1"), right.count("1") / len(right)
    read = f"{PROBE}, seed {seed}: {count} of {len(right)} places of unseen pictures are read correctly ({share:.1%})"
    say(read)
    if share < probe.enough:
        raise UserError(
            f"{read}; {probe.enough:.0%} are needed before an arm is trained: train the probe for longer "
            "(probe.train.steps), or ask for less (probe.enough)"
        )


_LONGEST_ANSWER = 8  # tokens


def _of_probe(experiment: Experiment, probe: Probe) -> Experiment:
    """The experiment with the training settings of its probe: every place is held to be seen, nothing is held out."""
    train = {key: value for key, value in experiment.train.items() if key not in _OF_ARMS}
    train |= probe.train
    return experiment.model_copy(update={"train": train, "held_out": None, "curve": None, "stages": None})


_OF_ARMS = ("eval_steps", "generations", "early_stopping", "load_best_model_at_end", "too_long")
"""Keys of training that need held-out problems or the sequences of other arms."""


def _questions(problems: Path, of_each: int | None) -> Iterator[list[Problem]]:
    """For each of ``problems`` questions about its picture in random order, at most ``of_each``."""
    for problem in read_problems(problems).values():
        if found := list(_of_picture(problem, of_each)):
            yield found


def _of_picture(problem: Problem, of_each: int | None) -> Iterator[Problem]:
    world = world_of(problem)
    found = [] if world is None or not problem.images else world.extras.figures.readings(problem)
    order = random.Random(problem.id).sample(range(len(found)), len(found))
    for number in order[:of_each]:
        question, answer = found[number]
        asked = Problem(
            id=f"{problem.id}-place-{number}",
            source=PROBE,
            lang=problem.lang,
            question=question,
            images=problem.images,
            answer=Answer(kind="number", value=answer),
            group_id=problem.group_id,
        )
        yield asked.model_copy(update={"split": problem.split})


def _sequences(experiment: Experiment, problems: Path) -> Iterator[Sequence]:
    """About each picture one sequence with all questions, one after the other, and some with one question alone.

    A picture costs much and a question little: with single questions only, a model needs several times as long before
    it sees anything. Without single ones it does not learn to stop after the answer, and reads less well where it
    answers first.
    """
    for questions in _questions(problems, None):
        first = questions[0]
        yield _sequence(experiment, first.model_copy(update={"question": f"{first.question} ..."}), questions)
        for one in questions[:_ALONE]:
            yield _sequence(experiment, one, [one])


_ALONE = 3


def _sequence(experiment: Experiment, asked: Problem, questions: list[Problem]) -> Sequence:
    """``asked`` is the prompt; the completion answers it, and then asks and answers the other ``questions``."""
    text, spans = "", list[Span]()
    for one in questions:
        assert one.answer is not None
        answer = str(one.answer.value)
        text += f"\n{one.question} {answer}" if text else answer_line(answer, one.lang)
        spans.append(Span(start=len(text) - len(answer), end=len(text), label="ANSWER"))
    return Sequence(
        problem_id=asked.id,
        trace_id=f"{asked.id}-{len(questions)}",
        arm=PROBE,
        lang=asked.lang,
        prompt=prompt_messages(asked, experiment.prompt, pictures=True),
        completion=[Message(role="assistant", content=text)],
        images=asked.images,
        spans=spans,
    )
