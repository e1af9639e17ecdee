"""A run as lm-evaluation-harness logs it with ``--log_samples``: ``results_DATE.json`` and ``samples_TASK_DATE.jsonl``.

They lie in a folder named after the arm, as its ``--output_path`` has one for each model. The metric is ``acc`` under
the filter ``none``; its value is our score. Repeats of a question stand together in ``resps``, as there. What has no
place in that form (tokens, status, variant) stands in the key ``srt`` of a sample.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import orjson

from eval.export.exported import Asked, Exported, file_name
from srt.jsonl import write_atomically

METRIC, FILTER = "acc", "none"
_VERSION = 1


def write(exported: Exported, output: Path) -> list[Path]:
    """Write the two files into the folder of the arm in ``output``."""
    stamp = exported.stamp
    task = f"srt_{file_name(stamp.benchmark)}"
    # As datetime.isoformat() gives it, without a time zone and with dashes: what the harness' own readers sort by.
    date = exported.made.replace(tzinfo=None).isoformat(timespec="microseconds").replace(":", "-")
    folder = output / file_name(stamp.arm)
    folder.mkdir(exist_ok=True)
    samples = [_sample(exported, number, asked) for number, asked in enumerate(exported.asked)]
    lines = (orjson.dumps(sample, option=orjson.OPT_APPEND_NEWLINE) for sample in samples)
    sample_path, result_path = folder / f"samples_{task}_{date}.jsonl", folder / f"results_{date}.json"
    write_atomically(sample_path, lines)
    results = _results(exported, task, samples)
    write_atomically(result_path, [orjson.dumps(results, option=orjson.OPT_INDENT_2)])
    return [result_path, sample_path]


def _sample(exported: Exported, number: int, asked: Asked) -> dict[str, Any]:
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
    texts = [sample.prediction.text if sample.prediction else "" for sample in asked.samples]
    read = [(sample.score.extracted if sample.score else None) or "" for sample in asked.samples]
    value = asked.value
    made = {
        "doc_id": number,
        "doc": doc,
        "target": asked.gold,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": _generation(exported)}},
        "resps": [texts],
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
                "input_tokens": sample.prediction.input_tokens if sample.prediction else None,
                "output_tokens": sample.prediction.output_tokens if sample.prediction else None,
                "finish_reason": sample.prediction.finish_reason if sample.prediction else None,
            }
            for sample in asked.samples
        ],
    }
    return made if value is None else made | {METRIC: value}


def _results(exported: Exported, task: str, samples: list[dict[str, Any]]) -> dict[str, Any]:
    stamp, values = exported.stamp, exported.accuracy
    hashes = "".join(sample[key] for sample in samples for key in ("doc_hash", "prompt_hash", "target_hash"))
    began = exported.made.timestamp()
    return {
        "results": {
            task: {
                "alias": task,
                f"{METRIC},{FILTER}": sum(values) / len(values),
                f"{METRIC}_stderr,{FILTER}": exported.standard_error,
            }
        },
        "group_subtasks": {task: []},
        "configs": {
            task: {
                "task": task,
                "output_type": "generate_until",
                "num_fewshot": int(stamp.options.get("shots", "0")),
                "metric_list": [{"metric": METRIC, "aggregation": "mean", "higher_is_better": True}],
                "generation_kwargs": _generation(exported),
                "repeats": stamp.repeats,
                "metadata": {"version": _VERSION, "srt": stamp.model_dump(mode="json")},
            }
        },
        "versions": {task: _VERSION},
        "n-shot": {task: int(stamp.options.get("shots", "0"))},
        "higher_is_better": {task: {METRIC: True}},
        "n-samples": {task: {"original": len(samples), "effective": len(samples)}},
        "config": {"model": stamp.backend, "model_args": stamp.model},
        "git_hash": None,
        "date": began,
        "task_hashes": {task: _hash(hashes.encode())},
        "model_source": stamp.backend,
        "model_name": stamp.arm,
        "model_name_sanitized": file_name(stamp.arm),
    }


def _generation(exported: Exported) -> dict[str, Any]:
    settings = exported.stamp.settings
    return {
        "max_gen_toks": settings.max_new_tokens,
        "do_sample": settings.temperature > 0,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
    }


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
