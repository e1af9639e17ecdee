"""The exact trace of a problem of the views world."""

from __future__ import annotations

from srt.io.records import Problem
from srt.language.trace import Trace
from srt.worlds.views.claim_language import QUANTITIES, ViewClaim
from srt.worlds.views.derivation import from_solid, from_views
from srt.worlds.views.derivation.from_nets import folded_cube, opposite_face
from srt.worlds.views.derivation.from_turns import turned_solid
from srt.worlds.views.derivation.rejections import reject
from srt.worlds.views.derivation.steps import Derivation
from srt.worlds.views.kernel.consistent import consistent
from srt.worlds.views.kernel.stacks import SIDES, cell_name
from srt.worlds.views.reading.figures import ViewFigure
from srt.worlds.views.reading.problem_reader import ViewsProblem, column_heights, read_problem, squares
from srt.worlds.world import Refused


def make_trace(problem: Problem) -> Trace:
    """The trace of ``problem``; raises :class:`~srt.worlds.world.Refused`."""
    read = read_problem(problem)
    if read.source is None and read.profiles and len(read.shown) > 1:
        highest = max(max(heights) for heights in read.profiles.values())
        if not consistent(read.given, highest).solids:
            raise Refused("contradictory_clues", "meta.figures: no solid of stacks has these views")
    derivation = Derivation(read)
    asked = derivation.say(read.asked, ["question"])
    answer = _derive(derivation, asked)
    return Trace(
        id=f"{problem.id}-exact",
        problem_id=problem.id,
        kind="world",
        lang=problem.lang,
        steps=derivation.needed(),
        answer=answer,
        teacher="views-exact",
    )


def _derive(derivation: Derivation, asked: int) -> str:
    problem = derivation.problem
    match problem.asked.form:
        case "turns":
            return turned_solid(derivation, asked)
        case "folds" | "unfolds":
            return folded_cube(derivation, asked)
    if problem.asked.form == "opposes":
        value = opposite_face(derivation)
    elif problem.asked.form == "asked" and problem.asked.word != "plan":
        value = _value(derivation)
    else:
        return _by_rejection(derivation, asked)
    found = ViewClaim("found_cells" if value.cells else "found", cells=value.cells, numbers=value.numbers)
    said = derivation.number_of(value)
    assert said is not None
    step = derivation.say(found, steps=[asked, said])
    if not problem.options:
        if value.cells or len(value.numbers) != 1:
            raise Refused("unknown_wording", "choices: a view is asked for, and there are no options")
        return str(value.numbers[0])
    right = [letter for letter in problem.options if _says(problem, letter, found)]
    if len(right) != 1:
        raise Refused("not_unique", f"choices: {len(right)} of them say what was found ({found})")
    derivation.say(ViewClaim("options", right[0]), problem.options, [step])
    return right[0]


def _value(derivation: Derivation) -> ViewClaim:
    """Says the number or the view that is asked for."""
    problem = derivation.problem
    word = problem.asked.word
    side = next((side for side in SIDES if side == word), None)
    if side is not None or word == "top":
        if problem.source is None:
            raise Refused("unknown_wording", f"meta.asked: {problem.asked}: a solid or a plan was expected")
        return from_solid.top_view(derivation) if side is None else from_solid.side_view(derivation, side)
    assert word in QUANTITIES
    if problem.source is None:
        step = from_views.derive_quantity(derivation)
    elif word == "count":
        step = from_views.count_shown(derivation)
    elif word in ("surface", "painted"):
        step = from_solid.faces(derivation)
    elif word == "missing":
        step = from_solid.missing(derivation)
    else:
        raise Refused("unknown_wording", f"meta.asked: {problem.asked}: the solid is shown")
    claim = derivation.steps[step - 1].claim or ""
    return ViewClaim("quantity", word=word, numbers=(int(claim.rpartition(" ")[2]),))


def _says(problem: ViewsProblem, letter: str, found: ViewClaim) -> bool:
    """Whether option ``letter`` is what was found."""
    option = problem.options[letter]
    match option:
        case str():
            return option == str(found.numbers[0]) if len(found.numbers) == 1 else False
        case ViewFigure():
            if found.cells:
                rows = squares(option)
                named = {
                    cell_name((y, x), len(rows)) for y, row in enumerate(rows) for x, square in enumerate(row) if square
                }
                return problem.size == (len(rows), len(rows[0])) and named == set(found.cells)
            return column_heights(option) == found.numbers
        case _:
            raise Refused("unknown_scene", f"choices.{letter}: a view was expected")


def _by_rejection(derivation: Derivation, asked: int) -> str:
    """One option is right: the one that is left when the others are rejected."""
    options = derivation.problem.options
    rejected = {letter: reject(derivation, asked, letter) for letter in options}
    left = [letter for letter, step in rejected.items() if step is None]
    if len(left) != 1 or len(options) < 2:
        raise Refused("not_unique", f"choices: {len(left)} of them fit what is shown")
    steps = [step for step in rejected.values() if step is not None]
    derivation.say(ViewClaim("options", left[0]), options, steps)
    return left[0]
