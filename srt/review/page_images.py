"""The pictures of a problem, for the page: what :mod:`srt.images.open` reads, as every other command reads it."""

from __future__ import annotations

from pathlib import Path

from srt.images.open import media_type, read_picture
from srt.io.errors import UserError
from srt.io.records import Problem


def picture_bytes(problem: Problem, number: int, root: Path) -> tuple[bytes, str]:
    """The file of picture ``number`` (from 1) of ``problem``, and its media type. Nothing is decoded.

    Raises:
        UserError: there is no such picture, or it is refused by :func:`srt.images.open.read_picture`.
    """
    if not 1 <= number <= len(problem.images):
        raise UserError(f"problem {problem.id}: images: there is no picture {number}, only {len(problem.images)}")
    image = problem.images[number - 1]
    try:
        data = read_picture(root, image)
        return data, media_type(data, image.path)
    except UserError as error:
        raise UserError(f"problem {problem.id}: images.{number}: {error}") from None
