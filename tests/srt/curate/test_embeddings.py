"""Duplicates that an embedding model finds, and an endpoint that is down."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from problem_maker import LONG, OTHER, Maker

from srt.curate import CurationOptions, Embeddings, curate_file
from srt.io.errors import UserError


@pytest.fixture
def endpoint() -> Iterator[str]:
    """An ``/embeddings`` endpoint: texts on ants are near one another, everything else is at right angles to them."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            rows = [[1.0, 0.05 * len(text) / 100] if "蚂蚁" in text else [0.0, 1.0] for text in asked["input"]]
            if asked["model"] == "broken":
                rows = rows[:-1]
            data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            body = json.dumps({"object": "list", "model": asked["model"], "data": data, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_embeddings(maker: Maker, endpoint: str) -> None:
    one = maker.picture(1)
    problems = [
        maker.problem("a", OTHER, one),
        maker.problem("reworded", "求蚂蚁从圆柱下底面上的一点沿侧面爬到另一底面上相对一点的最短路程", one),
        maker.problem("b", OTHER + "，蚂蚁", answer=None),
        maker.problem("c", "求它所走的最短路程，结果保留根号，蚂蚁，" + OTHER.split("，求")[0], answer=None),
        maker.problem("d", "求圆锥的母线长", answer=None),
    ]
    config = Embeddings(model="vectors", base_url=endpoint)
    summary = maker.curate(*problems, options=CurationOptions(embeddings=config, skip=frozenset({"answers"})))
    assert ("reworded", "review", "near_duplicate", "a") in summary["said"]
    assert ("c", "near_duplicate", "b") in {(said[0], *said[2:]) for said in summary["said"]}, "without pictures"
    assert not any(said[0] in ("a", "d") for said in summary["said"])
    scores = {one.problem_id: one.score for one in summary["records"]}
    assert scores["reworded"] > 0.99
    with pytest.raises(UserError, match="embeddings: broken"):
        maker.curate(*problems, options=CurationOptions(embeddings=Embeddings(model="broken", base_url=endpoint)))


def test_an_endpoint_that_is_down(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    down = CurationOptions(embeddings=Embeddings(model="m", base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(UserError, match=r"embeddings: m at http://127\.0\.0\.1:9/v1"):
        curate_file(
            maker.write(maker.problem("a", LONG), maker.problem("b", OTHER)), maker.folder / "k.jsonl", options=down
        )
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        curate_file(
            maker.write(maker.problem("a", LONG)),
            maker.folder / "k.jsonl",
            options=CurationOptions(embeddings=Embeddings(model="m")),
        )
