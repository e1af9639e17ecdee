"""Uploading a finished run, where its recipe asks for it with ``hub``. Nothing else here leaves the machine."""

from __future__ import annotations

from pathlib import Path

from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

from srt.errors import UserError

_LEFT_HERE = ["checkpoint-*", "wandb/*", ".*"]


def hub_faults(name: str) -> list[str]:
    """What would make an upload to the repository ``name`` fail at the end of a run; the network is not asked."""
    faults = []
    try:
        validate_repo_id(name)
        named = name.count("/") == 1
    except HFValidationError:
        named = False
    if not named:
        faults.append(f"hub: {name}: OWNER/NAME was expected, the name of a model repository")
    if get_token() is None:
        faults.append("hub: no token to upload with: log in first (hf auth login), or take hub out")
    return faults


def push(output: Path, name: str) -> str:
    """Upload the folder ``output`` to the model repository ``name`` and give its address.

    The repository is made private; one that is there already stays as it is.

    Raises:
        UserError: the upload failed. The folder is whole, and the message says how to upload it by hand.
    """
    api = HfApi()
    try:
        address = api.create_repo(name, private=True, exist_ok=True)
        api.upload_folder(
            repo_id=name, folder_path=output, ignore_patterns=_LEFT_HERE, commit_message=f"Upload {output.name}"
        )
    except Exception as error:  # Whatever the network does: the run itself is done.
        told = " ".join(str(error).split())
        raise UserError(
            f"hub: {name}: the upload failed: {told}; the run is whole in {output}: hf upload {name} {output} --private"
        ) from None
    return str(address)
