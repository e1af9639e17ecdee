"""A run as lm-evaluation-harness logs it with ``--log_samples``: ``results_DATE.json`` and ``samples_TASK_DATE.jsonl``.

They are in a folder named after the arm, as its ``--output_path`` has one for each model. The metric is ``acc`` under
the filter ``none``; its value is our score. Repeats of a question are together in ``resps``, as there. What that format
has no place for (tokens, status, variant) is under the key ``srt`` of a sample.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import orjson

from eval.export.run_export import ExportedQuestion, RunExport, file_name
from srt.io.atomic_files import write_atomically

METRIC, FILTER = "acc", "none"
_VERSION = 1


def write(exported: RunExport, output: Path) -> list[Path]:
    """Write the two files into the folder of the arm in ``output``."""
    manifest = exported.manifest
    task = f"srt_{file_name(manifest.benchmark)}"
    # As datetime.isoformat() gives it, without a time zone and with dashes: what the harness' own readers sort by.
    date = exported.made.replace(tzinfo=None).isoformat(timespec="microseconds").replace(":", "-")
    folder = output / file_name(manifest.arm)
    folder.mkdir(exist_ok=True)
    samples = [_sample(exported, number, asked) for number, asked in enumerate(exported.asked)]
    lines = (orjson.dumps(sample, option=orjson.OPT_APPEND_NEWLINE) for sample in samples)
    sample_path, result_path = folder / f"samples_{task}_{date}.jsonl", folder / f"results_{date}.json"
    write_atomically(sample_path, lines)
    results = _results(exported, task, samples)
    write_atomically(result_path, [orjson.dumps(results, option=orjson.OPT_INDENT_2)])
    return [result_path, sample_path]


def _sample(exported: RunExport, number: int, asked: ExportedQuestion) -> dict[str, Any]:
    problem = asked.question.problem
    doc = {
        "id": problem.id,
        "variant": asked.question.variant,
        "question": problem.question,
        # As lists: a mapping by letter would give the column another type in each file.
        "choices": {"label": list(problem.choices), "text": list(problem.choices.values())},
        "answer": asked.gold,
        "images": exported.pictures(asked.question),
        "lang": problem.lang,
        "category": problem.category,
        "subcategory": problem.subcategory,
    }
    prompt = orjson.dumps([message.model_dump() for message in asked.question.messages]).decode()
    predictions = [sample.prediction for sample in asked.samples]
    texts = [prediction.text if prediction else "" for prediction in predictions]
    read = [(sample.score.extracted if sample.score else None) or "" for sample in asked.samples]
    value = asked.value
    made = {
        "doc_id": number,
        "doc": doc,
        "target": asked.gold,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": _generation(exported)}},
        "resps": [texts],
        # As the harness has it: a text, or the texts of all repeats in a list of one.
        "filtered_resps": read if len(read) == 1 else [read],
        "filter": FILTER,
        "metrics": [] if value is None else [METRIC],
        "doc_hash": _hash(orjson.dumps(doc, option=orjson.OPT_INDENT_2)),
        "prompt_hash": _hash(prompt.encode()),
        "target_hash": _hash(asked.gold.encode()),
        "srt": [
            {
                "repeat": sample.repeat,
                "value": sample.score.value if sample.score else None,
                "status": sample.score.status if sample.score else None,
                **{
                    name: getattr(prediction, name, None) for name in ("input_tokens", "output_tokens", "finish_reason")
                },
            }
            for sample, prediction in zip(asked.samples, predictions, strict=True)
        ],
    }
    return made if value is None else made | {METRIC: value}


def _results(exported: RunExport, task: str, samples: list[dict[str, Any]]) -> dict[str, Any]:
    manifest = exported.manifest
    hashes = "".join(sample[key] for sample in samples for key in ("doc_hash", "prompt_hash", "target_hash"))
    shots = len(manifest.shots) or int(manifest.options.get("shots", "0"))
    return {
        "results": {
            task: {
                "alias": task,
                f"{METRIC},{FILTER}": exported.accuracy,
                f"{METRIC}_stderr,{FILTER}": exported.standard_error,
            }
        },
        "group_subtasks": {task: []},
        "configs": {
            task: {
                "task": task,
                "output_type": "generate_until",
                "num_fewshot": shots,
                "metric_list": [{"metric": METRIC, "aggregation": "mean", "higher_is_better": True}],
                "generation_kwargs": _generation(exported),
                "repeats": manifest.repeats,
                "metadata": {"version": _VERSION, "srt": manifest.model_dump(mode="json")},
            }
        },
        "versions": {task: _VERSION},
        "n-shot": {task: shots},
        "higher_is_better": {task: {METRIC: True}},
        "n-samples": {task: {"original": len(samples), "effective": len(samples)}},
        "config": {"model": manifest.backend, "model_args": manifest.model},
        # The commit would be that of the harness, which has not made these results.
        "git_hash": None,
        "date": exported.made.timestamp(),
        "task_hashes": {task: _hash(hashes.encode())},
        "model_source": manifest.backend,
        "model_name": manifest.arm,
        "model_name_sanitized": file_name(manifest.arm),
    }


def _generation(exported: RunExport) -> dict[str, Any]:
    settings = exported.manifest.settings
    if settings is None:
        return {}
    return {
        "max_gen_toks": settings.max_new_tokens,
        "do_sample": settings.temperature > 0,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
    }


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
