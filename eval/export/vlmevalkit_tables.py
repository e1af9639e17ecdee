"""A run in VLMEvalKit's files: the data set as TSV, and for each repeat a TSV of predictions.

``DATASET.tsv`` goes to the folder ``LMUData``; ``ARM/ARM_DATASET.tsv`` is what inference leaves in the work folder with
``PRED_FORMAT=tsv`` (a further repeat is an arm of its own, ``ARM-2``). ``hit`` is our score.

The format follows what its readers expect: ``index`` is a number, and variants of one problem have the same one modulo
10^6, as in its circular evaluation; several right options are written together (``AC``), which its own exact matching
of one letter does not score; a picture's path is absolute, several are a list. It reads with pandas, which takes a cell
``None`` or ``NA`` for an empty one: such a cell gets a space after it. What a spreadsheet would take for a formula is
marked as text (:mod:`eval.records.spreadsheet_cells`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eval.export.run_export import RunExport, Sample, file_name
from eval.predictions.vlmevalkit_rows import FAILED
from eval.records.spreadsheet_cells import as_text
from srt.io.atomic_files import write_atomically

VARIANT_STEP = 1_000_000

_EMPTY_TO_PANDAS = re.compile(r"#N/A(?: N/A)?|#NA|-?1\.#(?:IND|QNAN)|-?(?:NaN|nan)|<NA>|N/A|n/a|NA|NULL|null|None")


def write(exported: RunExport, output: Path) -> list[Path]:
    """Write the data set, and the predictions of each repeat, into ``output``."""
    dataset = f"srt_{file_name(exported.manifest.benchmark)}"
    rows = list(_rows(exported))
    columns = _columns(rows)
    written = [output / f"{dataset}.tsv"]
    write_atomically(written[0], [_tsv(columns, rows)])
    for repeat in range(exported.manifest.repeats):
        arm = file_name(exported.manifest.arm) + (f"-{repeat + 1}" if repeat else "")
        (output / arm).mkdir(exist_ok=True)
        made = [_prediction(asked.samples[repeat]) for asked in exported.asked]
        whole = [row | said for row, said in zip(rows, made, strict=True)]
        written.append(output / arm / f"{arm}_{dataset}.tsv")
        write_atomically(written[-1], [_tsv([*columns, *made[0]], whole)])
    return written


def _rows(exported: RunExport) -> Iterator[dict[str, Any]]:
    numbers: dict[str, int] = {}
    variants: dict[str, int] = {}
    for asked in exported.asked:
        problem = asked.question.problem
        number = numbers.setdefault(problem.id, len(numbers))
        turn = variants[problem.id] = variants.get(problem.id, -1) + 1
        letters = problem.answer is not None and problem.answer.kind == "choice_set"
        paths = exported.pictures(asked.question)
        # One path, or a list as VLMEvalKit reads it: it evaluates what begins with [ and ends with ].
        alone = len(paths) == 1 and not (paths[0].startswith("[") and paths[0].endswith("]"))
        yield {
            "index": number + turn * VARIANT_STEP,
            "image_path": paths[0] if alone else repr(paths) if paths else "",
            "question": problem.question,
            **dict(sorted(problem.choices.items())),
            "answer": asked.gold.replace(", ", "") if letters else asked.gold,
            "category": problem.subcategory or problem.category or "",
            "l2-category": problem.category or "",
            "problem_id": problem.id,
            "variant": asked.question.variant,
        }


def _prediction(sample: Sample) -> dict[str, Any]:
    prediction, score = sample.prediction, sample.score
    failed = prediction is None or prediction.finish_reason == "error" or not prediction.text.strip()
    return {
        "prediction": FAILED if failed or prediction is None else prediction.text,
        "hit": "" if score is None else f"{score.value:g}",
        "extracted": (score.extracted or "") if score else "",
        "status": score.status if score else "",
        "output_tokens": prediction.output_tokens if prediction and prediction.output_tokens is not None else "",
    }


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    """The columns of all rows in their order; without pictures there is no column of paths, as it expects."""
    letters = sorted({name for row in rows for name in row if len(name) == 1})
    pictures = ["image_path"] if any(row["image_path"] for row in rows) else []
    return ["index", *pictures, "question", *letters, "answer", "category", "l2-category", "problem_id", "variant"]


def _tsv(columns: list[str], rows: list[dict[str, Any]]) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column, "")) for column in columns] for row in rows)
    # A text from a server may hold half of a surrogate pair.
    return file.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> str:
    text = as_text(str(value).replace("\x00", ""))
    return f"{text} " if _EMPTY_TO_PANDAS.fullmatch(text) else text
