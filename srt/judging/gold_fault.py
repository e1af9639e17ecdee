"""Whether a gold answer can be met at all: written as an output, it goes through extraction and equality like any.

A gold answer that does not equal itself is met by no output: every arm is wrong on its problem, and nobody sees why. So
``srt import`` leaves such a problem out by name, and ``srt eval`` stops before it generates.
"""

from __future__ import annotations

from srt.answers.equality import equal_to_gold
from srt.answers.extraction import extract
from srt.answers.score_text import Grade
from srt.answers.written_form import canonical_text
from srt.io.records import Problem
from srt.language.prompts import asks_for_one_letter
from srt.language.text import answer_line

_LONGEST = 80
"""Characters of an answer that a message quotes."""
_WHAT_IS_READ = "letters of options, a number with its unit, a formula, or a few words on one line"


def gold_fault(problem: Problem, grade: Grade | None = None) -> str | None:
    """Why no output can meet the gold answer of ``problem``, and what would be right; ``None`` if one can, or if there
    is no gold answer.

    The output is the answer line that our prompts ask for, compared as strictly as scores are. ``grade`` is that of the
    benchmark, if it has one: gold must earn full credit.
    """
    if problem.answer is None:
        return None
    written = canonical_text(problem.answer)
    quoted = repr(written[:_LONGEST])
    if asks_for_one_letter(problem) and (problem.answer.kind != "choice_set" or len(problem.answer.value) != 1):
        return f"answer: {quoted} is not one letter, which is what the problem asks for; write the letter of one option"
    found = extract(answer_line(written, problem.lang), problem)
    if found.answer is None or found.text is None:
        return f"answer: {quoted} is not read as an answer where an output states it; write {_WHAT_IS_READ}"
    full = equal_to_gold(problem, found.text).equal if grade is None else grade(problem, found.answer) == 1
    if full:
        return None
    read = repr(found.text[:_LONGEST])
    right = f"if {read} is the answer, write that" if found.text in written else f"write {_WHAT_IS_READ}"
    return f"answer: an output that states {quoted} is read as {read}, which does not equal it; {right}"
