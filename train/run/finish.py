"""What a finished run leaves beside its weights: curves, the model card, the summary; and its upload."""

from __future__ import annotations

from pathlib import Path

from srt.io.progress import say
from train.recipe import Recipe
from train.run.curves import draw_curves
from train.run.hub import upload
from train.run.model_card import CURVES, write_card
from train.run.resume import TrainSummary, remove_checkpoints, write_summary
from train.run.run_manifest import read_manifest


def finish_run(recipe: Recipe, summary: TrainSummary, data: str, *, reads_pictures: bool) -> None:
    """Write all that belongs to the weights in ``recipe.output``; ``data`` is what they were trained on, in words.

    The summary comes after what it vouches for, and checkpoints go only when it is there.

    Raises:
        UserError: the upload failed. The folder is complete.
    """
    output = Path(recipe.output)
    draw_curves(summary.history, output / CURVES, output.resolve().name, summary.eval_history, summary.result_step)
    write_card(output, recipe, summary, read_manifest(output), data, reads_pictures=reads_pictures)
    write_summary(output, summary)
    remove_checkpoints(output, incomplete_only=False)
    if recipe.hub is not None:
        say(f"uploaded to {upload(output, recipe.hub)}")
