"""Run a model over a file of problems: ``predictions.jsonl`` and ``run.json`` in one folder.

The crash contract: each batch is on disk before the next begins, each prediction under a key that hashes all that made
it; a run that was killed and is started again generates the batches in which something is missing, whole (with other
neighbours a row is padded otherwise, and its sums round otherwise), and adds what is missing: it ends with the texts
that an unbroken run would have given. A folder that holds another run is refused, and one that another process holds.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

import srt
from eval.backends.protocol import Backend, GenerationSettings, Request
from eval.benchmarks import chosen_options, find_benchmark
from eval.benchmarks.benchmark import PLAIN, Asking, Question
from eval.runs import PREDICTIONS, STAMP, RunStamp, describe_problems, read_stamp, write_json
from srt.errors import UserError
from srt.folder_lock import hold_folder
from srt.jsonl import AppendLog, read_records
from srt.pictures import read_picture
from srt.problems import read_problems
from srt.progress import progress_bar
from srt.prompts import PromptStyle
from srt.records import Prediction


@dataclass(frozen=True)
class PredictSummary:
    """``total`` predictions lie in the folder now; ``generated`` of them are new."""

    total: int
    generated: int


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
) -> PredictSummary:
    """Generate for every question of the file ``problems``, ``repeats`` times, into the folder ``output``.

    ``arm`` is the name under which comparisons show the run; ``benchmark``, with its ``options``, decides what is asked
    of the problems. What is in the folder already is not generated again. A back end that reads pictures is shown them;
    any other is given the description of the diagram.

    Raises:
        UserError: no problems, a folder that holds another run or that another process writes to, a picture that is
            missing or another than the problem was made with, a problem with a picture and no description for a back
            end that reads text alone, a prompt too long for the model.
    """
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
    for problem in by_id.values():
        if problem.images and not asking.pictures and not problem.diagram_description:
            raise UserError(f"{problems}: problem {problem.id!r} has pictures and no diagram_description instead")
    questions = list(chosen.ask(list(by_id.values()), asking))
    _check_pictures(questions, problems)
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
    jobs = _jobs(questions, backend, stamp, problems.parent)
    batches = backend.plan([job.request for job in jobs], settings)
    with hold_folder(output):
        _open_folder(output, stamp)
        return _generate(jobs, batches, output, backend, stamp)


def _generate(
    jobs: list[_Job], batches: list[list[int]], output: Path, backend: Backend, stamp: RunStamp
) -> PredictSummary:
    log_path = output / PREDICTIONS
    with AppendLog(log_path) as log:
        done = {prediction.key for prediction in read_records(log_path, Prediction)}
        missing = sum(job.key not in done for job in jobs)
        with progress_bar(f"{stamp.arm}: problems", len(jobs), len(jobs) - missing) as advance:
            for batch in batches:
                whole = [jobs[index] for index in batch]
                todo = sum(job.key not in done for job in whole)
                if not todo:
                    continue
                generations = backend.generate([job.request for job in whole], stamp.settings)
                log.append(
                    *(
                        Prediction(
                            key=job.key,
                            problem_id=job.problem_id,
                            variant=job.variant,
                            repeat=job.repeat,
                            text=generation.text,
                            input_tokens=generation.input_tokens,
                            image_tokens=generation.image_tokens,
                            output_tokens=generation.output_tokens,
                            reasoning_tokens=generation.reasoning_tokens,
                            finish_reason=generation.finish_reason,
                            seconds=generation.seconds,
                        )
                        for job, generation in zip(whole, generations, strict=True)
                        if job.key not in done
                    )
                )
                advance(todo)
    return PredictSummary(total=len(jobs), generated=missing)


def _check_pictures(questions: Iterable[Question], problems: Path) -> None:
    """See that every picture is there before anything is generated."""
    seen: dict[str, str | None] = {}
    faults: list[str] = []
    for question in questions:
        for image in question.images:
            if image.path not in seen:
                try:
                    read_picture(problems.parent, image)
                    seen[image.path] = None
                except UserError as error:
                    seen[image.path] = str(error)
                    faults.append(f"problem {question.problem.id!r}: {error}")
    if faults:
        raise UserError(f"{problems}: {len(faults)} of {len(seen)} pictures cannot be read; the first: {faults[0]}")


def _jobs(questions: Iterable[Question], backend: Backend, stamp: RunStamp, root: Path) -> list[_Job]:
    jobs = []
    for question in questions:
        text = backend.render(question.messages, len(question.images))
        for repeat in range(stamp.repeats):
            key = _key(stamp, question, text, repeat)
            request = Request(text, tuple(question.messages), tuple(question.images), root, seed=int(key[:15], 16))
            jobs.append(_Job(key, question.problem.id, question.variant, repeat, request))
    return jobs


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
    if not (output / STAMP).exists():
        if (output / PREDICTIONS).exists():
            raise UserError(f"{output}: there are predictions and no {STAMP} beside them; give another folder")
        write_json(output / STAMP, stamp)
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
