"""What choosing among sampled answers is worth, at the last point of each curve.

    python -m research.sampled runs/research/FAMILY [--arm srt] [--samples 8] [--temperature 0.7]

asks every test problem so many times at that temperature, beside the greedy answer that the curve has. ``voted`` is the
most frequent answer, which needs no checker. ``checked`` is the first sample whose trace the checker proves, or else
the greedy answer; the checker sees the problem and not its answer. ``oracle`` is right where any sample is: nobody can
choose better. What an answer is worth that is believed because its trace is proved, or because all samples agree, can
be read off the same rows. They go to ``sampled.jsonl`` in the folder of the curve; what is there is not measured again.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from eval.records.run_records import Run
from eval.run.scored_run import read_run
from srt.cli.experiment_stages import TrainAndEval
from srt.experiment.experiment_folder import ExperimentFolder, read_experiment
from srt.experiment.experiment_models import trained_at
from srt.experiment.experiment_recipe import TEST
from srt.experiment.learning_curve import read_points
from srt.experiment.model_stages import Evaluation
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Record

SAMPLED = "sampled.jsonl"


class SampledPoint(Record):
    """One arm with one seed after ``items`` training sequences, asked ``samples`` times at ``temperature``.

    ``greedy``, ``voted``, ``checked`` and ``oracle`` have a character for each test problem, in their order: ``1`` if
    it is right, else ``0``. So have ``greedy_proved`` (whether the greedy trace is proved) and ``unanimous`` (whether
    all samples give one answer, ``voted``); they are empty in the oldest rows. ``proved`` is the share of problems with
    a proved sample. Tokens are output tokens of a problem: ``sampled_tokens`` those of all its samples together.
    """

    arm: str
    seed: int
    items: int
    samples: int
    temperature: float
    greedy: str
    voted: str
    checked: str
    oracle: str
    greedy_proved: str = ""
    unanimous: str = ""
    proved: float
    greedy_tokens: float
    sampled_tokens: float


def measure(root: Path, arms: list[str], samples: int, temperature: float) -> list[SampledPoint]:
    """The points of the experiment in ``root``, with what was missing of ``arms``: each at the end of its curve."""
    experiment, folder, stages = read_experiment(root), ExperimentFolder(root), TrainAndEval()
    last: dict[tuple[str, int], int] = {}
    for point in read_points(folder):
        if point.test == TEST and point.arm in arms:
            last[point.arm, point.seed] = max(point.items, last.get((point.arm, point.seed), 0))
    for (arm, seed), items in sorted(last.items()):
        done = {(p.arm, p.seed, p.items, p.samples, p.temperature) for p in read_sampled(folder.curve)}
        if (arm, seed, items, samples, temperature) in done:
            continue
        out = root / "sampled" / f"{arm}-{seed}" / f"{items}-{samples}-{temperature}"
        stages.evaluate(
            Evaluation(
                trained=trained_at(experiment, arm, seed, items),
                problems=folder.test(TEST),
                arm=arm,
                prompt=experiment.prompt,
                out=out,
                settings={**experiment.evaluate, "repeats": samples, "temperature": temperature},
            )
        )
        greedy = read_run(folder.measured(TEST, arm, seed, items))
        point = choose(greedy, read_run(out), seed, items)
        write_records(folder.curve / SAMPLED, [*read_sampled(folder.curve), point])
    return read_sampled(folder.curve)


def read_sampled(folder: Path) -> list[SampledPoint]:
    """The points in the file :data:`SAMPLED` of ``folder``; none where there is no such file."""
    path = folder / SAMPLED
    return list(read_records(path, SampledPoint)) if path.exists() else []


class _Sample(NamedTuple):
    repeat: int
    proved: bool
    answer: str
    right: bool


def choose(greedy: Run, sampled: Run, seed: int, items: int) -> SampledPoint:
    """What each way to choose gives of two runs on the same problems: one greedy answer of each, and some samples."""
    samples: dict[str, list[_Sample]] = defaultdict(list)
    for key, score in sampled.scores.items():
        proved = sampled.checked[key].proved
        samples[score.problem_id].append(_Sample(score.repeat, proved, score.extracted or "", score.value == 1))
    first = {score.problem_id: score.value == 1 for score in greedy.scores.values()}
    greedy_proof = {score.problem_id: greedy.checked[key].proved for key, score in greedy.scores.items()}
    voted, checked, oracle, unanimous, with_proof = [], [], [], [], 0
    for problem in greedy.scored_problems:
        asked = sorted(samples[problem.id])
        chosen = [sample.right for sample in asked if sample.proved]
        [(answer, _)] = Counter(sample.answer for sample in asked if sample.answer).most_common(1) or [("", 0)]
        voted.append(any(sample.right for sample in asked if sample.answer == answer))
        checked.append(chosen[0] if chosen else first[problem.id])
        oracle.append(any(sample.right for sample in asked))
        unanimous.append(len({sample.answer for sample in asked}) == 1)
        with_proof += bool(chosen)
    return SampledPoint(
        arm=greedy.manifest.arm,
        seed=seed,
        items=items,
        samples=sampled.manifest.repeats,
        temperature=sampled.manifest.settings.temperature,
        greedy=_digits([first[problem.id] for problem in greedy.scored_problems]),
        voted=_digits(voted),
        checked=_digits(checked),
        oracle=_digits(oracle),
        greedy_proved=_digits([greedy_proof[problem.id] for problem in greedy.scored_problems]),
        unanimous=_digits(unanimous),
        proved=round(with_proof / len(checked), 4),
        greedy_tokens=_tokens(greedy),
        sampled_tokens=_tokens(sampled),
    )


def _digits(values: list[bool]) -> str:
    return "".join("1" if value else "0" for value in values)


def _tokens(run: Run) -> float:
    return round(sum(one.output_tokens or 0 for one in run.predictions.values()) / len(run.problems), 2)


def main() -> None:
    """Measure, and print the shares."""
    parser = argparse.ArgumentParser(description="Choosing among sampled answers, at the last point of each curve.")
    parser.add_argument("folder", type=Path, help="the folder of an experiment with a curve")
    parser.add_argument("--arm", action="append", help="by default srt")
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--temperature", type=float, default=0.7)
    asked = parser.parse_args()
    for point in measure(asked.folder, asked.arm or ["srt"], asked.samples, asked.temperature):
        shares = (f"{name} {getattr(point, name).count('1') / len(point.greedy):.1%}" for name in _COLUMNS)
        print(f"{point.arm}, seed {point.seed}, {point.items} items, {point.samples} samples: {', '.join(shares)}")


_COLUMNS = ("greedy", "voted", "checked", "oracle")


if __name__ == "__main__":
    main()
