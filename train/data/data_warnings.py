"""What is unlikely to be meant in the data of a run, but trains: repeated sequences, several arms in one file, and
fewer sequences than a batch has."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pyarrow.compute as pc

from train.data.token_table import TokenizedExamples
from train.recipe import Recipe

_SAME_FOR_ALL_TRACES = "answer"
"""The arm in which the traces of a problem have one text: their sequences are meant to be alike."""


def data_warnings(recipe: Recipe, examples: TokenizedExamples) -> list[str]:
    """A line for each oddity of ``examples``, which are those of ``recipe``; each file is looked at alone."""
    warnings = []
    for part, those in zip(recipe.parts(), examples.by_part(), strict=True):
        # One trace may be the chosen side of several pairs.
        if recipe.objective.dpo is None and (repeated := count_repeated(those)):
            warnings.append(
                f"{part.data}: {repeated:,} of {len(those):,} sequences repeat another one of the same problem token "
                "for token, and weigh more for it"
            )
        arms = {str(found["values"]): found["counts"] for found in pc.value_counts(those.column["arm"]).to_pylist()}
        if len(arms) > 1:
            counts = ", ".join(f"{arm} {count:,}" for arm, count in sorted(arms.items()))
            warnings.append(f"{part.data}: its sequences are of {len(arms)} arms ({counts}), and all are trained on")
    return warnings


def batch_warnings(recipe: Recipe, examples: TokenizedExamples, steps: int) -> list[str]:
    """A line for each file with fewer sequences than a batch: a run of ``steps`` sees them more often than meant.

    Of a mix nothing is said: a batch has a share of each file only.
    """
    warnings: list[str] = []
    if recipe.mix is not None:
        return warnings
    for part, size in zip(recipe.parts(), examples.sizes, strict=True):
        if size >= recipe.batch_size:
            continue
        passes = f"a step goes through them {recipe.batch_size / size:.3g} times"
        if recipe.epochs is not None and (made := steps * recipe.batch_size / size) > recipe.epochs:
            passes = f"the run has {steps} step{'s' * (steps > 1)} and {made:.3g} epochs, not {recipe.epochs:g}"
        warnings.append(
            f"{part.data}: its {size:,} sequences are fewer than batch_size, {recipe.batch_size:,}: {passes}; "
            f"train on more, or with a batch_size of at most {size:,}"
        )
    return warnings


def count_repeated(examples: TokenizedExamples) -> int:
    """How many sequences have problem, pictures and tokens of an earlier one."""
    problems = examples.column["problem_id"].combine_chunks().dictionary_encode().indices.to_numpy()
    lengths = examples.lengths.astype(np.int64)
    # Tokens are compared only where problem and length are the same: the others need not be read from disk.
    _, group, sizes = np.unique(problems * (lengths.max() + 1) + lengths, return_inverse=True, return_counts=True)
    alike = (sizes[group] > 1) & pc.not_equal(examples.column["arm"], _SAME_FOR_ALL_TRACES).to_numpy()
    seen: set[tuple[int, bytes]] = set()
    candidates = np.flatnonzero(alike).tolist()
    for at in candidates:
        example = examples[at]
        digest = blake2b(example.input_ids.tobytes(), digest_size=16)
        for picture in example.pictures:
            digest.update(picture.sha256.encode())
        seen.add((int(problems[at]), digest.digest()))
    return len(candidates) - len(seen)
