"""A recipe that packs, with a model that cannot be packed here: it is trained padded instead, on the same batches."""

from __future__ import annotations

from srt.io.errors import UserError
from train.models.model_files import load_family
from train.recipe import Recipe


def padded_instead(recipe: Recipe, processes: int) -> tuple[Recipe, str | None]:
    """``recipe``, or if its model cannot be packed here, the same without ``pack``, and a line that says so.

    A micro-batch then has as many sequences of ``max_length`` as fit in a row of ``pack`` tokens, and divides the
    share of a process evenly. The loss of a step is the same, so the manifest stays that of ``recipe``.
    """
    if recipe.pack is None:
        return recipe, None
    try:
        family = load_family(recipe.model.path)
    except UserError:
        return recipe, None  # told where the model is checked
    if (missing := family.packing.missing()) is None:
        return recipe, None
    share, fitting = max(recipe.batch_size // processes, 1), max(recipe.pack // recipe.max_length, 1)
    micro = max(count for count in range(1, share + 1) if share % count == 0 and count <= fitting)
    line = (
        f"pack: not used: {recipe.model.path} ({family.arch}) has layers that keep the sequences of a row apart only "
        f"with {missing}; padded instead, micro_batch {micro}"
    )
    return recipe.model_copy(update={"pack": None, "micro_batch": micro}), line
