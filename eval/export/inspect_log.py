"""A run as a log of Inspect (https://inspect.aisi.org.uk): one JSON file for ``read_eval_log`` and ``inspect view``.

Written from the schema of inspect_ai 0.3 (log version 2), without importing it. A sample is a question, an epoch is a
repeat. Our score is that of the scorer ``srt``: ``C`` or ``I``, or the credit in [0, 1]; its metadata says how the
answer was read, and has the checker's verdicts on the trace.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import orjson

import srt
from eval.export.run_export import ExportedQuestion, RunExport, Sample, file_name
from eval.records.run_records import given_counts
from eval.records.run_rows import StoredPrediction, StoredScore
from srt.io.atomic_files import write_atomically
from srt.io.records import Prediction

SCORER = "srt"
_STOPS = {"stop": "stop", "length": "max_tokens", "error": "unknown"}


def write(exported: RunExport, output: Path) -> list[Path]:
    """Write the log into ``output`` under the name that Inspect gives its logs: time, task, id."""
    manifest = exported.manifest
    # One id for evaluation, run and task: Inspect draws each at random, and no two exports would be the same.
    identity = _identity(manifest.arm, manifest.fingerprint, manifest.problems.sha256, sorted(manifest.options.items()))
    created = exported.made.isoformat()
    model = f"{manifest.backend}/{manifest.arm}"
    samples = [_sample(exported, asked, sample, model) for asked in exported.asked for sample in asked.samples]
    log = {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": identity,
            "run_id": identity,
            "created": created,
            "task": manifest.benchmark,
            "task_id": identity,
            "dataset": {
                "name": manifest.benchmark,
                "location": str(exported.problems),
                "samples": len(exported.asked),
                "sample_ids": [asked.name for asked in exported.asked],
                "shuffled": False,
            },
            "model": model,
            "config": {"epochs": manifest.repeats, "epochs_reducer": ["mean"]},
            "packages": {"srt-traces": srt.__version__},
            "metadata": manifest.model_dump(mode="json"),
        },
        "plan": {
            "name": "plan",
            "steps": [],
            "config": {
                "max_tokens": manifest.settings.max_new_tokens,
                **manifest.settings.model_dump(include={"temperature", "top_p", "seed"}),
            }
            if manifest.settings
            else {},
        },
        "results": {
            "total_samples": len(samples),
            "completed_samples": len(exported.run.predictions),
            "scores": [
                {
                    "name": SCORER,
                    "scorer": SCORER,
                    "metrics": {
                        "accuracy": {"name": "accuracy", "value": exported.accuracy},
                        "stderr": {"name": "stderr", "value": exported.standard_error},
                    },
                }
            ],
        },
        "stats": {
            # A run does not keep when it began and ended, only when its predictions were written.
            "started_at": created,
            "completed_at": created,
            "model_usage": {model: usage} if (usage := _usage(*exported.run.predictions.values())) else {},
        },
        "samples": samples,
    }
    # Inspect takes the name of a log apart at its underscores.
    path = output / f"{created.replace(':', '-')}_{file_name(manifest.benchmark).replace('_', '-')}_{identity}.json"
    write_atomically(path, [orjson.dumps(log, option=orjson.OPT_INDENT_2)])
    return [path]


def _sample(exported: RunExport, asked: ExportedQuestion, sample: Sample, model: str) -> dict[str, Any]:
    problem, prediction = asked.question.problem, sample.prediction
    prompt = _messages(exported, asked)
    text = prediction.text if prediction else ""
    reply = {"role": "assistant", "content": text, "source": "generate"}
    stop = _STOPS[prediction.finish_reason] if prediction else "unknown"
    made: dict[str, Any] = {
        "id": asked.name,
        # Epochs count from 1 there.
        "epoch": sample.repeat + 1,
        "uuid": _identity(exported.manifest.fingerprint, asked.name, sample.repeat),
        "input": prompt,
        "choices": list(problem.choices.values()) or None,
        "target": asked.gold,
        "messages": [*prompt, reply],
        "output": {"model": model, "choices": [{"message": reply, "stop_reason": stop}]},
        "metadata": {
            "problem_id": problem.id,
            "variant": asked.question.variant,
            "source": problem.source,
            "lang": problem.lang,
            "category": problem.category,
            "subcategory": problem.subcategory,
        },
    }
    if prediction is not None:
        made["output"]["time"] = prediction.seconds
        if usage := _usage(prediction):
            made["output"]["usage"] = usage
            made["model_usage"] = {model: usage}
        made["metadata"]["key"] = prediction.key
    if sample.score is not None:
        made["scores"] = {SCORER: _score(sample, sample.score, text)}
    if prediction is None or prediction.finish_reason == "error":
        message = (prediction.error if prediction else None) or "there is no prediction"
        made["error"] = {"message": message, "traceback": "", "traceback_ansi": ""}
    return made


def _messages(exported: RunExport, asked: ExportedQuestion) -> list[dict[str, Any]]:
    """What the model was shown; pictures stand before the text of the first user's turn."""
    pictures = [{"type": "image", "image": path, "detail": "auto"} for path in exported.pictures(asked.question)]
    messages: list[dict[str, Any]] = []
    for message in asked.question.messages:
        content: Any = message.content
        if pictures and message.role == "user":
            content, pictures = [*pictures, {"type": "text", "text": message.content}], []
        turn = {"role": message.role, "content": content}
        messages.append(turn | {"source": "input"} if message.role == "user" else turn)
    return messages


def _score(sample: Sample, score: StoredScore, text: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {"status": score.status, "how": score.how, "policy": score.policy}
    if (checked := sample.checked) is not None:
        metadata["trace"] = checked.model_dump(mode="json", exclude={"problem_id", "variant", "repeat"})
    # Inspect's letters for correct and incorrect, which its own metrics know; other credits stay numbers.
    value: str | float = {1.0: "C", 0.0: "I"}.get(score.value, score.value)
    return {"value": value, "answer": score.extracted, "explanation": text, "metadata": metadata}


def _usage(*predictions: Prediction | StoredPrediction) -> dict[str, int]:
    """The tokens of ``predictions`` together; empty where they are not given for all of them."""
    given, made = (
        given_counts(getattr(row, name) for row in predictions) for name in ("input_tokens", "output_tokens")
    )
    if not given or not made:
        return {}
    return {"input_tokens": sum(given), "output_tokens": sum(made), "total_tokens": sum(given) + sum(made)}


def _identity(*parts: object) -> str:
    """As long as the ids that Inspect draws at random, but the same each time."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:22]
