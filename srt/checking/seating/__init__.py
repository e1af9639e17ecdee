"""The checker of the seating world, written apart from its solver: no code, no table and no parser is shared.

A problem is read by looking its sentences up among all that a grammar generates (:mod:`.wordings`); relations are
computed from coordinates (:mod:`.plans`); claims compile to sets over all placements (:mod:`.claims`), so that to
follow is to be a subset (:mod:`.weighing`, :mod:`.verdicts`).
"""
