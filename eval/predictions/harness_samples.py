"""Samples of lm-evaluation-harness and of lmms-eval: one line for each document and filter.

lm-eval (``evaluator.py``, ``loggers/evaluation_tracker.py`` of 0.4.13) writes ``<model>/samples_<task>_<date>.jsonl``
with ``doc``, ``doc_id``, ``target``, ``arguments``, ``resps`` [requests][samples], ``filtered_resps`` and ``filter``. A
task with several filters has a line for each, with the same ``resps``: they are one answer. lmms-eval (the same files
of 0.7.3) writes ``<model>/<date>_samples_<task>.jsonl`` without ``doc`` and ``arguments`` (``input`` is the first of
them), and with ``token_counts``; a single request is flattened, and ``resps``, which keep the reasoning, are left out
where ``filtered_resps`` are equal. What is read is all that the model wrote; filters are the harness' way of finding
the answer in it, and ours is another.

A task that compares log-likelihoods has a request for each option; the answer is the likeliest one's letter (``acc`` of
the harness, not ``acc_norm``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from eval.benchmarks.external.external_rows import Row
from eval.predictions.cells import ended, id_of, token_counts
from eval.predictions.foreign_row import NO_TOKENS, ForeignRow
from srt.io.errors import UserError

LM_EVAL: Final = "lm-eval samples"
LMMS_EVAL: Final = "lmms-eval samples"
ROW_NUMBER: Final = "doc_id"
"""The number of the row in the data set, from 0: no id of a problem's own."""
_ID_FIELDS: Final = (
    "problem_id", "id", "question_id", "qid", "pid", "uid", "uuid", "unique_id", "sample_id", "index", "idx",
)  # fmt: skip
"""Fields of a document that data sets call its id."""


class _Answers(NamedTuple):
    """What the model wrote for one document: a text for each sample, with its place and the line's values."""

    place: str
    texts: list[str]
    values: dict[str, Any]


def kind_of(values: dict[str, Any]) -> str | None:
    """The name of the harness that writes such lines; ``None`` where neither does."""
    if "doc_id" not in values:
        return None
    # Only lmms-eval counts tokens; a file of its that someone put the documents back into is one, too.
    if ("doc" in values or "arguments" in values) and "token_counts" not in values:
        return LM_EVAL
    return LMMS_EVAL if {"input", "filtered_resps", "resps", "token_counts"} & values.keys() else None


def read_samples(rows: Iterable[Row], kind: str) -> Iterator[ForeignRow]:
    """The answers in ``rows`` of the harness ``kind``, each document once.

    Raises:
        UserError: a line without ``doc_id`` or answers, log-likelihoods that choose nothing, or two lines of one
            document with different outputs.
    """
    answers: dict[str, _Answers] = {}
    for row in rows:
        if "doc_id" not in row.values:
            raise UserError(f"{row.place}: {kind}: no key 'doc_id'; every line was expected to have one")
        name = str(row.values["doc_id"])
        made = _Answers(row.place, _texts(row, kind), row.values)
        known = answers.get(name)
        answers[name] = made if known is None else _one_of(known, made, kind)
    for one in answers.values():
        yield from _rows(one)


def _one_of(first: _Answers, second: _Answers, kind: str) -> _Answers:
    """Of two lines of one document, from two filters, the one with the whole output."""
    if first.texts == second.texts:
        return first
    longer, shorter = sorted((first, second), key=lambda one: -sum(map(len, one.texts)))
    # lmms-eval keeps what each filter made where it strips the reasoning: a part of the output.
    if kind == LMMS_EVAL and all(part.strip() in "\n".join(longer.texts) for part in shorter.texts):
        return longer
    raise UserError(
        f"{second.place}: {kind}: doc_id {second.values['doc_id']} has another output already ({first.place}); a file "
        "has the answers of one model in one run"
    )


def _rows(one: _Answers) -> Iterator[ForeignRow]:
    values, place = one.values, one.place
    doc = values["doc"] if isinstance(values.get("doc"), dict) else {}
    ids = {f"doc.{name}": found for name in _ID_FIELDS if name in doc and (found := id_of(doc[name]))}
    ids["doc_id"] = id_of(values["doc_id"])
    # Our own export says how each sample ended, which the harness has no place for.
    ours = values["srt"] if isinstance(values.get("srt"), list) and len(values["srt"]) == len(one.texts) else None
    told = values.get("token_counts")
    counts = told if isinstance(told, list) else []
    for repeat, text in enumerate(one.texts):
        counted = counts[repeat] if repeat < len(counts) and isinstance(counts[repeat], dict) else {}
        if ours is not None:
            counted = ours[repeat]
            if counted.get("finish_reason") is None:  # there is no prediction
                continue
        yield ForeignRow(
            place,
            ids,
            text,
            position=int(ids["doc_id"]) if ids["doc_id"].isdecimal() else None,
            shown=(*_strings_of(doc), *_prompts(values)),
            target=None if values.get("target") is None else str(values["target"]),
            variant=str(doc["variant"]) if ours is not None and doc.get("variant") else None,
            repeat=repeat,
            tokens=token_counts(place, counted) if counted else NO_TOKENS,
            finish_reason=ended(place, counted.get("finish_reason")),
        )


def _strings_of(doc: Any, depth: int = 3) -> Iterator[str]:
    """The texts of a document; options are in a list, or in one within an object."""
    if isinstance(doc, str):
        yield doc
    elif isinstance(doc, dict | list) and depth:
        for one in doc.values() if isinstance(doc, dict) else doc:
            yield from _strings_of(one, depth - 1)


def _prompts(values: dict[str, Any]) -> list[str]:
    """The prompt as far as it is text, and the options whose log-likelihoods were asked for."""
    arguments = values.get("arguments")
    requests = list(arguments.values()) if isinstance(arguments, dict) else [values.get("input")]
    first = next(iter(requests), None)
    prompt = str(first.get("arg_0", "") if isinstance(first, dict) else first or "")
    options = [one["arg_1"] for one in requests if isinstance(one, dict) and isinstance(one.get("arg_1"), str)]
    return [prompt, *options]


def _texts(row: Row, kind: str) -> list[str]:
    """What the model wrote: a text for each sample."""
    given = row.values.get("resps", row.values.get("filtered_resps"))
    if given is None:
        raise UserError(f"{row.place}: {kind}: no key 'resps' or 'filtered_resps'; the outputs were expected there")
    if (likelihoods := _likelihoods(given)) is not None:
        if len(likelihoods) < 2:
            raise UserError(
                f"{row.place}: {kind}: resps: one log-likelihood chooses nothing; a task that generates, or one that "
                "compares options, was expected"
            )
        return [chr(ord("A") + likelihoods.index(max(likelihoods)))]
    texts = list(_strings(given))
    if not texts or not all(isinstance(text, str) for text in texts):
        raise UserError(f"{row.place}: {kind}: resps: texts were expected, not {str(given)[:60]!r}")
    return texts


def _strings(given: Any, depth: int = 2) -> Iterator[Any]:
    """What is in lists of samples within lists of requests, in order."""
    if isinstance(given, list) and depth:
        for one in given:
            yield from _strings(one, depth - 1)
    else:
        yield given


def _likelihoods(given: Any) -> list[float] | None:
    """The log-likelihood of each option, where these are pairs of one and whether greedy decoding gives the option."""
    if not isinstance(given, list) or not given:
        return None
    found = []
    for option in given:
        pair = option[0] if isinstance(option, list) and len(option) == 1 else option
        if not (isinstance(pair, list) and len(pair) == 2 and str(pair[1]) in ("True", "False")):
            return None
        try:
            found.append(float(pair[0]))
        except (TypeError, ValueError):
            return None
        if math.isnan(found[-1]):
            return None
    return found
