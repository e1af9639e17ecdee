"""SRT: structured reasoning traces, from problems to checked traces to training sequences.

``from srt import Problem, solve, check, build`` is the public Python API (:mod:`srt.api`, ``docs/python.md``). It is
imported on first use, so ``import srt`` is instant. No deep-learning library is imported anywhere in this package;
``train`` and ``eval`` build on it.
"""

from __future__ import annotations

# Not typing.TYPE_CHECKING: nothing is imported here. Type checkers know the name, and where __all__ comes from.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from srt.api import *

__version__ = "0.2.0"
__all__ = [
    "Answer",
    "Judgement",
    "Message",
    "Problem",
    "Score",
    "Sequence",
    "Step",
    "StepCheck",
    "Trace",
    "TraceCheck",
    "UserError",
    "build",
    "check",
    "corrupt",
    "judge",
    "judge_many",
    "linearize",
    "parse",
    "prompt",
    "read",
    "sample",
    "score",
    "show",
    "solve",
    "write",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'srt' has no attribute {name!r}")
    import srt.api

    return getattr(srt.api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
