"""Run a model over a file of problems: ``predictions.jsonl`` and ``run.json`` in one folder.

The crash contract: each batch is on disk as soon as the back end gives it, each prediction under a key that hashes all
that made it, and what is on disk is never written again. A run that was killed and is started again generates the
batches in which something is missing, whole (with other neighbours a row is padded otherwise, and its sums round
otherwise), and adds what is missing: it ends with the texts that an unbroken run would have given. So what a kill costs
is what was in flight; where a batch is one request (servers, vLLM) nothing that was written is ever generated again,
and elsewhere only a batch whose very writing was torn. A folder that holds another run is refused, one that another
process holds, and one in which a key stands twice.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

import orjson

import srt
from eval.backends.protocol import Backend, Generation, GenerationSettings, Request
from eval.benchmarks import chosen_options, find_benchmark
from eval.benchmarks.benchmark import PLAIN, Asking, Question
from eval.runs import STAMP, RunStamp, describe_problems, read_stamp, write_json
from eval.sharding import Shard, logs_of, merge_shards, read_keys
from srt.errors import UserError
from srt.jsonl import AppendLog
from srt.pictures import read_picture
from srt.problems import read_problems
from srt.progress import progress_bar
from srt.prompts import PromptStyle
from srt.records import Prediction


@dataclass(frozen=True)
class PredictSummary:
    """``total`` predictions are those of the whole run; ``generated`` are new, of this process.

    ``complete``: all lie in one file now. It is false where other processes that share the run are still at work.
    """

    total: int
    generated: int
    complete: bool = True


@dataclass(frozen=True)
class _Job:
    key: str
    problem_id: str
    variant: str
    repeat: int
    request: Request


def predict(
    problems: str | Path,
    output: str | Path,
    backend: Backend,
    *,
    arm: str,
    style: PromptStyle = "full",
    settings: GenerationSettings | None = None,
    repeats: int = 1,
    benchmark: str = PLAIN,
    options: Mapping[str, str] | None = None,
    shard: Shard | None = None,
) -> PredictSummary:
    """Generate for every question of the file ``problems``, ``repeats`` times, into the folder ``output``.

    ``arm`` is the name under which comparisons show the run; ``benchmark``, with its ``options``, decides what is asked
    of the problems. What is in the folder already is not generated again. A back end that reads pictures is shown them;
    any other is given the description of the diagram. ``shard`` is the part that this process takes; all, by default.

    Raises:
        UserError: no problems, a folder that holds another run or that another process writes to, a picture that is
            missing or another than the problem was made with, a problem with a picture and no description for a back
            end that reads text alone, a prompt too long for the model, two predictions of one key in a file.
    """
    shard = shard or Shard()
    problems, output = Path(problems), Path(output)
    settings = settings or GenerationSettings()
    if repeats < 1:
        raise UserError(f"repeats {repeats}: at least 1 was expected")
    if repeats > 1 and settings.temperature == 0:
        raise UserError(f"repeats {repeats}: greedy generation gives the same text each time; set a temperature")
    if not arm.strip():
        raise UserError("arm: a name was expected, this one is empty")
    chosen = find_benchmark(benchmark)
    by_id = read_problems(problems)
    asking = Asking(style, backend.reads_pictures, chosen_options(chosen, options or {}))
    stamp = RunStamp(
        arm=arm,
        backend=backend.name,
        fingerprint=backend.fingerprint,
        settings=settings,
        style=style,
        pictures=asking.pictures,
        benchmark=benchmark,
        options=dict(asking.options),
        repeats=repeats,
        problems=describe_problems(problems, output, len(by_id)),
        model=backend.description,
        versions={"python": platform.python_version(), "srt": srt.__version__},
    )
    # One by one: of ten thousand questions only what is sent is held.
    jobs = _jobs(chosen.ask(list(by_id.values()), asking), backend, stamp, problems)
    del by_id
    batches = backend.plan([job.request for job in jobs], settings)
    if output.is_dir():
        _check_folder(output, stamp)
        if shard.count == 1:
            merge_shards(output)
    with shard.hold(output):
        _open_folder(output, stamp)
        summary = _generate(jobs, batches, output, backend, stamp, shard)
    if shard.count == 1 or not summary.complete:
        return summary
    return replace(summary, complete=merge_shards(output))


def _generate(
    jobs: list[_Job], batches: list[list[int]], output: Path, backend: Backend, stamp: RunStamp, shard: Shard
) -> PredictSummary:
    """Generate and write what is missing in this process's share."""
    with AppendLog(output / shard.log) as log:
        done = read_keys(output, shard.log)
        share = [batch for number, batch in enumerate(batches) if shard.takes(number)]
        missing = [batch for batch in share if any(jobs[index].key not in done for index in batch)]
        count = sum(len(batch) for batch in share)
        todo = sum(jobs[index].key not in done for batch in missing for index in batch)
        with progress_bar(f"{stamp.arm}: problems", count, count - todo) as advance:
            requests = [[jobs[index].request for index in batch] for batch in missing]
            for number, generations in backend.generate_batches(requests, stamp.settings):
                rows = zip((jobs[index] for index in missing[number]), generations, strict=True)
                new = [_prediction(job, generation) for job, generation in rows if job.key not in done]
                log.append(*new)
                advance(len(new))
    whole = read_keys(output, shard.log) if shard.count > 1 else done | {job.key for job in jobs}
    return PredictSummary(total=len(jobs), generated=todo, complete=all(job.key in whole for job in jobs))


def _prediction(job: _Job, generation: Generation) -> Prediction:
    # Field by field from one to the other: what both know travels, and a field that one lacks is a fault of ours.
    made = {field.name: getattr(generation, field.name) for field in fields(Generation)}
    return Prediction(key=job.key, problem_id=job.problem_id, variant=job.variant, repeat=job.repeat, **made)


def _jobs(questions: Iterable[Question], backend: Backend, stamp: RunStamp, problems: Path) -> list[_Job]:
    """What is to be generated; every picture is looked at before anything is."""
    jobs = []
    pictures = _Pictures(problems)
    for question in questions:
        problem = question.problem
        if problem.images and not stamp.pictures and not problem.diagram_description:
            raise UserError(f"{problems}: problem {problem.id!r} has pictures and no diagram_description instead")
        pictures.look(question)
        text = backend.render(question.messages, len(question.images))
        for repeat in range(stamp.repeats):
            key = _key(stamp, question, text, repeat)
            request = Request(text, tuple(question.images), problems.parent, seed=int(key[:15], 16))
            jobs.append(_Job(key, problem.id, question.variant, repeat, request))
    pictures.tell()
    return jobs


class _Pictures:
    """Sees that the pictures of the file ``problems`` are there, each once, and says at the end how many are not."""

    def __init__(self, problems: Path) -> None:
        self._problems = problems
        self._seen: set[str] = set()
        self._faults: list[str] = []

    def look(self, question: Question) -> None:
        for image in question.images:
            if image.path not in self._seen:
                self._seen.add(image.path)
                try:
                    read_picture(self._problems.parent, image)
                except UserError as error:
                    self._faults.append(f"problem {question.problem.id!r}: {error}")

    def tell(self) -> None:
        if self._faults:
            count = f"{len(self._faults)} of {len(self._seen)} pictures cannot be read"
            raise UserError(f"{self._problems}: {count}; the first: {self._faults[0]}")


def _key(stamp: RunStamp, question: Question, prompt: str, repeat: int) -> str:
    parts = [
        stamp.backend,
        stamp.fingerprint,
        stamp.settings.model_dump(mode="json"),
        question.variant,
        repeat,
        question.problem.id,
        prompt,
        [image.sha256 for image in question.images],
    ]
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _open_folder(output: Path, stamp: RunStamp) -> None:
    """Write the stamp, or see that the stamp there is of this very run."""
    _check_folder(output, stamp)
    if not (output / STAMP).exists():
        write_json(output / STAMP, stamp)


def _check_folder(output: Path, stamp: RunStamp) -> None:
    """Raise where the folder holds another run, or predictions of no run."""
    # In this order: another process of the same run writes its stamp before its predictions.
    logs = logs_of(output)
    if not (output / STAMP).exists():
        if logs:
            raise UserError(f"{output}: there are predictions and no {STAMP} beside them; give another folder")
        return
    there = read_stamp(output)
    different = [
        field
        for field in (
            "arm",
            "backend",
            "fingerprint",
            "settings",
            "style",
            "pictures",
            "benchmark",
            "options",
            "repeats",
        )
        if getattr(there, field) != getattr(stamp, field)
    ]
    if there.problems.sha256 != stamp.problems.sha256:
        different.append("problems")
    if different:
        raise UserError(f"{output}: holds another run ({', '.join(different)} differ); give another folder")
