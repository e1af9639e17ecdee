"""The command ``review``: the page where people decide."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from srt.errors import UserError

if TYPE_CHECKING:
    from srt.review.session import ReviewSession


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""

    @app.command()
    def review(
        folder: Annotated[Path, typer.Argument(help="A folder that srt teach has written.")],
        port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes one that is free.")] = 0,
        audit: Annotated[
            int | None,
            typer.Option("--audit", min=1, help="Audit a random sample of this many passed traces instead."),
        ] = None,
        who: Annotated[
            str | None, typer.Option("--who", help="Your name, kept with every decision; your login by default.")
        ] = None,
        no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
        apply: Annotated[
            bool,
            typer.Option("--apply", help="Only write traces.jsonl and the report anew from the decisions; no page."),
        ] = False,
    ) -> None:
        """The page for what machines could not settle: read, mend, accept or reject traces, by keyboard.

        It is served on 127.0.0.1 until Ctrl-C, then traces.jsonl and the report are written anew.

        Example: srt review runs/teach --who ada
        """
        import asyncio

        from srt.folder_lock import hold_folder

        try:
            from srt.review.finish import finish
            from srt.review.queue import read_queue
            from srt.review.server import serve
            from srt.review.session import ReviewSession
        except ModuleNotFoundError as error:
            raise UserError(f"review: {error.name} is not installed: pip install 'srt-traces[teach]'") from None

        if not folder.is_dir():
            raise UserError(f"{folder}: no such folder: one that srt teach has written was expected")
        with hold_folder(folder):
            if not apply:
                with ReviewSession(folder, read_queue(folder, audit), _name(who)) as session:
                    asyncio.run(serve(session, port, _teller(session, browser=not no_browser)))
            print(f"{folder / 'traces.jsonl'}: {finish(folder)} traces")


def _name(who: str | None) -> str:
    if who is None:
        try:
            who = getpass.getuser()
        except (KeyError, OSError):
            who = ""
    if not who.strip():
        raise UserError("--who: a name was expected; it is kept with every decision")
    return who.strip()


def _teller(session: ReviewSession, browser: bool) -> Callable[[str], None]:
    """What is told once the page is there; on a desktop it is opened."""

    def ready(address: str) -> None:
        print(f"{len(session.items)} cases of the {session.where} to look at; Ctrl-C ends\n{address}", flush=True)
        if browser and (sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            import webbrowser

            webbrowser.open(address)

    return ready
