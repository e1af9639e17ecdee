"""Answers: what the answer in a text is, whether two answers are equal, and how an answer is written.

- :mod:`.extraction` reads the answer of what a model wrote. :mod:`.answer_places` finds where answers are stated, with
  :mod:`.tables_and_quotes`, :mod:`.boxes` and :mod:`.concluding_words`; :mod:`.final_statement` says which of them
  stands in the end, and :mod:`.unmarked_statement` looks where no place is marked.
- :mod:`.read_statement` reads what the statement says: :mod:`.options`, :mod:`.yes_or_no`, :mod:`.stated_set`,
  :mod:`.labels` and :mod:`.values`, with :mod:`.clauses` and :mod:`.beyond_question` for sentences.
- :mod:`.equality` decides whether an answer equals gold. Nothing outside of it holds two answers equal.
- :mod:`.groups` puts equal answers together, for votes.
- :mod:`.written_form` writes an answer as text, and reads such text.
"""
