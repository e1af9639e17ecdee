"""Peak memory of scoring and of comparing runs with long outputs, each in a process that does nothing else.

python -m research.evaluation.comparison_memory                       # 8,000 outputs of 25 kB in each of two runs
python -m research.evaluation.comparison_memory --outputs 1000 --traces
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from eval.backends.protocol import GenerationSettings
from eval.records.run_records import MANIFEST, PREDICTIONS, RunManifest, describe_problems, write_json
from srt.io.record_writer import write_records
from srt.io.records import Answer, Prediction, Problem

ARMS = ("base", "srt")
_WORDS = "So the edge that the front view shows is hidden in the left view, and the volume is {} cm^3 less.\n"
_STEP = "INFER (1): the edge of length {} is hidden\n"
_CHILD = """
import resource, sys
from srt.cli import make_app
make_app()(sys.argv[1:], standalone_mode=False)
print("PEAK", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--outputs", type=int, default=8000, help="in each of the two runs")
    parser.add_argument("--characters", type=int, default=25_000, help="of one output, at least")
    parser.add_argument("--samples", type=int, default=4, help="of a question")
    parser.add_argument(
        "--traces", action="store_true", help="outputs are traces of steps, which are checked one by one"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = write_runs(Path(folder), given.outputs, given.characters, given.samples, traces=given.traces)
        for run in runs:
            print(f"srt score {run.name}: {peak('score', str(run))} MB", flush=True)
        print(f"srt compare: {peak('compare', *map(str, runs), '-o', str(Path(folder) / 'report'))} MB")


def write_runs(folder: Path, outputs: int, characters: int, samples: int, *, traces: bool) -> list[Path]:
    """Two runs on the same made-up problems."""
    count = outputs // samples
    problems = folder / "problems.jsonl"
    write_records(problems, (problem(number) for number in range(count)))
    made = []
    for arm in ARMS:
        run = folder / arm
        run.mkdir()
        manifest = RunManifest(
            arm=arm,
            backend="made up",
            fingerprint=arm,
            settings=GenerationSettings(temperature=1.0),
            style="full",
            pictures=False,
            benchmark="plain",
            options={},
            repeats=samples,
            problems=describe_problems(problems, run, count),
            model={},
            versions={},
        )
        write_json(run / MANIFEST, manifest)
        write_records(run / PREDICTIONS, predictions(arm, count, samples, characters, traces=traces))
        made.append(run)
    return made


def problem(number: int) -> Problem:
    return Problem(
        id=f"made-{number}",
        source="made-up",
        split="test",
        lang="en",
        question=f"Solid {number} has a hidden edge. What is its volume?",
        answer=Answer(kind="number", value=number % 7, unit="cm^3"),
        category=("sections", "nets")[number % 2],
        group_id=f"g{number // 2}",
    )


def predictions(arm: str, count: int, samples: int, characters: int, *, traces: bool) -> Iterator[Prediction]:
    line = _STEP if traces else _WORDS
    for number in range(count):
        for repeat in range(samples):
            body = "".join(line.format(at) for at in range(characters // len(line) + 1))
            answer = number % 7 if (number + repeat) % (3 if arm == "srt" else 2) else 99
            yield Prediction(
                key=f"{arm}-{number}-{repeat}",
                problem_id=f"made-{number}",
                repeat=repeat,
                text=f"{body}ANSWER: {answer} cm^3",
                input_tokens=40,
                output_tokens=characters // 4 + number % 50,
                finish_reason="stop",
                seconds=1.0,
            )


def peak(*command: str) -> int:
    """The peak memory (MB) of ``srt`` with these arguments, without its own child processes."""
    ran = subprocess.run(
        [sys.executable, "-c", _CHILD, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path[1:])},
        text=True,
        check=False,
    )
    found = [line for line in ran.stderr.splitlines() if line.startswith("PEAK ")]
    if ran.returncode or not found:
        sys.exit(f"srt {' '.join(command)} failed:\n{ran.stderr[-2000:]}")
    return int(found[0].split()[1])


if __name__ == "__main__":
    main()
