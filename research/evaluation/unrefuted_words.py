"""What ``decode: unrefuted`` does for a pretrained model, on word problems from a seed or on any file of problems.

    python -m research.evaluation.unrefuted_words words words.jsonl --count 300 --seed 1
    python -m research.evaluation.unrefuted_words texts solidgeo.jsonl texts.jsonl
    srt eval --model MODEL --problems words.jsonl --temperature 0 --max-new-tokens 140 -o plain
    srt eval --model MODEL --problems words.jsonl --temperature 0 --max-new-tokens 140 --decode unrefuted -o guided
    python -m research.evaluation.unrefuted_words figures words.jsonl plain guided

``words`` writes sums in two steps, of money and lengths, and volumes of boxes, with exact answers. ``texts`` leaves the
pictures of problems out; most can hardly be solved then. ``figures`` prints a row for each run: the share of texts with
a claim that the guide's own checker refutes, and with an equation that is false by a reader that shares nothing with
it (:mod:`srt.prose.faults`; a line that was cut off counts for neither); accuracy, tokens, lines drawn again, and how
long the guide takes for a line.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean

from eval.decoding.guide import LineDraft
from eval.decoding.guides import ClaimGuide
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Prediction, Problem, Score
from srt.judging.prefix import without_gold
from srt.prose import check_prose
from srt.prose.checking.givens import givens_of
from srt.prose.faults.computed_equations import computed_equations

NAMES = ["Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gita", "Hugo"]
GOODS = ["notebooks", "pens", "mugs", "lamps", "candles", "plates", "books", "scarves"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    words = commands.add_parser("words")
    words.add_argument("output", type=Path)
    words.add_argument("--count", type=int, default=300)
    words.add_argument("--seed", type=int, default=1)
    texts = commands.add_parser("texts")
    texts.add_argument("problems", type=Path)
    texts.add_argument("output", type=Path)
    figures = commands.add_parser("figures")
    figures.add_argument("problems", type=Path)
    figures.add_argument("runs", type=Path, nargs="+")
    given = parser.parse_args()
    if given.command == "words":
        write_records(given.output, word_problems(given.count, given.seed))
    elif given.command == "texts":
        problems = read_records(given.problems, Problem)
        write_records(given.output, [problem.model_copy(update={"images": []}) for problem in problems])
    else:
        asked = {problem.id: problem for problem in read_records(given.problems, Problem)}
        for run in given.runs:
            print(run, figures_of(run, asked))


def figures_of(run: Path, problems: dict[str, Problem]) -> dict[str, float]:
    """The figures of a scored run."""
    rows = list(read_records(run / "predictions.jsonl", Prediction))
    texts = {row: _whole_lines(row) for row in rows}
    checks = [
        check_prose(text, lang=problems[row.problem_id].lang, givens=[givens_of(problems[row.problem_id]).whole])
        for row, text in texts.items()
    ]
    equations = [computed_equations(text, problems[row.problem_id].question) for row, text in texts.items()]
    seconds = [one for row in rows for one in _seconds_a_line(problems[row.problem_id], row.text)]
    return {
        "texts": len(rows),
        "with_a_refuted_claim": sum(any(check.support == "refuted" for check in one) for one in checks),
        "with_a_false_equation": sum(any(each.standing == "false" for each in one) for one in equations),
        "with_an_equation": sum(map(bool, equations)),
        "right": sum(score.value for score in read_records(run / "scores.jsonl", Score)),
        "marked_refuted": sum(row.guided == "refuted" for row in rows),
        "cut_off": sum(row.finish_reason == "length" for row in rows),
        "output_tokens": round(mean(row.output_tokens or 0 for row in rows), 1),
        "kept_tokens": round(mean(row.kept_tokens or row.output_tokens or 0 for row in rows), 1),
        "tries": round(mean(row.tries or 0 for row in rows), 2),
        "lines_back": round(mean(row.lines_back or 0 for row in rows), 2),
        "check_ms_a_line": round(1000 * mean(seconds), 2),
        "check_ms_longest": round(1000 * max(seconds), 2),
    }


def _whole_lines(row: Prediction) -> str:
    return row.text.rpartition("\n")[0] if row.finish_reason == "length" else row.text


def _seconds_a_line(problem: Problem, text: str) -> list[float]:
    """Seconds of the processor that the guide takes for each line of ``text``."""
    guide, found, lines = ClaimGuide(), [], text.splitlines(keepends=True)
    for number in range(len(lines)):
        so_far = "".join(lines[: number + 1])
        draft = LineDraft(without_gold(problem), so_far, number + 1 == len(lines), number, number, 0, 0.0)
        began = time.process_time()
        guide.verdict(draft)
        found.append(time.process_time() - began)
    return found


def word_problems(count: int, seed: int) -> list[Problem]:
    """``count`` problems, of each kind in turn."""
    rng = random.Random(seed)
    problems = []
    for number in range(count):
        question, value = KINDS[number % len(KINDS)](rng, rng.choice(NAMES))
        problems.append(
            Problem(
                id=f"words-{number:03}", question=question, answer=Answer(kind="number", value=value), source="words"
            )
        )
    return problems


def _shopping(rng: random.Random, name: str) -> tuple[str, int]:
    count, price, other = rng.randint(2, 9), rng.randint(2, 12), rng.randint(3, 30)
    goods = rng.choice(GOODS)
    return (
        f"{name} buys {count} {goods} at {price} dollars each, and a bag for {other} dollars. How many dollars does "
        f"{name} pay in all?",
        count * price + other,
    )


def _ribbon(rng: random.Random, name: str) -> tuple[str, int]:
    pieces, length = rng.randint(2, 9), rng.randint(3, 12)
    rest = rng.randint(2, 30)
    return (
        f"A ribbon is {pieces * length + rest} cm long. {name} cuts off {pieces} pieces of {length} cm each. How many "
        "cm of ribbon are left?",
        rest,
    )


def _box(rng: random.Random, name: str) -> tuple[str, int]:
    a, b, c = (rng.randint(2, 9) for _ in range(3))
    return (
        f"{name} has a box that is {a} cm long, {b} cm wide and {c} cm high. What is its volume in cubic centimetres?",
        a * b * c,
    )


def _fence(rng: random.Random, name: str) -> tuple[str, int]:
    a, b, price = rng.randint(3, 20), rng.randint(2, 12), rng.randint(2, 9)
    return (
        f"{name}'s garden is a rectangle of {a} m by {b} m. A fence costs {price} dollars a metre. How many dollars "
        "does a fence around the whole garden cost?",
        2 * (a + b) * price,
    )


def _savings(rng: random.Random, name: str) -> tuple[str, int]:
    first, a_week, weeks = rng.randint(5, 60), rng.randint(2, 12), rng.randint(2, 9)
    return (
        f"{name} has {first} dollars and saves {a_week} dollars a week. How many dollars does {name} have after "
        f"{weeks} weeks?",
        first + a_week * weeks,
    )


KINDS: tuple[Callable[[random.Random, str], tuple[str, int]], ...] = (_shopping, _ribbon, _box, _fence, _savings)


if __name__ == "__main__":
    main()
