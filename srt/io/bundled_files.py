"""The recipes and accelerate configs that come with the toolkit, found by name from any folder."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from srt.io.errors import UserError


def find_bundled(path: Path, folder: str) -> Path:
    """``path`` if it exists, else the file that comes with the toolkit under that name.

    A bare name is looked for in ``folder``: ``cpu`` in ``configs`` is ``configs/cpu.yaml``. A path as in the
    documentation (``recipes/demo.yaml``) is found from any current folder. A path that names nothing is returned as it
    is: whoever opens it reports that.

    Raises:
        UserError: a bare name that is no file, here or in ``folder``; the message lists the names in ``folder``.
    """
    root = _root()
    if root is None or path.exists() or path.is_absolute() or ".." in path.parts:
        return path
    if len(path.parts) == 1:
        named = root / folder / f"{path}.yaml"
        if named.is_file():
            return named
        if not path.suffix:
            names = ", ".join(sorted(file.stem for file in (root / folder).glob("*.yaml")))
            raise UserError(f"{path}: no such file; those that come with the toolkit are {names}")
    return root / path if (root / path).is_file() else path


def _root() -> Path | None:
    """The folder that holds ``recipes/`` and ``configs/``: the checkout, or where the wheel's data files are."""
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file() and (checkout / "recipes").is_dir():
        return checkout
    try:
        files = distribution("srt-traces").files or []
    except PackageNotFoundError:
        return None
    found = (Path(str(file.locate())) for file in files if file.match("srt-traces/recipes/*.yaml"))
    return next((file.resolve().parents[1] for file in found), None)
