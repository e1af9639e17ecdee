"""A chat template is a program; here it is stopped after a number of steps, whatever it loops over.

Steps are counted, not seconds: the same template stops at the same place on every machine. One step can still take long
(``10 ** 10 ** 9``): a template is first rendered in a process with bounded time and memory (:mod:`.trial`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

MOST_STEPS: Final = 500_000
"""Lines of the compiled template that are run. The template of Qwen2.5-VL runs 40 for a prompt, and a long one with
tools 10 for each message."""

_COMPILED: Final = "<template>"
"""What jinja2 calls the file of a template that was compiled from a string."""


class EndlessTemplate(Exception):
    """A template has run :data:`MOST_STEPS` lines and has not ended."""


def bounded(render: Callable[[], Any]) -> Any:
    """What ``render`` returns, which renders a template in this thread.

    Raises:
        EndlessTemplate: it runs more lines of templates than :data:`MOST_STEPS`.
    """
    steps = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal steps
        if frame.f_code.co_filename != _COMPILED:
            return None
        steps += 1
        if steps > MOST_STEPS:
            raise EndlessTemplate(f"it has not ended after {MOST_STEPS:,} steps")
        return count

    # A debugger or a coverage tool may be listening.
    before = sys.gettrace()
    sys.settrace(count)
    try:
        return render()
    finally:
        sys.settrace(before)
