"""Evaluation: back ends that generate, scores of what they wrote, comparison, reports.

:mod:`eval.run.predict` writes a run folder (:mod:`eval.records.run_records` describes its files),
:mod:`eval.scoring.score` scores it and never generates, :mod:`eval.report.compare` reads several and writes tables,
plots and a page.
:mod:`eval.evaluation` runs all of it from a recipe.
"""
