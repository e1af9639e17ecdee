"""Whether two answers are equal, decided here and nowhere else. :func:`equal` is the whole; the modules are its parts.

:mod:`.policies` says what counts, :mod:`.normal_form` undoes how things are written, :mod:`.stated_values` finds the
value in words, :mod:`.units`, :mod:`.rounded_decimals`, :mod:`.algebra` and :mod:`.parts` each decide one thing,
:mod:`.forms` has what is no single number, :mod:`.math_verify_client` asks math-verify in a separate process,
:mod:`.magnitudes`, :mod:`.written_values`, :mod:`.equations` and :mod:`.worded_answers` hold two against each other,
:mod:`.equal` does what each kind of answer needs, and :mod:`.understood` says why a gold answer is not understood.
"""

from __future__ import annotations

from srt.answers.equality.equal import equal, equal_texts, equal_to_gold, is_conclusion
from srt.answers.equality.policies import CONTRADICTION, LENIENT, POLICIES, SAME_VALUE, STRICT, TRAINING, PolicyName
from srt.answers.equality.understood import unreadable_gold

__all__ = [
    "CONTRADICTION",
    "LENIENT",
    "POLICIES",
    "SAME_VALUE",
    "STRICT",
    "TRAINING",
    "PolicyName",
    "equal",
    "equal_texts",
    "equal_to_gold",
    "is_conclusion",
    "unreadable_gold",
]
