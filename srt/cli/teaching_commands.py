"""Commands around language-model teachers: ``teach``, ``review``, ``agreement``."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import orjson
import typer

from srt.cli.output import JsonFlag, print_summary
from srt.cli.recipe_kinds import require_kind
from srt.io.errors import UserError
from srt.io.progress import say

if TYPE_CHECKING:
    from srt.review.session import ReviewSession

_LONGEST_NAME = 100
"""Characters of a person's name: it is in every decision, on the page, and the teacher of a trace."""


def teach(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the run; an interrupted run continues there.")],
    problems: Annotated[Path | None, typer.Argument(help="A file of problems (JSONL).")] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Models, prices and budget (YAML), or the name of a file in recipes/teach/."),
    ] = None,
    arm: Annotated[Literal["srt", "cot"] | None, typer.Option("--arm", help="Overrides the config's arm.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=0, help="Process at most this many problems now.")] = None,
    estimate: Annotated[
        int | None,
        typer.Option(
            "--estimate", min=2, help="Run a random sample of this size; estimate the cost of the whole file."
        ),
    ] = None,
    again: Annotated[
        Literal["failed", "people"] | None,
        typer.Option(
            "--again",
            help="Take up only problems that failed, or only those left to people and undecided. "
            "Replies in the folder are not paid for again.",
        ),
    ] = None,
    status: Annotated[bool, typer.Option("--status", help="Print the state of the folder; do nothing else.")] = False,
    reconcile: Annotated[
        Path | None,
        typer.Option(
            "--reconcile", help="Lay a provider's usage or costs (CSV) beside the folder's journal; do nothing else."
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with status 1 if a problem failed or is pending, or with --reconcile if the bill differs.",
        ),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Write traces with language models and check them.

    A draft is checked automatically, reviewed and repaired. People decide the rest: see srt review.

    Example: srt teach problems.jsonl -o taught --config recipes/teach/openai.yaml --estimate 50
    """
    from srt.teaching.case_store.case_records import State
    from srt.teaching.case_store.folder_files import folder_status
    from srt.teaching.case_store.teaching_summary import summary_rows
    from srt.teaching.cost_estimate import estimate_rows
    from srt.teaching.teach_command import reconcile_folder, teach_file

    if reconcile is not None:
        from srt.llm.bills.reconcile import reconciliation_rows

        found = reconcile_folder(out, reconcile)
        print_summary(found.model_dump() if as_json else reconciliation_rows(found), as_json)
        if strict and (found.differences or found.not_billed):
            raise typer.Exit(1)
        return
    result = None
    if status:
        summary = folder_status(out)
    else:
        if problems is None or config is None:
            missing = "PROBLEMS" if problems is None else "--config"
            raise UserError(f"teach: {missing} is missing; it is optional only with --status")
        require_kind(config, "teach")
        result = teach_file(
            problems, out, config, arm=arm, limit=limit, sample=estimate, again=() if again is None else (State(again),)
        )
        if result.estimate is not None:
            print_summary(result.estimate.model_dump() if as_json else estimate_rows(result.estimate), as_json)
            return
        summary = result.summary
    print_summary(summary.model_dump(mode="json") if as_json else summary_rows(summary), as_json)
    if result is not None and result.interrupted:
        raise typer.Exit(130)
    if strict and (summary.states[State.FAILED] or summary.states[State.PENDING]):
        raise typer.Exit(1)


def review(
    folder: Annotated[Path, typer.Argument(help="A folder that srt teach has written.")],
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 picks a free port.")] = 0,
    audit: Annotated[
        int | None,
        typer.Option("--audit", min=1, help="Audit a random sample of this many accepted traces instead."),
    ] = None,
    who: Annotated[
        str | None, typer.Option("--who", help="Your name, stored with every decision (default: your login).")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Only rewrite traces.jsonl and the report from the decisions; no page.")
    ] = False,
) -> None:
    """Open the page where people decide the remaining cases.

    People read, edit, accept or reject the traces that could not be decided automatically. The page is served on
    127.0.0.1 until Ctrl-C; then traces.jsonl and the report are rewritten.

    Example: srt review runs/teach --who ada
    """
    import asyncio

    from srt.io.folder_lock import hold_folder
    from srt.review.review_queue import read_queue
    from srt.review.server import browser_opener, serve
    from srt.review.session import ReviewSession
    from srt.teaching.case_store.folder_files import apply_decisions

    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder: one that srt teach has written was expected")
    with hold_folder(folder):
        if not apply:
            with (
                ReviewSession(folder, read_queue(folder, audit), _reviewer_name(who)) as session,
                browser_opener() as go,
            ):
                asyncio.run(serve(session, port, _announce(session, None if no_browser else go)))
        say(f"{folder / 'traces.jsonl'}: {apply_decisions(folder)} traces")


def agreement(
    traces: Annotated[Path, typer.Argument(help="Correct traces: of a world, or in prose (accepted by srt teach).")],
    problems: Annotated[Path, typer.Option("--problems", help="The problems that the traces solve (JSONL).")],
    config: Annotated[
        list[Path], typer.Option("--config", help="A config of srt teach, whose Reviewer is measured; repeatable.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the journal, the opinions and the figures.")],
    n: Annotated[
        int, typer.Option("-n", min=0, help="Number of corrupted traces of each kind (of a world, in prose).")
    ] = 250,
    controls: Annotated[int, typer.Option("--controls", min=0, help="Number of unchanged traces of each kind.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="Seed that selects the traces.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Measure how well Reviewers find planted faults.

    The checker and each Reviewer see traces with one known fault and unchanged traces. An interrupted run continues
    where it stopped and pays for no reply twice.

    Example: srt agreement traces.jsonl --problems problems.jsonl --config recipes/teach/openai.yaml -o agreement
    """
    from srt.cli.agreement_table import print_agreement
    from srt.teaching.agreement.measure_agreement import measure_agreement

    for one in config:
        require_kind(one, "teach")
    figures = measure_agreement(traces, problems, config, out, n=n, controls=controls, seed=seed)
    if as_json:
        sys.stdout.write(orjson.dumps(figures, option=orjson.OPT_INDENT_2).decode() + "\n")
    else:
        print_agreement(figures)


def _reviewer_name(who: str | None) -> str:
    if who is None:
        try:
            who = getpass.getuser()
        except (KeyError, OSError):
            who = ""
    if not who.strip():
        raise UserError("--who: a name was expected; it is stored with every decision")
    who = who.strip()
    if not who.isprintable() or len(who) > _LONGEST_NAME:
        raise UserError(f"--who: a name of one line was expected, at most {_LONGEST_NAME} printable characters")
    return who


def _announce(session: ReviewSession, browser: Callable[[str], None] | None) -> Callable[[str], None]:
    """Return what to call with the page's address: it prints the address and, on a desktop, opens it in ``browser``."""

    def ready(address: str) -> None:
        say(f"{len(session.cases)} cases of the {session.where} to look at; Ctrl-C ends\n{address}")
        desktop = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        if browser is not None and desktop:
            browser(address)

    return ready
