"""The recipes and accelerate configs that come with the toolkit, found by name from any folder; and what they know of
models."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import yaml

from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError


def find_bundled(path: Path, folder: str) -> Path:
    """``path`` if it exists, else the file that comes with the toolkit under that name.

    A name is looked for in ``folder``, with ``.yaml`` or without: ``cpu`` in ``configs`` is ``configs/cpu.yaml``, and
    ``train/base`` in ``recipes`` is ``recipes/train/base.yaml``. A path as in the documentation
    (``recipes/demo.yaml``) is found from any current folder. A path that names nothing is returned as it is: whatever
    opens it reports that.

    Raises:
        UserError: a bare name that is no file, here or in ``folder``; the message lists the names in ``folder``.
    """
    root = _root()
    # A user's own file wins over a bundled one of the same name, and a path that leads elsewhere is no name.
    if root is None or path.is_file() or path.is_absolute() or ".." in path.parts:
        return path
    places = (root / folder / f"{path}.yaml", root / folder / path, root / path)
    if (found := next((place for place in places if place.is_file()), None)) is not None:
        return found
    if len(path.parts) == 1 and not path.suffix and not path.exists():
        names = bundled_names(folder)
        meant = did_you_mean(str(path), names)
        raise UserError(f"{path}: no such file{meant}; those that come with the toolkit are {', '.join(names)}")
    return path


def bundled_names(folder: str) -> list[str]:
    """The names of the files that come with the toolkit in ``folder``."""
    root = _root()
    return [] if root is None else sorted(file.stem for file in (root / folder).glob("*.yaml"))


def no_model_folder(folder: object, key: str = "", hub_id: str | None = None) -> UserError:
    """The error for a model (or an adapter) that is not there: how to download it from the Hugging Face hub.

    ``hub_id`` is its name there; without it, that of the bundled recipe that trains a model in such a folder.
    """
    name = str(folder)
    owner, slash, model = name.partition("/")
    message = f"{key}{name}: no such folder"
    if hub_id := hub_id or _hub_ids().get(Path(name).name):
        return UserError(f"{message}; to download the model, run hf download {hub_id} --local-dir {name}")
    # A path that begins with ./ or with an existing folder was mistyped, and is no id on the hub; nor is models/NAME.
    local = owner in (".", "..", "models") or Path(owner).exists()
    if slash and re.fullmatch(r"[\w.-]+/[\w.-]+", name) and not local:
        message += (
            "; models are read from this machine: if this is an id on the Hugging Face hub, run "
            f"hf download {name} --local-dir models/{model} and give models/{model}"
        )
    return UserError(message)


def _hub_ids() -> dict[str, str]:
    """The hub ids of the models that the bundled recipes train, by the names of their folders."""
    root, found = _root(), dict[str, str]()
    for file in [] if root is None else (root / "recipes" / "train").glob("*.yaml"):
        recipe = yaml.safe_load(file.read_text("utf-8"))
        model = recipe.get("model", {}) if isinstance(recipe, dict) else {}
        if "hub_id" in model:
            found[Path(model["path"]).name] = model["hub_id"]
    return found


def _root() -> Path | None:
    """The folder that holds ``recipes/`` and ``configs/``: the checkout, or where the wheel's data files are."""
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file() and (checkout / "recipes").is_dir():
        return checkout
    try:
        files = distribution("srt-traces").files or []
    except PackageNotFoundError:
        return None
    # A wheel puts them below share/ of its environment; only the record of the installation says where that is.
    found = (Path(str(file.locate())) for file in files if file.match("srt-traces/recipes/*.yaml"))
    return next((file.resolve().parents[1] for file in found), None)
