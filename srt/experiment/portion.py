"""A portion of an experiment: what of its runs a command is to do now, so that several machines share them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from srt.experiment.experiment_recipe import MORE, Experiment
from srt.io.errors import UserError


@dataclass(frozen=True)
class Portion:
    """What of an experiment to run now: these arms and seeds, up to so many items; ``None`` is all there is.

    ``prepare``: only what all runs need, which is data and initial weights.
    """

    arms: Sequence[str] | None = None
    seeds: Sequence[int] | None = None
    items: int | None = None
    prepare: bool = False

    def check(self, experiment: Experiment) -> None:
        """Raise a :class:`UserError` if the experiment does not have what is asked for."""
        if self.items is not None and experiment.curve is None:
            raise UserError("--items chooses points of learning curves; this experiment has no curve")
        choices: list[tuple[str, Sequence[object], Sequence[object]]] = [
            ("arm", self.arms or (), experiment.arms),
            ("seed", self.seeds or (), experiment.seeds),
            ("items", [] if self.items is None else [self.items], experiment.curve.items if experiment.curve else ()),
        ]
        for name, asked, known in choices:
            if unknown := [value for value in asked if value not in known]:
                raise UserError(f"--{name}: {unknown[0]} is not one of {', '.join(map(str, known))}")

    def arms_of(self, experiment: Experiment) -> list[str]:
        """The arms to evaluate now, in the experiment's order."""
        return [arm for arm in experiment.arms if self.arms is None or arm in self.arms]

    def trained_arms(self, experiment: Experiment) -> list[str]:
        """The arms to train now, in the experiment's order."""
        needed = {experiment.trained_as(arm) for arm in self.arms_of(experiment)}
        if self.learned_arms(experiment):
            needed.add("srt")  # which they start from
        return [arm for arm in experiment.trained_arms if arm in needed]

    def learned_arms(self, experiment: Experiment) -> list[str]:
        """The arms to go on from ``srt`` with now, in the experiment's order: also that which another is as long as."""
        needed = set(self.arms_of(experiment))
        if MORE in needed:
            needed.add(experiment.matched_arm)
        return [arm for arm in experiment.learned_arms if arm in needed]

    def seeds_of(self, experiment: Experiment) -> list[int]:
        """The seeds to run now, in the experiment's order."""
        return [seed for seed in experiment.seeds if self.seeds is None or seed in self.seeds]

    def evaluated(self, experiment: Experiment) -> list[tuple[str, int]]:
        """Arm and seed of each model to evaluate now, in the experiment's order."""
        seeds = self.seeds_of(experiment)
        return [(arm, seed) for arm in self.arms_of(experiment) for seed in experiment.seeds_of(arm) if seed in seeds]

    def calls(self, experiment: Experiment) -> list[str]:
        """The options of each command that together run this portion, seed by seed.

        There is one for each model, with the arms that use it: two commands never train the same.
        """
        together: dict[tuple[str, int], list[str]] = {}
        for arm, seed in sorted(self.evaluated(experiment), key=lambda run: experiment.seeds.index(run[1])):
            together.setdefault((experiment.trained_as(arm) or arm, seed), []).append(arm)
        return [" ".join([*(f"--arm {arm}" for arm in arms), f"--seed {seed}"]) for (_, seed), arms in together.items()]
