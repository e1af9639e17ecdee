"""New problems of an exact world, as a file of records.

No two problems of a file have the same text, and none has the key of a problem that is to be kept out (an official dev
or test set): what is dropped is counted. The file is a function of (world, version, specification, split, n) and of
what is kept out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from srt.errors import UserError
from srt.jsonl import keep_apart, keep_outside, read_records, write_records
from srt.progress import progress
from srt.records import Problem, Record
from srt.worlds import WORLDS, world_of

SPLITS = ("train", "dev", "test")
_SAMPLERS = {"seating": "srt.worlds.seating.sampler"}
_MOST_MISSES = 2_000
"""So many problems in a row that are not new mean that there are no more."""


class GenerateSummary(Record):
    """What was written and what was dropped. ``keys``: how many different split keys the problems have."""

    problems: int
    keys: int
    duplicates: int
    collisions: int


def generate_file(
    world: str,
    n: int,
    split: str,
    out: str | Path,
    spec: Mapping[str, Any],
    exclude: str | Path | None = None,
    watch: Callable[[Iterator[Problem]], Iterable[Problem]] = iter,
) -> GenerateSummary:
    """Write ``n`` new problems of ``world`` to ``out`` (atomically) and say what was dropped on the way.

    ``spec`` holds the world's own fields (``SampleSpec`` of its sampler). Problems with the key or the text of one in
    the problems file ``exclude`` are dropped. ``watch`` passes the problems on as they come (a progress bar).

    Raises:
        UserError: no such world, split or field; the specification has fewer than ``n`` different problems; or ``out``
            is the file ``exclude``.
    """
    if split not in SPLITS:
        raise UserError(f"split: {split!r} is none of {', '.join(SPLITS)}")
    if n < 1:
        raise UserError(f"n: {n} problems cannot be made, at least 1 is needed")
    if spec.get("split", split) != split:
        raise UserError(f"spec: split: {spec['split']!r}, but problems of the split {split!r} are asked for")
    keep_apart(out, exclude)
    sampler = _sampler(world)
    parsed = sampler.SampleSpec.parse({**spec, "split": split})
    counts = {"keys": 0, "duplicates": 0, "collisions": 0}
    kept_out = set() if exclude is None else identities(read_records(exclude, Problem))

    def problems() -> Iterator[Problem]:
        texts: set[str] = set()
        keys: set[str | None] = set()
        index = misses = 0
        while len(texts) < n:
            if misses >= _MOST_MISSES:
                raise UserError(
                    f"{out}: the specification has only {len(texts)} different problems of the split {split!r}, "
                    f"not {n}: ask for fewer, or allow more scenes, names or relations"
                )
            problem = sampler.sample(parsed, index)
            index += 1
            misses += 1
            if problem.question in texts:
                counts["duplicates"] += 1
            elif problem.group_id in kept_out or problem.question in kept_out:
                counts["collisions"] += 1
            else:
                misses = 0
                texts.add(problem.question)
                keys.add(problem.group_id)
                counts["keys"] = len(keys)
                yield problem

    return GenerateSummary(problems=write_records(out, watch(problems())), **counts)


def load_spec(world: str, source: Mapping[str, Any] | str | Path | None) -> dict[str, Any]:
    """The fields of a specification, from a mapping or a YAML file (``None``: the world's defaults), checked.

    Raises:
        UserError: no such world, file or field, or a value that a field cannot have.
    """
    place = ""
    fields: object = source
    if isinstance(source, str | Path):
        place = f"{source}: "
        try:
            fields = yaml.safe_load(Path(source).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UserError(f"{source}: no such file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{source}: cannot be read: {error}") from None
        except yaml.YAMLError as error:
            raise UserError(f"{source}: not YAML: {' '.join(str(error).split())}") from None
    if fields is None:
        fields = {}
    if not isinstance(fields, Mapping):
        raise UserError(f"{place}a specification is a mapping of fields, not {type(fields).__name__}")
    try:
        _sampler(world).SampleSpec.parse(fields)
    except UserError as error:
        raise UserError(f"{place}{error}") from None
    return dict(fields)


def identities(problems: Iterable[Problem]) -> set[str]:
    """What ``problems`` are recognised by when they come again: their texts, and the split keys that they have."""
    found: set[str] = set()
    for problem in problems:
        found.add(problem.question)
        key = split_key(problem)
        if key is not None:
            found.add(key)
    return found


def split_key(problem: Problem) -> str | None:
    """The split key of any problem, sampled or not; ``None`` where no world that makes problems can solve it."""
    world = world_of(problem)
    return None if world is None or world.name not in _SAMPLERS else _sampler(world.name).key_of(problem)


def generate_command(
    world: str,
    n: int,
    split: str,
    out: Path,
    spec: Path | None = None,
    wordings: Path | None = None,
    exclude: Path | None = None,
) -> dict[str, Any]:
    """``srt generate``: as :func:`generate_file`, from a YAML file, with a progress bar.

    ``wordings`` is the folder of a benchmark's copy to speak from; it makes the style ``space2025``. Gives the summary
    as a mapping.
    """
    keep_apart(out, spec)
    keep_outside(out, wordings)
    fields = load_spec(world, spec)
    if wordings is not None:
        fields |= {"style": "space2025", "wordings": wordings}
    summary = generate_file(world, n, split, out, fields, exclude, lambda made: progress(made, n, "generate"))
    return summary.model_dump(mode="json")


def _sampler(world: str) -> Any:
    """The module that samples ``world``: ``SampleSpec``, ``sample`` and ``key_of``."""
    if world not in WORLDS:
        raise UserError(f"no world is called {world!r}; there are: {', '.join(WORLDS)}")
    if world not in _SAMPLERS:
        raise UserError(f"the world {world!r} cannot make problems; those that can: {', '.join(_SAMPLERS)}")
    return import_module(_SAMPLERS[world])
