"""What a model gains from its own texts to problems that nobody has solved, by what says which of them to keep.

    python -m research.training.without_solutions research/recipes/without-solutions.yaml [key=value ...]

One new model is trained on traces of ``source`` and another, from the same weights, on prose. Then each way has rounds
of its own on ``target`` problems, of which neither traces nor answers are given: sample, keep, train on what was kept.

``proved``     traces whose every step is proved (``srt harvest``), sampled plainly
``guided``     the same, sampled with each line proved before the next
``certified``  prose whose last plan meets every clue of its problem
``majority``   prose with the answer that most samples of its problem give

In each round every way reads, samples and trains on ``tokens`` in all. The tokenizer, and nothing else, has seen traces
and prose of target problems that come in no round. What is finished is not done again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import orjson
from pydantic import Field

from eval.benchmarks.tables.breakdown import markdown_rows
from eval.evaluation import run_evaluation
from eval.learning.harvest import harvest
from eval.report.number_format import interval
from eval.run.eval_recipe import make_eval_recipe
from eval.run.scored_run import read_run
from eval.scoring.arm_summary import Share, summarise
from research.study_command import run_study
from srt.experiment.problem_sources import WorldProblems
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Message, Prediction, Problem, Record
from srt.io.records import Sequence as Row
from srt.io.yaml_config import Config
from srt.judging.judge import judge
from srt.judging.prefix import without_gold
from srt.language.prompts import PromptStyle, prompt_ids, prompt_messages
from srt.language.trace import Trace
from srt.pipeline.build import build
from srt.pipeline.sample import sample_problems
from srt.pipeline.solve import solve_one
from srt.worlds.world import CLAIMS, NEEDED
from srt.worlds.world_registry import PlanName, TextStyleName
from train.models.init_model import init_model
from train.models.model_files import load_tokenizer
from train.recipe_reader import make_recipe
from train.run.resume import TrainSummary
from train.train_srt import train

Way = Literal["proved", "guided", "certified", "majority"]
ARM_OF: dict[Way, str] = {"proved": "srt", "guided": "srt", "certified": "cot", "majority": "cot"}


class Study(Config):
    """The recipe. ``target.n`` problems come in each round, with ``samples`` texts each, of which ``most`` are kept.

    ``train`` is a training recipe for the source problems, and ``learn`` are changes to it for the rounds. ``steps`` of
    a round follow from ``tokens``. ``decode`` is that of ``guided``.
    """

    output: Path
    source: WorldProblems
    target: WorldProblems
    test: int = Field(ge=1)
    seed: int = 0
    rounds: int = Field(default=3, ge=1)
    samples: int = Field(default=4, ge=2)
    most: int = Field(default=2, ge=1)
    tokens: int = Field(ge=1)
    ways: tuple[Way, ...] = get_args(Way)
    decode: dict[str, Any] = Field(default_factory=lambda: {"proved": {}})
    prompt: PromptStyle = "bare"
    plan: PlanName = NEEDED
    text: TextStyleName = CLAIMS
    model: dict[str, Any] = Field(default_factory=dict)
    train: dict[str, Any]
    learn: dict[str, Any] = Field(default_factory=dict)
    max_new_tokens: int = Field(default=256, ge=1)
    batch_size: int = Field(default=100, ge=1)


class Result(Record):
    """A model after a round (0: trained on the source alone), on the target's test problems.

    ``kept`` texts were trained on, of ``kept_problems``; ``kept_right`` is the share of them with the right answer,
    which no way gets to see. ``sampled`` and ``trained`` are tokens of this round.
    """

    way: str
    round: int
    right: Share
    proved_and_right: Share
    certified_and_right: Share | None
    kept: int = 0
    kept_problems: int = 0
    kept_right: float | None = None
    sampled: int = 0
    trained: int = 0


def main() -> None:
    run_study(__doc__, Study, run)


def run(study: Study) -> str:
    """Do what is missing and write ``output/without_solutions.json``; returns the table in Markdown."""
    _write_data(study)
    data = study.output / "data"
    bases = {arm: _train(study, arm, data / f"{arm}.jsonl", study.output / "start") for arm in ("srt", "cot")}
    results = [_measure(study, arm, 0, study.output / arm, arm) for arm in bases]
    for way in study.ways:
        model = study.output / ARM_OF[way]
        for number in range(1, study.rounds + 1):
            at = study.output / way / f"round-{number}"
            sampled, kept = _sample(study, way, number, model, at)
            taken: dict[str, Any] = {"sampled": sampled, "kept": len(kept)}
            if kept:
                at.mkdir(parents=True, exist_ok=True)
                write_records(at / "kept.jsonl", kept)
                steps = max(1, round((study.tokens - sampled) / _tokens_a_step(study, kept)))
                summary = _train(study, f"{way}/round-{number}/model", at / "kept.jsonl", model, steps=steps)
                model = at / "model"
                taken |= {"trained": summary.tokens, "kept_problems": len({row.problem_id for row in kept})}
                taken |= {"kept_right": _share_right(data / "solutions.jsonl", kept)}
            results.append(_measure(study, way, number, model, ARM_OF[way], **taken))
            rows = [result.model_dump(mode="json") for result in results]
            write_atomically(study.output / "without_solutions.json", [orjson.dumps(rows, option=orjson.OPT_INDENT_2)])
    return _table(results)


def _write_data(study: Study) -> None:
    """Sequences of the source; target problems of each round, without answers, and of the test; initial weights."""
    data = study.output / "data"
    if (study.output / "start").exists():
        return
    data.mkdir(parents=True, exist_ok=True)
    source = sample_problems(study.source.world, study.source.n, study.seed, "train", study.source.spec)
    count = study.target.n * study.rounds
    target = sample_problems(study.target.world, count + study.target.n, study.seed, "train", study.target.spec)
    asked, shown = target[:count], target[count:]
    words: list[str] = []
    for arm in ("srt", "cot"):
        sequences = list(_sequences(study, source, arm))
        write_records(data / f"{arm}.jsonl", sequences)
        for row in (*sequences, *_sequences(study, shown, arm)):
            words += [message.content for message in (*row.prompt, *row.completion)]
    write_records(data / "solutions.jsonl", asked)
    for number in range(study.rounds):
        part = asked[number * study.target.n : (number + 1) * study.target.n]
        write_records(data / f"round-{number + 1}.jsonl", map(without_gold, part))
    test = sample_problems(study.target.world, study.test, study.seed, "test", study.target.spec)
    write_records(data / "test.jsonl", test)
    init_model("llama", words, study.output / "start", seed=study.seed, **study.model)


def _sequences(study: Study, problems: Sequence[Problem], arm: str) -> Iterator[Row]:
    traces = [trace for problem in problems if isinstance(trace := solve_one(problem, study.plan), Trace)]
    by_id = {problem.id: problem for problem in problems}
    for row in build(traces, by_id, arm, prompt=study.prompt, text=study.text):
        if not isinstance(row, Row):
            raise UserError(f"{arm}: {row.detail}")
        yield row


def _train(study: Study, name: str, data: Path, start: Path, **changes: Any) -> TrainSummary:
    output = study.output / name
    own = {"data": str(data), "output": str(output), "seed": study.seed}
    recipe = {**study.train, **(study.learn if changes else {}), **changes, **own}
    recipe["model"] = {**recipe.get("model", {}), "path": str(start)}
    return train(make_recipe(recipe, name), resume=output.exists())


def _evaluate(study: Study, model: Path, problems: Path, out: Path, arm: str, **settings: Any) -> None:
    own = {"model": str(model), "problems": str(problems), "output": str(out), "arm": arm, "prompt": study.prompt}
    common = {"max_new_tokens": study.max_new_tokens, "batch_size": study.batch_size, "threads": 1}
    run_evaluation(make_eval_recipe({**own, **common, **settings}))


def _sample(study: Study, way: Way, number: int, model: Path, at: Path) -> tuple[int, list[Row]]:
    """The tokens that the samples of a round took, and the sequences that are kept of them."""
    problems, run = study.output / "data" / f"round-{number}.jsonl", at / "samples"
    asked: dict[str, Any] = {"repeats": study.samples, "temperature": 1.0, "seed": study.seed}
    asked |= {"decode": study.decode} if way == "guided" else {}
    _evaluate(study, model, problems, run, ARM_OF[way], **asked)
    texts = list(read_records(run / "predictions.jsonl", Prediction))
    sampled = sum((text.input_tokens or 0) + (text.output_tokens or 0) for text in texts)
    by_id = {problem.id: problem for problem in read_records(problems, Problem)}
    if ARM_OF[way] == "srt":
        if not any(judge(by_id[text.problem_id], text.text).code == "proved" for text in texts):
            return sampled, []
        harvest([run], at / "traces.jsonl", most=study.most, balance=False)
        kept = build(read_records(at / "traces.jsonl", Trace), by_id, "srt", prompt=study.prompt, text=study.text)
        return sampled, [row for row in kept if isinstance(row, Row)]
    by_problem: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        if _whole(text) and text.text not in by_problem[text.problem_id]:
            by_problem[text.problem_id].append(text.text)
    keep = _certified if way == "certified" else _of_the_majority
    return sampled, [
        _row(study, by_id[key], text)
        for key, several in by_problem.items()
        for text in keep(by_id[key], several)[: study.most]
    ]


def _whole(text: Prediction) -> bool:
    return text.finish_reason == "stop"


def _certified(problem: Problem, texts: Sequence[str]) -> list[str]:
    return [text for text in texts if judge(problem, text).certified]


def _of_the_majority(problem: Problem, texts: Sequence[str]) -> list[str]:
    """Those with the most frequent answer, where at least two give it; of a tie, the first answer."""
    answers = [judge(problem, text).answer for text in texts]
    said = Counter(answer for answer in answers if answer is not None)
    most, count = said.most_common(1)[0] if said else (None, 0)
    return [text for text, answer in zip(texts, answers, strict=True) if count > 1 and answer == most]


def _row(study: Study, problem: Problem, text: str) -> Row:
    return Row(
        problem_id=problem.id,
        trace_id=problem.id,
        arm="cot",
        lang=problem.lang,
        prompt=prompt_messages(problem, study.prompt),
        completion=[Message(role="assistant", content=text)],
    )


def _tokens_a_step(study: Study, rows: Sequence[Row]) -> float:
    tokenizer = load_tokenizer(study.output / "start")
    lengths = [
        len(prompt_ids(tokenizer, row.prompt))
        + len(tokenizer.encode(row.completion[0].content, add_special_tokens=False))
        + 1  # the end of the sequence
        for row in rows
    ]
    return float({**study.train, **study.learn}["batch_size"] * sum(lengths) / len(lengths))


def _share_right(solutions: Path, rows: Sequence[Row]) -> float:
    problems = {problem.id: problem for problem in read_records(solutions, Problem)}
    return sum(judge(problems[row.problem_id], row.completion[0].content).right is True for row in rows) / len(rows)


def _measure(study: Study, way: str, number: int, model: Path, arm: str, **taken: Any) -> Result:
    out = study.output / way / f"tested-{number}" if number else study.output / f"tested-{arm}"
    _evaluate(study, model, study.output / "data" / "test.jsonl", out, arm)
    summary = summarise([read_run(out)], None)
    return Result(
        way=way,
        round=number,
        right=summary.accuracy,
        proved_and_right=summary.traces.proved_and_right,
        certified_and_right=summary.traces.certified_and_right,
        **taken,
    )


def _table(results: Sequence[Result]) -> str:
    head = ["way", "round", "kept, of problems", "of these right %", "tokens sampled; trained on", "right % [95%]"]
    head += ["proved and right %", "certified and right %"]
    rows = [
        [
            one.way,
            str(one.round),
            f"{one.kept} of {one.kept_problems}" if one.round else "-",
            "-" if one.kept_right is None else f"{100 * one.kept_right:.0f}",
            f"{one.sampled:,}; {one.trained:,}" if one.round else "-",
            interval(one.right),
            interval(one.proved_and_right) if ARM_OF.get(one.way, one.way) == "srt" else "-",  # type: ignore[call-overload]
            "-" if one.certified_and_right is None else interval(one.certified_and_right),
        ]
        for one in results
    ]
    return markdown_rows(head, rows)


if __name__ == "__main__":
    main()
