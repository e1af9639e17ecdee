"""``folder.json``, the manifest of a teaching folder: the problems and the settings that its traces were made with.

A folder is resumed only with the same problems and the same arm. Other settings may change: what has ended stays as it
is, each case names the recipe (a digest of its settings) that it was made with, and the manifest keeps all recipes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson
from pydantic import AliasChoices, Field

from srt.images.store import CannotCopy, PictureFolder
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.output_paths import keep_apart
from srt.io.problem_files import stream_problems
from srt.io.record_lines import dump, parse_record
from srt.io.record_writer import write_records
from srt.io.records import Problem, Record

MANIFEST = "folder.json"
PROBLEMS = "problems.jsonl"
JOURNAL = "teach.sqlite"
_LOCK = ".lock"
_HERE = "."


class FolderManifest(Record):
    """What a folder was made with.

    ``problems`` is their number and ``problems_sha256`` the digest of their records. ``pictures`` is the folder that
    picture paths are relative to, itself relative to the manifest's folder: that folder, but in older ones the place of
    the file that ``srt teach`` was given. ``settings`` is
    :meth:`TeachConfig.trace_settings` of the last run (older manifests call it ``decides``), ``recipes`` those of all
    runs by digest. ``left_out`` has, by model, the parameters that the endpoint does not take, with its words.
    """

    problems: int = Field(gt=0)
    problems_sha256: str
    pictures: str
    currency: str
    settings: Mapping[str, str] = Field(validation_alias=AliasChoices("settings", "decides"))
    recipes: Mapping[str, Mapping[str, str]] = Field(default_factory=dict)
    left_out: Mapping[str, Mapping[str, str]] = Field(default_factory=dict)


@dataclass(frozen=True)
class ProblemFile:
    """A file of problems that was read once: how many it holds, and the SHA-256 of their records."""

    path: Path
    count: int
    sha256: str

    @property
    def picture_root(self) -> Path:
        """The folder that the file's picture paths are relative to."""
        return self.path.resolve().parent


def scan_problems(path: Path) -> ProblemFile:
    """Read ``path`` once; raises as :func:`~srt.io.problem_files.stream_problems` does."""
    digest = hashlib.sha256()
    count = 0
    for problem in stream_problems(path):
        # The records, not the bytes of the file: the same problems in Parquet, or with other white space, are the same.
        digest.update(dump(problem))
        count += 1
    return ProblemFile(path, count, digest.hexdigest())


def check_folder(folder: Path, problems: Path) -> None:
    """Raise a :class:`UserError` unless ``folder`` is missing, empty or a teaching folder, and apart from ``problems``.

    Nothing is written.
    """
    keep_apart(folder / PROBLEMS, problems)
    if not (folder / MANIFEST).exists() and folder.is_dir():
        others = sorted(p.name for p in folder.iterdir() if p.name != _LOCK and not p.name.startswith(JOURNAL))
        # A file of problems with its pictures may be there before the first run; anything else is somebody's own work.
        if others and not set(others) <= {PROBLEMS, "problems-pictures"}:
            raise UserError(f"{folder}: not a teaching folder, it holds {others[0]!r}; name a new or an empty folder")


def write_manifest(
    folder: Path,
    problems: ProblemFile,
    settings: Mapping[str, str],
    currency: str,
    left_out: Mapping[str, Mapping[str, str]],
) -> str | None:
    """Write the manifest of ``folder``, and ``problems.jsonl`` in a new one.

    The caller holds the folder. Returns what has changed since the last run, in one line, if anything has.

    Raises:
        UserError: the folder was made with other problems or for another arm; the message says which.
    """
    known = read_manifest(folder) if (folder / MANIFEST).exists() else None
    recipes = {} if known is None else {recipe_digest(known.settings): known.settings, **known.recipes}
    manifest = FolderManifest(
        problems=problems.count,
        problems_sha256=problems.sha256,
        pictures=_HERE,
        currency=currency,
        settings=settings,
        recipes={**recipes, recipe_digest(settings): settings},
        left_out=left_out,
    )
    if known is not None:
        _refuse_other(folder, known, manifest, problems.path)
    if known is None:
        _keep_problems(folder, problems.path, problems.picture_root)
    elif known.pictures != _HERE:
        _keep_problems(folder, folder / PROBLEMS, folder / known.pictures)
    # Written in both cases: the currency may change.
    write_atomically(folder / MANIFEST, [orjson.dumps(manifest.model_dump(), option=orjson.OPT_INDENT_2)])
    return None if known is None else "; ".join(_changes(known.settings, settings)) or None


def _keep_problems(folder: Path, problems: Path, root: Path) -> None:
    """Write the ``problems``, whose pictures are under ``root``, and copy the pictures that are not in the folder.

    So the folder may be moved, and used by itself.
    """
    write_records(folder / PROBLEMS, _with_pictures(problems, root, PictureFolder(folder / PROBLEMS)))


def _with_pictures(problems: Path, root: Path, pictures: PictureFolder) -> Iterator[Problem]:
    """A picture that cannot be read stays as it is named: its case says so."""
    for problem in stream_problems(problems):
        images = []
        for image in problem.images:
            try:
                images.append(pictures.refer(root, image.path))
            # The folder cannot be written to, which is no fault of the picture.
            except CannotCopy:
                raise
            except UserError:
                images.append(image)
        yield problem.model_copy(update={"images": images}) if images else problem


def recipe_digest(settings: Mapping[str, str]) -> str:
    """The name of a recipe: eight hex digits of a hash of its settings."""
    return hashlib.sha256(orjson.dumps(dict(settings), option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]


def read_manifest(folder: Path) -> FolderManifest:
    """The manifest of ``folder``; raises a :class:`UserError` if it is not a teaching folder."""
    path = folder / MANIFEST
    try:
        return parse_record(path.read_bytes(), FolderManifest, str(path))
    except FileNotFoundError:
        raise UserError(f"{folder}: there is no {MANIFEST} in it; name a folder made by srt teach") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def picture_root(folder: Path) -> Path:
    """The folder that picture paths of ``problems.jsonl`` are relative to; raises as :func:`read_manifest` does."""
    return (folder / read_manifest(folder).pictures).resolve()


def _refuse_other(folder: Path, known: FolderManifest, now: FolderManifest, problems: Path) -> None:
    if known.problems_sha256 != now.problems_sha256:
        differ = f"{known.problems} problems, but {problems} has {now.problems}"
        if known.problems == now.problems:
            differ = f"other problems than those of {problems}"
        raise UserError(f"{folder}: was made with {differ}; name another folder")
    if known.settings.get("arm") != now.settings.get("arm"):
        arm = f"arm = {known.settings.get('arm')} (now {now.settings.get('arm')})"
        raise UserError(f"{folder}: was made with {arm}; name another folder, or change the config back")


def _changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    return [
        f"{key} = {old.get(key, '(unset)')} (now {new.get(key, '(unset)')})"
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]
