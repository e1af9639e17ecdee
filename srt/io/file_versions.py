"""Which version of each file something was made from, by size and time of change: known without reading a byte.

A file that was copied or touched counts as another version. So what depends on it is made once more than needed, and
never once less.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from srt.io.locations import version_of

FileVersions = dict[str, tuple[int, int | str]]


def file_versions(files: Iterable[Path], root: Path = Path()) -> FileVersions:
    """Size and time of change (in ns) of each of ``files``, by its path, from ``root`` on if it is in there.

    One that is not there has no entry.
    """
    return {
        str(file.relative_to(root) if file.is_relative_to(root) else file): version_of(file)
        for file in sorted(set(files))
        if file.is_file()
    }
