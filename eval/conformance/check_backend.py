"""One model behind two back ends: transformers, which is the reference, and the one that is checked.

Both are given the same questions and write greedy texts. The reference then reads each text of the other token by
token: where texts differ, how far its own best token was ahead tells rounding from a fault.
"""

from __future__ import annotations

import time

from eval.backends.backend_registry import ENDPOINT_KEYS
from eval.backends.presets import family_of
from eval.backends.protocol import Backend, GenerationSettings, Request
from eval.backends.transformers_backend import TransformersBackend
from eval.benchmarks.benchmark_registry import find_benchmark
from eval.benchmarks.definition.benchmark import PLAIN, Asking
from eval.conformance.check_settings import CheckSettings
from eval.conformance.conformance_records import BackendSide, Conformance, LogProbs, PromptRow, side_of
from eval.conformance.sides import (
    HeardText,
    ListeningServer,
    ListeningTransformers,
    ListeningVllm,
    listen,
    log_probabilities,
)
from eval.records.run_records import write_json
from srt.io.output_paths import check_place, keep_apart, keep_outside
from srt.io.problem_files import read_problems
from srt.io.records import Problem
from srt.io.yaml_config import parse_config
from srt.llm.config import EndpointConfig
from srt.pipeline.sample import sample_problems

_WORLDS = ("seating", "routes")
_LANGS = ("en", "zh")


def check_backend(settings: CheckSettings) -> Conformance:
    """Compare, write ``settings.output``, and return what is in it.

    Raises:
        UserError: a fault in the settings, the model, the problems, or the server.
    """
    check_place(settings.output)
    keep_apart(settings.output, settings.problems)
    for folder in (settings.model, settings.adapter):
        keep_outside(settings.output, folder)
    reference = TransformersBackend(settings.model, settings.adapter, dtype=settings.reference_dtype)
    other = _other(settings)
    problems = _problems(settings)
    asked = list(find_benchmark(PLAIN).ask(problems, Asking("bare", False, {})))
    generation = GenerationSettings(max_new_tokens=settings.max_new_tokens)
    requests, theirs_asked = ([Request(side.render(one.messages, 0)) for one in asked] for side in (reference, other))
    # The other first: a server that is not there shows before the reference has generated.
    began = time.monotonic()
    theirs = listen(other, theirs_asked, generation)
    between = time.monotonic()
    ours = listen(reference, requests, generation)
    seconds = (time.monotonic() - between, between - began)
    compared = [
        _compare(reference, other, problem.id, request, one, another)
        for problem, request, one, another in zip(problems, requests, ours, theirs, strict=True)
    ]
    rows = [row for row, _ in compared]
    apart = [gaps for _, gaps in compared if gaps]
    every = [gap for gaps in apart for gap in gaps]
    behind = [row.behind for row in rows if row.behind is not None]
    server = None if settings.base_url is None else ", ".join(EndpointConfig(base_url=settings.base_url).base_url)
    found = Conformance(
        model=str(settings.model),
        family=family_of(settings.model),
        reference=side_of(reference.name, reference.description),
        backend=BackendSide(backend=other.name, dtype=settings.dtype or other.description.get("dtype"), server=server),
        described={"reference": dict(reference.description), "backend": dict(other.description)},
        prompts=len(rows),
        max_new_tokens=settings.max_new_tokens,
        same_prompt_tokens=sum(row.input_tokens[0] == row.input_tokens[1] for row in rows),
        same_texts=sum(row.first_difference is None for row in rows),
        right_counts=sum(row.output_tokens[1] == row.recount for row in rows),
        same_ends=sum(row.first_difference is None and row.ends[0] == row.ends[1] for row in rows),
        failed=sum(row.ends[1] == "error" for row in rows),
        behind=max(behind, default=None),
        logprobs=LogProbs(texts=len(apart), tokens=len(every), mean=sum(every) / len(every), largest=max(every))
        if every
        else None,
        seconds=seconds,
        rows=rows,
    )
    write_json(settings.output, found)
    return found


def _other(settings: CheckSettings) -> Backend:
    """The back end that is checked."""
    if settings.against == "transformers":
        return ListeningTransformers(settings.model, settings.adapter, dtype=settings.dtype or "auto")
    if settings.against == "vllm":
        own = {"gpu_memory": settings.gpu_memory, "enforce_eager": settings.enforce_eager or None}
        given = {name: value for name, value in own.items() if value is not None}
        return ListeningVllm(settings.model, settings.adapter, dtype=settings.dtype or "auto", **given)
    given = {name: value for name in ENDPOINT_KEYS if (value := getattr(settings, name, None)) is not None}
    return ListeningServer(
        settings.served or settings.model.name,
        parse_config(EndpointConfig, given, "srt backends"),
        reads_pictures=False,
        **({"server_type": settings.server_type} if settings.server_type else {}),
    )


def _problems(settings: CheckSettings) -> list[Problem]:
    """The problems that are asked: of the file, or as many of each world in each language."""
    if settings.problems is not None:
        return list(read_problems(settings.problems).values())[: settings.prompts]
    each = -(-settings.prompts // (len(_WORLDS) * len(_LANGS)))
    lists = [sample_problems(world, each, 0, "test", {"lang": lang}) for world in _WORLDS for lang in _LANGS]
    return [problem for row in zip(*lists, strict=True) for problem in row][: settings.prompts]


def _compare(
    reference: TransformersBackend,
    other: Backend,
    problem_id: str,
    request: Request,
    one: HeardText,
    another: HeardText,
) -> tuple[PromptRow, list[float]]:
    """One row, and how far apart the log-probabilities of its tokens are, where both are known."""
    ours, theirs = one.generation, another.generation
    row = PromptRow(
        problem_id=problem_id,
        texts=(ours.text, theirs.text),
        input_tokens=(ours.input_tokens, theirs.input_tokens),
        output_tokens=(ours.output_tokens, theirs.output_tokens),
        ends=(ours.finish_reason, theirs.finish_reason),
        errors=(ours.error, theirs.error),
        first_difference=_first_difference(ours.text, theirs.text),
    )
    if theirs.finish_reason == "error":
        return row.model_copy(update={"first_difference": row.first_difference or 0}), []
    prompt = reference.tokenizer.encode(request.prompt, add_special_tokens=False)
    # The ids of an equal text are the reference's own: one that was cut inside a character cannot be encoded again.
    known_ids = another.ids or (one.ids if row.first_difference is None else None)
    ids = list(known_ids or reference.tokenizer.encode(theirs.text, add_special_tokens=False))
    if known_ids is None and theirs.finish_reason == "stop":
        ids.append(reference.tokenizer.eos_token_id)
    if not ids:
        return row.model_copy(update={"recount": 0}), []
    chosen, best = log_probabilities(reference, prompt, ids)
    behind = max(top - own for top, own in zip(best, chosen, strict=True))
    said = another.logprobs
    if isinstance(other, ListeningTransformers):
        said = tuple(log_probabilities(other, prompt, ids)[0])
    # Servers may leave out the end of sequence. Other lengths are another tokenization of the text.
    ends = theirs.finish_reason == "stop"
    known = said is not None and len(ids) - len(said) in (0, ends)
    gaps = [abs(mine - its) for mine, its in zip(chosen, said or (), strict=False)] if known else []
    recount = len(ids) if known_ids is not None or not said else len(said)
    if theirs.output_tokens == recount + 1 and said is not None and len(said) == len(ids) - ends:
        recount += 1
    return row.model_copy(update={"recount": recount, "behind": behind}), gaps


def _first_difference(one: str, other: str) -> int | None:
    if one == other:
        return None
    return next(
        (at for at, both in enumerate(zip(one, other, strict=False)) if both[0] != both[1]), min(len(one), len(other))
    )
