"""The loop of teachers with models that err at known rates: what the exact machine and a Reviewer find."""

from __future__ import annotations

import asyncio

from research.teaching import injected_errors


def test_the_loop_with_injected_errors_lets_nothing_slip() -> None:
    """``research/teaching/injected_errors.py`` in small: the exact machine misses nothing, a Reviewer alone does."""
    problems, traces = injected_errors.collect(12, 0, 0)
    sources = injected_errors.Sources(traces, {puzzle.id: puzzle for puzzle in problems})
    items = [
        injected_errors.Item(*pair)
        for pair in zip(range(len(traces)), problems, traces, strict=True)
        if sources.get(pair[0])
    ]
    rates = injected_errors.Rates(injected=0.8, notices=0.5, alarms=0.2, repairs=0.6)
    told = {
        machine: injected_errors.count_results(
            items, asyncio.run(injected_errors.run(items, sources, rates, machine, 1)), sources
        )
        for machine in ("world", "off")
    }
    world = told["world"]
    assert world["injected"]["drafts"] == world["injected"]["machine"] > 5
    assert world["final"]["traces"] > 5
    assert not world["final"]["slipped through"]
    assert not world["final"]["steps refuted"]
    assert told["off"]["final"]["slipped through"] > 0
    assert told["off"]["injected"]["reviewer"] > 0
