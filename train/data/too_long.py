"""Sequences that are longer than the recipe allows are refused, or their problems are left out: nothing is truncated.

A problem is left out as a whole, with all its sequences. If it is too long in one arm and not in another, the other one
must leave it out too, or the arms would no longer be trained on the same problems in the same batches: therefore the
recipe names the data of the other arms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from srt.io.errors import UserError
from train.data.token_table import DroppedProblem, TokenizedExamples
from train.recipe import Recipe


def fit_lengths(
    recipe: Recipe, examples: TokenizedExamples, others: Iterable[tuple[str, TokenizedExamples]]
) -> TokenizedExamples:
    """What ``recipe.too_long`` leaves of ``examples``; ``others`` are the other arms (file, examples).

    Raises:
        UserError: a sequence is too long (all are counted), or no problem is left.
    """
    if recipe.too_long == "refuse":
        if (examples.lengths > recipe.max_length).any():
            raise UserError(_length_fault(recipe, examples))
        return examples
    # A problem goes if it is too long in any arm, so that all arms leave out the same ones.
    longest: dict[str, tuple[int, str]] = {}  # of each problem that is too long: tokens and file
    for data, those in ((str(recipe.data), examples), *others):
        for at in np.flatnonzero(those.lengths > recipe.max_length).tolist():
            problem, tokens = those.problem_id(at), int(those.lengths[at])
            longest[problem] = max(longest.get(problem, (0, "")), (tokens, data))
    if not longest:
        return examples
    problem_ids = examples.column["problem_id"]
    out = pc.is_in(problem_ids, value_set=pa.array(list(longest), pa.string())).to_numpy()
    if out.all():
        raise UserError(
            f"{recipe.data}: max_length: every problem has a sequence of more than {recipe.max_length} tokens, here or "
            "in other_arms"
        )
    sequences = Counter(problem_ids.filter(pa.array(out)).to_pylist())
    dropped = [
        DroppedProblem(problem_id=problem, sequences=count, tokens=longest[problem][0], data=longest[problem][1])
        for problem, count in sorted(sequences.items())
    ]
    return examples.select(~out, dropped)


def _length_fault(recipe: Recipe, examples: TokenizedExamples) -> str:
    """How many of ``examples`` are longer than ``recipe.max_length``, and the longest."""
    lengths = examples.lengths
    over = int((lengths > recipe.max_length).sum())
    longest = int(lengths.argmax())
    pictures = int(examples.picture_tokens[longest])
    smaller = "lower pictures.max_pixels, " if pictures else ""
    return (
        f"{recipe.data}: max_length: {over} of {len(examples)} sequences have more than {recipe.max_length} "
        f"tokens (the longest {lengths[longest]}, {f'{pictures} of them pictures, ' if pictures else ''}"
        f"problem {examples.problem_id(longest)}); raise max_length, {smaller}or leave them out "
        "(too_long: drop): nothing is truncated"
    )


def dropped_line(recipe: Recipe, examples: TokenizedExamples) -> str:
    """How much was left out, for people; empty if nothing was."""
    if not examples.dropped:
        return ""
    sequences = sum(problem.sequences for problem in examples.dropped)
    return f"{len(examples.dropped):,} problems ({sequences:,} sequences) with more than {recipe.max_length:,} tokens"
