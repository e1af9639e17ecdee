"""A naive oracle: whether a trace is proved, and which of its claims are false.

This is what the checker is tried against, so it goes the other way round. For a true claim it writes out every set of
premises from which the claim follows in one inference, as sets of words and claims; a step is proved if what it cites
is one of these sets. Whether a claim is true it finds in all solids that fit the problem, written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from srt.answers.written_form import canonical_text, read_answer
from srt.io.records import Answer, Problem
from srt.language.premises import parse_premise
from srt.language.trace import Step, Trace
from srt.worlds.kit.mutation import OracleVerdict
from srt.worlds.views.claim_language import ASKED_FORMS, NET_FORMS, ClaimSyntaxError, Form, ViewClaim, parse_claim
from srt.worlds.views.derivation.rejections import DIRECTION_NAMES
from srt.worlds.views.faults import net_truth, turned_truth
from srt.worlds.views.faults.fitting_models import FittingModels
from srt.worlds.views.kernel.stacks import SIDES, Heights, Side, cell_name, line, profile, view_width
from srt.worlds.views.reading.figures import PlanFigure, SolidFigure, ViewFigure
from srt.worlds.views.reading.problem_reader import column_heights, heights_of, squares

Premises = frozenset[str]


class ViewsOracle:
    """Judges traces of one problem; raises :class:`~srt.worlds.world.Refused` where it is not understood."""

    def __init__(self, problem: Problem) -> None:
        self.choices = problem.choices
        self.models = FittingModels(problem)
        self.read = self.models.read

    def judge(self, trace: Trace) -> OracleVerdict:
        """The verdict on ``trace``."""
        claims = [self._parsed(step) for step in trace.steps]
        faults, used = [], set()
        said: set[ViewClaim] = set()
        for number, (step, claim) in enumerate(zip(trace.steps, claims, strict=True), 1):
            fault = self._fault(number, step, claim, trace)
            if fault is None and claim is not None:
                # Over an edge of a cube is one face, whether it is drawn there or found.
                fact = replace(claim, form="beside") if claim.form == "beyond" else claim
                fault = "says what an earlier step says" if fact in said else None
                said.add(fact)
            if fault:
                faults.append(f"step {number} {fault}")
            used |= {premise.number for premise in map(parse_premise, step.args) if premise.kind == "step"}
        # The answer says no premises: it rests on every step that says the same.
        final = self._final(trace.answer)
        ending = [number for number, claim in enumerate(claims, 1) if claim is not None and claim == final]
        faults += [f"step {n} is not used" for n in range(1, len(claims) + 1) if n not in used and n not in ending]
        if not ending:
            faults.append("the answer does not follow")
        false = [n for n, claim in enumerate(claims, 1) if claim is not None and self.models.truth(claim) == "false"]
        if final is not None and self.models.truth(final) == "false":
            false.append(0)
        return OracleVerdict(tuple(faults), tuple(false))

    def _final(self, answer: str) -> ViewClaim | None:
        """What an answer says; ``None`` where it cannot be read, so that it says nothing false."""
        read = read_answer(answer, "choice_set" if self.read.options else "number", self.choices).answer
        try:
            return None if read is None else parse_claim(_claim_of(read))
        except ClaimSyntaxError:
            return None

    @staticmethod
    def _parsed(step: Step) -> ViewClaim | None:
        try:
            return parse_claim(step.claim or "")
        except ClaimSyntaxError:
            return None

    def _fault(self, number: int, step: Step, claim: ViewClaim | None, trace: Trace) -> str | None:
        if claim is None:
            return "cannot be read"
        if step.op != claim.operation:
            return f"is mislabelled: it would be {claim.operation}"
        # A cited step counts by what it claims: the sets of premises are written out without knowing the trace.
        cited = []
        for word in step.args:
            premise = parse_premise(word)
            if premise.kind == "step" and premise.number >= number:
                return f"cites {word}, which does not stand before it"
            cited.append(trace.steps[premise.number - 1].claim or "" if premise.kind == "step" else word)
        if self.models.truth(claim) != "true":
            return "is not true in all solids that fit"
        if len(set(cited)) == len(cited) and frozenset(cited) in set(self._premises(claim)):
            return None
        return "does not follow in one inference from what it cites"

    def _premises(self, claim: ViewClaim) -> Iterator[Premises]:
        """Every set of premises that gives ``claim`` in one inference; ``claim`` is true."""
        read = self.read
        asked = str(read.asked)
        match claim.form:
            # Readings of the question come from it alone; nets have rules of their own, whatever the form.
            case _ if claim.form in ASKED_FORMS:
                yield frozenset({"question"})
            case _ if claim.form in net_truth.FORMS and read.asked.form in NET_FORMS:
                yield from net_truth.premises(read, claim)
            case "binding":
                shown = {claim.word} & set(read.shown)
                yield frozenset({claim.option}) if claim.option else self._covering() | shown
            case "stack":
                yield from self._stack(claim)
            # A stack is at most as high as the tallest of a line through it.
            case "bound":
                for cells, height, tallest in self._lines():
                    if claim.cells[0] in cells and height == claim.numbers[0]:
                        yield frozenset({tallest})
            case "tallest":
                for side in self._sides():
                    for k in self._columns(side):
                        if self._cells(side, k) == claim.cells:
                            yield frozenset({side, str(self._binding(side, k))})
            case "sum":
                yield frozenset(self._stacks(claim.cells))
            case "line_least" | "line_most" | "line_ways":
                yield from self._line_bounds(claim)
            # How many stacks must be so high is counted over both views at once.
            case "needed":
                yield frozenset(read.shown)
            case "column_faces" | "column":
                heights = self._heights(claim.option)
                cells = self._cells_of(heights, _side(claim.word), claim.k)
                bound = ViewClaim("binding", claim.option, claim.word, claim.k, cells)
                yield frozenset({str(bound), *self._stacks(cells, claim.option)})
            case "view_faces" if claim.word == "top":
                yield self._covering()
            case "view_faces" | "profile":
                viewed = _side(claim.word)
                yield self._covering() | {self._part(claim.form, viewed, k) for k in self._columns(viewed)}
            case "footprint":
                for side in SIDES:
                    yield self._covering() | {str(self._binding(side, k)) for k in self._columns(side)}
            case "quantity":
                yield from self._quantity(claim)
            case "found" | "found_cells":
                form: Form = "footprint" if claim.cells else "profile" if len(claim.numbers) > 1 else "quantity"
                word = "" if claim.cells else read.asked.word
                value = ViewClaim(form, word=word, cells=claim.cells, numbers=claim.numbers)
                yield frozenset({asked, str(value)})
            case "rejected":
                yield from (frozenset({asked}) | grounds for grounds in self._rejections(claim.option))
            case "layer" | "turned" | "same":
                yield from turned_truth.premises(read, claim)
            # The right option: by ruling out the others, or by what was found out.
            case "options":
                letters = frozenset(read.options)
                yield letters | {f"not {letter}" for letter in letters if letter != claim.option}
                if read.asked.form in ("turns", "folds", "unfolds"):
                    yield letters | {f"same {claim.option}"}
                for step in self._found():
                    yield letters | {step}

    def _covering(self) -> Premises:
        read = self.read
        if read.source is not None:
            return frozenset({read.source})
        return frozenset({"top"}) if "top" in read.shown else frozenset(read.shown)

    def _sides(self) -> list[Side]:
        return [side for side in SIDES if side in self.read.shown]

    def _columns(self, side: Side) -> range:
        return range(1, view_width(side, *self.read.size) + 1)

    def _cells(self, side: Side, k: int) -> tuple[str, ...]:
        return self._cells_of(self.read.heights, side, k)

    @staticmethod
    def _cells_of(heights: Heights, side: Side, k: int) -> tuple[str, ...]:
        depth, width = len(heights), len(heights[0])
        return tuple(sorted(cell_name((y, x), depth) for y, x in line(side, k, depth, width) if heights[y][x]))

    def _binding(self, side: Side, k: int) -> ViewClaim:
        return ViewClaim("binding", word=side, k=k, cells=self._cells(side, k))

    def _heights(self, option: str) -> Heights:
        figure = self.read.options.get(option)
        return heights_of(figure) if isinstance(figure, SolidFigure | PlanFigure) else self.read.heights

    def _lines(self) -> Iterator[tuple[tuple[str, ...], int, str]]:
        """The cells, the height and the claim of every column of every side view that is shown."""
        for side in self._sides():
            for k, height in enumerate(self.read.profiles[side], 1):
                cells = self._cells(side, k)
                yield cells, height, str(ViewClaim("tallest", cells=cells, numbers=(height,)))

    def _stacks(self, cells: Iterable[str], option: str = "") -> set[str]:
        heights = self._heights(option)
        named = {
            cell_name((y, x), len(heights)): height for y, row in enumerate(heights) for x, height in enumerate(row)
        }
        return {str(ViewClaim("stack", option, cells=(cell,), numbers=(named[cell],))) for cell in cells}

    def _at_most(self, cell: str, below: int) -> list[str]:
        """What says that a stack is lower than ``below``."""
        # By a line through the cell, or by the stack itself where all solids that fit agree on it.
        through = {height for cells, height, _ in self._lines() if cell in cells and height < below}
        said = [str(ViewClaim("bound", cells=(cell,), numbers=(height,))) for height in through]
        exact = [ViewClaim("stack", cells=(cell,), numbers=(height,)) for height in range(below)]
        return sorted({*said, *(str(one) for one in exact if self.models.truth(one) == "true")})

    def _stack(self, claim: ViewClaim) -> Iterator[Premises]:
        cell, height = claim.cells[0], claim.numbers[0]
        if claim.option or self.read.source is not None:
            yield frozenset({claim.option or str(self.read.source)})
            return
        for cells, tallest, said in self._lines():
            if cell not in cells or tallest != height:
                continue
            # Seen from the top there is something on each shaded square, and where the tallest is 1 it is one cube.
            if height == 1 and "top" in self.read.shown:
                yield frozenset({"top", said})
            # Else the tallest must stand here, as every other stack of the line is known to be lower.
            others = [self._at_most(other, height) for other in cells if other != cell]
            yield from (frozenset({said, *low}) for low in product(*others))

    def _line_bounds(self, claim: ViewClaim) -> Iterator[Premises]:
        if len(self.read.shown) != 2:
            return
        if "top" in self.read.shown:
            words = set() if claim.form == "line_most" else {"top"}
            for cells, _, said in self._lines():
                if cells == claim.cells:
                    yield frozenset({said, *words})
        elif claim.form == "line_most":
            bounds = []
            for cell in claim.cells:
                tight = min(height for cells, height, _ in self._lines() if cell in cells)
                exact = ViewClaim("stack", cells=(cell,), numbers=(tight,))
                low = [str(ViewClaim("bound", cells=(cell,), numbers=(tight,)))]
                bounds.append(low + ([str(exact)] if self.models.truth(exact) == "true" else []))
            yield from (frozenset({*self.read.shown, *chosen}) for chosen in product(*bounds))

    def _part(self, form: str, word: str, k: int) -> str:
        """The column of a view, or its faces, as it is in the solid that is shown."""
        part: Form = "column_faces" if form == "view_faces" else "column"
        claims = (ViewClaim(part, word=word, k=k, numbers=(number,)) for number in range(65))
        return next(str(claim) for claim in claims if self.models.truth(claim) == "true")

    def _quantity(self, claim: ViewClaim) -> Iterator[Premises]:
        if claim.word in ("surface", "painted"):
            for pair in product(("front", "back"), ("left", "right")):
                yield frozenset(self._true(ViewClaim("view_faces", word=word)) for word in (*pair, "top"))
            return
        if claim.word == "box":
            if self.read.source is not None:
                yield self._covering()
            return
        if claim.word == "missing":
            yield frozenset(self._true(ViewClaim("quantity", word=word)) for word in ("box", "count"))
            return
        form = "sum" if claim.word == "count" else f"line_{claim.word}"
        for side in SIDES if claim.word == "count" else self._sides():
            parts = [ViewClaim(form, cells=self._cells(side, k)) for k in self._columns(side)]  # type: ignore[arg-type]
            yield self._covering() | {self._true(part) for part in parts}
        if claim.word == "least" and len(self._sides()) == 2 and len(self.read.shown) == 2:
            heights = {height for _, height, _ in self._lines()}
            yield self._covering() | {self._true(ViewClaim("needed", k=height)) for height in heights}

    def _true(self, claim: ViewClaim) -> str:
        """``claim`` with the number that makes it true; with none if there is no such number."""
        for number in range(200):
            numbered = ViewClaim(claim.form, claim.option, claim.word, claim.k, claim.cells, (number,))
            if self.models.truth(numbered) == "true":
                return str(numbered)
        return str(claim)

    def _found(self) -> Iterator[str]:
        """The claims that say what fills the blank, in the words of the options."""
        for letter, option in self.read.options.items():
            claim = None
            if isinstance(option, str) and option.isdigit():
                claim = ViewClaim("found", numbers=(int(option),))
            elif isinstance(option, ViewFigure) and self.read.asked.word == "top":
                rows = squares(option)
                named = {
                    cell_name((y, x), len(rows)): there for y, row in enumerate(rows) for x, there in enumerate(row)
                }
                claim = ViewClaim("found_cells", cells=tuple(sorted(cell for cell, there in named.items() if there)))
            elif isinstance(option, ViewFigure):
                claim = ViewClaim("found", numbers=column_heights(option))
            if claim is not None and letter == self.models.right and self.models.truth(claim) == "true":
                yield str(claim)

    def _rejections(self, letter: str) -> Iterator[Premises]:
        read, option = self.read, self.read.options[letter]
        if read.asked.form == "fits" and isinstance(option, SolidFigure | PlanFigure):
            heights = heights_of(option)
            for side in self._sides():
                for k, (here, there) in enumerate(zip(profile(heights, side), read.profiles[side], strict=False), 1):
                    if here != there:
                        yield frozenset({side, str(ViewClaim("column", letter, side, k, numbers=(here,)))})
            if "top" in read.shown:
                yield from self._squares_differ(heights, squares(read.shown["top"]), letter, {"top"})
        elif read.asked.form == "sees" and isinstance(option, str):
            drawn = squares(read.shown["view"])
            direction = DIRECTION_NAMES[option]
            if direction == "top":
                yield from self._squares_differ(read.heights, drawn, "", {letter, "view"})
                return
            columns = [sum(column) for column in zip(*drawn, strict=True)]
            for k, height in enumerate(profile(read.heights, direction), 1):
                if k > len(columns) or columns[k - 1] != height:
                    yield frozenset({letter, "view", str(ViewClaim("column", word=direction, k=k, numbers=(height,)))})
        elif read.asked.word == "plan" and isinstance(option, PlanFigure):
            for y, row in enumerate(read.heights):
                for x, height in enumerate(row):
                    if height != option.heights[y][x]:
                        cell = cell_name((y, x), len(read.heights))
                        yield frozenset({letter, str(ViewClaim("stack", cells=(cell,), numbers=(height,)))})
        elif read.asked.form == "completes" and isinstance(option, ViewFigure):
            yield from self._contradictions(letter, column_heights(option))

    @staticmethod
    def _squares_differ(heights: Heights, drawn: Heights, owner: str, words: set[str]) -> Iterator[Premises]:
        for y, row in enumerate(heights):
            for x, height in enumerate(row):
                shown = y < len(drawn) and x < len(drawn[0]) and drawn[y][x]
                if bool(shown) != (height > 0):
                    cell = cell_name((y, x), len(heights))
                    yield frozenset({*words, str(ViewClaim("stack", owner, cells=(cell,), numbers=(height,)))})

    def _contradictions(self, letter: str, option: tuple[int, ...]) -> Iterator[Premises]:
        missing = _side(self.read.asked.word)
        # The option draws a column higher than any stack in its line can be...
        for j, height in enumerate(option, 1):
            low = [self._at_most(cell, height) for cell in self._cells(missing, j)]
            yield from (frozenset({letter, str(self._binding(missing, j)), *said}) for said in product(*low))
        # ...or no column high enough for a stack that is known to stand in one of its lines.
        for cells, tallest, said in self._lines():
            rows = {j for j in self._columns(missing) for cell in cells if cell in self._cells(missing, j)}
            if all(option[j - 1] < tallest for j in rows):
                yield frozenset({letter, said, *(str(self._binding(missing, j)) for j in rows)})


def _side(word: str) -> Side:
    return next(side for side in SIDES if side == word)


def _claim_of(read: Answer) -> str:
    return f"options = {{{canonical_text(read)}}}" if read.kind == "choice_set" else f"? = {read.value}"
