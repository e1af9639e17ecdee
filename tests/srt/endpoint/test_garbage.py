from __future__ import annotations

import gc

import pytest

from srt.endpoint.garbage import THRESHOLDS, seldom_collected


def test_the_collector_is_set_back_after_a_fault() -> None:
    before = gc.get_threshold()
    with seldom_collected():
        assert gc.isenabled()
        assert gc.get_threshold() == THRESHOLDS
        assert gc.get_freeze_count() > 0
    with pytest.raises(RuntimeError), seldom_collected():
        raise RuntimeError
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
