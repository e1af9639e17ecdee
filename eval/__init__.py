"""Evaluation: back ends that generate, answers read from what they wrote, statistics, comparison, reports.

Predict (:mod:`.predict`) writes a run folder, score (:mod:`.score`) reads it and never generates, compare
(:mod:`.compare`) reads several and writes tables, plots and a page. :mod:`.runs` says what lies in a run folder.
"""
