"""How fast the checker is: traces checked a second on one core, lines of JSON in, lines of JSON out.

    python -m benchmarks.check_speed problems.jsonl traces.jsonl

Three passes over the same lines, each in full: parsing and dumping the JSON alone; the same with the records validated;
and the check, problems read and validated included. Every trace is checked once. Seconds are those of the processor, so
that other work on the machine counts for less; the plain pass tells how fast the machine is.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import orjson

from srt.checking import check
from srt.io.record_lines import dump, parse_record
from srt.io.records import Problem
from srt.language.trace import Trace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path)
    parser.add_argument("traces", type=Path)
    args = parser.parse_args()
    problems, traces = _lines(args.problems), _lines(args.traces)
    ids = {problem["id"] for problem in map(orjson.loads, problems)}
    missing = sorted({trace["problem_id"] for trace in map(orjson.loads, traces)} - ids)
    if missing:
        raise SystemExit(f"{args.traces}: the problem {missing[0]} is not in {args.problems}")
    if not traces:
        raise SystemExit(f"{args.traces}: there are no traces in it")
    plain = _seconds(lambda: _plain(problems, traces))
    records = _seconds(lambda: _records(problems, traces))
    verdicts: Counter[str] = Counter()
    checked = _seconds(lambda: verdicts.update(_checked(problems, traces)))
    for name, seconds in (("plain JSON", plain), ("records", records), ("check", checked)):
        print(f"{name:10} {seconds:8.3f} s {len(traces) / seconds:10.0f} items/s {seconds / plain:6.1f} x plain JSON")
    print("traces:", ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())))


def _plain(problems: list[bytes], traces: list[bytes]) -> None:
    for line in problems:
        orjson.loads(line)
    for line in traces:
        orjson.dumps(orjson.loads(line), option=orjson.OPT_APPEND_NEWLINE)


def _records(problems: list[bytes], traces: list[bytes]) -> None:
    for line in problems:
        parse_record(line, Problem, "problems")
    for line in traces:
        dump(parse_record(line, Trace, "traces"))


def _checked(problems: list[bytes], traces: list[bytes]) -> Counter[str]:
    known = {problem.id: problem for problem in (parse_record(line, Problem, "problems") for line in problems)}
    found: Counter[str] = Counter()
    for line in traces:
        trace = parse_record(line, Trace, "traces")
        checks = check(known[trace.problem_id], trace)
        dump(trace.model_copy(update={"checks": checks}))
        verdicts = {"proved": checks.proved, "computed": checks.computed, "refuted": checks.refuted}
        found[next((name for name, holds in verdicts.items() if holds), "neither")] += 1
    return found


def _seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().splitlines() if line.strip()]


if __name__ == "__main__":
    main()
