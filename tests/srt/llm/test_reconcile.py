"""A provider's list beside the journal: the lists that providers export, and what differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from srt.io.errors import UserError
from srt.llm import journal as journal_module
from srt.llm.bills.bill_csv import BillLine, read_bill
from srt.llm.bills.reconcile import reconcile, reconciliation_rows, same_model
from srt.llm.journal import NO_REPLY, Journal, read_only, today
from srt.llm.request import Reply
from tests.billing.doubtful_modes import ASIDE, DOUBTFUL
from tests.billing.modes import MODES
from tests.billing.run import bill
from tests.simulated_time import simulate

OPENAI = """start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,model,input_tokens,\
output_tokens,input_cached_tokens
1764547200,1764633600,2025-12-01T00:00:00+00:00,2025-12-02T00:00:00+00:00,p,3,gpt-4o-2024-08-06,900,80,500
1764633600,1764720000,2025-12-02T00:00:00+00:00,2025-12-03T00:00:00+00:00,,,,,,
"""
OPENAI_COSTS = """start_time,start_time_iso,amount_value,amount_currency,line_item
1764547200,2025-12-01T00:00:00+00:00,0.5000000000,usd,"gpt-4o-2024-08-06, input"
1764547200,2025-12-01T00:00:00+00:00,0.25,usd,"gpt-4o-2024-08-06, output"
"""
ANTHROPIC = """usage_date_utc,model_version,api_key,workspace,usage_type,usage_input_tokens_no_cache,\
usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens
2025-12-01,claude-x-20250514,k,Default,standard,100,20,3,"1,000",80
"""
DEEPSEEK = """user_id,start_time_iso,model,type,price,amount
u,2025-12-01T08:00:00+08:00,v,input_cache_hit_tokens,1,30
u,2025-12-01T07:00:00+08:00,v,output_tokens,2,4
u,2025-12-01T08:00:00+08:00,v,request_count,0,2
"""
SEMICOLONS = "Date;Model Name;Cost (USD);Prompt Tokens;Completion Tokens\n2025-12-01 10:30:45;a/b;$1.5;7;8\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (OPENAI, [BillLine("2025-12-01", "gpt-4o-2024-08-06", requests=3, input=900, output=80)]),
        (
            OPENAI_COSTS,
            [
                BillLine("2025-12-01", "gpt-4o-2024-08-06", cost=0.5, currency="USD"),
                BillLine("2025-12-01", "gpt-4o-2024-08-06", cost=0.25, currency="USD"),
            ],
        ),
        (ANTHROPIC, [BillLine("2025-12-01", "claude-x-20250514", input=1123, output=80)]),
        (
            DEEPSEEK,
            [
                BillLine("2025-12-01", "v", input=30),
                BillLine("2025-11-30", "v", output=4),
                BillLine("2025-12-01", "v", requests=2),
            ],
        ),
        (SEMICOLONS, [BillLine("2025-12-01", "a/b", input=7, output=8, cost=1.5, currency="USD")]),
        ("\ufeffmodel\tcost\nm\t1\n", [BillLine(None, "m", cost=1.0)]),
        ("date,cost\n1764547200,2\n", [BillLine("2025-12-01", "", cost=2.0)]),
    ],
    ids=["openai", "openai costs", "anthropic", "deepseek", "semicolons", "tabs", "a total"],
)
def test_lists_that_providers_export(text: str, lines: list[BillLine], tmp_path: Path) -> None:
    (tmp_path / "bill.csv").write_text(text.replace("\\\n", ""), encoding="utf-8")
    assert read_bill(tmp_path / "bill.csv") == lines


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"", "tokens or costs"),
        (b"\xff\xfe\x00m\x00", "UTF-8"),
        (b"PK\x03\x04\x00\x00\n", "tokens or costs"),
        (b"model,price\nm,1\n", "tokens or costs"),
        (b"date,input_tokens\n2025-12-01,3\n", "the model"),
        (b"model,cost\nm,0,12\nm,zwei\n", "line 3: cost: 'zwei'"),
        (b"model,cost\nm,nan\n", "line 2: cost"),
        (b"model,input_tokens\nm,-4\n", "line 2: input"),
        (b"date,model,cost\n01/02/2025,m,1\n", "line 2: date: '01/02/2025'"),
        (b"model,cost\n" + b"m" * 200_000 + b",1\n", "not a CSV file"),
        (b"model,cost\n\x1b[2Jm,\x1b[2J\n", r"line 2: cost: '\\x1b[2J'"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(content: bytes, names: str, tmp_path: Path) -> None:
    (tmp_path / "bill.csv").write_bytes(content)
    with pytest.raises(UserError) as error:
        read_bill(tmp_path / "bill.csv")
    assert names in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "bill.csv"))
    assert str(error.value).isprintable()
    with pytest.raises(UserError, match="no such file"):
        read_bill(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("billed", "ours", "found"),
    [
        ("gpt-4o-2024-08-06", ["gpt-4o", "gpt-4o-mini"], "gpt-4o"),
        ("gpt-4o-mini-2024-07-18", ["gpt-4o", "gpt-4o-mini"], "gpt-4o-mini"),
        ("gpt-4o-mini", ["gpt-4o"], None),
        ("gpt-4.1", ["gpt-4"], None),
        ("claude-x-20250514", ["claude-x"], "claude-x"),
        ("claude-x", ["claude-x-latest"], "claude-x-latest"),
        ("GPT-4o", ["openai/gpt-4o"], "openai/gpt-4o"),
        ("gpt-4o", ["gpt-4o-2024-08-06", "gpt-4o"], "gpt-4o"),
        ("claude-x", ["claude-x-latest", "claude-x-20250514"], None),
        ("", ["gpt-4o"], None),
    ],
)
def test_a_model_is_found_under_the_name_of_its_version(billed: str, ours: list[str], found: str | None) -> None:
    assert same_model(billed, ours) == found


def beside(folder: Path, mode: str, limit: float | None = None) -> Any:
    """The endpoint's own list of a run in that mode, beside the journal of the run."""
    server, said = simulate(bill(folder, mode, (MODES | DOUBTFUL | ASIDE)[mode], limit, 30))
    (folder / "bill.csv").write_text(server.export(today()))
    with read_only(folder / "run" / "teach.sqlite") as db:
        return server, said, reconcile(read_bill(folder / "bill.csv"), db.execute, "USD")


@pytest.mark.parametrize("mode", ["plain", "beside_in_total", "lost_behind_502", "counts_of_one", "stored_beside"])
def test_what_is_booked_agrees_with_the_list(mode: str, tmp_path: Path) -> None:
    server, said, found = beside(tmp_path, mode)
    assert found.differences == []
    assert found.unknown == {}
    assert sum(model.billed_cost for model in found.models) == pytest.approx(server.billed, abs=1e-5)
    assert sum(model.cost + model.lost for model in found.models) == pytest.approx(said.kept)
    assert {model.billed_as for model in found.models} == {("teacher-2026-01-31",), ("reviewer-2026-01-31",)}


def test_what_nobody_reports_is_named(tmp_path: Path) -> None:
    _, _, found = beside(tmp_path, "thoughts_nobody_reports")
    assert {(one.model, one.figure) for one in found.differences} == {
        (model, figure) for model in ("teacher", "reviewer") for figure in ("output", "cost")
    }
    assert all(one.billed > one.most for one in found.differences)
    rows = reconciliation_rows(found)
    assert len(rows["differences"]) == 4


def line(day: str | None, model: str = "teacher", **figures: Any) -> BillLine:
    return BillLine(day, model, **figures)


def filled(folder: Path, ask: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal: two replies on the first of December, one and a lost request on the second, one on the fifth."""
    reply = Reply(text="x", finish_reason="stop", input_tokens=100, output_tokens=10, seconds=0)
    with Journal(folder / "teach.sqlite") as journal:
        for n, day in enumerate(("2025-12-01", "2025-12-01", "2025-12-02", "2025-12-05")):
            monkeypatch.setattr(journal_module, "today", lambda day=day: day)
            journal.put(ask(n), reply, 1.0)
            if n == 2:
                journal.set_risk(journal.add_risk(ask(9), 0.5), 0.5, NO_REPLY)
    return folder / "teach.sqlite"


def test_days(tmp_path: Path, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with read_only(filled(tmp_path, ask, monkeypatch)) as db:
        whole = [line("2025-12-01", requests=2, cost=2.0), line("2025-12-02", requests=2, cost=1.4)]
        found = reconcile(whole, db.execute, "USD")
        assert (found.differences, found.outside, found.days) == ([], 1.0, ("2025-12-01", "2025-12-02"))
        # More than is certain and at risk, on the second day.
        found = reconcile([whole[0], line("2025-12-02", requests=3, cost=1.4)], db.execute, "USD")
        assert [(one.figure, one.day, one.billed, one.most) for one in found.differences] == [
            ("requests", None, 5, 4),
            ("requests", "2025-12-02", 3, 2),
        ]
        # Less than is certain: a day is missing in the list.
        found = reconcile([whole[0], line("2025-12-05", cost=1.0)], db.execute, "USD")
        assert ("cost", "2025-12-02", 0.0) in [(one.figure, one.day, one.billed) for one in found.differences]


def test_a_reply_without_a_count_is_one_request(tmp_path: Path, ask: Any) -> None:
    reply = Reply(text="x", finish_reason="stop", input_tokens=100, output_tokens=10, seconds=0)
    with Journal(tmp_path / "teach.sqlite") as journal:
        journal.put(ask(1), reply, 0.25, journal.add_risk(ask(1), 1.0), doubt=0.5)
        found = reconcile([line(today(), requests=2, input=900, cost=0.7)], journal.read, "USD")
    # What it cost beside may be billed, and more tokens; a second request may not.
    assert [(one.figure, one.most) for one in found.differences] == [("requests", 1)]


def test_other_models_and_currencies(tmp_path: Path, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with read_only(filled(tmp_path, ask, monkeypatch)) as db:
        lines = [line("2025-12-01", "another", cost=3.0), line("2025-12-01", cost=9.0, currency="EUR")]
        found = reconcile(lines, db.execute, "USD")
        assert (found.unknown, found.billed_currency, found.differences) == ({"another": 3.0}, "EUR", [])
        found = reconcile(lines[:1], db.execute, "USD")
        assert (found.not_billed, found.models) == (["teacher"], [])
        # A list without models is that of the only model.
        assert reconcile([line(None, "", cost=4.2)], db.execute, "USD").differences == []
