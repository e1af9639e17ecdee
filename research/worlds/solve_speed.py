"""How fast the exact teacher is: problems a second on one core, a line of JSON in to a line of JSON out.

    python -m research.worlds.solve_speed problems.jsonl [--repeat 3]

Prints one JSON object: items a second with the trace written out, items a second for reading and writing the same lines
as plain JSON, and the ratio of the two times. The first pass over the file is measured too: it fills the tables of each
geometry (``cold``); the best of the passes after it is ``warm``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from srt.io.record_lines import dump
from srt.io.records import Problem
from srt.pipeline.solve import solve_one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    lines = [line for line in options.problems.read_bytes().splitlines() if line.strip()]

    def solve_all() -> int:
        return sum(len(dump(solve_one(Problem.model_validate(orjson.loads(line))))) for line in lines)

    def parse_all() -> int:
        return sum(len(orjson.dumps(orjson.loads(line))) for line in lines)

    cold = seconds(solve_all)
    warm = min(seconds(solve_all) for _ in range(options.repeat))
    plain = min(seconds(parse_all) for _ in range(options.repeat))
    figures = {
        "items": len(lines),
        "cold_items_per_second": round(len(lines) / cold),
        "warm_items_per_second": round(len(lines) / warm),
        "plain_json_items_per_second": round(len(lines) / plain),
        "warm_to_plain_json_time": round(warm / plain, 1),
    }
    print(orjson.dumps(figures).decode())


def seconds(work: Callable[[], int]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
