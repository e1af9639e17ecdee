"""The wrong file, or one in another format, is named as what it is, with what to do."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

RAW = {"id": "x-1", "instruction": "Choose.", "text": "Ann sits left of Bob.", "answer": "A"}
IMPORT_FIRST = r"run srt import first: srt import SOURCE FILE -o problems\.jsonl, where SOURCE is .*plain for your own"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("solve raw.jsonl -o new.jsonl", rf"raw\.jsonl:1: not a problem: .*{IMPORT_FIRST}"),
        ("check traces.jsonl --problems raw.jsonl", rf"raw\.jsonl:1: not a problem: .*{IMPORT_FIRST}"),
        ("build traces.jsonl --problems raw.jsonl -o new", rf"raw\.jsonl:1: not a problem: .*{IMPORT_FIRST}"),
        ("generate seating -n 2 --exclude raw.jsonl -o new.jsonl", IMPORT_FIRST),
        ("eval --backend file --predictions p.csv --problems raw.jsonl -o new", IMPORT_FIRST),
        ("solve mine.csv -o new.jsonl", rf"mine\.csv:1: not a line of JSON: .*{IMPORT_FIRST}"),
        (
            "check problems.jsonl --problems traces.jsonl",
            r"traces\.jsonl:1: a problem was expected, this is a trace; --he",
        ),
        ("check problems.jsonl --problems problems.jsonl", r"a trace was expected, this is a problem; .*srt solve and"),
        (
            "init-model llama --data traces.jsonl -o new",
            r"a sequence was expected, this is a trace; .*srt build writes",
        ),
        (
            "solve p.jsonl.gz -o new.jsonl",
            r"gz:1: not a line of JSON: this is compressed with gzip; unpack it first.*\)$",
        ),
        ("solve wide.jsonl -o new.jsonl", r"wide\.jsonl:1: .*UTF-16; save it as UTF-8$"),
        ("solve latin.jsonl -o new.jsonl", r"latin\.jsonl:1: .*byte \d+ is not UTF-8; convert the text \(iconv"),
        ("import plain latin.csv -o new.jsonl", r"latin\.csv: line 2, byte 5 is not UTF-8; convert the text"),
        ("import plain p.jsonl.gz -o new.jsonl", r"a file of \.json, .* was expected; unpack archives"),
        ("import plain empty -o new.jsonl", r"empty: no data in this folder: neither mapping\.yaml, nor Parquet"),
        (
            "eval --model Org/Model-7B --problems problems.jsonl -o new",
            r"hf download Org/Model-7B --local-dir models/Mod",
        ),
        ("merge Org/Adapter -o new", r"hf download Org/Adapter --local-dir models/Adapter and give models/Adapter$"),
        ("merge ./adapter -o new", r"adapter: no such folder$"),
    ],
)
def test_it_is_named(command: str, message: str, refuses: Callable[..., str], folder: Path) -> None:
    good = (folder / "problems.jsonl").read_bytes()
    (folder / "raw.jsonl").write_bytes(orjson.dumps(RAW))
    (folder / "mine.csv").write_text("id;question\n1;Who?\n")
    (folder / "p.csv").write_text("id,prediction\n1,A\n")
    (folder / "p.jsonl.gz").write_bytes(gzip.compress(good))
    (folder / "wide.jsonl").write_bytes(good.decode().encode("utf-16"))
    (folder / "latin.jsonl").write_bytes(good.replace(b"seating", "Plätze".encode("latin-1"), 1))
    (folder / "latin.csv").write_bytes(b"id,question\n1,Gr\x81sse?\n")  # nor Windows-1252
    (folder / "empty").mkdir()
    assert re.search(message, refuses(*command.split()).rstrip("\n"))


def test_a_byte_order_mark_and_windows_line_ends_are_read(srt: Any, folder: Path) -> None:
    good = (folder / "problems.jsonl").read_bytes()
    (folder / "bom.jsonl").write_bytes(b"\xef\xbb\xbf" + good.replace(b"\n", b"\r\n"))
    assert srt("solve", "bom.jsonl", "-o", "new.jsonl").status == 0
    assert (folder / "new.jsonl").read_bytes() == (folder / "traces.jsonl").read_bytes()


def test_runs_without_gold_say_what_to_do(srt: Any, folder: Path) -> None:
    rows = [orjson.loads(line) for line in (folder / "problems.jsonl").read_bytes().splitlines()]
    without = [{key: value for key, value in row.items() if key != "answer"} for row in rows]
    (folder / "blind.jsonl").write_bytes(b"\n".join(map(orjson.dumps, without)))
    (folder / "p.csv").write_text("id,prediction\n" + "".join(f"{row['id']},A\n" for row in rows))
    ran = srt("eval", "--backend", "file", "--predictions", "p.csv", "--problems", "blind.jsonl", "-o", "run")
    assert ran.status == 0
    assert "no problem has a gold answer" in ran.err
    for command in (["score", "run"], ["compare", "run", "-o", "report"], ["errors", "run"]):
        ran = srt(*command)
        assert ran.status == 2
        assert "none of its problems has a gold answer" in ran.err
        assert "run srt eval on problems with answers, or write the predictions out" in ran.err
