"""Answers: what the answer in a text is, whether two answers are equal, and how an answer is written.

- :mod:`.extraction` reads the answer of what a model wrote. :mod:`.final_statement` finds where it is stated, with
  :mod:`.boxes` and :mod:`.concluding_words`; :mod:`.labels` reads answers from a closed list.
- :mod:`.equality` decides whether an answer equals gold. Nothing outside of it holds two answers equal.
- :mod:`.groups` puts equal answers together, for votes.
- :mod:`.written_form` writes an answer as text, and reads such text.
"""
