"""The trace language: traces (:mod:`.trace`), their linear text (:mod:`.text`), the training arms (:mod:`.arms`).

``docs/language.md`` explains it with worked examples.
"""
