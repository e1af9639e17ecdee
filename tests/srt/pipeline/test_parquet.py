"""Every stage reads and writes Parquet by its suffix: the records of JSON Lines, which ``datasets`` reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srt.curate import CurationOptions, curate_file
from srt.io.errors import RecordError, UserError
from srt.io.record_lines import dump
from srt.io.record_reader import count_lines, read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem, Record, Refusal, Sequence
from srt.language.trace import Trace
from srt.mutate.mutate_traces import mutate_file
from srt.mutate.mutation_table import MutantRecord
from srt.pipeline.build import build_file
from srt.pipeline.check import check_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file

BOOTHS = {"scenes": ["booth"], "names": 8}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files of all stages in both forms."""
    made = {}
    for suffix in ("jsonl", "parquet"):
        folder = made[suffix] = tmp_path_factory.mktemp(suffix)
        problems, traces = folder / f"p.{suffix}", folder / f"t.{suffix}"
        generate_file("seating", 12, "train", problems, BOOTHS)
        solve_file(problems, traces)
        check_file(traces, problems, folder / f"c.{suffix}")
        mutate_file(traces, problems, 40, 0, folder / f"m.{suffix}")
        curate_file(problems, folder / f"k.{suffix}", options=CurationOptions(skip=frozenset({"solution"})))
        build_file(traces, problems, "srt", folder / ("b.parquet" if suffix == "parquet" else "b"))
    (made["jsonl"] / "b" / "sequences.jsonl").rename(made["jsonl"] / "b.jsonl")
    return made


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("p", Problem),
        ("t", Trace),
        ("t.refusals", Refusal),
        ("c", Trace),
        ("m", MutantRecord),
        ("k", Problem),
        ("b", Sequence),
    ],
)
def test_stages_write_the_same_records_in_both_forms(
    name: str, model: type[Record], folders: dict[str, Path], tmp_path: Path
) -> None:
    from datasets import load_dataset

    lines, rows = (folders[suffix] / f"{name}.{suffix}" for suffix in ("jsonl", "parquet"))
    records = list(read_records(lines, model))
    assert list(read_records(rows, model)) == records
    assert count_lines(rows) == len(records)
    assert bool(records) == (name != "t.refusals")
    if records:
        loaded: Any = load_dataset("parquet", data_files=str(rows), split="train", cache_dir=str(tmp_path))
        assert len(loaded) == len(records)
        assert set(loaded[0]) == set(model.model_fields) - ({"images"} if model is Sequence else set())


@settings(max_examples=50)
@given(
    st.dictionaries(st.text(max_size=3), st.none() | st.integers(-9, 9) | st.text(max_size=3) | st.lists(st.text())),
    st.text(max_size=3) | st.integers(0, 9),
)
def test_values_of_any_shape_come_back(
    tmp_path_factory: pytest.TempPathFactory, meta: dict[str, Any], value: str | int
) -> None:
    answer = Answer(kind="text" if isinstance(value, str) else "number", value=value)
    problem = Problem(id="a", source="s", split="test", lang="en", question="12", meta=meta, answer=answer)
    path = tmp_path_factory.getbasetemp() / "any.parquet"
    write_records(path, [problem])
    assert list(read_records(path, Problem)) == [problem]


def test_faults_name_file_and_row(folders: dict[str, Path], tmp_path: Path) -> None:
    twice, problems = tmp_path / "twice.parquet", list(read_records(folders["jsonl"] / "p.jsonl", Problem))
    write_records(twice, [*problems, problems[3]])
    for work in (
        lambda: solve_file(twice, tmp_path / "t.parquet"),
        lambda: check_file(folders["parquet"] / "t.parquet", twice, tmp_path / "t.parquet"),
    ):
        with pytest.raises(RecordError, match=r"twice\.parquet: row 13: id: .* in row 4 already"):
            work()
        assert not (tmp_path / "t.parquet").exists()
    with pytest.raises(RecordError, match=r"t\.parquet: row 1: .*a problem was expected, this is a trace"):
        solve_file(folders["parquet"] / "t.parquet", tmp_path / "u.parquet")
    (tmp_path / "lines.parquet").write_bytes(b"".join(map(dump, problems)))
    with pytest.raises(UserError, match=r"lines\.parquet: not a Parquet file"):
        solve_file(tmp_path / "lines.parquet", tmp_path / "u.parquet")


def test_the_suffix_may_be_in_capitals(folders: dict[str, Path], tmp_path: Path) -> None:
    write_records(tmp_path / "P.PARQUET", read_records(folders["jsonl"] / "p.jsonl", Problem))
    assert (tmp_path / "P.PARQUET").read_bytes()[:4] == b"PAR1"
    assert count_lines(tmp_path / "P.PARQUET") == 12
    (tmp_path / "p").write_bytes((tmp_path / "P.PARQUET").read_bytes())
    with pytest.raises(RecordError, match="its name ends with"):
        list(read_records(tmp_path / "p", Problem))


def test_texts_in_bytes_are_read_as_utf8(folders: dict[str, Path], tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(folders["parquet"] / "p.parquet")
    at = table.schema.names.index("question")
    asked = [text.encode() for text in table.column("question").to_pylist()]
    right, wrong = pyarrow.array(asked, pyarrow.binary()), pyarrow.array([b"\xff"] * len(asked), pyarrow.binary())
    file = tmp_path / "p.parquet"
    pyarrow.parquet.write_table(table.set_column(at, "question", right), file)
    assert list(read_records(file, Problem)) == list(read_records(folders["jsonl"] / "p.jsonl", Problem))
    for column in (wrong, wrong.view(pyarrow.string())):
        pyarrow.parquet.write_table(table.set_column(at, "question", column), file)
        with pytest.raises(UserError, match="after row 0: a text is not in UTF-8"):
            list(read_records(file, Problem))
