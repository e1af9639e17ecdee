"""Decoding that a guide watches: each line of a text is judged before the next one is written.

A guide (:mod:`.guide`) says whether a line may stand; what happens to a text whose line may not is
:mod:`.guided_text`'s to say; :mod:`.guided_rows` runs a model for many texts at once. None knows the others' business,
so that another guide is one class. Nothing here imports :mod:`eval.backends`, which use it.
"""
