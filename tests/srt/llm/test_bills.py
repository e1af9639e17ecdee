"""What a server bills against what the client says it spent, in every way in which servers report or hide it."""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.llm.journal import NO_COUNT, NO_REPLY
from tests.billing.doubtful_modes import BUDGET_OF, DOUBTFUL, DOUBTFUL_REPORTED, FIVE_KINDS, SIX_HOLES, TRUSTED
from tests.billing.modes import MODES, REPORTED
from tests.billing.run import PRICE, bill
from tests.billing.table import shipped_price
from tests.simulated_time import simulate

ALL = DOUBTFUL | MODES
ALL_REPORTED = REPORTED | DOUBTFUL_REPORTED
QUICK = [pytest.param(name, marks=() if name in FIVE_KINDS | SIX_HOLES else pytest.mark.long) for name in ALL]


@pytest.mark.parametrize("mode", QUICK)
def test_the_bill_is_never_above_the_budget_by_more_than_one_request_of_each_model(mode: str, tmp_path: Path) -> None:
    price = shipped_price() if mode in TRUSTED else PRICE
    for seed, limit in enumerate((0.1, 0.7)):
        limit = BUDGET_OF.get(mode, limit)
        server, said = simulate(bill(tmp_path / str(seed), mode, ALL[mode], limit, 70, seed=seed, price=price))
        assert server.billed <= limit + sum(server.largest.values())
        assert said.kept == pytest.approx(said.spent)
        assert said.certain <= server.billed * 1.01
        if mode in ALL_REPORTED:
            assert said.spent == pytest.approx(server.billed, rel=0.01)
        else:
            assert said.spent >= server.billed * (1 - 1e-9)


@pytest.mark.parametrize("mode", sorted(ALL_REPORTED))
def test_what_is_spent_is_the_bill_where_the_server_reports_it(mode: str, tmp_path: Path) -> None:
    server, said = simulate(bill(tmp_path, mode, ALL[mode], None, 30))
    if mode not in ("counted_in_an_error", "throttled_unbilled"):  # which are asked again
        assert len(server.ledger) == 30
    assert said.spent == pytest.approx(server.billed, rel=0.01)
    assert said.kept == pytest.approx(said.spent)


def test_what_is_not_certain_is_named(tmp_path: Path) -> None:
    _, said = simulate(bill(tmp_path, "lost_behind_502", DOUBTFUL["lost_behind_502"], None, 30))
    lost = sum(used.doubts.pop(NO_REPLY) for used in said.accounts)
    assert lost > 5
    assert not any(used.doubts for used in said.accounts)
    _, said = simulate(bill(tmp_path / "x", "counts_of_one", DOUBTFUL["counts_of_one"], None, 30))
    assert sum(used.doubts[NO_COUNT] for used in said.accounts) == 30
