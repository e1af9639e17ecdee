"""The solver: the exact trace of a problem, and what is true of it."""

from __future__ import annotations

from collections.abc import Callable

from srt.io.records import Answer, Problem
from srt.language.trace import Trace, Truth
from srt.worlds.routes.derivation.claims import parse_claim
from srt.worlds.routes.derivation.derive import conclusion, facts_of, legs_first, needed_facts, steps_of
from srt.worlds.routes.reading.read_route import Route, read_route
from srt.worlds.routes.walk import result
from srt.worlds.world import NEEDED, Refused

LEGS_FIRST = "legs-first"


def solve_route(problem: Problem, plan: str = NEEDED) -> Trace:
    """What the question needs, sentence by sentence; with the plan ``legs-first``, all legs before the first place.

    Raises:
        Refused: as :func:`answer_of` does.
    """
    route, answer = answer_of(problem)
    facts = needed_facts(route.asked, route.walk)
    steps = list(steps_of(legs_first(facts) if plan == LEGS_FIRST else facts))
    steps.append(conclusion(problem.choices, answer, len(steps)))
    return Trace(
        id=f"t-{problem.id}",
        problem_id=problem.id,
        kind="world",
        lang=problem.lang,
        steps=tuple(steps),
        answer=answer,
    )


def answer_of(problem: Problem) -> tuple[Route, str]:
    """The problem as it is read, and its answer as text: the letter of the right option, or a number.

    Raises:
        Refused: it cannot be read, has no single right option or no whole number, or its gold answer is another.
    """
    route = read_route(problem)
    right = result(route.asked, route.walk)
    if right is None:
        raise Refused("no_whole_number", "question: of this walk it cannot be answered in whole steps")
    if route.options:
        letters = [letter for letter, value in route.options.items() if value == right]
        if not letters:
            raise Refused("no_option_fits", f"solved: {right}")
        if len(letters) > 1:
            raise Refused("not_unique", f"options {', '.join(letters)} say the same")
        answer, gold = letters[0], Answer(kind="choice_set", value=letters)
    elif isinstance(right, int):
        answer, gold = str(right), Answer(kind="number", value=right)
    else:
        raise Refused("unknown_wording", f"choices: a question of the kind {route.asked!r} needs options")
    if problem.answer is not None and problem.answer.value != gold.value:
        raise Refused("disagrees_with_gold", f"solved: {answer}; gold: {problem.answer.value}")
    return route, answer


def truth_of(problem: Problem) -> Callable[[str], Truth]:
    """Whether a claim is true of the walk, also where the question does not need it."""
    try:
        route, answer = answer_of(problem)
    except Refused:
        return lambda claim: "unknown"
    known = {subject: fact.value for subject, fact in facts_of(route.walk).items()}
    known |= {"options": f"{{{answer}}}"} if problem.choices else {"answer": answer}

    def truth(text: str) -> Truth:
        try:
            claim = parse_claim(text)
        except ValueError:
            return "unknown"
        if claim.subject not in known:
            return "unknown"
        return "true" if known[claim.subject] == claim.value else "false"

    return truth
