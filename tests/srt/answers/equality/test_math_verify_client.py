"""math-verify in a process of its own: it answers, it is killed, it starts again."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from srt.answers.equality.math_verify_client import MathVerifyClient

SLOW = ("10^{10^{10}}", "2^{2^{2^{2^{2^{2}}}}}")


@pytest.fixture(scope="module")
def verifier() -> Iterator[MathVerifyClient]:
    one = MathVerifyClient(seconds=20)
    yield one
    one.close()


def test_it_tells_formulas_apart(verifier: MathVerifyClient) -> None:
    assert verifier.same("\\log_2 8", "3") is True
    assert verifier.same("\\log_2 8", "4") is False
    assert verifier.same("x>3", "3<x") is True
    assert verifier.same("word salad here", "3") in (False, None)
    assert verifier.started == 1


def test_what_is_too_long_or_deep_is_not_asked(verifier: MathVerifyClient) -> None:
    started = verifier.started
    assert verifier.same("1" * 500, "1") is None
    assert verifier.same("(" * 30 + "1" + ")" * 30, "1") is None
    assert verifier.started == started


def test_it_answers_threads(verifier: MathVerifyClient) -> None:
    found: list[bool | None] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(verifier.same(f"\\log_2 {2**n}", str(n)))) for n in range(1, 9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


@pytest.mark.slow
def test_it_is_killed_and_starts_again() -> None:
    verifier = MathVerifyClient(seconds=2.0)
    try:
        assert verifier.same(*SLOW) is None
        assert verifier.killed == 1
        assert verifier.same(*SLOW) is None, "what was not decided is not tried again"
        assert verifier.killed == 1
        verifier._seconds = 60.0
        assert verifier.same("\\log_2 8", "3") is True
        assert verifier.started == 2
    finally:
        verifier.close()
