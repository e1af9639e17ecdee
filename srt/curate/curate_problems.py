"""``srt curate``: every problem of a file goes to one of three files, and nothing is deleted.

``OUT`` has the problems that are kept, as they were. ``OUT`` with ``.dropped`` and ``.review`` before its suffix have a
record of each thing that was found in one of the others: problems = kept + dropped + review. All three are in the order
of the input.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from srt.curate.curation_records import CurationFinding, CurationOptions, Verdict
from srt.curate.duplicates import exact_duplicates, group_variants, near_duplicates
from srt.curate.entries import TRAIN_RANK, Entry, category_of, entry
from srt.curate.picture_groups import PictureGroups
from srt.curate.similarity import Shingles, Similarity
from srt.curate.solutions import disagreement
from srt.curate.three_views import contradiction
from srt.images.store import PictureFolder
from srt.io.atomic_files import open_together
from srt.io.errors import UserError
from srt.io.locations import Location
from srt.io.output_paths import beside, check_place, keep_apart
from srt.io.problem_files import stream_problems
from srt.io.progress import progress
from srt.io.record_lines import dump
from srt.io.record_reader import count_lines, read_records
from srt.io.record_writer import Sink, open_records
from srt.io.records import Problem, Record
from srt.io.worker_processes import Workers
from srt.pipeline.record_stage import LineCounts

_CHUNK: Final = 64
_PROBLEMS_A_WORKER: Final = 200
"""A worker takes about a second to start: it is not worth it for fewer."""


@dataclass
class _Findings:
    entries: list[Entry] = field(default_factory=list)
    findings: list[CurationFinding] = field(default_factory=list)
    compared: int = 0
    unreadable_elsewhere: int = 0
    """Problems of other files whose pictures cannot be read: only an exact duplicate of one is found."""

    def ids(self, verdict: Verdict) -> set[str]:
        return {one.problem_id for one in self.findings if one.verdict == verdict}


def curate_file(
    problems: Path,
    out: Path,
    *,
    against: Sequence[Path] = (),
    approved: Path | None = None,
    report: Path | None = None,
    options: CurationOptions | None = None,
    workers: int = 1,
) -> dict[str, Any]:
    """Curate ``problems`` into ``out`` and return a summary of what was found.

    The problems of the files ``against`` are only compared with. ``approved`` names, one id a line, problems that a
    person has looked at: they are not sent to review again. ``report`` gets the summary as JSON. At most
    ``workers`` processes do the work, fewer for few problems; the output does not depend on them.

    Nothing is written before everything is known: an interrupted run leaves the files of an earlier one as they were.

    Raises:
        UserError: no such file, an id that is not unique, an output that is an input, an endpoint that fails, a worker
            that was killed.
        RecordError: a line that is not a problem.
    """
    dropped, review = (beside(out, name) for name in ("dropped", "review"))
    outputs = [path for path in (out, dropped, review, report) if path is not None]
    for number, path in enumerate(outputs):
        keep_apart(path, problems, approved, *against, *outputs[:number])
        check_place(path)
    if any(file.resolve() == problems.resolve() for file in against):
        raise UserError(f"--against: {problems} is the file that is curated: every problem would be a duplicate")
    cleared = approved_ids(approved)
    sizes = {path: count_lines(path) for path in (problems, *against)}
    most = max(1, sum(sizes.values()) // _PROBLEMS_A_WORKER)
    with Workers(min(workers, most)) as pool:
        found = _find(sizes, problems, against, options or CurationOptions(), pool)
    unknown = cleared - {one.id for one in found.entries}
    if unknown:
        raise UserError(f"{approved}: {min(unknown)!r} is the id of no problem in {problems}")
    of_problem: dict[str, list[CurationFinding]] = {}
    for one in found.findings:
        if one.verdict != "review" or one.problem_id not in cleared:
            of_problem.setdefault(one.problem_id, []).append(one)
    reports = [report] if report is not None else []
    files: dict[Path, type[Record]] = {out: Problem, dropped: CurationFinding, review: CurationFinding}
    with open_together(*reports) as written, open_records(files) as sinks:
        sort_into = SortedProblems(sinks, problems.parent, out)
        for problem in _again(problems, len(found.entries)):
            sort_into(problem, of_problem.get(problem.id, ()))
        summary = summary_of(sort_into.counted, sort_into.notes, found.compared, found.unreadable_elsewhere)
        summary["files"] = {"dropped": str(dropped), "review": str(review)}
        for file in written:
            file.write(report_of(summary))
    return summary


class SortedProblems:
    """Writes each problem with what was found in it to one of three sinks: kept, dropped, review; and counts.

    Where ``out`` lies outside ``root``, the folder of the problems, the pictures of kept ones are found from there.
    Problems at a URL have none.
    """

    def __init__(self, sinks: Sequence[Sink], root: Location, out: Location) -> None:
        self.counted = LineCounts()
        self.notes: list[CurationFinding] = []
        self._keep, self._drop, self._review = sinks
        self._folder: tuple[PictureFolder, Path] | None = None
        if isinstance(root, Path) and isinstance(out, Path) and out.parent.resolve() != root.resolve():
            self._folder = PictureFolder(out), root

    def __call__(self, problem: Problem, findings: Sequence[CurationFinding]) -> None:
        """Raises a :class:`UserError` where a picture has changed since it was looked at."""
        verdicts = {one.verdict for one in findings}
        if "drop" in verdicts:
            fate, write = "dropped", self._drop
        elif "review" in verdicts:
            fate, write = "review", self._review
        else:
            fate = "kept"
            self._keep(dump(self._found_from_there(problem)))
        self.counted.read += 1
        self.counted.counts[f"{fate}.{category_of(problem)}"] += 1
        for one in findings:
            self.counted.counts[f"found.{one.verdict} {one.reason}"] += 1
            if one.verdict == "note":
                self.notes.append(one)
            if one.splits:
                self.counted.counts[f"across.{one.splits} {one.verdict} {one.reason}"] += 1
            if fate != "kept":
                write(dump(one))

    def _found_from_there(self, problem: Problem) -> Problem:
        if self._folder is None or not problem.images:
            return problem
        folder, root = self._folder
        images = [folder.refer(root, image.path) for image in problem.images]
        for image, found in zip(problem.images, images, strict=True):
            if image.sha256.lower() != found.sha256:
                raise UserError(f"{root / image.path}: sha256: the problem {problem.id!r} has another one")
        return problem.model_copy(update={"images": images})


def _find(
    sizes: Mapping[Path, int],
    problems: Path,
    against: Sequence[Path],
    options: CurationOptions,
    workers: Workers,
) -> _Findings:
    """Each check in turn; what one check drops, the later ones do not look at. ``sizes``: the lines of each file."""
    skip, thresholds = options.skip, options.thresholds
    similarity: Similarity = Shingles(workers)
    if options.embeddings is not None:
        from srt.curate.embeddings import EmbeddingModel

        similarity = EmbeddingModel(options.embeddings)
    found = _Findings()
    work = partial(_entry_and_findings, root=problems.parent, options=options)
    read = workers.map(work, enumerate(stream_problems(problems)), _CHUNK)
    for one, findings in progress(read, sizes[problems], "problems"):
        found.entries.append(one)
        found.findings += findings
    dropped = found.ids("drop")
    left = {one.position: one for one in found.entries if one.id not in dropped}
    total = len(found.entries)
    for file in against:
        compared = partial(_entry_elsewhere, file=file)
        read_there = workers.map(compared, enumerate(stream_problems(file), total), _CHUNK)
        for one in progress(read_there, sizes[file], f"problems of {file}"):
            left[one.position] = one
            total += 1
    pictures = None
    if not {"pictures", "near"} <= skip:
        pictures = PictureGroups(left.values(), thresholds.picture_bits, workers)
        found.unreadable_elsewhere = sum(left[position].file is not None for position in pictures.unreadable)
    if pictures is not None and "pictures" not in skip:
        for position, detail in pictures.unreadable.items():
            if left[position].file is None:
                one = left.pop(position)
                found.findings.append(unreadable(one.id, detail))
    if "groups" not in skip:
        found.findings += group_variants(list(left.values()))
        dropped = found.ids("drop")
        left = {at: one for at, one in left.items() if one.file is not None or one.id not in dropped}
    if "exact" not in skip:
        findings, left = exact_duplicates(list(left.values()))
        found.findings += findings
    if pictures is not None and "near" not in skip:
        findings, found.compared = near_duplicates(list(left.values()), pictures, similarity, thresholds, workers)
        # An exact duplicate with another answer is found here too.
        known = {(one.problem_id, one.reason, one.other_id) for one in found.findings}
        found.findings += [one for one in findings if (one.problem_id, one.reason, one.other_id) not in known]
    return found


def _entry_and_findings(
    numbered: tuple[int, Problem], root: Path, options: CurationOptions
) -> tuple[Entry, list[CurationFinding]]:
    position, problem = numbered
    one = entry(problem, position, root)
    return one, list(found_alone(problem, one, options))


def _entry_elsewhere(numbered: tuple[int, Problem], file: Path) -> Entry:
    position, problem = numbered
    return entry(problem, position, file.parent, file=str(file))


def unreadable(problem_id: str, detail: str) -> CurationFinding:
    """A picture of the problem cannot be read."""
    return CurationFinding(problem_id=problem_id, verdict="drop", reason="unreadable_picture", detail=detail)


def found_alone(problem: Problem, one: Entry, options: CurationOptions) -> Iterator[CurationFinding]:
    """What is found in the problem alone. Nothing can be taught without a solution; a test item needs none."""
    if "solution" not in options.skip and not (problem.solution or "").strip() and one.rank == TRAIN_RANK:
        yield CurationFinding(problem_id=problem.id, verdict="drop", reason="no_solution")
    if "views" not in options.skip:
        detail = contradiction(problem.question)
        if detail:
            yield CurationFinding(problem_id=problem.id, verdict="review", reason="views_disagree", detail=detail)
    if "answers" not in options.skip:
        detail = disagreement(problem)
        if detail:
            yield CurationFinding(problem_id=problem.id, verdict="review", reason="answer_differs", detail=detail)


def approved_ids(approved: Path | None) -> frozenset[str]:
    """The ids in the file, one a line; raises a :class:`UserError` where it cannot be read."""
    if approved is None:
        return frozenset()
    try:
        lines = approved.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{approved}: cannot be read: {error}") from None
    return frozenset(line.strip() for line in lines if line.strip())


def _again(problems: Path, total: int) -> Iterator[Problem]:
    """The problems once more, of which there were ``total``.

    Raises:
        UserError: there are more or fewer now, as in a pipe, which is read once, or a file that something writes to.
            It is raised in mid-write, so that the files of an earlier run stay.
    """
    left = total
    for problem in read_records(problems, Problem):
        left -= 1
        yield problem
    if left:
        raise UserError(
            f"{problems}: held {total} problems, and {total - left} when it was read again: not a plain file?"
        )


def summary_of(
    counted: LineCounts, notes: Sequence[CurationFinding], compared: int, unreadable_elsewhere: int
) -> dict[str, Any]:
    """The summary, of what :class:`SortedProblems` counted."""
    fates = {fate: counted.group(fate) for fate in ("kept", "dropped", "review")}
    per_category = {
        name: {
            "problems": sum(of.get(name, 0) for of in fates.values()),
            "dropped": fates["dropped"].get(name, 0),
            "review": fates["review"].get(name, 0),
        }
        for name in sorted(set().union(*fates.values()))
    }
    return {
        "problems": counted.read,
        **{fate: sum(of.values()) for fate, of in fates.items()},
        "found": dict(sorted(counted.group("found").items())),
        "across splits": dict(sorted(counted.group("across").items())),
        "notes": [one.model_dump(exclude_none=True) for one in notes],
        "pairs compared": compared,
        **({"pictures of other files that cannot be read": unreadable_elsewhere} if unreadable_elsewhere else {}),
        "category": per_category,
    }


def report_of(summary: Mapping[str, Any]) -> bytes:
    """The summary as a file."""
    return orjson.dumps(summary, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
