"""A small folder as ``srt teach`` leaves it, and the server over it in a process of its own."""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import PIL.Image

from srt.io.record_writer import write_records
from srt.io.records import Answer, Image, Problem
from srt.language.faults import Fault
from srt.language.text import parse
from srt.language.trace import Trace
from srt.llm.exchange import Outcome
from srt.teaching.case_store.case_records import Issue, Round, State, TeachingCase
from srt.teaching.case_store.manifest import MANIFEST, FolderManifest

RIGHT_BOX = """CORRELATE question - the base has 3 rows of 4 cubes
CONSTRAIN #1 - one layer holds 3 * 4 = 12 cubes
INFER #2 - two layers hold 2 * 12 = 24 cubes
ANSWER: 24"""
WRONG_BOX = RIGHT_BOX.replace("3 * 4 = 12", "3 * 4 = 13").replace("2 * 12 = 24", "2 * 13 = 26").replace(": 24", ": 26")
RIGHT_BOOTH = """CORRELATE (1): right(Robert) = Mary
CORRELATE (2): right(James) = Jason
CORRELATE question: ? = across(right(Robert))
CONSTRAIN wlog #1: Robert@S1 & Mary@S2
CONSTRAIN scene #2 #4: James@N1 & Jason@N2
INFER #1 #3: ? = across(Mary)
INFER scene #4 #6: ?@N1
INFER #5 #7: ? = James
INFER A B C D #8: options = {C}
ANSWER: C"""
WRONG_BOOTH = RIGHT_BOOTH.replace("right(James) = Jason", "right(Jason) = James")
HOSTILE = (
    '<script>window.hacked=1</script><img src=x onerror=window.hacked=2> " onerror="window.hacked=3" '
    "</textarea><svg onload=window.hacked=4> ' {{7*7}} $<b>x</b>$ javascript:window.hacked=5"
)


WRONG_CASE, RIGHT_CASE, WORLD_CASE, HOSTILE_CASE = range(4)
"""Where the cases stand in the queue."""


def box(problem_id: str = "box", **fields: Any) -> Problem:
    return Problem(
        **{
            "id": problem_id,
            "source": "test",
            "split": "train",
            "lang": "en",
            "question": "A box is 3 cubes wide, 4 cubes long and 2 cubes high. How many cubes does it hold?",
            "answer": Answer(kind="number", value=24),
            "solution": "One layer: $3 \\times 4 = 12$ cubes. Two layers: $2 \\times 12 = 24$ cubes.",
            "category": "counting",
            **fields,
        }
    )


BOOTH = Problem(
    id="booth",
    source="test",
    split="train",
    lang="en",
    question=(
        "Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
        "() faces the right neighbour of Robert."
    ),
    choices={"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"},
    answer=Answer(kind="choice_set", value=["C"]),
    category="seating",
)


def trace_of(problem: Problem, text: str) -> Trace:
    told = parse(text)
    return Trace(
        id=f"{problem.id}/teach",
        problem_id=problem.id,
        kind=told.kind,
        lang=told.lang,
        steps=told.steps,
        text=told.text,
        answer=told.answer,
        teacher="a-model",
    )


def case_of(
    problem: Problem, *texts: str | None, state: State = State.HUMAN, issues: tuple[Issue, ...] = ()
) -> TeachingCase:
    """A case with one round for each of ``texts``; ``None`` is an answer that was no trace."""
    rounds = tuple(
        Round(
            made_by="teacher" if n == 0 else "checker",
            outcome=Outcome.OK if text is not None else Outcome.MALFORMED,
            trace=trace_of(problem, text) if text is not None else None,
            issues=issues if n == len(texts) - 1 else (),
            reviewed=text is not None,
        )
        for n, text in enumerate(texts)
    )
    return TeachingCase(
        problem_id=problem.id,
        category=problem.category,
        state=state,
        rounds=rounds,
        trace=rounds[-1].trace if rounds else None,
        reason="two rounds were spent" if state is State.HUMAN else None,
    )


def write_folder(folder: Path, pairs: list[tuple[Problem, TeachingCase]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    write_records(folder / "problems.jsonl", [problem for problem, _ in pairs])
    write_records(folder / "cases.jsonl", [case for _, case in pairs])
    manifest = FolderManifest(
        problems=len(pairs), problems_sha256="0" * 64, pictures="pictures", currency="EUR", settings={}
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json())
    return folder


def picture(folder: Path, name: str = "view.png", size: tuple[int, int] = (60, 40)) -> Image:
    path = folder / "pictures" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    PIL.Image.new("RGB", size, (200, 220, 240)).save(path)
    return Image(path=name, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


OBJECTION = Issue(
    by="reviewer",
    step=2,
    fault=Fault.FALSE_CLAIM,
    explanation="3 times 4 is 12",
    suggested_fix="write 3 * 4 = 12",
)


@dataclass
class Served:
    """A server process. ``address`` is what it printed; ``call`` speaks to it as the page does."""

    process: subprocess.Popen[str]
    address: str

    @property
    def port(self) -> int:
        return int(re.search(r":(\d+)/", self.address)[1])  # type: ignore[index]

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    def call(
        self, method: str, path: str, body: Any = None, headers: dict[str, str | None] | None = None
    ) -> tuple[int, Any]:
        """Status and JSON (bytes where it is none). ``headers`` replace the page's own; ``None`` leaves one out."""
        own: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.port}",
            "X-SRT-Token": self.token,
            "Origin": f"http://127.0.0.1:{self.port}" if method == "POST" else None,
            "Content-Type": "application/json" if method == "POST" else None,
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.putrequest(method, path, skip_host=True)
            for name, value in {**own, **(headers or {})}.items():
                if value is not None:
                    connection.putheader(name, value)
            data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
            connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            self.headers = answer.headers
            raw = answer.read()
        finally:
            connection.close()
        try:
            return answer.status, json.loads(raw)
        except ValueError:
            return answer.status, raw

    def case(self, index: int) -> dict[str, Any]:
        status, view = self.call("GET", f"/api/cases/{index}")
        assert status == 200, view
        return view

    def decide(self, index: int, action: str, **fields: Any) -> tuple[int, Any]:
        """Decide on what ``fields`` say that was seen; by default on what is there now."""
        view = self.case(index)
        seen = {"digest": view["digest"], "seen": len(view["history"])}
        return self.call("POST", f"/api/cases/{index}/decide", {"action": action, **seen, **fields})

    def stop(self, number: int = signal.SIGINT) -> tuple[str, str]:
        self.process.send_signal(number)
        return self.process.communicate(timeout=120)


def taught(out: Path) -> Path:
    """Four cases with people (a wrong box, a right box, a wrong booth, a hostile box) and six that have passed."""
    hostile = box(f"x{HOSTILE}", question=HOSTILE, solution=HOSTILE, diagram_description=HOSTILE, category=HOSTILE)
    hostile_text = f"CORRELATE question - {HOSTILE}\nINFER #1 - {HOSTILE} so 2 * 12 = 24\nANSWER: 24"
    hostile_issue = Issue(
        by="reviewer", step=1, fault=Fault.DOES_NOT_FOLLOW, explanation=HOSTILE, suggested_fix=HOSTILE
    )
    wrong, right = box("box-wrong", images=[picture(out)]), box("box-right", category="volume")
    passed = [box(f"passed-{n}") for n in range(6)]
    return write_folder(
        out,
        [
            (wrong, case_of(wrong, WRONG_BOX.replace("two layers", "2 layers"), WRONG_BOX, issues=(OBJECTION,))),
            (right, case_of(right, RIGHT_BOX)),
            (BOOTH, case_of(BOOTH, WRONG_BOOTH)),
            (hostile, case_of(hostile, hostile_text.replace("so", "hence"), hostile_text, issues=(hostile_issue,))),
            *((problem, case_of(problem, RIGHT_BOX, state=State.ACCEPTED)) for problem in passed),
        ],
    )


@contextmanager
def serve(folder: Path, *options: str) -> Iterator[Served]:
    """``srt review`` as a process over ``folder``; it ends with the block."""
    command = [sys.executable, "-c", "from srt.cli import main; main()", "review", str(folder), "--no-browser"]
    process = subprocess.Popen(
        [*command, "--who", "ada", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), process.communicate(timeout=120)
        yield Served(process, address)
    finally:
        process.kill()
        process.wait()


def editor_rows(text: str = RIGHT_BOX, answer: str | None = None, premises: str | None = None) -> dict[str, Any]:
    """The rows of the editor for a trace in English; ``premises`` are put into its third row."""
    trace = trace_of(BOOTH, text)
    rows = [
        {"op": step.op, "premises": " ".join(step.args), "text": step.assertion or step.claim} for step in trace.steps
    ]
    if premises is not None:
        rows[2]["premises"] = premises
    return {"steps": rows, "answer": answer or trace.answer}
