"""The cost of evaluation besides the model: our own time and memory for each sample, with a back end that does nothing.

    python -m benchmarks.eval_overhead [--samples 10000] [--few 1000] [--json]

Each case runs ``predict`` and ``score`` on made-up problems, in a separate process, once with ``--few`` and once with
``--samples``. ``text`` has a question of 400 characters and an answer of one line of prose; ``trace`` a problem of an
exact world and its trace, which the checker proves step by step (that is the checker's time, not the harness's);
``picture`` a different PNG of 640 x 480 for each sample, read and checked. ``loop`` is the lower bound in the same
process: read the problems, ask the fake, write a line, read it again and look for the answer, with nothing that makes a
run safe. Milliseconds are processor time (user and system, children included); ``wall`` is the time of the clock.
``predict_kib_a_sample`` and ``all_kib_a_sample`` are the growth of peak resident memory for each sample between the two
sizes, after ``predict`` and at the end: records and prompts, never generations or pictures.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import PIL.Image

from srt.images.open import describe_picture
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem

CASES = ("text", "trace", "picture")
PROSE = "It follows from the first clue that she sits there.\nANSWER: B"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--few", type=int, default=1_000)
    parser.add_argument("--case", choices=CASES, help="this one alone")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.case, options.child)))
        return
    found = {}
    for case in [options.case] if options.case else CASES:
        few, many = (child(case, count) for count in (options.few, options.samples))
        more = options.samples - options.few
        growth = {
            f"{'all' if name == 'peak_mib' else 'predict'}_kib_a_sample": (many[name] - few[name]) * 1024 / more
            for name in ("peak_mib_predict", "peak_mib")
        }
        found[case] = {**many, **{f"few_{name}": few[name] for name in ("peak_mib_predict", "peak_mib")}, **growth}
        if not options.json:
            figures = ", ".join(f"{name} {value:.2f}" for name, value in found[case].items())
            print(f"{case}: {figures}", flush=True)
    if options.json:
        print(json.dumps(found, indent=2))


def child(case: str, count: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--case", case, "--child", str(count)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(run.stderr)
    found: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return found


def measure(case: str, count: int) -> dict[str, float]:
    from eval.run.predict import predict
    from eval.scoring.score import score
    from tests.fake_backend import CLOSE, OPEN, FakeBackend

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        problems = folder / "problems.jsonl"
        answers = make_problems(case, count, problems)

        def reply(prompt: str) -> str:
            blocks = prompt.removeprefix(OPEN).removesuffix(CLOSE).split("\n\n")
            return next((answers[block] for block in blocks if block in answers), PROSE)

        backend = FakeBackend(reply, batch_size=64, reads_pictures=case == "picture")
        loop = timed(lambda: bare_loop(problems, folder / "loop.jsonl", reply))
        made = timed(lambda: predict(problems, folder / "run", backend, arm="fake"))
        after_predict = peak_mib()
        scored = timed(lambda: score(folder / "run"))
    each = {"loop": loop, "predict": made, "score": scored, "ours": [a + b for a, b in zip(made, scored, strict=True)]}
    figures = {f"{name}_ms": 1000 * cpu / count for name, (cpu, _) in each.items()}
    figures["ours_wall_ms"] = 1000 * each["ours"][1] / count
    return figures | {"peak_mib_predict": after_predict, "peak_mib": peak_mib()}


def peak_mib() -> float:
    """Peak resident memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(work: Callable[[], object]) -> list[float]:
    """Seconds of the processor and of the clock."""
    before, began = cpu_seconds(), time.perf_counter()
    work()
    return [cpu_seconds() - before, time.perf_counter() - began]


def cpu_seconds() -> float:
    of = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in of)


def bare_loop(problems: Path, out: Path, reply: Callable[[str], str]) -> int:
    """The minimum of work: no keys, no fsync, no records, the last line as the answer."""
    with open(problems, "rb") as source, open(out, "wb") as log:
        for line in source:
            problem: dict[str, Any] = orjson.loads(line)
            prompt = f"{problem['question']}\n\n{problem.get('choices')}"
            log.write(orjson.dumps({"id": problem["id"], "text": reply(prompt)}) + b"\n")
    gold = {row["id"]: row["answer"]["value"] for row in map(orjson.loads, problems.read_bytes().splitlines())}
    rows = map(orjson.loads, out.read_bytes().splitlines())
    return sum(row["text"].rpartition(": ")[2].split(", ") == gold[row["id"]] for row in rows)


def make_problems(case: str, count: int, path: Path) -> dict[str, str]:
    """Write ``count`` problems; returns the fake's answers to those that have a trace, by question."""
    if case == "trace":
        from srt.io.problem_files import read_problems
        from srt.io.record_reader import read_records
        from srt.language.text import linearize
        from srt.language.trace import Trace
        from srt.pipeline.generate import generate_file
        from srt.pipeline.solve import solve_file

        generate_file("seating", count, "test", path, {"scenes": ["booth", "hexagon-in"]})
        solve_file(path, path.with_name("traces.jsonl"))
        questions = {problem.id: problem.question.strip() for problem in read_problems(path).values()}
        traces = read_records(path.with_name("traces.jsonl"), Trace)
        return {questions[trace.problem_id]: linearize(trace) for trace in traces}
    dice = random.Random(0)
    images = [
        [describe_picture(path.parent, picture(path.parent, n))] if case == "picture" else [] for n in range(count)
    ]
    write_records(
        path,
        (
            Problem(
                id=f"made-{number}",
                source="made-up",
                split="test",
                lang="en",
                question=f"Item {number}. " + "Nadia sits across from Omar. " * 13 + "Who is left of Pia?",
                choices={"A": "Nadia", "B": "Omar", "C": "Pia", "D": "None"},
                answer=Answer(kind="choice_set", value=[dice.choice("ABCD")]),
                images=images[number],
            )
            for number in range(count)
        ),
    )
    return {}


def picture(folder: Path, number: int) -> str:
    image = PIL.Image.new("RGB", (640, 480), (number % 256, number // 256 % 256, 90))
    image.paste((0, 0, 0), (number % 600, 20, number % 600 + 30, 200))
    name = f"{number}.png"
    image.save(folder / name, compress_level=1)
    return name


if __name__ == "__main__":
    main()
