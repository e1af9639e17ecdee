"""The server behind the page: a few routes on the loopback address, for one person's browser.

A request is answered if its ``Host`` is this address (another name that resolves to 127.0.0.1 is refused) and it has
the token of this start, which nobody else on the machine knows; a POST must also come from the page's own origin. Every
response forbids scripts, styles and connections from elsewhere. The browser is given the token in a file, because every
user of the machine sees a command line.
"""

from __future__ import annotations

import asyncio
import hmac
import html
import os
import secrets
import signal
import tempfile
import webbrowser
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import orjson
from aiohttp import web
from pydantic import ValidationError

from srt.images.shown_file import shown_file
from srt.io.atomic_files import temporary_folder
from srt.io.errors import UserError
from srt.io.record_lines import validation_fault
from srt.io.records import Problem
from srt.review.draft import Draft
from srt.review.formulas import Drawing
from srt.review.page_view import case_view, session_view, verdict_view
from srt.review.session import DecisionRefused, DecisionRequest, ReviewItem, ReviewSession, StaleDecision

ADDRESS = "127.0.0.1"
TOKEN = "X-SRT-Token"
_LARGEST_BODY = 2**20
_HERE = Path(__file__).parent / "page"
_ASSETS = {
    "/page.css": "text/css",
    **dict.fromkeys(("/page.js", "/case.js", "/editor.js", "/api.js", "/dom.js"), "text/javascript"),
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

M = TypeVar("M", Draft, DecisionRequest)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


async def serve(session: ReviewSession, port: int, ready: Callable[[str], None]) -> None:
    """Serve ``session`` until SIGINT or SIGTERM. ``ready`` is called with the address to open once it is served.

    Raises:
        UserError: the port cannot be used.
    """
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    token = secrets.token_urlsafe(24)
    runner = web.AppRunner(review_app(session, token), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, ADDRESS, port, reuse_address=True, shutdown_timeout=2)
        try:
            await site.start()
        except (OSError, OverflowError) as error:
            raise UserError(f"--port {port}: cannot be used: {error}; 0 picks a free port") from None
        ready(f"http://{ADDRESS}:{runner.addresses[0][1]}/?token={token}")
        await stop.wait()
    finally:
        await runner.cleanup()


def review_app(session: ReviewSession, token: str) -> web.Application:
    """The routes over ``session``; requests must have ``token``."""
    app = web.Application(client_max_size=_LARGEST_BODY, middlewares=[_guard(token)])
    routes = _Routes(session)
    for path in ("/", *_ASSETS):
        app.router.add_get(path, _file)
    app.router.add_get("/api/session", routes.session_)
    app.router.add_get("/api/cases/{index:[0-9]{1,7}}", routes.case)
    app.router.add_get("/api/cases/{index:[0-9]{1,7}}/pictures/{number:[0-9]{1,4}}", routes.picture)
    app.router.add_post("/api/cases/{index:[0-9]{1,7}}/check", routes.check)
    app.router.add_post("/api/cases/{index:[0-9]{1,7}}/decide", routes.decide)
    return app


class _Routes:
    def __init__(self, session: ReviewSession) -> None:
        self.session = session
        self._one_at_a_time = asyncio.Lock()

    async def session_(self, _: web.Request) -> web.Response:
        return _json(session_view(self.session))

    async def case(self, request: web.Request) -> web.Response:
        number = self._number(request)
        return _json(await asyncio.to_thread(lambda: case_view(self.session.open(number))))

    async def picture(self, request: web.Request) -> web.Response:
        item, number = await self._open(request), int(request.match_info["number"])
        try:
            data, media_type = await asyncio.to_thread(picture_bytes, item.problem, number, self.session.pictures)
        except UserError as error:
            return _json({"error": str(error)}, 404)
        return web.Response(body=data, content_type=media_type)

    async def check(self, request: web.Request) -> web.Response:
        """The verdict on a draft while it is typed. Nothing is saved."""
        item, draft = await self._open(request), await _body(request, Draft)
        faults, verdict = await asyncio.to_thread(self.session.check_draft, item, draft)
        return _json({"faults": faults, "verdict": verdict_view(verdict, Drawing()) if verdict else None})

    async def decide(self, request: web.Request) -> web.Response:
        """One decision: 200 once it is on disk, 409 if another trace or decision was not seen, 422 if it is refused."""
        number, decision = self._number(request), await _body(request, DecisionRequest)
        async with self._one_at_a_time:
            try:
                item = await asyncio.to_thread(self.session.decide, number, decision)
            except StaleDecision as error:
                return _json({"error": str(error)}, 409)
            except DecisionRefused as error:
                verdict = verdict_view(error.verdict, Drawing()) if error.verdict else None
                return _json({"error": str(error), "faults": error.faults, "verdict": verdict}, 422)
            except OSError as error:
                return _json({"error": f"the decision could not be saved: {error.strerror}"}, 500)
        return _json({"case": await asyncio.to_thread(case_view, item)})

    def _number(self, request: web.Request) -> int:
        number = int(request.match_info["index"])
        if number >= len(self.session.cases):
            raise _error(404, "there is no such case")
        return number

    async def _open(self, request: web.Request) -> ReviewItem:
        return await asyncio.to_thread(self.session.open, self._number(request))


def picture_bytes(problem: Problem, number: int, root: Path) -> tuple[bytes, str]:
    """Picture ``number`` (from 1) of ``problem`` as models are shown it, as a file, and its media type.

    Raises:
        UserError: there is no such picture, or it is refused by :func:`srt.images.shown_file.shown_file`.
    """
    if not 1 <= number <= len(problem.images):
        raise UserError(f"problem {problem.id}: images: there is no picture {number}, only {len(problem.images)}")
    image = problem.images[number - 1]
    try:
        return shown_file(root, image)
    except UserError as error:
        raise UserError(f"problem {problem.id}: images.{number}: {error}") from None


_REDIRECT = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>srt review</title>
<a href="{address}">srt review</a>
"""


@contextmanager
def browser_opener() -> Iterator[Callable[[str], None]]:
    """Yield what opens an address in the person's browser.

    The browser is given a file that redirects to the address. Only this user can read it (mode 0600 in a new folder of
    mode 0700); it is removed when the block ends.
    """
    with temporary_folder(Path(tempfile.gettempdir(), "srt-review")) as folder:

        def open_address(address: str) -> None:
            path = folder / "open.html"
            # O_EXCL, in a folder of ours alone: no link of another user can be in its place.
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(_REDIRECT.format(address=html.escape(address)))
            webbrowser.open(path.as_uri())

        yield open_address


async def _file(request: web.Request) -> web.Response:
    text = (_HERE / (request.path[1:] or "page.html")).read_text(encoding="utf-8")
    return web.Response(text=text, content_type=_ASSETS.get(request.path, "text/html"))


def _guard(token: str) -> Any:
    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            _admit(request, token)
            response = await handler(request)
        except web.HTTPException as error:
            response = (
                error if error.content_type == "application/json" else _json({"error": error.reason}, error.status)
            )
        except UserError as error:
            # A record that can be listed, but not read in full, or files that somebody has changed.
            response = _json({"error": str(error)}, 500)
        response.headers.update(_HEADERS)
        return response

    return guard


def _admit(request: web.Request, token: str) -> None:
    port = request.transport.get_extra_info("sockname")[1] if request.transport else 0
    host = request.headers.get("Host", "")
    # A page elsewhere can point a name of its own at 127.0.0.1 (DNS rebinding); its requests have that name.
    if host not in (f"{ADDRESS}:{port}", f"localhost:{port}"):
        raise _error(403, f"open http://{ADDRESS}:{port}; the page has no other name")
    if request.path in _ASSETS:
        return
    given = request.query.get("token", "") if request.path == "/" else request.headers.get(TOKEN, "")
    # In constant time: how long a comparison takes says nothing about the token.
    if not hmac.compare_digest(given.encode(errors="replace"), token.encode()):
        raise _error(403, "open the address that srt review printed at its last start")
    if request.method not in ("GET", "HEAD"):
        if request.headers.get("Origin") != f"http://{host}":
            raise _error(403, "only the review page itself may send this")
        if request.content_type != "application/json":
            raise _error(415, "JSON was expected")


async def _body(request: web.Request, model: type[M]) -> M:
    try:
        return model.model_validate(orjson.loads(await request.read()))
    except orjson.JSONDecodeError:
        raise _error(400, "not JSON") from None
    except ValidationError as error:
        raise _error(400, validation_fault(error)) from None


def _json(data: Any, status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(data), status=status, content_type="application/json")


def _error(status: int, message: str) -> web.HTTPException:
    kinds = {400: web.HTTPBadRequest, 403: web.HTTPForbidden, 404: web.HTTPNotFound, 415: web.HTTPUnsupportedMediaType}
    return kinds[status](body=orjson.dumps({"error": message}), content_type="application/json")
