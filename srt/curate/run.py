"""``srt curate``: every problem of a file goes to one of three files, and nothing is deleted.

``OUT`` holds what is kept, as it was. ``OUT`` with ``.dropped`` and ``.review`` before its suffix hold a record of what
was found in each of the others (several, where several things were found): problems = kept + dropped + review.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from srt.curate.duplicates import exact, near, variants
from srt.curate.entries import TRAIN_RANK, Entry, entry
from srt.curate.pictures import Gallery
from srt.curate.records import CuratedOut, Options
from srt.curate.similarity import Shingles, Similarity
from srt.curate.solutions import disagreement
from srt.curate.views import contradiction
from srt.errors import UserError
from srt.jsonl import check_place, keep_apart, read_numbered, write_atomically, write_records
from srt.picture_folder import PictureFolder
from srt.problems import read_problems
from srt.records import Problem


@dataclass
class _Findings:
    entries: list[Entry] = field(default_factory=list)
    said: list[CuratedOut] = field(default_factory=list)
    compared: int = 0
    unseen: int = 0
    """Problems of other files whose pictures cannot be read: only an exact duplicate of one is found."""


def curate_file(
    problems: Path,
    out: Path,
    *,
    against: Sequence[Path] = (),
    approved: Path | None = None,
    report: Path | None = None,
    options: Options | None = None,
) -> dict[str, Any]:
    """Curate ``problems`` into ``out`` and say what was found.

    ``against`` are files whose problems are only compared with. ``approved`` names, one id a line, problems that a
    person has looked at: they are not sent to review again. ``report`` gets the summary as JSON.

    Raises:
        UserError: no such file, an id that stands twice, an output that is an input, an endpoint that fails.
        RecordError: a line that is no problem.
    """
    dropped, review = (out.with_name(f"{out.stem}.{name}{out.suffix}") for name in ("dropped", "review"))
    outputs = [path for path in (out, dropped, review, report) if path is not None]
    for number, path in enumerate(outputs):
        keep_apart(path, problems, approved, *against, *outputs[:number])
        check_place(path)
    if any(file.resolve() == problems.resolve() for file in against):
        raise UserError(f"--against: {problems} is the file that is curated: every problem would be a duplicate")
    cleared = _ids(approved)
    findings = _find(problems, against, options or Options())
    unknown = cleared - {one.id for one in findings.entries}
    if unknown:
        raise UserError(f"{approved}: {min(unknown)!r} is the id of no problem in {problems}")
    said = [one for one in findings.said if one.verdict != "review" or one.problem_id not in cleared]
    gone = {one.problem_id for one in said if one.verdict == "drop"}
    doubtful = {one.problem_id for one in said if one.verdict == "review"} - gone
    write_records(out, _kept(problems, out, gone | doubtful, len(findings.entries)))
    write_records(dropped, [one for one in said if one.problem_id in gone])
    write_records(review, [one for one in said if one.problem_id in doubtful])
    summary = _summary(findings, said, gone, doubtful) | {"files": {"dropped": str(dropped), "review": str(review)}}
    if report is not None:
        write_atomically(report, [orjson.dumps(summary, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)])
    return summary


def _find(problems: Path, against: Sequence[Path], options: Options) -> _Findings:
    similarity = _similarity(options)
    found = _Findings()
    out: set[int] = set()
    lines: dict[str, int] = {}
    for number, problem in read_numbered(problems, Problem):
        if problem.id in lines:
            raise UserError(f"{problems}:{number}: id: {problem.id!r} stands on line {lines[problem.id]} already")
        lines[problem.id] = number
        one = entry(problem, len(found.entries), problems.parent)
        found.entries.append(one)
        said = list(_of_itself(problem, one, options))
        found.said += said
        if any(item.verdict == "drop" for item in said):
            out.add(one.position)
    if not found.entries:
        raise UserError(f"{problems}: there is no problem in it; at least one was expected")
    entries = list(found.entries)
    for file in against:
        for problem in read_problems(file).values():
            entries.append(entry(problem, len(entries), file.parent, file=str(file)))
    left = {one.position: one for one in entries if one.position not in out}
    gallery = Gallery(left.values(), options.thresholds.picture_bits) if {"pictures", "near"} - options.skip else None
    if gallery is not None:
        found.unseen = sum(left[position].file is not None for position in gallery.unreadable)
    if gallery is not None and "pictures" not in options.skip:
        for position, detail in gallery.unreadable.items():
            if left[position].file is None:
                found.said.append(
                    CuratedOut(problem_id=left[position].id, verdict="drop", reason="unreadable_picture", detail=detail)
                )
                del left[position]
    if "groups" not in options.skip:
        _take_out(variants(list(left.values())), left, found)
    if "exact" not in options.skip:
        said, left = exact(list(left.values()))
        found.said += said
    if gallery is not None and "near" not in options.skip:
        said, found.compared = near(list(left.values()), gallery, similarity, options.thresholds)
        # An exact duplicate with another answer is found here too.
        known = {(one.problem_id, one.reason, one.other_id) for one in found.said}
        found.said += [one for one in said if (one.problem_id, one.reason, one.other_id) not in known]
    return found


def _of_itself(problem: Problem, one: Entry, options: Options) -> Iterator[CuratedOut]:
    """What is found in a problem alone. Without a solution nothing can be taught; a test item needs none."""
    if "solution" not in options.skip and not (problem.solution or "").strip() and one.rank == TRAIN_RANK:
        yield CuratedOut(problem_id=problem.id, verdict="drop", reason="no_solution")
    if "views" not in options.skip:
        detail = contradiction(problem.question)
        if detail:
            yield CuratedOut(problem_id=problem.id, verdict="review", reason="views_disagree", detail=detail)
    if "answers" not in options.skip:
        detail = disagreement(problem)
        if detail:
            yield CuratedOut(problem_id=problem.id, verdict="review", reason="answer_differs", detail=detail)


def _take_out(said: list[CuratedOut], left: dict[int, Entry], found: _Findings) -> None:
    found.said += said
    gone = {one.problem_id for one in said if one.verdict == "drop"}
    for position in [position for position, one in left.items() if one.file is None and one.id in gone]:
        del left[position]


def _similarity(options: Options) -> Similarity:
    if options.embeddings is None:
        return Shingles()
    from srt.curate.embeddings import EmbeddingModel

    return EmbeddingModel(options.embeddings)


def _ids(approved: Path | None) -> frozenset[str]:
    if approved is None:
        return frozenset()
    try:
        lines = approved.read_text(encoding="utf-8").splitlines()
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
    for _, problem in read_numbered(problems, Problem):
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


def _summary(findings: _Findings, said: list[CuratedOut], gone: set[str], doubtful: set[str]) -> dict[str, Any]:
    categories = {one.id: one.category for one in findings.entries}
    total = Counter(categories.values())
    per_category = {
        name: {
            "problems": total[name],
            "dropped": sum(categories[problem] == name for problem in gone),
            "review": sum(categories[problem] == name for problem in doubtful),
        }
        for name in sorted(total)
    }
    return {
        "problems": len(findings.entries),
        "kept": len(findings.entries) - len(gone) - len(doubtful),
        "dropped": len(gone),
        "review": len(doubtful),
        "found": _tally(f"{one.verdict} {one.reason}" for one in said),
        "across splits": _tally(f"{one.splits} {one.verdict} {one.reason}" for one in said if one.splits),
        "notes": [one.model_dump(exclude_none=True) for one in said if one.verdict == "note"],
        "pairs compared": findings.compared,
        **({"pictures of other files that cannot be read": findings.unseen} if findings.unseen else {}),
        "category": per_category,
    }


def _tally(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))
