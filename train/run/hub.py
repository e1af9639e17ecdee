"""Upload a finished run if its recipe has the key ``hub``. Nothing else leaves the machine."""

from __future__ import annotations

from pathlib import Path

from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

from srt.io.errors import UserError
from train.recipe import Recipe

# Generations are written for problems whose licence may not allow their publication.
_NOT_UPLOADED = ["checkpoint-*", "wandb/*", "tensorboard/*", "generations.jsonl", ".*"]


def hub_faults(recipe: Recipe) -> list[str]:
    """Faults of the names on the hub, and what would make the upload fail at the end; checked without the network."""
    names = {"model.hub_id": recipe.model.hub_id, "hub": recipe.hub}
    faults = [
        f"{key}: {name}: OWNER/NAME was expected, the name of a model repository"
        for key, name in names.items()
        if name is not None and not _is_repository(name)
    ]
    if recipe.hub is not None and get_token() is None:
        faults.append("hub: no token to upload with: log in first (hf auth login), or remove hub")
    return faults


def _is_repository(name: str) -> bool:
    try:
        validate_repo_id(name)
    except HFValidationError:
        return False
    return name.count("/") == 1


def upload(output: Path, name: str) -> str:
    """Upload the folder ``output`` to the model repository ``name`` and return its URL.

    A new repository is private; an existing one keeps its visibility.

    Raises:
        UserError: the upload failed. The folder is complete, and the message says how to upload it by hand.
    """
    api = HfApi()
    try:
        address = api.create_repo(name, private=True, exist_ok=True)
        api.upload_folder(
            repo_id=name, folder_path=output, ignore_patterns=_NOT_UPLOADED, commit_message=f"Upload {output.name}"
        )
    except Exception as error:  # whatever the network does, the run itself is done
        reason = " ".join(str(error).split())
        raise UserError(
            f"hub: {name}: the upload failed: {reason}; the run is complete in {output}; to upload it: "
            f"hf upload {name} {output} --private"
        ) from None
    return str(address)
