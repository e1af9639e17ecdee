"""Worked examples that stand before every question of a run, as turns of the conversation (few-shot prompting).

They are sequences of ``srt build``: the prompt of a training problem, and its completion as the assistant's turn. Back
ends know nothing of them; a prompt with its shots is rendered, hashed and counted as any other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

from eval.records.run_records import Shot
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Sequence


def draw_shots(path: Path, count: int, seed: int, asked: Collection[str]) -> list[Shot]:
    """``count`` sequences of the file ``path``, the same for every question; another ``seed`` draws others.

    ``asked`` are the ids of the problems that are evaluated. The draw does not depend on the order of the file.

    Raises:
        UserError: the file has too few problems, or one that is drawn is evaluated or shows pictures.
    """

    def place(sequence: Sequence) -> bytes:
        return hashlib.blake2b(f"{seed}/{sequence.problem_id}".encode(), digest_size=16).digest()

    of_problem = {sequence.problem_id: sequence for sequence in read_records(path, Sequence)}
    if len(of_problem) < count:
        raise UserError(f"shots: {count} were asked for, and {path} has sequences of {len(of_problem)} problems")
    drawn = sorted(of_problem.values(), key=place)[:count]
    for sequence in drawn:
        if sequence.problem_id in asked:
            raise UserError(
                f"shots: {path}: problem {sequence.problem_id!r} is one of those that are evaluated; give sequences of "
                "training problems"
            )
        if sequence.images:
            raise UserError(
                f"shots: {path}: problem {sequence.problem_id!r} shows pictures, which shots cannot; build the "
                "sequences without --pictures"
            )
    return [Shot(problem_id=one.problem_id, messages=[*one.prompt, *one.completion]) for one in drawn]
