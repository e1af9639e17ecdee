"""Mathematics in prose: what a text claims and whether it holds, traces in prose, and faults planted in them.

:mod:`.claims` finds equations, inequalities and units in a text and decides them exactly. :mod:`.checking` gives the
verdicts on free traces. :mod:`.faults` plants errors in equations, with a reader of its own, to measure the checker by.
:mod:`.own_statements` tells what a text says as its own from what it supposes, quotes or rejects.
"""

from srt.prose.claims.check_prose import check_prose

__all__ = ["check_prose"]
