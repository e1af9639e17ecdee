"""What ``srt teach`` does with its options: a run, an estimate, or the state of a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from srt.endpoint.journal import read_only
from srt.errors import UserError
from srt.teaching.cases import reader
from srt.teaching.config import Arm, load_config
from srt.teaching.estimate import Estimate, draw_sample, estimate
from srt.teaching.folder import JOURNAL, read_stamp, survey
from srt.teaching.progress import Progressing
from srt.teaching.report import status
from srt.teaching.run import Ran, run_folder
from srt.teaching.summary import Summary

T = TypeVar("T")


@dataclass(frozen=True)
class Done:
    """What came of the command: the figures of the folder, and an estimate where one was asked for.

    ``stopped`` says why the run ended before its time; ``interrupted``: it was a person.
    """

    summary: Summary
    estimate: Estimate | None
    stopped: str | None
    interrupted: bool


def teach_file(
    problems: Path,
    folder: Path,
    config: Path,
    *,
    arm: Arm | None = None,
    limit: int | None = None,
    sample: int | None = None,
) -> Done:
    """Take the problems of a file through the loop; ``sample`` of them, drawn at random, for an estimate of the cost.

    ``arm`` stands in place of the config's. The files of the folder are written at the end of a run (not of an
    estimate), also where it was stopped.

    Raises:
        UserError: what is wrong with the config, the problems, the folder or an endpoint, in one line.
    """
    settings = load_config(config)
    if arm is not None:
        settings = settings.model_copy(update={"arm": arm})
    if sample is not None and limit is not None:
        raise UserError("--estimate runs its own sample: leave --limit out")
    content = survey(problems)
    drawn = None if sample is None else draw_sample(content.problems, sample, settings.seed)
    with Progressing(settings.currency) as watcher:
        ran = _run(run_folder(content, folder, settings, watcher, limit=limit, only=drawn))
    if ran.fault is not None:
        raise ran.fault
    guess = None
    if drawn is not None:
        with read_only(folder / JOURNAL) as connection:
            guess = estimate(reader(connection), drawn, content.problems, settings.currency)
        if guess is None:
            why = ran.stopped or "the others are pending"
            raise UserError(f"{folder}: fewer than two problems of the sample have ended, no estimate: {why}")
    return Done(folder_status(folder), guess, ran.stopped, ran.interrupted)


def folder_status(folder: Path) -> Summary:
    """The figures of ``folder``, read while nobody or somebody else runs it; the invariant is checked.

    Raises:
        UserError: no teaching folder, or its files do not add up.
    """
    read_stamp(folder)
    with read_only(folder / JOURNAL) as connection:
        return status(folder, reader(connection))


def shown_estimate(guess: Estimate) -> Mapping[str, Any]:
    """The rows that the terminal shows."""
    sample = f"{guess.sample} of {guess.problems} problems, drawn at random, kept in the folder"
    if guess.sample < guess.drawn:
        sample = f"{guess.sample} of {guess.drawn} drawn have ended: cheap ones end first, so this is too low"
    return {
        "sample": sample,
        "a problem": {
            role: f"{each.cost:.5f} {guess.currency}: {each.requests:.2f} requests, "
            f"{each.input_tokens:.0f} + {each.output_tokens:.0f} tokens"
            for role, each in guess.by_role.items()
        },
        "cost a problem": f"{guess.cost_a_problem:.5f} {guess.currency}",
        "all problems": f"{guess.total:.2f} {guess.currency} (95%: {guess.low:.2f} to {guess.high:.2f})",
    }


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's event loop where it is installed (cheaper), else the standard one."""
    try:
        import uvloop
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def _run(run: Coroutine[Any, Any, Ran]) -> Ran:
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(run)
