"""All solids that fit a problem, written out, and in which of them a claim holds."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from srt.io.records import Problem
from srt.language.trace import Truth
from srt.worlds.views.claim_language import ASKED_FORMS, NET_FORMS, ViewClaim
from srt.worlds.views.derivation.exact_teacher import make_trace
from srt.worlds.views.faults import net_truth, turned_truth
from srt.worlds.views.kernel.stacks import SIDES, Side, cell_name, line, view_width
from srt.worlds.views.reading.figures import PlanFigure, SolidFigure
from srt.worlds.views.reading.problem_reader import ViewsProblem, heights_of, read_problem
from srt.worlds.world import Refused

MOST_CANDIDATES = 1_000_000
Models = NDArray[np.int8]
"""One solid in each row; rows and columns of the plan as in height maps."""


class FittingModels:
    """The solids that fit ``problem``; raises :class:`~srt.worlds.world.Refused` where it cannot be read or solved."""

    def __init__(self, problem: Problem) -> None:
        self.read: ViewsProblem = read_problem(problem)
        self.right = make_trace(problem).answer
        self.solids: Models | None = self._write_out()
        """``None`` if the plan is not known, or there are too many."""

    def truth(self, claim: ViewClaim) -> Truth:
        """Whether ``claim`` holds in all solids that fit, or in none; ``unknown`` if in some, or not to be told."""
        holds = self._holds(claim)
        if holds is None or (isinstance(holds, np.ndarray) and holds.any() and not holds.all()):
            return "unknown"
        return "true" if np.all(holds) else "false"

    def _write_out(self) -> Models | None:
        read = self.read
        if read.asked.form in ("turns", *NET_FORMS):
            return None
        if read.source is not None:
            return np.array([read.heights], dtype=np.int8)
        try:
            depth, width = read.size
        except Refused:
            return None
        highest = max(map(max, read.heights))
        top = read.given.top
        rows = []
        for y in range(depth):
            lowest = [1 if top is not None and top[y][x] else 0 for x in range(width)]
            spans = [np.arange(lowest[x], read.given.most_at(y, x, highest) + 1, dtype=np.int8) for x in range(width)]
            row = np.stack(np.meshgrid(*spans, indexing="ij"), axis=-1).reshape(-1, width)
            rows.append(row if read.given.rows is None else row[row.max(axis=1) == read.given.rows[y]])
        if prod(map(len, rows)) > MOST_CANDIDATES:
            return None
        picks = np.meshgrid(*(np.arange(len(row)) for row in rows), indexing="ij")
        flat = np.stack([row[pick.ravel()] for row, pick in zip(rows, picks, strict=True)], axis=1)
        fits = np.ones(len(flat), dtype=bool)
        if read.given.columns is not None:
            fits = (flat.max(axis=1) == np.array(read.given.columns)).all(axis=1)
        found: Models = flat[fits]
        return found

    def _holds(self, claim: ViewClaim) -> NDArray[np.bool_] | bool | None:
        """For each solid, or for all at once; ``None`` if it cannot be told."""
        read = self.read
        if read.asked.form in NET_FORMS and claim.form in net_truth.FORMS:
            return net_truth.holds(read, claim)
        if claim.form in turned_truth.FORMS:
            return turned_truth.holds(read, claim)
        if claim.form in ASKED_FORMS:
            return claim == read.asked
        if claim.form in ("rejected", "options"):
            right = claim.option == self.right
            return claim.option in read.options and right == (claim.form == "options")
        if claim.form in ("found", "found_cells"):
            return self._found_holds(claim)
        solids = self.solids
        if claim.option:
            option = read.options.get(claim.option)
            if read.asked.form in ("turns", *NET_FORMS):
                return None
            if not isinstance(option, SolidFigure | PlanFigure):
                return False
            solids = np.array([heights_of(option)], dtype=np.int8)
        if solids is None or claim.form in net_truth.FORMS:  # of a net, where there is none
            return None
        if claim.form == "binding":
            shown = solids if claim.option else np.array([read.heights], dtype=np.int8)
            return self._line_cells(shown[0], claim) == set(claim.cells)
        return _holds_in(solids, claim)

    def _found_holds(self, claim: ViewClaim) -> NDArray[np.bool_] | bool | None:
        word = self.read.asked.word
        if self.read.asked.form != "asked" or word == "plan":
            return False
        if word == "top":
            return self._holds(ViewClaim("footprint", cells=claim.cells)) if claim.cells else False
        if word in SIDES:
            return self._holds(ViewClaim("profile", word=word, numbers=claim.numbers)) if claim.numbers else False
        if claim.cells or len(claim.numbers) != 1:
            return False
        return self._holds(ViewClaim("quantity", word=word, numbers=claim.numbers))

    @staticmethod
    def _line_cells(solid: Models, claim: ViewClaim) -> set[str] | None:
        depth, width = solid.shape
        side = _side(claim.word)
        if not 1 <= claim.k <= view_width(side, depth, width):
            return None
        return {cell_name((y, x), depth) for y, x in line(side, claim.k, depth, width) if solid[y, x]}


def _holds_in(solids: Models, claim: ViewClaim) -> NDArray[np.bool_] | bool:
    """In which of ``solids`` a claim holds that speaks of one solid, or of all of them (``least``)."""
    depth, width = solids.shape[1:]
    number = claim.numbers[0] if claim.numbers else 0
    columns = range(1, view_width(_side(claim.word), depth, width) + 1) if claim.word in SIDES else range(0)
    if claim.k and claim.word in SIDES and claim.k not in columns:
        return False
    stacks = _stacks(solids, claim.cells)
    if stacks is None:
        return False
    holds: NDArray[np.bool_] | bool
    match claim.form:
        case "stack":
            holds = stacks[:, 0] == number
        case "bound":
            holds = stacks[:, 0] <= number
        case "tallest":
            holds = stacks.max(axis=1) == number
        case "sum":
            holds = stacks.sum(axis=1) == number
        case "line_least":
            holds = bool(stacks.sum(axis=1).min() == number)
        case "line_most":
            holds = bool(stacks.sum(axis=1).max() == number)
        case "line_ways":
            holds = len(np.unique(stacks, axis=0)) == number
        case "needed":
            holds = bool((solids == claim.k).sum(axis=(1, 2)).min() == number)
        case "column":
            holds = _line(solids, claim.word, claim.k).max(axis=1) == number
        case "profile":
            if len(columns) != len(claim.numbers):
                return False
            tallest = np.stack([_line(solids, claim.word, k).max(axis=1) for k in columns], axis=1)
            holds = np.all(tallest == np.array(claim.numbers), axis=1)
        case "footprint":
            holds = (stacks > 0).all(axis=1) & ((solids > 0).sum(axis=(1, 2)) == len(claim.cells))
        case "column_faces":
            holds = _faces(_line(solids, claim.word, claim.k)) == number
        case "view_faces":
            holds = _all_faces(solids, claim.word) == number
        case "quantity":
            holds = _quantity(solids, claim.word, number)
        case _:
            raise AssertionError(claim.form)
    return holds


def _quantity(solids: Models, word: str, number: int) -> NDArray[np.bool_] | bool:
    cubes: NDArray[np.int64] = solids.sum(axis=(1, 2), dtype=np.int64)
    if word in ("least", "most", "ways"):
        return bool({"least": cubes.min(), "most": cubes.max(), "ways": len(solids)}[word] == number)
    if word == "count":
        return np.asarray(cubes == number)
    if word in ("box", "missing"):
        whole = solids.shape[1] * solids.shape[2] * solids.max(axis=(1, 2)).astype(np.int64)
        return np.asarray((whole if word == "box" else whole - cubes) == number)
    around: NDArray[np.int64] = 2 * (_all_faces(solids, "front") + _all_faces(solids, "left"))
    return np.asarray(around + _all_faces(solids, "top") * (2 if word == "surface" else 1) == number)


def _all_faces(solids: Models, word: str) -> NDArray[np.int64]:
    depth, width = solids.shape[1:]
    if word == "top":
        return np.asarray((solids > 0).sum(axis=(1, 2)))
    columns = range(1, view_width(_side(word), depth, width) + 1)
    return np.asarray(sum(_faces(_line(solids, word, k)) for k in columns))


def _faces(lines: Models) -> NDArray[np.int64]:
    """The rises along each line, the nearest stack first."""
    padded = np.pad(lines.astype(np.int64), ((0, 0), (1, 0)))
    return np.asarray(sum(np.maximum(0, padded[:, b] - padded[:, a]) for a, b in pairwise(range(padded.shape[1]))))


def _line(solids: Models, word: str, k: int) -> Models:
    places = line(_side(word), k, *solids.shape[1:])
    return solids[:, [y for y, _ in places], [x for _, x in places]]


def _stacks(solids: Models, cells: tuple[str, ...]) -> Models | None:
    """The heights of these cells; ``None`` if one lies outside the plan."""
    depth, width = solids.shape[1:]
    places = [(depth - int(cell[1]), "abcdefgh".index(cell[0])) for cell in cells]
    if any(not (0 <= y < depth and x < width) for y, x in places):
        return None
    return solids[:, [y for y, _ in places], [x for _, x in places]]


def _side(word: str) -> Side:
    return next(side for side in SIDES if side == word)
