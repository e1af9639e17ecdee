"""``srt review``: the page where people correct traces that machines could not settle, and audit those that passed.

It works on a folder of ``srt teach``; :mod:`srt.teaching.case_store.decisions` has the meaning of the decisions.
"""
