"""Where a command may write: at a place that can hold a file, never over what it reads."""

from __future__ import annotations

from pathlib import Path

from srt.io.errors import UserError


def check_place(path: str | Path) -> None:
    """Raise a :class:`UserError` if no file can be written at ``path``: its folder is missing, or it is no file.

    A device or a pipe is refused, since a file that is written atomically takes its place: ``/dev/null`` would be gone.
    """
    path = Path(path)
    try:
        if not path.parent.is_dir():
            raise UserError(f"{path}: the folder {path.parent} does not exist")
        if path.is_dir():
            raise UserError(f"{path}: a file was expected, this is a folder")
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: a file was expected, this is a device or a pipe")
    except OSError as error:  # a name that is too long
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


def keep_apart(out: str | Path, *sources: str | Path | None) -> None:
    """Raise a :class:`UserError` if the file ``out`` is one of the files that it is made from; ``None`` is no file."""
    # Resolved: a link, or ./ before the name, leads to the same file.
    if any(source is not None and Path(out).resolve() == Path(source).resolve() for source in sources):
        raise UserError(f"{out}: is also an input and would be overwritten; name another file")


def keep_outside(out: str | Path, folder: str | Path | None) -> None:
    """Raise a :class:`UserError` if ``out`` is in ``folder``, which it is made from."""
    if folder is not None and Path(folder).is_dir() and Path(out).resolve().is_relative_to(Path(folder).resolve()):
        raise UserError(f"{out}: is in {folder}, which is an input; name a file outside that folder")


def beside(path: str | Path, word: str) -> Path:
    """The file beside ``path`` that has ``word`` before its suffix: ``kept.dropped.jsonl`` beside ``kept.jsonl``.

    Raises:
        UserError: ``path`` names no file.
    """
    path = Path(path)
    if not path.name:
        raise UserError(f"{path}: a file was expected, this is a folder")
    return path.with_name(f"{path.stem}.{word}{path.suffix}")
