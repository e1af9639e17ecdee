"""Claims in prose that a machine can decide: equations, inequalities, counts and units, decided exactly."""

from srt.claims.check_prose import check_prose, equal_values

__all__ = ["check_prose", "equal_values"]
