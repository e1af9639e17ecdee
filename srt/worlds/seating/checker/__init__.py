"""The checker of the seating world, independent of its solver: they share no code, no table and no parser.

A problem is read by looking up its sentences among all that a grammar generates (:mod:`.reading.wordings`).
Relations are computed from coordinates (:mod:`.plans`). Claims compile to sets of placements (:mod:`.claim_sets`), so
that a claim follows from its premises if it is a superset of what they leave open (:mod:`.entailment`,
:mod:`.check_seating`).
"""
