"""Our own format, which is TRL's: ``prompt`` and ``completion`` as messages, and more columns, which TRL leaves aside.

``srt train`` reads it, as JSON Lines or Parquet. TRL takes pictures only from Parquet, where they are in the file.
"""

from __future__ import annotations

from srt.io.records import Problem, Sequence
from srt.trainers.trainer_format import TrainerFormat


def trl_row(sequence: Sequence, _: Problem, __: list[str] | None) -> Sequence:
    """The sequence itself."""
    return sequence


TRL = TrainerFormat(Sequence, trl_row, stem="sequences")
