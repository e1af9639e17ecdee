"""Files of records in Parquet, which ``datasets`` and TRL read as they are.

:mod:`srt.io.record_reader` and :mod:`srt.io.record_writer` choose this form by the suffix.

A file has a column for each field of its kind of record. What Arrow has no type for (a mapping, a value of any shape)
is JSON in a column of text; an absent field is null, an absent list is empty. Pictures of training sequences have the
form that ``datasets`` decodes, bytes and path, so that the file alone is enough for other tools; ``srt train`` opens
them at these paths, beside the file. The column ``images`` is there only where there are pictures: TRL takes a file
that has it for one of a vision model.
"""

from __future__ import annotations

import enum
import hashlib
import types
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Annotated, Any, Final, Literal, Union, get_args, get_origin

import orjson
from pydantic import BaseModel

from srt.io.errors import UserError, cannot_read
from srt.io.locations import Location, open_to_read
from srt.io.records import Image, Record

_ROWS: Final = 1000
_ROWS_WITH_PICTURES: Final = 100
"""In memory at a time."""


def is_parquet(path: str | Location) -> bool:
    """Whether a file has records in Parquet, by its suffix."""
    return Path(str(path)).suffix.lower() == ".parquet"


def record_place(path: str | Location, number: int) -> str:
    """Where record ``number`` of ``path`` stands, as messages name it: ``file:line``, or ``file: row N`` of Parquet."""
    return f"{_before_number(str(path))}{number}"


# Asked for each record of a file, and the answer depends on the file alone.
@lru_cache(maxsize=16)
def _before_number(path: str) -> str:
    return f"{path}: row " if is_parquet(path) else f"{path}:"


def count_rows(path: Path) -> int:
    """How many rows ``path`` has; raises a :class:`UserError` where it cannot be read."""
    with _opened(path) as file:
        return int(file.metadata.num_rows)


def bytes_in_memory(path: Path) -> int:
    """How many bytes the columns of ``path`` come to when they are unpacked; raises as :func:`count_rows` does."""
    with _opened(path) as file:
        return sum(file.metadata.row_group(group).total_byte_size for group in range(file.metadata.num_row_groups))


def hub_features(model: type[BaseModel], *, pictures: bool) -> list[dict[str, Any]]:
    """The columns of files of ``model`` as the card of a data set lists them (``datasets.Features._to_yaml_list``)."""
    kinds = {field.name: field.type for field in _schema(model, pictures=pictures)}
    return [
        {"name": name, **({"list": "image"} if name == "images" else _hub_feature(kind))}
        for name, kind in kinds.items()
    ]


def rows_in_groups(path: Location) -> list[int]:
    """How many rows each row group of ``path`` has; raises as :func:`count_rows` does."""
    with _opened(path) as file:
        return [file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups)]


def rows_as_lines(
    path: str | Location, model: type[BaseModel], row_groups: Collection[int] | None = None
) -> Iterator[bytes]:
    """The rows of ``path``, or of some row groups, as lines of JSON, records of ``model`` if they are right.

    Raises:
        UserError: the file cannot be read.
    """
    import pyarrow

    number = 0
    with _opened(path) as file:
        try:
            groups = None if row_groups is None else list(row_groups)
            for table in file.iter_batches(batch_size=_ROWS_WITH_PICTURES, row_groups=groups):
                for row in table.to_pylist():
                    line = orjson.dumps(_record(row, model), default=str, option=orjson.OPT_APPEND_NEWLINE)
                    number += 1
                    yield line
        except UnicodeDecodeError:
            raise UserError(f"{path}: cannot be read after row {number}: a text is not in UTF-8") from None
        except (OSError, pyarrow.ArrowException) as error:
            raise UserError(f"{path}: cannot be read after row {number}: {' '.join(str(error).split())}") from None


class RowWriter:
    """Writes lines of records of ``model`` to ``file`` as rows, some at a time; those at the end by :meth:`close`.

    With ``root``, the folder of the file, the pictures of training rows are read from there.
    """

    def __init__(self, file: IO[bytes], model: type[BaseModel], root: Location | None) -> None:
        import pyarrow.parquet

        self._schema = _schema(model, pictures=root is not None)
        self._writer = pyarrow.parquet.ParquetWriter(file, self._schema)
        self._model = model
        self._root = root
        self._rows = _ROWS if root is None else _ROWS_WITH_PICTURES
        self._waiting: list[bytes] = []

    def write(self, lines: bytes | bytearray) -> None:
        """Write whole ``lines``."""
        self._waiting += bytes(lines).splitlines()
        while len(self._waiting) >= self._rows:
            self._write_rows()

    def close(self) -> None:
        """Write what is left."""
        if self._waiting:
            self._write_rows()
        self._writer.close()

    def release(self) -> None:
        """Let go of the file, which is removed after an error; does nothing after :meth:`close`."""
        with suppress(OSError):
            self._writer.close()

    def _write_rows(self) -> None:
        import pyarrow

        rows = [self._row(line) for line in self._waiting[: self._rows]]
        del self._waiting[: self._rows]
        self._writer.write_table(pyarrow.Table.from_pylist(rows, schema=self._schema))

    def _row(self, line: bytes) -> dict[str, Any]:
        row: dict[str, Any] = _cells(orjson.loads(line), self._model)
        if self._root is not None:
            row["images"] = [
                {"bytes": (self._root / path).read_bytes(), "path": path}
                for image in row.get("images") or ()
                for path in [image if isinstance(image, str) else image["path"]]
            ]
        return row


def _schema(model: type[BaseModel], *, pictures: bool) -> Any:
    """The schema of a file; where there are ``pictures``, with the note by which ``datasets`` decodes them."""
    import pyarrow

    struct = _arrow_type(model)
    columns = {field.name: field.type for field in struct}
    if not (issubclass(model, Record) and model.training_row):
        return pyarrow.schema(columns)
    if not pictures:
        columns.pop("images")
        return pyarrow.schema(columns)
    columns["images"] = pyarrow.list_(pyarrow.struct({"bytes": pyarrow.binary(), "path": pyarrow.string()}))
    features = {name: _feature(kind) for name, kind in columns.items()}
    features["images"]["feature"] = {"_type": "Image"}
    return pyarrow.schema(columns, metadata={"huggingface": orjson.dumps({"info": {"features": features}})})


def _feature(kind: Any) -> dict[str, Any]:
    """A type of Arrow as ``datasets`` (from version 4) writes it in the note; a file that has one needs all of them."""
    import pyarrow

    if pyarrow.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    if pyarrow.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    return {"dtype": str(kind), "_type": "Value"}


def _hub_feature(kind: Any) -> dict[str, Any]:
    import pyarrow

    if pyarrow.types.is_list(kind):
        item = _hub_feature(kind.value_type)
        return {"list": item.get("struct", item.get("dtype", item))}
    if pyarrow.types.is_struct(kind):
        return {"struct": [{"name": field.name, **_hub_feature(field.type)} for field in kind]}
    return {"dtype": str(kind)}


def _arrow_type(annotation: Any) -> Any:
    """The type of a column for values of ``annotation``; text, for JSON, where Arrow has none."""
    import pyarrow

    if item := _item_of(annotation):
        return pyarrow.list_(_arrow_type(item[0]))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields.items()
        return pyarrow.struct({name: _arrow_type(_bare(field.annotation)) for name, field in fields})
    scalars = {int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    return scalars.get(annotation, pyarrow.string())


def _bare(annotation: Any) -> Any:
    """``annotation`` without what Arrow does not know: constraints, and that a value may be absent."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _bare(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        present = [kind for kind in get_args(annotation) if kind is not types.NoneType]
        return _bare(present[0]) if len(present) == 1 else Any
    return annotation


def _item_of(annotation: Any) -> tuple[Any] | None:
    """The bare type of the items of a list."""
    return (_bare(get_args(annotation)[0]),) if get_origin(annotation) in (list, tuple) else None


def _is_text(annotation: Any) -> bool:
    if get_origin(annotation) is Literal:
        return True
    return isinstance(annotation, type) and issubclass(annotation, str | enum.Enum)


def _is_json(annotation: Any) -> bool:
    """Whether a value that is neither a list nor a record is written as JSON."""
    return annotation not in (int, float, bool) and not _is_text(annotation)


def _cells(value: Any, annotation: Any) -> Any:
    """A value of a record as Arrow takes it."""
    if value is None:
        return None
    if item := _item_of(annotation):
        return [_cells(one, item[0]) for one in value]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        cells = {}
        for name, field in annotation.model_fields.items():
            bare = _bare(field.annotation)
            cells[name] = _cells(value.get(name, [] if _item_of(bare) else None), bare)
        return cells
    return orjson.dumps(value).decode() if _is_json(annotation) else value


def _record(cells: Any, annotation: Any) -> Any:
    """What :func:`_cells` was made from. Cells of another form are left as they are: the record says what is wrong."""
    if item := _item_of(annotation):
        return [_record(one, item[0]) for one in cells] if isinstance(cells, list) else cells
    if annotation is Image and isinstance(cells, dict) and isinstance(cells.get("bytes"), bytes) and "path" in cells:
        return {"path": cells["path"], "sha256": hashlib.sha256(cells["bytes"]).hexdigest()}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and isinstance(cells, dict):
        fields = annotation.model_fields
        needed = annotation.must_have() if issubclass(annotation, Record) else ()
        return {
            name: _record(cell, _bare(fields[name].annotation)) if name in fields else cell
            for name, cell in cells.items()
            if cell is not None or name in needed
        }
    if isinstance(cells, str) and _is_json(annotation):
        try:
            return orjson.loads(cells)
        except orjson.JSONDecodeError:
            return cells
    return cells.decode() if isinstance(cells, bytes) else cells


@contextmanager
def _opened(path: str | Location) -> Iterator[Any]:
    import pyarrow.parquet

    with ExitStack() as stack:
        try:
            opened = stack.enter_context(open_to_read(path))  # Python's error says more than pyarrow's
            source = path if isinstance(path, str | Path) else opened
            file = stack.enter_context(pyarrow.parquet.ParquetFile(source))
        except pyarrow.ArrowException as error:
            raise UserError(f"{path}: not a Parquet file: {' '.join(str(error).split())}") from None
        except OSError as error:
            raise cannot_read(path, error) from None
        yield file
