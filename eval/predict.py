"""Run a model over a file of problems: ``predictions.jsonl`` and ``run.json`` in one folder.

The crash contract: each batch is on disk before the next begins, each prediction under a key that hashes all that made
it; a run that was killed and is started again generates the batches in which something is missing, whole (with other
neighbours a row is padded otherwise, and its sums round otherwise), and adds what is missing: it ends with the texts
that an unbroken run would have given. A folder that holds another run is refused, and one that another process holds.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import orjson

import srt
from eval.backends.protocol import Backend, GenerationSettings, Request
from eval.runs import PREDICTIONS, STAMP, RunStamp, describe_problems, read_stamp, write_json
from srt.errors import UserError
from srt.folder_lock import hold_folder
from srt.jsonl import AppendLog, read_records
from srt.problems import read_problems
from srt.progress import progress_bar
from srt.prompts import PromptStyle, prompt_ids, prompt_messages, render_prompt
from srt.records import Prediction, Problem

VARIANT = "plain"


@dataclass(frozen=True)
class PredictSummary:
    """``total`` predictions lie in the folder now; ``generated`` of them are new."""

    total: int
    generated: int


@dataclass(frozen=True)
class _Job:
    key: str
    problem_id: str
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
) -> PredictSummary:
    """Generate for every problem of the file ``problems``, ``repeats`` times, into the folder ``output``.

    ``arm`` is the name under which comparisons show the run. What is in the folder already is not generated again.

    Raises:
        UserError: no problems, a folder that holds another run or that another process writes to, a problem with a
            picture and no description (back ends read text), a prompt too long for the model.
    """
    problems, output = Path(problems), Path(output)
    settings = settings or GenerationSettings()
    if repeats < 1:
        raise UserError(f"repeats {repeats}: at least 1 was expected")
    if repeats > 1 and settings.temperature == 0:
        raise UserError(f"repeats {repeats}: greedy generation gives the same text each time; set a temperature")
    if not arm.strip():
        raise UserError("arm: a name was expected, this one is empty")
    by_id = read_problems(problems)
    for problem in by_id.values():
        if problem.images and not problem.diagram_description:
            raise UserError(f"{problems}: problem {problem.id!r} has pictures and no diagram_description instead")
    stamp = RunStamp(
        arm=arm,
        backend=backend.name,
        fingerprint=backend.fingerprint,
        settings=settings,
        style=style,
        variant=VARIANT,
        repeats=repeats,
        problems=describe_problems(problems, output, len(by_id)),
        model=backend.description,
        versions={"python": platform.python_version(), "srt": srt.__version__},
    )
    jobs = _jobs(by_id.values(), backend, stamp)
    batches = backend.plan([len(job.request.prompt_ids) for job in jobs], settings)
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
                            variant=stamp.variant,
                            repeat=job.repeat,
                            text=generation.text,
                            input_tokens=generation.input_tokens,
                            output_tokens=generation.output_tokens,
                            finish_reason=generation.finish_reason,
                            seconds=generation.seconds,
                        )
                        for job, generation in zip(whole, generations, strict=True)
                        if job.key not in done
                    )
                )
                advance(todo)
    return PredictSummary(total=len(jobs), generated=missing)


def _jobs(problems: Iterable[Problem], backend: Backend, stamp: RunStamp) -> list[_Job]:
    jobs = []
    for problem in problems:
        messages = prompt_messages(problem, stamp.style)
        text = render_prompt(backend.tokenizer, messages)
        ids = tuple(prompt_ids(backend.tokenizer, messages))
        for repeat in range(stamp.repeats):
            key = _key(stamp, problem.id, text, repeat)
            jobs.append(_Job(key, problem.id, repeat, Request(ids, seed=int(key[:15], 16))))
    return jobs


def _key(stamp: RunStamp, problem_id: str, prompt: str, repeat: int) -> str:
    parts = [
        stamp.backend,
        stamp.fingerprint,
        stamp.settings.model_dump(mode="json"),
        stamp.variant,
        repeat,
        problem_id,
        prompt,
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
        for field in ("arm", "backend", "fingerprint", "settings", "style", "variant", "repeats")
        if getattr(there, field) != getattr(stamp, field)
    ]
    if there.problems.sha256 != stamp.problems.sha256:
        different.append("problems")
    if different:
        raise UserError(f"{output}: holds another run ({', '.join(different)} differ); give another folder")
