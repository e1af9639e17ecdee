"""Rows of Parquet files and of folders of a Hugging Face dataset: what ``save_to_disk`` wrote, or the files of a hub.

``datasets`` writes the types of its columns into the Arrow schema, under ``huggingface``, as JSON: ``{"info":
{"features": {"answer": {"names": ["A", "B"], "_type": "ClassLabel"}}}}`` (``Features.arrow_schema`` in its
``features/features.py``). So an integer that is a class is read as the name of its class.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from eval.benchmarks.external.json_rows import json_items, json_lines
from eval.benchmarks.external.row import BadRow, ClassName, Row
from eval.benchmarks.external.table_rows import table_rows
from srt.io.errors import UserError

_BATCH = 256
_PART = re.compile(r"(?P<split>[a-z]+)(?:-\d+-of-\d+)?(?:-[0-9a-f]+)?\.(?:parquet|jsonl|json|csv|tsv)")
_SPLITS = ("train", "validation", "valid", "val", "dev", "test", "testmini")
_READ_IN_FOLDERS = {".jsonl": json_lines, ".json": json_items, ".csv": table_rows, ".tsv": table_rows}


def dataset_rows(folder: Path) -> Iterator[Row | BadRow]:
    """The rows of the dataset in ``folder``: saved by ``save_to_disk``, Parquet files in it or its ``data``, files that
    bear the name of a split (``train.jsonl``), or pictures with a ``metadata.jsonl`` (an ``imagefolder``). Rows without
    a ``split`` get the one that the file's name, or the folder of the metadata, says.

    Raises:
        UserError: there are no data, or there are several configurations, each in a folder of its own.
    """
    saved, parquet = _saved_parts(folder), _parquet_parts(folder)
    text = [] if saved or parquet else _text_parts(folder) + _metadata_parts(folder)
    if not (saved or parquet or text):
        inside = [one for one in sorted(folder.glob("*/")) if _saved_parts(one) or _parquet_parts(one)]
        if len(inside) > 1:
            named = ", ".join(one.name for one in inside[:8])
            raise UserError(f"{folder}: {len(inside)} configurations ({named}); give the folder of one of them")
        if inside:
            return dataset_rows(inside[0])
        raise UserError(
            f"{folder}: no data in this folder: neither mapping.yaml, nor Parquet files, nor what save_to_disk writes, "
            "nor train.jsonl, test.csv, metadata.jsonl and the like; other files are given one by one"
        )
    return _all_rows(folder, saved, parquet, text)


def parquet_rows(path: Path, split: str | None = None) -> Iterator[Row]:
    """The rows of the Parquet file ``path``; those without a ``split`` get the one given.

    Raises:
        UserError: it is none.
    """
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
    except (OSError, pyarrow.ArrowInvalid) as error:
        raise UserError(f"{path}: not a Parquet file: {error}") from None
    return _arrow_rows(file.iter_batches(batch_size=_BATCH), file.schema_arrow.metadata, path, split)


_Parts = list[tuple[Path, str | None]]


def _all_rows(folder: Path, saved: _Parts, parquet: _Parts, text: _Parts) -> Iterator[Row | BadRow]:
    for part, split in saved:
        yield from _saved(part, split)
    for part, split in () if saved else parquet:
        yield from parquet_rows(part, split)
    for part, split in text:
        for row in _READ_IN_FOLDERS[part.suffix](part):
            if isinstance(row, BadRow):
                yield row
                continue
            values = dict(row.values) if split is None else {"split": split, **row.values}
            if part.stem == "metadata" and "file_name" in values:
                values["picture"] = (part.parent.relative_to(folder) / str(values.pop("file_name"))).as_posix()
            yield Row(row.place, values)


def _saved_parts(folder: Path) -> _Parts:
    """What ``datasets`` saved in ``folder``: each part and its split."""
    if (folder / "dataset_dict.json").is_file():
        return [(one.parent, one.parent.name) for one in sorted(folder.glob("*/state.json"))]
    return [(folder, None)] if (folder / "state.json").is_file() else []


def _parquet_parts(folder: Path) -> _Parts:
    """The Parquet files in ``folder`` or its ``data``, each with the split that its name begins with."""
    return [_part(file) for file in sorted([*folder.glob("*.parquet"), *folder.glob("data/*.parquet")])]


def _text_parts(folder: Path) -> _Parts:
    """The files of text in ``folder`` or its ``data`` that bear the name of a split."""
    files = [file for at in ("*", "data/*") for file in folder.glob(at) if file.suffix in _READ_IN_FOLDERS]
    return [part for part in map(_part, sorted(files)) if part[1] in _SPLITS]


def _metadata_parts(folder: Path) -> _Parts:
    """The ``metadata`` of an ``imagefolder``: in ``folder``, or in a folder for each split."""
    files = [file for at in ("metadata.*", "*/metadata.*") for file in sorted(folder.glob(at))]
    files = [file for file in files if file.suffix in (".jsonl", ".csv")]
    return [(file, None if file.parent == folder else file.parent.name) for file in files]


def _part(file: Path) -> tuple[Path, str | None]:
    match = _PART.fullmatch(file.name)
    return file, match["split"] if match else None


def _saved(folder: Path, split: str | None) -> Iterator[Row]:
    from datasets import Dataset

    try:
        dataset = Dataset.load_from_disk(str(folder)).with_format("arrow")
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"{folder}: not a dataset that can be read: {error}") from None
    tables = (dataset[start : start + _BATCH] for start in range(0, len(dataset), _BATCH))
    return _arrow_rows(tables, dataset.features.arrow_schema.metadata, folder, split)


def _arrow_rows(
    tables: Iterator[Any], metadata: Mapping[bytes, bytes] | None, path: Path, split: str | None
) -> Iterator[Row]:
    number, classes = 0, _classes(metadata)
    for table in tables:
        for row in table.to_pylist():
            number += 1
            values = {name: _cell(value, classes.get(name)) for name, value in row.items()}
            yield Row(f"{path}: row {number}", values if split is None else {"split": split, **values})


def _classes(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """The names of the classes of each column of type ``ClassLabel``."""
    try:
        features = orjson.loads((metadata or {})[b"huggingface"])["info"]["features"]
        types = {name: one for name, one in features.items() if isinstance(one, dict)}
        return {name: one["names"] for name, one in types.items() if one.get("_type") == "ClassLabel"}
    except (KeyError, TypeError, AttributeError, orjson.JSONDecodeError):
        return {}


def _cell(value: Any, names: list[str] | None = None) -> Any:
    """A value as the other formats have it: pictures (bytes, or ``datasets``' struct of bytes and path) as base64,
    the number of a class as its name, NaN as nothing."""
    if names is not None and isinstance(value, int):
        # datasets writes -1 where the class is not known.
        return ClassName(names[value], value) if 0 <= value < len(names) else None
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, dict) and set(value) == {"bytes", "path"}:
        value = value["path"] if value["bytes"] is None else value["bytes"]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return [_cell(one) for one in value] if isinstance(value, list) else value
