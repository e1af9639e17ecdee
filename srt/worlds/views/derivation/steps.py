"""The steps of a derivation as they are made; what was said before is not said again."""

from __future__ import annotations

from collections.abc import Iterable

from srt.language.premises import renumber_steps
from srt.language.trace import Step
from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.kernel.stacks import Side, cell_name, line
from srt.worlds.views.reading.problem_reader import ViewsProblem, heights_of


class Derivation:
    """Steps so far. Steps are cited by their numbers, figures, options and the question by their words."""

    def __init__(self, problem: ViewsProblem) -> None:
        self.problem = problem
        self.steps: list[Step] = []
        self._said: dict[ViewClaim, int] = {}

    def say(self, claim: ViewClaim, words: Iterable[str] = (), steps: Iterable[int] = ()) -> int:
        """The number of the step that says ``claim``, from figures and so on (``words``) and earlier steps."""
        if claim not in self._said:
            args = (*words, *(f"#{number}" for number in sorted(set(steps))))
            self.steps.append(Step(op=claim.operation, args=args, claim=str(claim)))
            self._said[claim] = len(self.steps)
        return self._said[claim]

    def needed(self) -> tuple[Step, ...]:
        """The steps that the last one rests on, and it; renumbered."""
        wanted = {len(self.steps)}
        for number in range(len(self.steps), 0, -1):
            if number in wanted:
                wanted |= {int(word[1:]) for word in self.steps[number - 1].args if word.startswith("#")}
        new_number = {old: new for new, old in enumerate(sorted(wanted), 1)}
        return tuple(
            step.model_copy(update={"args": tuple(renumber_steps(step.args, new_number))})
            for number, step in enumerate(self.steps, 1)
            if number in wanted
        )

    def number_of(self, claim: ViewClaim) -> int | None:
        """The step that has said ``claim``."""
        return self._said.get(claim)

    def covering(self) -> tuple[str, ...]:
        """The figures that show where stacks are: the plan, the solid or the top view, else the two side views."""
        if self.problem.source is not None:
            return (self.problem.source,)
        return ("top",) if "top" in self.problem.shown else tuple(self.problem.shown)

    def cells(self, side: Side, k: int) -> tuple[str, ...]:
        """The cells that column ``k`` of the view from ``side`` shows."""
        there = set(self.problem.places)
        return tuple(sorted(self.problem.cell(p) for p in line(side, k, *self.problem.size) if p in there))

    def bind(self, side: Side, k: int) -> int:
        """The column of a view is bound to the cells that it shows."""
        shown = (side,) if side in self.problem.shown else ()
        words = dict.fromkeys((*shown, *self.covering()))
        return self.say(ViewClaim("binding", word=side, k=k, cells=self.cells(side, k)), words)

    def read_stack(self, cell: str) -> int:
        """The height of a stack is read from the plan or the solid."""
        y, x = self.problem.size[0] - int(cell[1]), "abcdefgh".index(cell[0])
        return self.say(
            ViewClaim("stack", cells=(cell,), numbers=(self.problem.heights[y][x],)), [str(self.problem.source)]
        )

    def reach(self, side: Side, k: int) -> int:
        """A view that is shown says how high the tallest stack in one of its columns is."""
        height = self.problem.profiles[side][k - 1]
        claim = ViewClaim("tallest", cells=self.cells(side, k), numbers=(height,))
        return self.say(claim, [side], [self.bind(side, k)])

    def option_column(self, letter: str, side: Side, k: int) -> int:
        """The height of a column of a view of the solid that is option ``letter``."""
        heights = heights_of(self.problem.options[letter])  # type: ignore[arg-type]
        depth = len(heights)
        there = [(y, x) for y, x in line(side, k, depth, len(heights[0])) if heights[y][x]]
        named = sorted((cell_name(place, depth), heights[place[0]][place[1]]) for place in there)
        cells = tuple(cell for cell, _ in named)
        bound = self.say(ViewClaim("binding", letter, side, k, cells), [letter])
        read = [self.option_stack(letter, cell, height) for cell, height in named]
        tallest = max(height for _, height in named)
        return self.say(ViewClaim("column", letter, side, k, numbers=(tallest,)), steps=[bound, *read])

    def option_stack(self, letter: str, cell: str, height: int) -> int:
        """The height of a stack of the solid that is option ``letter``."""
        return self.say(ViewClaim("stack", letter, cells=(cell,), numbers=(height,)), [letter])
