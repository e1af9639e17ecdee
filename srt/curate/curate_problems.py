"""``srt curate``: every problem of a file goes to one of three files, and nothing is deleted.

``OUT`` has the problems that are kept, as they were. ``OUT`` with ``.dropped`` and ``.review`` before its suffix have a
record of each thing that was found in one of the others: problems = kept + dropped + review.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from srt.curate.curation_records import CurationFinding, CurationOptions, Verdict
from srt.curate.duplicates import exact_duplicates, group_variants, near_duplicates
from srt.curate.entries import TRAIN_RANK, Entry, entry
from srt.curate.picture_groups import PictureGroups
from srt.curate.similarity import Shingles, Similarity
from srt.curate.solutions import disagreement
from srt.curate.three_views import contradiction
from srt.images.store import PictureFolder
from srt.io.errors import UserError
from srt.io.jsonl import beside, check_place, count_lines, dump, keep_apart, open_records, open_together, read_records
from srt.io.problem_files import stream_problems
from srt.io.progress import progress
from srt.io.records import Problem, Record
from srt.io.worker_processes import Workers

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
    pool: Workers | None = None,
    texts: type[Shingles] = Shingles,
) -> dict[str, Any]:
    """Curate ``problems`` into ``out`` and return a summary of what was found.

    The problems of the files ``against`` are only compared with. ``approved`` names, one id a line, problems that a
    person has looked at: they are not sent to review again. ``report`` gets the summary as JSON. At most
    ``workers`` processes do the work, fewer for few problems, or those of ``pool``; ``texts`` finds those that are
    alike. The output does not depend on them.

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
    cleared = _ids(approved)
    sizes = {path: count_lines(path) for path in (problems, *against)}
    most = max(1, sum(sizes.values()) // _PROBLEMS_A_WORKER)
    with pool or Workers(min(workers, most)) as pool:
        found = _find(sizes, problems, against, options or CurationOptions(), pool, texts(pool))
    unknown = cleared - {one.id for one in found.entries}
    if unknown:
        raise UserError(f"{approved}: {min(unknown)!r} is the id of no problem in {problems}")
    found.findings = [one for one in found.findings if one.verdict != "review" or one.problem_id not in cleared]
    gone = found.ids("drop")
    doubtful = found.ids("review") - gone
    summary = _summary(found, gone, doubtful) | {"files": {"dropped": str(dropped), "review": str(review)}}
    reports = [report] if report is not None else []
    files: dict[Path, type[Record]] = {out: Problem, dropped: CurationFinding, review: CurationFinding}
    with open_together(*reports) as written, open_records(files) as (keep, drop, send_to_review):
        for problem in _kept(problems, out, gone | doubtful, len(found.entries)):
            keep(dump(problem))
        for write, of in ((drop, gone), (send_to_review, doubtful)):
            for one in found.findings:
                if one.problem_id in of:
                    write(dump(one))
        for file in written:
            file.write(orjson.dumps(summary, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return summary


def _find(
    sizes: Mapping[Path, int],
    problems: Path,
    against: Sequence[Path],
    options: CurationOptions,
    workers: Workers,
    similarity: Similarity,
) -> _Findings:
    """Each check in turn; what one check drops, the later ones do not look at. ``sizes``: the lines of each file."""
    skip, thresholds = options.skip, options.thresholds
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
                found.findings.append(
                    CurationFinding(problem_id=one.id, verdict="drop", reason="unreadable_picture", detail=detail)
                )
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
    return one, list(_of_itself(problem, one, options))


def _entry_elsewhere(numbered: tuple[int, Problem], file: Path) -> Entry:
    position, problem = numbered
    return entry(problem, position, file.parent, file=str(file))


def _of_itself(problem: Problem, one: Entry, options: CurationOptions) -> Iterator[CurationFinding]:
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


def _ids(approved: Path | None) -> frozenset[str]:
    if approved is None:
        return frozenset()
    try:
        lines = approved.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{approved}: cannot be read: {error}") from None
    return frozenset(line.strip() for line in lines if line.strip())


def _kept(problems: Path, out: Path, others: set[str], total: int) -> Iterator[Problem]:
    """The problems that are kept; where ``out`` lies in another folder, their pictures are found from there.

    Raised in mid-write, so that what lies at ``out`` stays: a file that does not hold its ``total`` problems any more
    (a pipe, which is read once; a file that something writes to), and a picture that has changed.
    """
    left = total
    folder = PictureFolder(out) if out.parent.resolve() != problems.parent.resolve() else None
    for problem in read_records(problems, Problem):
        left -= 1
        if problem.id in others:
            continue
        if folder is not None and problem.images:
            images = [folder.refer(problems.parent, image.path) for image in problem.images]
            for image, found in zip(problem.images, images, strict=True):
                if image.sha256.lower() != found.sha256:
                    raise UserError(f"{problems}: {problem.id}: {image.path}: sha256: the file has another one")
            problem = problem.model_copy(update={"images": images})
        yield problem
    if left:
        raise UserError(
            f"{problems}: held {total} problems, and {total - left} when it was read again: not a plain file?"
        )


def _summary(found: _Findings, gone: set[str], doubtful: set[str]) -> dict[str, Any]:
    categories = {one.id: one.category for one in found.entries}
    total = Counter(categories.values())
    per_category = {
        name: {
            "problems": total[name],
            "dropped": sum(categories[problem] == name for problem in gone),
            "review": sum(categories[problem] == name for problem in doubtful),
        }
        for name in sorted(total)
    }
    reasons = Counter(f"{one.verdict} {one.reason}" for one in found.findings)
    across = Counter(f"{one.splits} {one.verdict} {one.reason}" for one in found.findings if one.splits)
    elsewhere = found.unreadable_elsewhere
    return {
        "problems": len(found.entries),
        "kept": len(found.entries) - len(gone) - len(doubtful),
        "dropped": len(gone),
        "review": len(doubtful),
        "found": dict(sorted(reasons.items())),
        "across splits": dict(sorted(across.items())),
        "notes": [one.model_dump(exclude_none=True) for one in found.findings if one.verdict == "note"],
        "pairs compared": found.compared,
        **({"pictures of other files that cannot be read": elsewhere} if elsewhere else {}),
        "category": per_category,
    }
