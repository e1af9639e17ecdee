"""What a teacher's errors cost traces and sentences, and what a filter wins back: training runs on noisy texts.

    python -m research.teaching.noisy_teacher research/recipes/noisy-teacher.yaml [key=value ...]

For each noise (:mod:`research.teaching.noisy_texts`; answers stay right, so a filter by answer keeps every text) each
arm is trained twice on ``items`` texts: ``all``, the first ones; ``verified``, the first that the checker proves
(``srt``) or that have a certificate (``cot``). Within a seed all runs start from the same weights. The table has the
accuracy of each cell, and the slope of accuracy over the share of slips, with Student's interval over seeds. With
``only=data`` the texts are written and counted, and nothing is trained. What is finished is not done again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import Field

from eval.evaluation import run_evaluation
from eval.run.eval_recipe import make_eval_recipe
from research.families import POINTS, PUZZLES
from research.file_results import pretty
from research.study_command import run_study
from research.teaching.noisy_results import KEPT, STUDY, Keep, Kept, counts_table, read_cells, tables
from research.teaching.noisy_texts import CLEAN, Noise, Taught, taught, with_noise
from srt.cli.experiment_stages import TrainAndEval
from srt.experiment.experiment_recipe import TEST
from srt.experiment.learning_curve import CurvePoint, count_puzzles
from srt.experiment.problem_sources import WorldProblems
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Message
from srt.io.records import Sequence as Row
from srt.io.yaml_config import Config
from srt.language.arms import completion_text
from srt.language.prompts import PromptStyle, prompt_messages
from srt.language.trace import Trace
from srt.pipeline.sample import sample_problems
from srt.pipeline.solve import solve_one
from srt.worlds.world import CLAIMS, NEEDED
from srt.worlds.world_registry import PlanName, TextStyleName
from train.models.init_model import init_model
from train.recipe_reader import make_recipe
from train.train_srt import train

ARMS = ("srt", "cot")
KEEPS: tuple[Keep, ...] = ("all", "verified")


class Study(Config):
    """The recipe. ``problems.n`` must leave ``items`` texts after the strictest filter; 0.5 slips leave half."""

    output: Path
    problems: WorldProblems
    test: int = Field(ge=1)
    items: int = Field(ge=1)
    seeds: tuple[int, ...] = (0, 1, 2)
    slips: tuple[float, ...] = (0.1, 0.3, 0.5)
    rule: float = Field(default=0.3, ge=0, le=1)
    only: Literal["data"] | None = None
    prompt: PromptStyle = "bare"
    plan: PlanName = NEEDED
    text: TextStyleName = CLAIMS
    model: dict[str, Any] = Field(default_factory=dict)
    train: dict[str, Any]
    max_new_tokens: int = Field(default=192, ge=1)
    batch_size: int = Field(default=125, ge=1)

    @property
    def noises(self) -> list[Noise]:
        """Without an error first."""
        return [CLEAN, *(Noise("slips", share) for share in self.slips), Noise("rule", self.rule)]


def main() -> None:
    run_study(__doc__, Study, run)


def run(study: Study) -> str:
    """Do what is missing, and return the tables in Markdown.

    Raises:
        UserError: ``problems.n`` leaves too few texts, or ``output`` has those of other settings.
    """
    _claim_folder(study)
    counted = _write_data(study)
    if study.only == "data":
        return counts_table(counted)
    for seed in study.seeds:
        for kept in counted:
            _measure(study, kept, seed)
    return tables(*read_cells(study.output))


def _claim_folder(study: Study) -> None:
    """Write the recipe there, or see that it is the one whose results are there."""
    path, own = study.output / STUDY, study.model_dump(mode="json", exclude={"output", "only"})
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, [pretty(own)])
    before = orjson.loads(path.read_bytes())
    for key, value in own.items():
        # Some seeds alone are a part of the study; initial weights of others are not there.
        if value != before[key] and not (key == "seeds" and set(value) <= set(before[key])):
            raise UserError(f"{path}: {key}: {before[key]} there, {value} in the recipe; choose another output")


def name_of(noise: Noise) -> str:
    """As ``slips 0.3``; ``clean`` without an error."""
    return noise.kind if noise == CLEAN else f"{noise.kind} {noise.share:g}"


def _write_data(study: Study) -> list[Kept]:
    """Sequences of each cell, test problems and initial weights, if they are not there."""
    data = study.output / "data"
    done = data / KEPT
    if done.exists():
        return list(read_records(done, Kept))
    data.mkdir(parents=True, exist_ok=True)
    of_world = study.problems
    problems = list(sample_problems(of_world.world, of_world.n, 0, "train", of_world.spec))
    traces = ((problem, solve_one(problem, study.plan)) for problem in problems)
    clean = [taught(problem, trace, study.text) for problem, trace in traces if isinstance(trace, Trace)]
    counted = []
    for noise in study.noises:
        noisy = [with_noise(one, noise) for one in clean]
        for arm in ARMS:
            for keep in KEEPS[:1] if noise == CLEAN else KEEPS:
                chosen, read = choose(noisy, arm, keep, study.items)
                if len(chosen) < study.items:
                    raise UserError(
                        f"problems.n: {of_world.n} leave {len(chosen)} of {study.items} texts: {arm}, "
                        f"{name_of(noise)}, {keep}"
                    )
                erred = sum(one.erred for one in chosen)
                kept = Kept(arm=arm, noise=name_of(noise), keep=keep, read=read, kept=len(chosen), erred=erred)
                write_records(_data(study, kept), _rows(study, chosen, arm))
                counted.append(kept)
    test = list(sample_problems(of_world.world, study.test, 0, "test", of_world.spec))
    write_records(data / "test.jsonl", test)
    write_atomically(study.output / PUZZLES, [count_puzzles(test, problems).model_dump_json().encode()])
    words = [one.text(arm) for one in clean[:4000] for arm in ARMS]
    words += [message.content for one in clean[:4000] for message in prompt_messages(one.problem, study.prompt)]
    for seed in study.seeds:
        init_model("llama", words, study.output / f"start-{seed}", seed=seed, **study.model)
    write_records(done, counted)
    return counted


def choose(texts: Sequence[Taught], arm: str, keep: Keep, items: int) -> tuple[list[Taught], int]:
    """The first ``items`` of ``texts`` that are kept, and how many were read for them.

    Texts without an error are not verified again: the exact teacher's are proved, and certified with a running plan.
    """
    chosen: list[Taught] = []
    for read, one in enumerate(texts, 1):
        if keep == "all" or not one.erred or one.verified(arm):
            chosen.append(one)
        if len(chosen) == items:
            return chosen, read
    return chosen, len(texts)


def _rows(study: Study, texts: Sequence[Taught], arm: str) -> Iterator[Row]:
    for one in texts:
        text, spans = completion_text(one.trace if arm == "srt" else one.prose, arm)
        yield Row(
            problem_id=one.problem.id,
            trace_id=one.trace.id,
            arm=arm,
            lang=one.problem.lang,
            prompt=prompt_messages(one.problem, study.prompt),
            completion=[Message(role="assistant", content=text)],
            spans=list(spans),
        )


def _data(study: Study, kept: Kept) -> Path:
    return study.output / "data" / f"{kept.name}.jsonl"


def _measure(study: Study, kept: Kept, seed: int) -> None:
    """Train and evaluate one cell, and write its point, if that is not there."""
    points = study.output / POINTS
    measured = list(read_records(points, CurvePoint)) if points.exists() else []
    if any((point.arm, point.seed) == (kept.name, seed) for point in measured):
        return
    data, output = _data(study, kept), study.output / "runs" / f"{kept.name}-{seed}"
    steps = study.items // study.train["batch_size"]
    recipe = {**study.train, "data": str(data), "output": str(output), "seed": seed, "steps": steps}
    recipe["model"] = {**recipe.get("model", {}), "path": str(study.output / f"start-{seed}")}
    trained = train(make_recipe(recipe, kept.name), resume=output.exists())
    out = study.output / "tested" / output.name
    asked = {"model": str(output), "problems": str(study.output / "data" / "test.jsonl"), "output": str(out)}
    asked |= {"arm": kept.arm, "prompt": study.prompt}
    common = {"max_new_tokens": study.max_new_tokens, "batch_size": study.batch_size, "threads": 1}
    run_evaluation(make_eval_recipe({**asked, **common}))
    point = CurvePoint(
        test=TEST,
        arm=kept.name,
        seed=seed,
        items=study.items,
        tokens=trained.tokens,
        labelled_tokens=trained.trained_tokens,
        **asdict(TrainAndEval().figures(out)),
    )
    with hold_folder(study.output, wait=True):  # runs of other seeds may go on beside this one
        measured = list(read_records(points, CurvePoint)) if points.exists() else []
        write_records(points, [*measured, point])


if __name__ == "__main__":
    main()
