"""Keys of an experiment's recipe that contradict each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from srt.experiment.experiment_blocks import ContinuedModel, Curve, InitModel, TaughtTraces
from srt.experiment.experiment_recipe import SET_BY_EXPERIMENT, Experiment
from srt.language.arms import arm_named

LENGTH = ("steps", "epochs")
"""The keys that say how long a training run is."""


def contradictions(experiment: Experiment) -> list[str]:
    """Every contradiction of ``experiment``, each with the keys that it is about."""
    faults = [*_of_stages(experiment), *_of_traces(experiment), *_of_held_out(experiment), *_of_model(experiment)]
    if not experiment.test_problems and not experiment.benchmarks:
        faults.append("test_problems, benchmarks: at least one test is needed")
    faults += [*_of_shots(experiment), *_of_learn(experiment), *_of_hub(experiment)]
    if experiment.curve is not None:
        faults += _of_curve(experiment, experiment.curve)
    return faults


def _of_stages(experiment: Experiment) -> list[str]:
    if (experiment.train_problems is None) == (experiment.stages is None):
        return ["train_problems, stages: give one of them"]
    if experiment.stages is None:
        return []
    if not experiment.stages:
        return ["stages: the list is empty; give each stage its name, train_problems and items"]
    faults = [f"train: {key}: the items of the stages decide this" for key in LENGTH if experiment.train.get(key)]
    names = Counter(stage.name for stage in experiment.stages)
    faults += [f"stages: {name} is listed more than once" for name, count in names.items() if count > 1]
    total = sum(stage.items for stage in experiment.stages)
    if experiment.curve is not None and experiment.curve.items[-1] != total:
        faults.append(f"stages: have {total} items together, but curve.items ends at {experiment.curve.items[-1]}")
    return faults


def _of_traces(experiment: Experiment) -> Iterator[str]:
    used = {experiment.traces_of(arm)[0] for arm in experiment.trained_arms}
    if idle := [name for name in experiment.traces if name not in used]:
        yield f"traces: {', '.join(idle)}: no arm of this experiment is made from them"
    for name, sources in experiment.traces.items():
        if name not in ("srt", "cot") and any(isinstance(source, TaughtTraces) for source in sources):
            yield f"traces.{name}: srt teach writes traces of srt and of cot"


def _of_held_out(experiment: Experiment) -> Iterator[str]:
    for key in ("eval_steps", "generations", "early_stopping"):
        if experiment.train.get(key) and experiment.held_out is None:
            yield f"train: {key}: needs held_out, the number of problems that are kept from training"
    if experiment.held_out is not None and not experiment.train.get("eval_steps"):
        yield "held_out: needs train.eval_steps, the number of steps after which these problems are looked at"


def _of_model(experiment: Experiment) -> Iterator[str]:
    model = experiment.model
    wanted = model.tokenizer_arms if isinstance(model, InitModel) else []
    if unknown := [arm for arm in wanted if arm not in experiment.trained_arms]:
        yield f"model: tokenizer_arms: {', '.join(unknown)}: not among the arms that are trained"
    untrained = [arm for arm in experiment.arms if experiment.trained_as(arm) is None]
    if isinstance(model, ContinuedModel) and untrained:
        yield f"model: continues: {', '.join(untrained)}: no other experiment has trained this arm"
    if experiment.probe is not None and (not isinstance(model, InitModel) or not experiment.test_problems):
        yield "probe: needs a new model (model: {arch: ...}) and test_problems, whose pictures are read"


def _of_shots(experiment: Experiment) -> Iterator[str]:
    shown = {arm: of for arm in experiment.arms if (of := arm_named(arm).shots)}
    for arm, of in shown.items():
        if of not in experiment.trained_arms:
            yield f"arms: {arm}: shows sequences of {of}, which must be among the arms"
    if shown and "shots" not in experiment.evaluate:
        yield f"arms: {next(iter(shown))}: needs evaluate.shots, the number of worked examples before each question"
    if not shown and "shots" in experiment.evaluate:
        yield "evaluate: shots: no arm shows worked examples; name one in arms (base+srt-shots, ...), or remove the key"


def _of_learn(experiment: Experiment) -> Iterator[str]:
    learned, learn = experiment.learned_arms, experiment.learn
    if not learned:
        if learn is not None:
            yield "learn: no arm goes on from srt; name one in arms (srt+rft, srt+dpo, ...), or remove the key"
        return
    if "srt" not in experiment.arms:
        yield f"arms: {learned[0]}: goes on from srt, which must be among the arms"
    if learn is None:
        yield f"arms: {learned[0]}: needs learn, as in learn: {{problems: 2000, train: {{steps: 200}}}}"
    else:
        if not isinstance(learn.train.get("steps"), int):
            yield "learn: train: steps: missing; it is the length of a round"
        for name, block in (("train", learn.train), ("dpo", learn.dpo), ("grpo", learn.grpo)):
            taken = (*SET_BY_EXPERIMENT, *(["objective"] if name == "train" else []))
            keys = {*block, *(f"{key}.{inner}" for key, of in block.items() if isinstance(of, dict) for inner in of)}
            for key in (key for key in taken if key in keys):
                yield f"learn.{name}: {key}: must be left out, because the experiment sets it"
    if learned == ["srt+more"]:
        yield "arms: srt+more: takes as many tokens as another arm that goes on from srt; name that too"
    for key, is_set in (("curve", experiment.curve), ("stages", experiment.stages), ("probe", experiment.probe)):
        if is_set is not None:
            yield f"arms: {learned[0]}: does not go with {key}"
    if experiment.train.get("lora") is not None:
        yield f"arms: {learned[0]}: goes on from whole weights, and train.lora leaves an adapter"


def _of_hub(experiment: Experiment) -> Iterator[str]:
    """A name on the hub is that of one model."""
    learn = experiment.learn
    blocks = {"train": experiment.train}
    if learn is not None:
        blocks |= {"learn.train": learn.train, "learn.dpo": learn.dpo, "learn.grpo": learn.grpo}
    runs = len(experiment.seeds) * len([*experiment.trained_arms, *experiment.learned_arms])
    for key in (key for key, block in blocks.items() if block.get("hub") and runs > 1):
        yield f"{key}: hub: one name for the models of {runs} runs; leave it out, and upload the one that you want"


def _of_curve(experiment: Experiment, curve: Curve) -> Iterator[str]:
    # With stages, their rule has named these keys already.
    for key in () if experiment.stages else LENGTH:
        if key in experiment.train:
            yield f"train: {key}: the last of curve.items decides this"
    batch_size = experiment.train.get("batch_size")
    if not isinstance(batch_size, int) or batch_size < 1:
        yield "train: batch_size: a whole number above 0 was expected"
        return
    if odd := [items for items in curve.items if items % batch_size]:
        yield f"curve: items: {odd[0]} is no multiple of train.batch_size, {batch_size}"
    if len(curve.items) > 1 and experiment.train.get("scheduler") != "constant":
        yield "train: scheduler: constant was expected: with another, a point depends on those after it"
    yield from _of_decay(experiment, curve, batch_size)


def _of_decay(experiment: Experiment, curve: Curve, batch_size: int) -> Iterator[str]:
    """Only the last point may be measured after the learning rate has begun to fall."""
    decay, last = experiment.train.get("decay"), curve.items[-1]
    # What is no number of steps and no share, the training recipe refuses.
    if not isinstance(decay, int | float) or not 0 < decay < last / batch_size or len(curve.items) < 2:
        return
    begins = last - (decay * batch_size if decay >= 1 else decay * last)
    if curve.items[-2] > begins:
        yield f"train: decay: begins after {begins:,.0f} items, before the point of {curve.items[-2]:,}"
