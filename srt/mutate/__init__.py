"""``srt mutate``: corrupt valid traces in every class of fault, and show what the checker catches.

A mutation (:mod:`.truth_changing`, :mod:`.support_breaking`) makes one fault in a valid trace. Some leave the trace
valid by accident; :mod:`.oracle`, which shares nothing with the checker, recognises those, and they are counted apart.
"""

from __future__ import annotations

from srt.mutate.run import mutate_file
from srt.mutate.table import MutationTable, print_table

__all__ = ["MutationTable", "mutate_file", "print_table"]
