"""``dataset_info.json``, where LLaMA-Factory 0.9.5 looks up what it trains on (``data/parser.py``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError, cannot_read
from srt.io.strict_json import JsonFault, load_json

NAME: Final = "dataset_info.json"


def read_dataset_info(folder: Path) -> dict[str, Any]:
    """The entries of the file in ``folder``, by the names of the data sets; none where there is no file.

    Raises:
        UserError: it cannot be read, or is not an object of objects.
    """
    path = folder / NAME
    try:
        found = load_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise cannot_read(path, error) from None
    except JsonFault as error:
        raise UserError(f"{path}: {error}") from None
    if not isinstance(found, dict):
        raise UserError(f"{path}: an object was expected, with an entry for each data set")
    return found


def add_to_dataset_info(data: Path, entry: dict[str, Any], *, pictures: bool) -> Path:
    """Enter the file ``data`` under its stem, beside the entries that are there; returns the file of entries.

    Raises:
        UserError: as :func:`read_dataset_info` does, or it cannot be written.
    """
    columns = entry["columns"] | ({"images": "images"} if pictures else {})
    entries = read_dataset_info(data.parent) | {data.stem: {"file_name": data.name, **entry, "columns": columns}}
    path = data.parent / NAME
    # Escaped: LLaMA-Factory opens it in the encoding of the machine.
    write_atomically(path, [json.dumps(entries, indent=2).encode() + b"\n"])
    return path
