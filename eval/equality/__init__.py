"""Whether an answer equals gold: one module an idea, :func:`equal` the whole.

:mod:`.policy` says what counts, :mod:`.spelling` undoes how things are written, :mod:`.units`, :mod:`.rounding`,
:mod:`.algebra` and :mod:`.parts` each decide one thing, :mod:`.verifier` asks math-verify in a process of its own, and
:mod:`.equal` puts them in order.
"""

from __future__ import annotations

from eval.equality.equal import Equality, equal, unreadable_gold
from eval.equality.groups import groups
from eval.equality.policy import POLICIES, Policy

__all__ = ["POLICIES", "Equality", "Policy", "equal", "groups", "unreadable_gold"]
