"""``srt import``: from a published corpus to files of problems, published traces and refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast, get_args

from srt.corpora import mathspatial, solidgeo, space2025
from srt.corpora.corpus_reader import CorpusReader, ImportRefusal, ImportRequest
from srt.images.store import PictureFolder
from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.io.output_paths import beside, keep_apart, keep_outside
from srt.io.record_writer import write_records
from srt.io.records import Lang, Problem
from srt.judging.gold_fault import gold_fault
from srt.language.trace import Trace
from srt.worlds.world_registry import world_of

CORPORA: dict[str, CorpusReader] = {
    "mathspatial": mathspatial.read,
    "solidgeo": solidgeo.read,
    "space2025": lambda path, _: space2025.read(path),
}


def read_corpus(name: str, path: Path) -> Iterator[Problem]:
    """The problems of the corpus ``name`` at ``path``, in Chinese where it has both languages; no traces.

    Its pictures are referred to from ``path``'s folder.

    Raises:
        UserError: there is no such corpus or file.
    """
    request = ImportRequest(lang="zh", traces=False, pictures=PictureFolder(path.parent / "problems.jsonl"))
    return (item for item in _reader(name)(path, request) if isinstance(item, Problem))


def import_file(
    name: str,
    path: Path,
    out: Path,
    *,
    lang: str | None = None,
    traces: Path | None = None,
    reader: CorpusReader | None = None,
    columns: Mapping[str, str | list[str]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Read a corpus into ``out`` and return how many problems of each category it has.

    Problems of an exact world get the traits that the world reads off them (scene, compass) into ``meta``. Items that
    are refused (a second one with the same id too, and one whose gold answer no output can meet) are named in ``out``
    with ``.refusals`` before its suffix. ``lang`` and ``traces`` (where the published traces go) are for MathSpatial,
    which has both languages; Chinese is the default. ``reader`` reads data that belong to no corpus here
    (:mod:`eval.benchmarks.benchmark_registry`); ``columns`` names their columns for our fields.

    Raises:
        UserError: no such corpus or file, no problem in it, or an ``out`` that is ``path`` or is in that folder.
        RecordError: a line that is not an item.
    """
    if not path.exists():
        raise UserError(f"{path}: no such file or folder")
    if (reader is not None or name in CORPORA) and name != "mathspatial" and (lang or traces):
        raise UserError(f"{name}: --lang and --traces are for mathspatial")
    if lang is not None and lang not in get_args(Lang):
        raise UserError(f"--lang: {' or '.join(get_args(Lang))} was expected, not {lang!r}")
    refusals = beside(out, "refusals")
    for file in filter(None, (out, traces)):
        keep_apart(file, path, refusals)
        keep_outside(file, path)
    if traces is not None:
        keep_apart(traces, out)
    pictures = PictureFolder(out)
    request = ImportRequest(
        lang=cast("Lang", lang or "zh"), traces=traces is not None, pictures=pictures, columns=columns
    )
    read = (reader or _reader(name))(path, request)
    ids: set[str] = set()
    unmet: set[str] = set()
    counts: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    imported: list[Trace] = []
    refused: list[ImportRefusal] = []

    def problems() -> Iterator[Problem]:
        for item in read:
            if isinstance(item, Trace):
                if item.problem_id not in unmet:
                    imported.append(item)
            elif isinstance(item, ImportRefusal):
                refused.append(item)
            elif item.id in ids:
                detail = f"id: {item.id!r} is not unique; the first item of that id is taken"
                refused.append(ImportRefusal(item=item.id, what="problem", reason="duplicate", detail=detail))
            elif (fault := gold_fault(item)) is not None:
                unmet.add(item.id)
                refused.append(
                    ImportRefusal(
                        item=item.id,
                        what="problem",
                        reason="answer_cannot_be_met",
                        detail=f"{path}: {item.id}: {fault}",
                    )
                )
            else:
                ids.add(item.id)
                counts[item.subcategory or item.category or "none"] += 1
                notes.update(item.meta.get("notes", ()))
                world = world_of(item)
                if world is not None:
                    item = item.model_copy(
                        update={"meta": {**item.meta, "world": world.name, **world.extras.traits(item)}}
                    )
                yield item
        # Raised here, in mid-write, so that what lies at `out` already stays as it is.
        if not counts:
            first = f"; the first of {len(refused)} refused: {refused[0].item}: {refused[0].detail}" if refused else ""
            raise UserError(f"{path}: no problems in this file{first}")
        if refused or refusals.exists():
            write_records(refusals, refused)
        if traces is not None:
            write_records(traces, imported)

    # A generator: the refusals are written while the problems are, and all of it only if there is a problem.
    write_records(out, problems())
    summary: dict[str, Any] = {"problems": counts.total(), "category": dict(sorted(counts.items()))}
    if refused:
        summary |= {"refused": _tally(f"{one.what} {one.reason}" for one in refused), "refusals": str(refusals)}
    if notes:
        summary["notes"] = dict(sorted(notes.items()))
    if request.read_as:
        summary["read as"] = request.read_as
    if request.not_read:
        summary["columns that are not read"] = ", ".join(sorted(request.not_read))
    if pictures.copied:
        summary["pictures copied"] = pictures.copied
    if traces is not None:
        summary |= {"traces": len(imported), "trace field": _tally(trace.id.rpartition("/")[2] for trace in imported)}
    return summary


def _reader(name: str) -> CorpusReader:
    if name not in CORPORA:
        raise UserError(
            f"unknown corpus {name!r}{did_you_mean(name, CORPORA)}: the corpora are {', '.join(sorted(CORPORA))}"
        )
    return CORPORA[name]


def _tally(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))
