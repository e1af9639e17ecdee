"""Arms that go on from the trained model of ``srt``, by the verdicts on its own samples of the training problems.

``srt+rft``         rounds of: sample, keep the proved traces (``srt harvest``), train on them
``srt+rft-guided``  the same, with each line proved before the next while sampling (``--decode proved``)
``srt+dpo``         rounds of: sample, make pairs (``srt pairs``), train on them with ``objective: dpo``
``srt+more``        the sequences of ``srt`` again, until it has seen as many tokens as the first of the other learned
                    arms has read, sampled and trained on in all its rounds

All start from the same weights, and what the first round samples is shared. The steps of a round and the learning rate
are those of ``learn.train``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import yaml

from srt.experiment.experiment_blocks import Learn
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import MORE, Experiment
from srt.experiment.model_stages import Evaluation, ModelStages, Say, TrainedModel
from srt.experiment.training_recipes import evaluation_settings, recipe_of
from srt.io.atomic_files import write_atomically
from srt.io.problem_files import stream_problems
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Prediction
from srt.language.arms import arm_named
from srt.pipeline.build import build_file

ORIGIN = "srt"
"""The arm whose trained model they start from."""
_NOT_OF_PAIRS = (
    "pack", "neftune", "loss", "other_arms", "eval_steps", "generations", "early_stopping", "load_best_model_at_end",
    "gradient_checkpointing",
)  # fmt: skip
"""Keys of a training recipe that do not go with ``objective: dpo``."""


class Spent(NamedTuple):
    """What an arm has taken beyond ``srt``: tokens read and sampled, tokens trained on, and seconds of each."""

    sampled: int = 0
    trained: int = 0
    sampling_seconds: float = 0.0
    training_seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.sampled + self.trained

    def line(self, arm: str, seed: int) -> str:
        """For people."""
        return (
            f"{arm}, seed {seed}: after {ORIGIN} {self.sampled:,} tokens were read and sampled in "
            f"{self.sampling_seconds:,.0f} s, and {self.trained:,} trained on in {self.training_seconds:,.0f} s"
        )


def learn(experiment: Experiment, arm: str, seed: int, stages: ModelStages, launch: Path | None, say: Say) -> None:
    """Train ``arm`` with ``seed``, from the trained model of ``srt``; what is done is not done again.

    Raises:
        UserError: no sample is proved, or no problem has a pair.
    """
    assert experiment.learn is not None
    folder = ExperimentFolder(experiment.output)
    name = f"{arm}, seed {seed}"
    for number in range(1, _rounds(experiment, arm) + 1):
        at, start = _round(folder, arm, seed, number), _model(folder, arm, seed, number - 1)
        data = folder.sequences(ORIGIN)
        if arm != MORE:
            samples = _samples(folder, arm, seed, number)
            problems = samples.with_name(f"{samples.name}.problems.jsonl")
            say(f"{name}: round {number}: sample")
            _sample(experiment, arm, seed, number, TrainedModel(start), problems, stages)
            data = _data(experiment, arm, problems, samples, at, stages)
        recipe = learned_recipe(experiment, arm, seed, number, start, data)
        if arm == MORE:
            once = orjson.loads((start / "train.json").read_bytes())
            tokens = spent(experiment, experiment.matched_arm, seed).tokens
            recipe["steps"] = max(1, round(tokens * once["steps"] / once["tokens"]))
        at.mkdir(parents=True, exist_ok=True)
        write_atomically(at / "recipe.yaml", [yaml.safe_dump(recipe, sort_keys=False).encode()])
        stages.train(at / "recipe.yaml", launch, lambda line: say(f"{name}: {line}"))


def spent(experiment: Experiment, arm: str, seed: int) -> Spent:
    """What ``arm``, trained with ``seed``, has taken."""
    folder, total = ExperimentFolder(experiment.output), Spent()
    for number in range(1, _rounds(experiment, arm) + 1):
        trained = orjson.loads((_model(folder, arm, seed, number) / "train.json").read_bytes())
        rows = [] if arm == MORE else list(_predictions(_samples(folder, arm, seed, number)))
        total = Spent(
            total.sampled + sum((row.input_tokens or 0) + (row.output_tokens or 0) for row in rows),
            total.trained + trained["tokens"],
            total.sampling_seconds + sum(row.seconds for row in rows),
            total.training_seconds + trained["seconds"],
        )
    return total


def in_order(arms: list[str]) -> list[str]:
    """``arms``, with the one whose length is that of another behind it."""
    return sorted(arms, key=lambda arm: arm == MORE)


def learned_model(experiment: Experiment, arm: str, seed: int) -> Path:
    """What ``arm`` has become in all its rounds."""
    return _model(ExperimentFolder(experiment.output), arm, seed, _rounds(experiment, arm))


def _rounds(experiment: Experiment, arm: str) -> int:
    return 1 if arm == MORE or experiment.learn is None else experiment.learn.rounds


def _round(folder: ExperimentFolder, arm: str, seed: int, number: int) -> Path:
    """The folder of a round."""
    return folder.learned(arm, seed, number).parent


def _model(folder: ExperimentFolder, arm: str, seed: int, number: int) -> Path:
    """What ``arm`` has become after so many rounds."""
    return folder.learned(arm, seed, number) if number else folder.model(ORIGIN, seed)


def _samples(folder: ExperimentFolder, arm: str, seed: int, number: int) -> Path:
    """The samples that a round learns from; those of the first are the same for all that sample in one way."""
    name = "guided" if _is_guided(arm) else "samples"
    return (folder.run(ORIGIN, seed) if number == 1 else _round(folder, arm, seed, number)) / name


def _is_guided(arm: str) -> bool:
    return arm_named(arm).learns == "rft-guided"


def _sample(
    experiment: Experiment,
    arm: str,
    seed: int,
    number: int,
    model: TrainedModel,
    problems: Path,
    stages: ModelStages,
) -> None:
    settings: Learn = experiment.learn  # type: ignore[assignment]
    folder = ExperimentFolder(experiment.output)
    samples = _samples(folder, arm, seed, number)
    samples.parent.mkdir(parents=True, exist_ok=True)
    if not problems.exists():
        given = list(stream_problems(folder.train))
        first = (number - 1) * settings.problems
        # Each round takes the next problems, and the first ones again after the last.
        write_records(problems, islice(cycle(given), first, first + min(settings.problems, len(given))))
    guided = {"decode": "proved"} if _is_guided(arm) else {}
    asked = {"repeats": settings.samples, "temperature": settings.temperature, **guided}
    evaluation = Evaluation(
        trained=model,
        problems=problems,
        arm=ORIGIN,
        prompt=experiment.prompt,
        out=samples,
        settings=evaluation_settings(experiment, f"{arm}/{seed}/samples") | asked,
    )
    stages.evaluate(evaluation)


def _data(experiment: Experiment, arm: str, problems: Path, samples: Path, at: Path, stages: ModelStages) -> Path:
    """What a round is trained on, made of its samples."""
    settings: Learn = experiment.learn  # type: ignore[assignment]
    at.mkdir(parents=True, exist_ok=True)
    if arm_named(arm).learns == "dpo":
        pairs = at / "pairs.jsonl"
        if not pairs.exists():
            stages.pairs(samples, pairs, settings.most)
        return pairs
    sequences = at / "data" / "sequences.jsonl"
    if not sequences.exists():
        stages.harvest(samples, at / "traces.jsonl", settings.most)
        build_file(
            at / "traces.jsonl", problems, ORIGIN, sequences.parent, prompt=experiment.prompt, text=experiment.text
        )
    return sequences


def learned_recipe(experiment: Experiment, arm: str, seed: int, number: int, start: Path, data: Path) -> dict[str, Any]:
    """The training recipe of round ``number`` of ``arm``: that of ``srt``, changed by ``learn.train``.

    How long ``srt+more`` is depends on another arm, and is not in it.
    """
    settings: Learn = experiment.learn  # type: ignore[assignment]
    folder = ExperimentFolder(experiment.output)
    base = recipe_of(experiment, ORIGIN, seed, start)
    base.pop("epochs", None)  # a round is so many steps long
    base |= settings.train
    if arm_named(arm).learns == "dpo":
        base = {key: value for key, value in base.items() if key not in (*_NOT_OF_PAIRS, "eval_data")}
        # The way of attending was chosen for other batches.
        model = {key: value for key, value in base["model"].items() if key != "attn"}
        base |= {"model": model, "objective": "dpo", **settings.dpo}
    own = {
        "data": str(data),
        "output": str(_model(folder, arm, seed, number)),
        # Not the order in which ``srt`` has seen them.
        "seed": seed + number,
        "logging": {**base["logging"], "name": f"{experiment.name}/{arm}/{seed}/{number}"},
    }
    return {**base, **own}


def _predictions(run: Path) -> Iterator[Prediction]:
    return read_records(run / "predictions.jsonl", Prediction)
