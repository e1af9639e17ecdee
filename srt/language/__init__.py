"""The trace language: what a trace is (:mod:`.trace`), its linear text (:mod:`.text`), the training arms (:mod:`.arms`).

``docs/language.md`` explains it with worked examples.
"""
