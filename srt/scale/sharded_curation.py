"""``srt curate`` over shards: the decisions of one machine, and three files for each shard: part, dropped, review.

Reading, pictures, and the search for pairs are steps over shards (:mod:`srt.scale.compared_problems`,
:mod:`srt.scale.pair_search`), each of which leaves its files for the next, so a command that was killed goes on with
what is missing. What concerns several problems is decided here, with the functions of one machine, on those that have
something in common with others; of all problems there are some numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson

from srt import __version__
from srt.curate.curate_problems import SortedProblems, approved_ids, report_of, summary_of, unreadable
from srt.curate.curation_records import CurationFinding, CurationOptions
from srt.curate.duplicates import decide, exact_duplicates, group_variants
from srt.curate.entries import Entry
from srt.curate.picture_groups import PICTURE
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.locations import Location
from srt.io.output_paths import check_place, keep_apart
from srt.io.record_lines import dump, parse_record
from srt.io.record_reader import read_records
from srt.io.record_writer import open_records
from srt.io.records import Problem, Record
from srt.pipeline.record_stage import LineCounts
from srt.scale.compared_problems import MARK, ComparedProblems, ComparisonStep, LookAtPictures, MarkProblems
from srt.scale.pair_search import ComparePairs, FindCandidates, JoinBuckets, changes
from srt.scale.problem_index import load_array, save_array
from srt.scale.ray_engine import RunShards
from srt.scale.shard_folder import ShardFolder
from srt.scale.shards import SHARD_BYTES, identity

RANGE: Final = 4096
"""Problems whose pairs are compared together; eight times as many have their buckets joined."""


def curate_shards(
    problems: Location,
    out: Location,
    run: RunShards,
    *,
    against: Sequence[Location] = (),
    approved: Path | None = None,
    report: Path | None = None,
    options: CurationOptions | None = None,
    shard_bytes: int = SHARD_BYTES,
    size: int = RANGE,
) -> dict[str, Any]:
    """As :func:`~srt.curate.curate_problems.curate_file`, from files or folders of shards into the folder ``out``.

    Raises:
        UserError: what that function raises, embeddings are asked for, or ``out`` was made by something else or is a
            URL.
    """
    if not isinstance(out, Path):
        raise UserError(f"{out}: srt curate reads from URLs, but writes to a folder that all machines see")
    options = options or CurationOptions()
    if options.embeddings is not None:
        raise UserError("--embeddings: does not go with --engine ray: each text is compared with every other")
    if any(source.resolve() == problems.resolve() for source in against):
        raise UserError(f"--against: {problems} is what is curated: every problem would be a duplicate")
    if report is not None:
        keep_apart(report, approved, *(source for source in (problems, *against) if isinstance(source, Path)))
        check_place(report)
    settings = options.model_dump(mode="json") | {"skip": sorted(options.skip), "against": [*map(str, against)]}
    inputs = [identity(source) for source in (problems, *against, *([] if approved is None else [approved]))]
    sizes: dict[str, Any] = {"shard_bytes": shard_bytes, "size": size}
    plan = sizes | {"stage": "curate", "srt": __version__, "settings": settings, "inputs": inputs}
    folder = ShardFolder(out.resolve())
    with folder.hold(plan) as ended:
        if ended is None:
            compared = ComparedProblems.of(folder, problems, against, run, shard_bytes)
            cleared = approved_ids(approved)
            names = sorted(cleared)
            for name, line in zip(names, compared.sources[0].index.find(names), strict=True):
                if line is None:
                    raise UserError(f"{approved}: {name!r} is the id of no problem in {problems}")
            found = _Curation(compared, options, cleared, run, size).find()
            counted = _write(found, run)
            totals = summary_of(counted, found.notes(), found.compared, found.unreadable_elsewhere)
            write_atomically(folder.path / "summary.json", [report_of(totals)])
            folder.conclude(plan, compared.curated, counted)
        summary: dict[str, Any] = orjson.loads((folder.path / "summary.json").read_bytes())
    summary["files"] = {name: str(out / f"{name}-*{folder.suffix}") for name in ("dropped", "review")}
    if report is not None:
        write_atomically(report, [report_of(summary)])
    return summary


@dataclass
class _Curation:
    """What is found in several problems, by the position of the one that it is found in."""

    problems: ComparedProblems
    options: CurationOptions
    cleared: frozenset[str]
    run: RunShards
    size: int
    findings: dict[int, list[CurationFinding]] = field(default_factory=lambda: defaultdict(list))
    compared: int = 0
    unreadable_elsewhere: int = 0

    def find(self) -> _Curation:
        """Each check in turn; what one check drops, the later ones do not look at."""
        skip = self.options.skip
        self._step("problems", MarkProblems(self.problems, self.options, self.cleared))
        marks = self._all("marks", MARK)
        left = marks["left"].copy()
        if not {"pictures", "near"} <= skip:
            self._step("pictures", LookAtPictures(self.problems))
            self._drop_unreadable(left)
        if "groups" not in skip:
            for entries in self._alike(marks["group"], left):
                self._add(group_variants(entries), entries)
                left[[one.position for one in entries if self._dropped(one)]] = False
        if "exact" not in skip:
            for entries in self._alike(marks["key"], left):
                findings, staying = exact_duplicates(entries)
                self._add(findings, entries)
                # As on one machine: the later checks look at one of each set of equals.
                left[[one.position for one in entries if one.position not in staying]] = False
        if "near" not in skip:
            self._near(marks, left)
        return self

    def notes(self) -> list[CurationFinding]:
        """What was found and changes nothing, in the order of the problems."""
        return [one for at in sorted(self.findings) for one in self.findings[at] if one.verdict == "note"]

    def _drop_unreadable(self, left: Any) -> None:
        for number in range(len(self.problems.shards)):
            for position, name, fault in orjson.loads(self.problems.other("faults", number).read_bytes()):
                if position >= self.problems.own:
                    self.unreadable_elsewhere += 1
                elif "pictures" not in self.options.skip:
                    self.findings[position].append(unreadable(name, fault))
                    left[position] = False

    def _alike(self, values: Any, left: Any) -> Iterator[list[Entry]]:
        """The problems that are left and have the same value (0: none), where there are several."""
        at = np.flatnonzero(left & (values != 0))
        at = at[np.argsort(values[at], kind="stable")]
        starts = np.flatnonzero(changes(values[at]))
        ends = np.append(starts[1:], len(at))
        for several in np.flatnonzero(ends - starts > 1).tolist():
            yield [self.problems.entry(position) for position in at[starts[several] : ends[several]].tolist()]

    def _near(self, marks: Any, left: Any) -> None:
        order = np.flatnonzero(left)
        if "exact" not in self.options.skip:  # its check leaves the problems by priority: here as it does
            keys = order, ~marks["answered"][order], order < self.problems.own, marks["rank"][order]
            order = order[np.lexsort(keys)]
        at = np.full(len(left), -1, np.int64)
        at[order] = np.arange(len(order))
        for name, array in (("order", order), ("at", at), ("groups", np.ascontiguousarray(marks["group"]))):
            save_array(self.problems.array(name), array)
        save_array(self.problems.array("pictures"), self._all("pictures", PICTURE))
        ranges = -(-len(order) // self.size)
        joins = -(-ranges // 8)
        thresholds = self.options.thresholds
        self._step("candidates", FindCandidates(self.problems, thresholds))
        self._step("texts", JoinBuckets(self.problems, thresholds, joins), joins)
        self._step("pairs", ComparePairs(self.problems, thresholds, joins, self.size), ranges)
        self._decide(ranges)

    def _decide(self, ranges: int) -> None:
        rows: list[Any] = []
        for number in range(ranges):
            self.compared += int(load_array(self.problems.array("compared", number))[0])
            rows += orjson.loads(self.problems.other("outcomes", number).read_bytes())
        rows.sort(key=lambda row: row[:3])  # the order in which one machine comes upon them
        of: dict[int, Entry] = {}
        for position in sorted({position for row in rows for position in row[3:5]}):
            # Without the texts, which are not needed any more: there may be many of these.
            of[position] = replace(self.problems.entry(position), compared="", normal="", facts=())
        known = {(one.problem_id, one.reason, one.other_id) for found in self.findings.values() for one in found}
        findings = decide(list(of.values()), ((of[row[3]], of[row[4]], tuple(row[5:])) for row in rows))
        new = [one for one in findings if (one.problem_id, one.reason, one.other_id) not in known]
        self._add(new, list(of.values()))

    def _add(self, findings: Sequence[CurationFinding], entries: Sequence[Entry]) -> None:
        positions = {one.id: one.position for one in entries if one.file is None}
        for one in findings:
            if one.verdict != "review" or one.problem_id not in self.cleared:
                self.findings[positions[one.problem_id]].append(one)

    def _dropped(self, one: Entry) -> bool:
        return one.file is None and any(found.verdict == "drop" for found in self.findings.get(one.position, ()))

    def _step(self, what: str, step: ComparisonStep, parts: int | None = None) -> None:
        numbers = range(len(self.problems.shards) if parts is None else parts)
        self.run(what, step, [number for number in numbers if not step.done(number)])

    def _all(self, kind: str, dtype: Any) -> Any:
        files = [self.problems.array(kind, number) for number in range(len(self.problems.shards))]
        return np.concatenate([np.empty(0, dtype), *(load_array(file) for file in files)])


@dataclass(frozen=True)
class _WriteShard:
    """The files of a shard: the problems that are kept, and what was found in the others."""

    problems: ComparedProblems

    def __call__(self, number: int) -> None:
        folder, shard = self.problems.folder, self.problems.shard(number)
        if folder.done(number):
            return
        try:
            folder.begin(number)
        except UserError as error:
            raise UserError(f"{shard}: {error}") from None
        found: dict[str, list[CurationFinding]] = defaultdict(list)
        for kind in ("alone", "found"):
            for one in read_records(self.problems.other(kind, number), CurationFinding):
                found[one.problem_id].append(one)
        files: dict[Location, type[Record]] = {
            folder.part(number): Problem,
            folder.records("dropped", number): CurationFinding,
            folder.records("review", number): CurationFinding,
        }
        with open_records(files) as sinks:
            sort_into = SortedProblems(sinks, self.problems.sources[0].root, folder.path / "problems.jsonl")
            for _, line in shard.lines(Problem):
                problem = parse_record(line.data, Problem, line.place)
                sort_into(problem, found.get(problem.id, ()))
        folder.finish(number, sort_into.counted, list(files))


def _write(found: _Curation, run: RunShards) -> LineCounts:
    """Write what is not written yet; the counts of all shards."""
    problems = found.problems
    of_shard: dict[int, list[CurationFinding]] = defaultdict(list)
    for position in sorted(found.findings):
        of_shard[problems.shard_of(position)] += found.findings[position]
    numbers = range(problems.curated)
    for number in numbers:
        write_atomically(problems.other("found", number), map(dump, of_shard[number]))
    run("curate", _WriteShard(problems), [number for number in numbers if not problems.folder.done(number)])
    counted = LineCounts()
    for number in numbers:
        counted.count_in(problems.folder.counts(number))
    return counted
