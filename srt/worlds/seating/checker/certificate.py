"""The certificate of a seating problem: the last plan that a text states, held against every clue and the answer."""

from __future__ import annotations

from srt.answers.written_form import read_answer
from srt.io.records import Problem
from srt.worlds.seating.checker.claim_sets import NONE, Meaning
from srt.worlds.seating.checker.entailment import holding, tied_parts
from srt.worlds.seating.checker.reading.problem_text import read_seating_problem
from srt.worlds.seating.checker.reading.stated_plan import stated_plan


def certify_seating(problem: Problem, text: str, answer: str | None) -> bool | None:
    """Whether ``text`` states a plan of ``problem`` that satisfies every clue, and ``answer`` is right in that plan.

    ``None`` if the problem is not of the seating world. Clues and question are read from the problem alone. That no
    other plan satisfies them is not shown: where the clues leave several, an answer that is right in one of them is
    certified, though it may be wrong in another.
    """
    read = read_seating_problem(problem)
    if read is None:
        return None
    world = read.language.world
    if answer is None or read.question is None or read.choices is None or NONE in read.names:
        return False
    letters = read_answer(answer, "choice_set", problem.choices).answer
    seats = None if letters is None else stated_plan(text, read.names, world.plan)
    if letters is None or seats is None:
        return False
    case = world.full
    for entity, seat in enumerate(seats):
        case &= world.at[entity][seat]
    if not all(clue is not None and clue.tied[0] & case for clue in read.clues):
        return False
    said = Meaning((), blank=True, letters=frozenset(letters.value))
    return bool(case & holding(world.full, read.question, tied_parts, said, read.choices))
