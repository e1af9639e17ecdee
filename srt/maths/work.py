"""How much work a check may take, counted in steps and not in seconds: the limit falls at the same place everywhere.

A check opens a budget, and what may be expensive takes steps from it: reading a side in each of its senses, an exact
comparison, a digit of a sine. One step is about a microsecond. Outside a budget nothing is counted.

What is kept from one call to the next costs the same whether it is kept or not (:func:`remembered`), or a verdict
would depend on what was checked before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


MOST_WORK = 200_000
"""Steps on one text, or on all of one trace. An ordinary trace takes a tenth of it; of long solutions two in a hundred
take more."""


class TooMuchWork(Exception):
    """The budget is used up."""


class WorkBudget:
    """What is ``left`` of so many ``steps``; below zero it is used up."""

    def __init__(self, steps: int) -> None:
        self.steps = self.left = steps

    @property
    def used_up(self) -> bool:
        """Whether more was asked for than there was."""
        return self.left < 0


_open: ContextVar[WorkBudget | None] = ContextVar("budget", default=None)


@contextmanager
def budget(steps: int) -> Iterator[WorkBudget]:
    """A budget for what runs inside. One inside another is the outer one: a check counts all its work together."""
    outer = _open.get()
    if outer is not None:
        yield outer
        return
    with _opened(WorkBudget(steps)) as opened:
        yield opened


@contextmanager
def _opened(new: WorkBudget) -> Iterator[WorkBudget]:
    token = _open.set(new)
    try:
        yield new
    finally:
        _open.reset(token)


def spend(steps: int) -> None:
    """Take ``steps`` from the budget. Raises :class:`TooMuchWork` where they are not left."""
    opened = _open.get()
    if opened is not None:
        opened.left -= steps
        if opened.left < 0:
            raise TooMuchWork


def remembered(maxsize: int) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Keep the last ``maxsize`` results of a function that spends; a result that is looked up takes its steps again.

    A call never takes more than :data:`MOST_WORK`: beyond, it raises :class:`TooMuchWork` inside a budget, and is done
    without a limit outside.
    """

    def around(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        @lru_cache(maxsize=maxsize)
        def found(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> tuple[list[_Result], int]:
            with _opened(WorkBudget(MOST_WORK)) as work:
                try:
                    return [function(*args, **kwargs)], MOST_WORK - work.left
                except TooMuchWork:
                    return [], MOST_WORK + 1

        @wraps(function)
        def remembering(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
            results, steps = found(*args, **kwargs)  # type: ignore[arg-type]  # Arguments that can be hashed.
            spend(steps)
            return results[0] if results else function(*args, **kwargs)

        return remembering

    return around
