"""The server without a browser: who may talk to it, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from taught_folder import (
    RIGHT_BOX,
    RIGHT_CASE,
    WORLD_CASE,
    WRONG_CASE,
    Served,
    editor_rows,
    serve,
    taught,
)

from srt.teaching.case_store.decisions import read_decisions


@pytest.fixture(scope="module")
def standing_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """One server for the tests that save nothing."""
    folder = taught(tmp_path_factory.mktemp("review") / "taught")
    with serve(folder) as served:
        yield served, folder
        assert read_decisions(folder) == []


def test_only_the_page_itself_may_talk_to_it(standing_server: tuple[Served, Path]) -> None:
    served, _ = standing_server
    own = f"127.0.0.1:{served.port}"
    body = {"action": "accept", "digest": served.case(RIGHT_CASE)["digest"]}
    path = f"/api/cases/{RIGHT_CASE}/decide"
    for name in (
        f"evil.example:{served.port}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.0.0.1.evil.example:{served.port}",
        "",
    ):
        for asked in (
            "/",
            "/page.js",
            "/api/session",
            f"/api/cases/{RIGHT_CASE}",
            f"/api/cases/{WRONG_CASE}/pictures/1",
        ):
            assert served.call("GET", asked, headers={"Host": name})[0] == 403, (name, asked)
        assert served.call("POST", path, body, {"Host": name, "Origin": f"http://{name}"})[0] == 403
    for origin in (
        "http://evil.example",
        "null",
        f"https://{own}",
        "http://127.0.0.1",
        f"http://{own}.evil.example",
        None,
    ):
        status, data = served.call("POST", path, body, {"Origin": origin})
        assert (status, list(data)) == (403, ["error"]), origin
    for token in ("", "x" * 32, served.token[:-1], None):
        assert served.call("POST", path, body, {"X-SRT-Token": token})[0] == 403, token
        assert served.call("GET", "/api/session", headers={"X-SRT-Token": token})[0] == 403
        assert served.call("GET", f"/api/cases/{WRONG_CASE}/pictures/1", headers={"X-SRT-Token": token})[0] == 403
        assert served.call("GET", f"/?token={token}")[0] == 403
    assert served.call("GET", "/api/session", headers={"X-SRT-Token": "\xff"})[0] == 403
    assert served.call("GET", "/?token=%ff")[0] == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", None):
        assert served.call("POST", path, body, {"Content-Type": kind})[0] == 415
    assert served.call("GET", f"/?token={served.token}")[0] == 200
    assert served.call("GET", "/api/session", headers={"Host": f"localhost:{served.port}"})[0] == 200


def test_every_answer_forbids_what_the_page_does_not_need(standing_server: tuple[Served, Path]) -> None:
    served, _ = standing_server
    for path in (f"/?token={served.token}", "/page.js", "/page.css", "/api/session", "/nothing", "/?token=wrong"):
        served.call("GET", path)
        policy = served.headers["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert served.headers["X-Content-Type-Options"] == "nosniff"
        assert served.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_it_listens_on_the_loopback_address_alone(standing_server: tuple[Served, Path]) -> None:
    served, _ = standing_server
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:] + Path("/proc/net/tcp6").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    assert [at for at in listening if at.endswith(f":{served.port:04X}")] == [f"0100007F:{served.port:04X}"]


def test_only_files_of_the_page_and_pictures_of_cases_are_served(standing_server: tuple[Served, Path]) -> None:
    served, folder = standing_server
    status, data = served.call("GET", f"/api/cases/{WRONG_CASE}/pictures/1")
    assert (status, served.headers["Content-Type"]) == (200, "image/png")
    assert data == (folder / "pictures" / "view.png").read_bytes()
    for path in (
        "/../server.py",
        "/page.js/../server.py",
        "/%2e%2e/server.py",
        "/server.py",
        f"/api/cases/{WRONG_CASE}/pictures/2",
        f"/api/cases/{WRONG_CASE}/pictures/../../../../folder.json",
        f"/api/cases/{WRONG_CASE}/pictures/..%2F..%2Ffolder.json",
        f"/api/cases/{WRONG_CASE}/pictures/view.png",
        "/api/cases/99",
        "/api/cases/-1",
    ):
        assert served.call("GET", path)[0] in (403, 404), path


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        ({"action": "delete", "digest": ""}, 400),
        ({"action": "accept", "digest": "", "seen": 0, "path": "/etc"}, 400),
        ({"action": "reject", "digest": "", "seen": 0, "fault": "no such fault"}, 400),
        (b" " * (2**20 + 1), 413),
        ({"action": "accept", "digest": ""}, 400),
        ({"action": "accept", "digest": "0" * 64, "seen": 0}, 409),
    ],
)
def test_bad_requests_are_refused(standing_server: tuple[Served, Path], body: Any, status: int) -> None:
    served, _ = standing_server
    given, data = served.call("POST", f"/api/cases/{RIGHT_CASE}/decide", body)
    assert given == status
    assert data["error"]


@pytest.mark.parametrize(
    ("index", "action", "fields", "message"),
    [
        (WRONG_CASE, "accept", {}, r"step 2 is wrong: .*12"),
        (WORLD_CASE, "accept", {}, r"step 2 is wrong"),
        (
            RIGHT_CASE,
            "edit",
            {"draft": editor_rows(RIGHT_BOX.replace("2 * 12 = 24 cubes", "2 * 12 = 25 cubes"))},
            "step 3 is wrong",
        ),
        (
            RIGHT_CASE,
            "edit",
            {"draft": editor_rows(answer="25")},
            "the trace is wrong: the answer is '25', but the gold answer is",
        ),
        (RIGHT_CASE, "edit", {"draft": editor_rows(premises="#7")}, "step 3 is wrong"),
        (
            RIGHT_CASE,
            "edit",
            {"draft": editor_rows(premises="#0")},
            "step 3, premises: '#0'",
        ),
        (RIGHT_CASE, "edit", {"draft": editor_rows()}, "nothing"),
        (RIGHT_CASE, "edit", {}, "an edit"),
        (RIGHT_CASE, "reject", {"note": "  "}, "a rejection"),
        (RIGHT_CASE, "undo", {}, "there is no decision"),
    ],
)
def test_what_cannot_stand_is_refused(
    standing_server: tuple[Served, Path], index: int, action: str, fields: dict[str, Any], message: str
) -> None:
    status, data = standing_server[0].decide(index, action, **fields)
    assert status == 422
    assert re.match(message, data["error"]), data["error"]


def test_a_draft_is_checked_without_being_saved(standing_server: tuple[Served, Path]) -> None:
    served, _ = standing_server
    status, data = served.call(
        "POST", f"/api/cases/{RIGHT_CASE}/check", editor_rows(RIGHT_BOX.replace("2 * 12", "3 * 12"))
    )
    assert status == 200
    assert [step["support"] for step in data["verdict"]["steps"]][2] == "refuted"
    assert data["verdict"]["blocking"][0]["step"] == 3
    status, data = served.call("POST", f"/api/cases/{RIGHT_CASE}/check", editor_rows(premises="#0"))
    assert (status, data["verdict"], data["faults"][0]["step"]) == (200, None, 3)
