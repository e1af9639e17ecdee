"""Answers that are no single number, each form compared by its own rule.

Ratios; points, sets and intervals (:mod:`.brackets`); relations of lines; descriptions with several values.
"""
