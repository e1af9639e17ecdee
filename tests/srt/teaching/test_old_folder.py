"""Folders written before the state ``people`` was renamed to ``human``, and ``decides`` to ``settings``."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from types import ModuleType

import orjson
import pytest

from srt.io.record_reader import read_records
from srt.review.review_queue import read_queue
from srt.teaching.case_store.case_records import State, TeachingCase
from srt.teaching.case_store.folder_files import folder_status
from srt.teaching.case_store.manifest import scan_problems
from srt.teaching.case_store.teaching_summary import Summary
from srt.teaching.run_progress import RunProgress
from srt.teaching.teach_config import load_teach_config
from srt.teaching.teach_problems import run_folder


@pytest.fixture
def old_folder(tmp_path: Path, cubes: ModuleType, fake_endpoint: ModuleType, in_process_audits: None) -> Path:
    """A finished folder of ten problems, one of them with people, rewritten with the old names."""
    run(tmp_path, cubes, fake_endpoint)
    out = tmp_path / "out"
    with closing(sqlite3.connect(out / "teach.sqlite")) as db, db:
        for position, record in db.execute("SELECT position, record FROM cases WHERE state = 'human'").fetchall():
            old = record.replace(b'"state":"human"', b'"state":"people"')
            assert old != record
            db.execute("UPDATE cases SET state = 'people', record = ? WHERE position = ?", (old, position))
    cases = (out / "cases.jsonl").read_bytes()
    (out / "cases.jsonl").write_bytes(cases.replace(b'"state":"human"', b'"state":"people"'))
    report = (out / "report.json").read_bytes()
    (out / "report.json").write_bytes(
        report.replace(b'"human_decisions"', b'"people"').replace(b'"human"', b'"people"')
    )
    manifest = (out / "folder.json").read_bytes()
    (out / "folder.json").write_bytes(manifest.replace(b'"settings"', b'"decides"'))
    return out


def run(folder: Path, cubes: ModuleType, fake_endpoint: ModuleType) -> int:
    """One run in ``folder``; the number of requests that the endpoint got."""
    fake = fake_endpoint.FakeEndpoint(responder=cubes.respond)

    async def main() -> None:
        async with fake:
            config = cubes.config(folder / "c.yaml", fake.url)
            problems = scan_problems(cubes.problems(folder / "problems.jsonl", 10))
            await run_folder(problems, folder / "out", load_teach_config(config), RunProgress("USD"))

    asyncio.run(main())
    return sum(fake.counts.values())


def test_it_is_read(old_folder: Path) -> None:
    assert folder_status(old_folder).states[State.HUMAN] == 2
    assert [case.problem_id for case in read_queue(old_folder).cases] == ["cube-13", "cube-14"]
    report = Summary.model_validate(orjson.loads((old_folder / "report.json").read_bytes()))
    assert (report.states[State.HUMAN], report.shares[State.HUMAN], report.human_decisions) == (2, 0.2, {})


def test_it_is_resumed_for_nothing_and_written_with_the_new_names(
    old_folder: Path, cubes: ModuleType, fake_endpoint: ModuleType
) -> None:
    assert run(old_folder.parent, cubes, fake_endpoint) == 0
    states = [case.state for case in read_records(old_folder / "cases.jsonl", TeachingCase)]
    assert states.count(State.HUMAN) == 2
    for name in ("cases.jsonl", "report.json", "folder.json"):
        data = (old_folder / name).read_bytes()
        assert b'"people"' not in data
        assert b'"decides"' not in data
