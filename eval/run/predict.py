"""Run a model over a file of problems: ``predictions.jsonl`` and ``run.json`` in one folder.

The crash contract: each batch is written to disk as soon as the back end returns it, each prediction under a key that
hashes everything that decides it, and nothing on disk is written again. A run that was killed and is started again
generates whole every batch that misses a prediction (with other neighbours a row would be padded differently, and its
sums would round differently), and appends what is missing: it ends with the texts of an uninterrupted run. A kill costs
what was in flight; where a batch is one request (servers, vLLM) nothing that was written is generated again, elsewhere
only a batch whose write was torn. Refused are a folder that holds another run, one that another process is writing to,
and one with two predictions of one key.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

import srt
from eval.backends.protocol import Backend, Generation, GenerationSettings, Request
from eval.benchmarks.benchmark_registry import chosen_options, find_benchmark
from eval.benchmarks.definition.benchmark import PLAIN, Asking, Question
from eval.decoding.provable_arms import require_lines_to_prove
from eval.decoding.ways import WAYS
from eval.records.run_records import (
    ARM_FIELDS,
    MANIFEST,
    RunManifest,
    Shot,
    describe_problems,
    differences_between,
    read_manifest,
    write_json,
)
from eval.run.sharding import MERGED, Shard, logs_of, merge_shards, read_keys
from srt.checking import is_of_a_world
from srt.images.open import read_picture
from srt.io.append_log import AppendLog
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.progress import progress_bar
from srt.io.records import Prediction
from srt.judging.prefix import without_gold
from srt.language.model_vocabulary import VocabularyFault
from srt.language.prompts import PromptStyle


@dataclass(frozen=True)
class PredictSummary:
    """``total`` predictions of the whole run, of which this process ``generated`` some now.

    ``complete``: all are in one file. False while other processes that share the run are still generating.
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

    def prediction(self, generation: Generation) -> Prediction:
        # Every field of a generation is one of a prediction: one that is missing there is a bug, and pydantic refuses.
        return Prediction(
            key=self.key, problem_id=self.problem_id, variant=self.variant, repeat=self.repeat, **vars(generation)
        )


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
    prompts: Mapping[str, str] | None = None,
    shots: Sequence[Shot] = (),
    shard: Shard | None = None,
) -> PredictSummary:
    """Generate for every question of the file ``problems``, ``repeats`` times, into the folder ``output``.

    ``arm`` is the name of the run in comparisons; ``benchmark`` and its ``options`` decide what is asked of the
    problems, and ``prompts`` (:func:`eval.benchmarks.definition.prompt_files.read_own_prompts`) replace ours;
    ``shots`` (:func:`eval.run.shots.draw_shots`) stand before every question.
    Predictions that are in the folder already are kept. A back end that reads pictures is shown them; any
    other gets the description of the diagram. ``shard`` is the part that this process generates; by default all.

    Raises:
        UserError: no problems, a folder that holds another run or that another process is writing to, a picture that is
            missing or has changed, a problem with a picture and no description for a back end that reads text alone, a
            prompt too long for the model, two predictions of one key in a file.
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
    if settings.decode is not None and WAYS[settings.decode.way].worlds:
        require_lines_to_prove(arm)
    chosen = find_benchmark(benchmark)
    by_id = read_problems(problems)
    before = tuple(message for shot in shots for message in shot.messages)
    asking = Asking(style, backend.reads_pictures, chosen_options(chosen, options or {}), prompts or {}, before)
    manifest = RunManifest(
        arm=arm,
        backend=backend.name,
        fingerprint=backend.fingerprint,
        settings=settings,
        style=style,
        pictures=asking.pictures,
        benchmark=benchmark,
        options=dict(asking.options),
        prompts=dict(asking.own_prompts),
        shots=list(shots),
        repeats=repeats,
        problems=describe_problems(problems, output, len(by_id)),
        model=backend.description,
        versions={"python": platform.python_version(), "srt": srt.__version__},
    )
    # Questions are consumed one by one: of ten thousand, only the prompts are kept in memory.
    jobs = _jobs(chosen.questions(list(by_id.values()), asking), backend, manifest, problems)
    del by_id
    batches = backend.plan([job.request for job in jobs], settings)
    if output.is_dir():
        check_folder(output, manifest)
        if shard.count == 1:
            merge_shards(output)
    with shard.hold(output):
        check_folder(output, manifest)
        if (output / MANIFEST).exists() and not _generated_nothing(output):
            manifest = read_manifest(output)
        else:
            write_json(output / MANIFEST, manifest)
        summary = _generate(jobs, batches, output, backend, manifest, settings, shard)
    if shard.count == 1 or not summary.complete:
        return summary
    return replace(summary, complete=merge_shards(output))


def _generate(
    jobs: list[_Job],
    batches: list[list[int]],
    output: Path,
    backend: Backend,
    manifest: RunManifest,
    settings: GenerationSettings,
    shard: Shard,
) -> PredictSummary:
    """Generate and write the missing predictions of this process's share."""
    described = dict(backend.description)
    with AppendLog(output / shard.log) as log:
        done = read_keys(output, shard.log)
        share = [batch for number, batch in enumerate(batches) if shard.takes(number)]
        missing = [batch for batch in share if any(jobs[index].key not in done for index in batch)]
        count = sum(len(batch) for batch in share)
        todo = sum(jobs[index].key not in done for batch in missing for index in batch)
        with progress_bar(f"{manifest.arm}: problems", count, count - todo) as advance:
            requests = [[jobs[index].request for index in batch] for batch in missing]
            for number, generations in backend.generate_batches(requests, settings):
                if learned := dict(backend.description.items() - described.items()):  # what a server did not take
                    described |= learned
                    manifest = manifest.model_copy(update={"model": manifest.model | learned})
                    write_json(output / MANIFEST, manifest)
                rows = zip((jobs[index] for index in missing[number]), generations, strict=True)
                new = [job.prediction(generation) for job, generation in rows if job.key not in done]
                log.append(*new)
                advance(len(new))
    whole = read_keys(output, shard.log) if shard.count > 1 else done | {job.key for job in jobs}
    return PredictSummary(total=len(jobs), generated=todo, complete=all(job.key in whole for job in jobs))


def _jobs(questions: Iterable[Question], backend: Backend, manifest: RunManifest, problems: Path) -> list[_Job]:
    """One job for each question and repeat. Every picture is read before anything is generated.

    Raises:
        UserError: pictures that cannot be read, or prompts that the model would not read as they are written; the first
            is named.
    """
    jobs = []
    seen: set[str] = set()
    faults: list[str] = []
    unreadable: list[str] = []
    misfits: list[str] = []
    guided = None if manifest.settings is None else manifest.settings.decode
    worlds = None if guided is None else WAYS[guided.way].worlds
    for question in questions:
        problem = question.problem
        if problem.images and not manifest.pictures and not problem.diagram_description:
            raise UserError(f"{problems}: problem {problem.id!r} has pictures and no diagram_description instead")
        for image in question.images:
            if image.path not in seen:
                seen.add(image.path)
                try:
                    read_picture(problems.parent, image)
                except UserError as error:
                    faults.append(f"problem {problem.id!r}: {error}")
        try:
            text = backend.render(question.messages, len(question.images))
        except VocabularyFault as error:
            unreadable.append(f"problem {problem.id!r}: {error}")
            continue
        judged_by = None
        if guided is not None:
            judged_by = without_gold(problem)
            misfits += [problem.id] if worlds not in (None, is_of_a_world(judged_by)) else []
        for repeat in range(manifest.repeats):
            key = _prediction_key(manifest, question, text, repeat)
            request = Request(text, tuple(question.images), problems.parent, int(key[:15], 16), judged_by)
            jobs.append(_Job(key, problem.id, question.variant, repeat, request))
    if unreadable:
        raise UserError(
            f"{problems}: {unreadable[0]}" + f" (the first of {len(unreadable)} such prompts)" * (len(unreadable) > 1)
        )
    if faults:
        raise UserError(f"{problems}: {len(faults)} of {len(seen)} pictures cannot be read; the first: {faults[0]}")
    if misfits:
        why = (
            "it is of no exact world, so that no line can be proved"
            if worlds
            else "it is of an exact world, and unrefuted is for problems of none"
        )
        raise UserError(
            f"{problems}: problem {misfits[0]!r}: decode: {why} ({len(misfits)} of {len(jobs) // manifest.repeats} "
            f"questions); evaluate them without decode, or with {'unrefuted' if worlds else 'proved'}"
        )
    return jobs


def _prediction_key(manifest: RunManifest, question: Question, prompt: str, repeat: int) -> str:
    """SHA-256 (hex) of everything that decides a prediction."""
    parts = [
        manifest.backend,
        manifest.fingerprint,
        manifest.model_dump(mode="json")["settings"],
        question.variant,
        repeat,
        question.problem.id,
        prompt,
        [image.sha256 for image in question.images],
    ]
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def check_folder(output: Path, manifest: RunManifest) -> None:
    """Raise a :class:`UserError` where ``output`` holds another run, or predictions without a manifest."""
    # The logs are listed first: another process of the same run writes its manifest before its predictions.
    logs = logs_of(output)
    if not (output / MANIFEST).exists():
        if logs:
            raise UserError(f"{output}: there are predictions and no {MANIFEST} beside them; give another folder")
        return
    if _generated_nothing(output):
        return
    found = read_manifest(output)
    different = differences_between(found, manifest, ("arm", "fingerprint", *ARM_FIELDS))
    if found.problems.sha256 != manifest.problems.sha256:
        different.append("problems")
    if different:
        raise UserError(f"{output}: holds another run ({', '.join(different)} differ); give another folder")


def _generated_nothing(output: Path) -> bool:
    """Whether a run of one process ended in ``output`` before its first answer, as with a wrong address of a server."""
    logs = logs_of(output)
    return [log.name for log in logs] == [MERGED] and logs[0].stat().st_size == 0
