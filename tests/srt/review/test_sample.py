"""The audit sample: drawn once, extended, never redrawn."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from srt.io.errors import UserError
from srt.teaching.case_store.audit_sample import AUDIT, audit_sample

PASSED = [f"p{n}" for n in range(40)]


def test_a_second_start_shows_the_same_and_a_larger_sample_goes_on(tmp_path: Path) -> None:
    first = audit_sample(tmp_path, PASSED, 10)
    assert len(set(first)) == 10
    assert audit_sample(tmp_path, PASSED[::-1], 10) == first
    assert audit_sample(tmp_path, PASSED, 4) == first[:4]
    assert audit_sample(tmp_path, PASSED, 10) == first
    more = [f"q{n}" for n in range(1000)]
    assert audit_sample(tmp_path, PASSED + more, 10) == first
    assert audit_sample(tmp_path, PASSED + more, 25)[:10] == first
    assert len(audit_sample(tmp_path, PASSED + more, 9999)) == 1040


def test_every_problem_is_as_likely_as_any_other(tmp_path: Path) -> None:
    counts: Counter[int] = Counter()
    for run in range(300):
        folder = tmp_path / str(run)
        folder.mkdir()
        ids = [f"{run}-{n}" for n in range(20)]
        counts.update(ids.index(drawn) for drawn in audit_sample(folder, ids, 5))
    # 75 are expected of each; five standard deviations are 37.
    assert all(38 <= counts[n] <= 112 for n in range(20)), counts


def test_a_sample_of_another_folder_is_refused(tmp_path: Path) -> None:
    audit_sample(tmp_path, PASSED, 5)
    with pytest.raises(UserError, match=r"audit\.json: problems: 'p\d+'"):
        audit_sample(tmp_path, ["other"], 5)
    (tmp_path / AUDIT).write_text("{")
    with pytest.raises(UserError, match=r"audit\.json"):
        audit_sample(tmp_path, PASSED, 5)
