"""Arms that go on from the trained model of ``srt``, by the verdicts on its own samples of the training problems.

``srt+rft``         rounds of: sample, keep the proved traces (``srt harvest``), train on them
``srt+rft-guided``  the same, with each line proved before the next while sampling (``--decode proved``)
``srt+dpo``         rounds of: sample, make pairs (``srt pairs``), train on them with ``objective: dpo``
``srt+grpo``        ``objective: grpo`` on the problems of all rounds; ``srt+grpo-first-fault`` with that credit
``srt+more``        the sequences of ``srt`` again, until it has seen as many tokens as the first of the other learned
                    arms has read, sampled and trained on in all its rounds

All start from the same weights, and what the first round samples is shared. The steps of a round and the learning rate
are those of ``learn.train``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import orjson
import yaml

from srt.experiment.experiment_blocks import Learn
from srt.experiment.experiment_folder import ExperimentFolder, one_at_a_time
from srt.experiment.experiment_recipe import MORE, Experiment
from srt.experiment.model_stages import Evaluation, LearningCost, ModelStages, Say, TrainedModel
from srt.experiment.training_recipes import evaluation_settings, recipe_of
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.problem_files import stream_problems
from srt.io.record_reader import count_lines, read_records
from srt.io.record_writer import write_records
from srt.io.records import Pair, Prediction, Sequence
from srt.io.yaml_config import merged
from srt.language.arms import arm_named
from srt.pipeline.build import build_file

ORIGIN = "srt"
"""The arm whose trained model they start from."""
_OF_SFT = (
    "data", "pack", "neftune", "loss", "other_arms", "eval_data", "eval_steps", "generations", "early_stopping",
    "load_best_model_at_end",
)  # fmt: skip
"""Keys of a training recipe that do not go with the other objectives."""
_PAIRS_TRIED = 1_000  # in a preflight


def check_learn(experiment: Experiment) -> None:
    """Raise a :class:`UserError` if a round is to have more problems than there are."""
    asked, there = _settings(experiment).problems, count_lines(ExperimentFolder(experiment.output).train)
    if asked > there:
        raise UserError(f"learn.problems: {asked:,}, and there are {there:,} training problems")


def learn(experiment: Experiment, arm: str, seed: int, stages: ModelStages, launch: Path | None, say: Say) -> None:
    """Train ``arm`` with ``seed``, from the trained model of ``srt``; what is done is not done again.

    Raises:
        UserError: no sample is proved, or no problem has a pair.
    """
    folder, name = ExperimentFolder(experiment.output), f"{arm}, seed {seed}"
    for number in range(1, _rounds(experiment, arm) + 1):
        at, start = _round(folder, arm, seed, number), _model(folder, arm, seed, number - 1)
        data = folder.sequences(ORIGIN)
        if _samples_first(arm):
            samples = _samples(folder, arm, seed, number)
            problems = samples.with_name(f"{samples.name}.problems.jsonl")
            say(f"{name}: round {number}: sample")
            # The arms share the samples of the first round, and commands may run two arms at the same time.
            lock = f".{samples.parent.name}-{samples.name}.lock"
            with one_at_a_time(experiment.output, lock, f"samples for {name}", say):
                _sample(experiment, arm, seed, number, TrainedModel(start), problems, stages)
            data = _data(experiment, arm, problems, samples, at, stages)
        elif arm != MORE:
            data = _policy_problems(experiment, at)
        recipe = learned_recipe(experiment, arm, seed, number, start, data)
        if arm == MORE:
            once = orjson.loads((start / "train.json").read_bytes())
            tokens = spent(experiment, experiment.matched_arm, seed).tokens
            recipe["steps"] = max(1, round(tokens * once["steps"] / once["tokens"]))
        stages.train(_write_recipe(at, recipe), launch, lambda line: say(f"{name}: {line}"))


def first_recipe(experiment: Experiment, arm: str, seed: int, start: Path) -> Path | None:
    """The recipe of the first round of ``arm``, for a preflight before anything is trained; ``None`` if it is done.

    ``start`` are initial weights, in the place of trained ones. Where the data of the round come of samples, sequences
    of ``srt`` stand for those; a pair has one of another problem as its rejected side.
    """
    folder = ExperimentFolder(experiment.output)
    at, data = _round(folder, arm, seed, 1), folder.sequences(ORIGIN)
    if _model(folder, arm, seed, 1).exists():
        return None
    learns = str(arm_named(arm).learns)
    if learns == "dpo":
        given = list(islice(read_records(data, Sequence), _PAIRS_TRIED + 1))
        data = at / "preflight.jsonl"
        at.mkdir(parents=True, exist_ok=True)
        write_records(data, (_stand_in(a, b) for a, b in pairwise(given) if a.completion != b.completion))
    elif learns.startswith("grpo"):
        data = _policy_problems(experiment, at)
    recipe = learned_recipe(experiment, arm, seed, 1, start, data)
    return _write_recipe(at, recipe)


def spent(experiment: Experiment, arm: str, seed: int) -> LearningCost:
    """What ``arm``, trained with ``seed``, has taken in all its rounds."""
    folder, rounds = ExperimentFolder(experiment.output), range(1, _rounds(experiment, arm) + 1)
    trained = [orjson.loads((_model(folder, arm, seed, number) / "train.json").read_bytes()) for number in rounds]
    tokens = sum(one["tokens"] for one in trained)
    samples = [_samples(folder, arm, seed, number) for number in rounds] if _samples_first(arm) else []
    rows = [row for run in samples for row in _predictions(run)]
    sampled = sum((row.input_tokens or 0) + (row.output_tokens or 0) for row in rows)
    return LearningCost(
        arm=arm,
        # Those of GRPO are sampled while it trains, and then trained on.
        sampled=sampled if _samples_first(arm) or arm == MORE else tokens,
        trained=tokens,
        sampling_seconds=sum(row.seconds for row in rows),
        training_seconds=sum(one["seconds"] for one in trained),
    )


def cost_line(cost: LearningCost, seed: int) -> str:
    """``cost`` of the run with ``seed``, for people."""
    return (
        f"{cost.arm}, seed {seed}: after {ORIGIN} {cost.sampled:,.0f} tokens were read and sampled in "
        f"{cost.sampling_seconds:,.0f} s, and {cost.trained:,.0f} trained on in {cost.training_seconds:,.0f} s"
    )


def learning_costs(experiment: Experiment) -> list[LearningCost]:
    """What each of these arms has taken, as a mean over all seeds."""
    return [
        LearningCost(
            arm=arm,
            runs=len(experiment.seeds),
            **{
                figure: fmean(getattr(cost, figure) for cost in costs)
                for figure in ("sampled", "trained", "sampling_seconds", "training_seconds")
            },
        )
        for arm in experiment.learned_arms
        for costs in [[spent(experiment, arm, seed) for seed in experiment.seeds]]
    ]


def in_order(arms: list[str]) -> list[str]:
    """``arms``, with the one whose length is that of another behind it."""
    return sorted(arms, key=lambda arm: arm == MORE)


def learned_model(experiment: Experiment, arm: str, seed: int) -> Path:
    """What ``arm`` has become in all its rounds."""
    return _model(ExperimentFolder(experiment.output), arm, seed, _rounds(experiment, arm))


def _settings(experiment: Experiment) -> Learn:
    """The block ``learn``, which an experiment with learned arms has."""
    assert experiment.learn is not None
    return experiment.learn


def _rounds(experiment: Experiment, arm: str) -> int:
    return _settings(experiment).rounds if _samples_first(arm) else 1


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


def _samples_first(arm: str) -> bool:
    """Whether ``arm`` is trained on files that are made of its samples."""
    return arm_named(arm).learns in ("rft", "rft-guided", "dpo")


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
    settings = _settings(experiment)
    folder = ExperimentFolder(experiment.output)
    samples = _samples(folder, arm, seed, number)
    _choose(experiment, (number - 1) * settings.problems, settings.problems, problems)
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


def _choose(experiment: Experiment, first: int, count: int, out: Path) -> None:
    """Write ``count`` training problems to ``out``, from ``first`` on, and the first ones again after the last."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if not out.exists():
        given = list(stream_problems(ExperimentFolder(experiment.output).train))
        write_records(out, islice(cycle(given), first, first + min(count, len(given))))


def _policy_problems(experiment: Experiment, at: Path) -> Path:
    """The problems of all rounds, which the arms of GRPO learn from in one."""
    settings, problems = _settings(experiment), at / "problems.jsonl"
    _choose(experiment, 0, settings.problems * settings.rounds, problems)
    return problems


def _stand_in(chosen: Sequence, rejected: Sequence) -> Pair:
    shared = {"problem_id": chosen.problem_id, "arm": chosen.arm, "lang": chosen.lang, "prompt": chosen.prompt}
    return Pair(**shared, chosen=chosen.completion, rejected=rejected.completion, fault="stands in for a sample")


def _write_recipe(at: Path, recipe: dict[str, Any]) -> Path:
    at.mkdir(parents=True, exist_ok=True)
    write_atomically(at / "recipe.yaml", [yaml.safe_dump(recipe, sort_keys=False).encode()])
    return at / "recipe.yaml"


def _data(experiment: Experiment, arm: str, problems: Path, samples: Path, at: Path, stages: ModelStages) -> Path:
    """What a round is trained on, made of its samples."""
    settings = _settings(experiment)
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
    settings = _settings(experiment)
    folder = ExperimentFolder(experiment.output)
    base = recipe_of(experiment, ORIGIN, seed, start)
    base.pop("epochs", None)  # a round is so many steps long
    base |= settings.train
    learns = str(arm_named(arm).learns)
    of_pairs, of_policy = learns == "dpo", learns.startswith("grpo")
    if of_pairs or of_policy:
        base = {key: value for key, value in base.items() if key not in _OF_SFT}
        # The way of attending was chosen for other batches.
        base["model"] = {key: value for key, value in base["model"].items() if key != "attn"}
    if of_pairs:
        base = merged({**base, "objective": {"dpo": {}}}, settings.dpo)
    if of_policy:
        grpo = {
            **{"prompt": experiment.prompt, "plan": experiment.plan, "text": experiment.text},
            **{"samples": settings.samples, "temperature": settings.temperature, "problems": str(data)},
            **{key: experiment.evaluate[key] for key in ("max_new_tokens",) if key in experiment.evaluate},
            "credit": "trace" if learns == "grpo" else "first_fault",
        }
        base = merged({**base, "objective": {"grpo": grpo}}, settings.grpo)
    own = {
        **({} if of_policy else {"data": str(data)}),
        "output": str(_model(folder, arm, seed, number)),
        # Not the order in which ``srt`` has seen them.
        "seed": seed + number,
        "logging": {**base["logging"], "name": f"{experiment.name}/{arm}/{seed}/{number}"},
    }
    return {**base, **own}


def _predictions(run: Path) -> Iterator[Prediction]:
    return read_records(run / "predictions.jsonl", Prediction)
