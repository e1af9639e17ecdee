"""Answers, in three parts: what the answer in a text is, whether two answers are equal, and how an answer is written.

- :mod:`.extraction` finds the answer in what a model wrote (:mod:`.markers`: where it is).
- :mod:`.equality` decides whether an answer equals gold. Nothing outside of it holds two answers equal.
- :mod:`.written_form` writes an answer as text, and reads such text.
"""
