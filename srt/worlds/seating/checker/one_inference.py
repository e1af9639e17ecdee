"""Whether a step that follows is one inference: not several at once, and without a premise that it does not need.

Without this rule a right guess in the right form would be proved, and the checker would be an answer oracle.
:func:`leap` counts what a step uses on the text of its claims; :func:`idle_premise` takes the premises away one by one
and asks whether the claim still follows. ``docs/seating.md`` has the rule in short. A step is no leap if

- only CORRELATE cites a clue or ``question``;
- only the step that decides ``options`` cites letters. It cites a claim that names who fills the blank, but no
  relation and not ``scene``;
- with ``scene`` (or ``wlog``) it uses at most one relation, which is a lookup in the plan; without it at most two,
  which is a substitution. Every atom counts as a relation unless it is a placement (``Ann@S1``) or names who fills
  the blank (``? = Ann``). So ``tier``, ``column`` and ``faces`` count, too: their places are listed (``Hal@S1 |
  Hal@S2``, without ``scene``) in a step before. The content of one clue counts once, however many atoms it has;
- a substitution puts one relation into another: of ``? = across(right(Ann))``, ``right(Ann) = Bob`` makes ``? =
  across(Bob)``, and of ``? = across(Bob)``, ``across(Bob) = Cal`` makes ``? = Cal``. Or the other way round: of
  ``across(Bob) = Cal``, ``right(Ann) = Bob`` makes ``across(right(Ann)) = Cal``. The second may be cited in other
  words (``left(Bob) = Ann``) or more exactly (``front_left`` for ``diag``). A single relation may be said in other
  words, of the people that it names. Any other consequence of two relations is found in the plan, and so is that a
  function leads nowhere. (``tier``, ``column`` and ``faces`` are placements in this rule.) A place does not follow
  from a relation without ``scene``;
- with ``scene``, nothing follows about the blank from a relation of named people: it seats them, and another step
  looks up the question;
- a step about named entities that cites ``scene`` either seats somebody or looks somebody up: if its claim relates
  people, it cites no relation and not ``wlog``, and there is one function or region in each alternative;
- at most one cited claim about named entities lists alternatives (``James@S1 | James@N1``). Two such lists may be
  joined in a step that cites neither ``scene`` nor a relation between people, names nobody else, and says where
  somebody sits. Without ``scene``, ``faces(James) = S`` is such a list, too, and so are ``tier`` and ``column``;
- the step that decides ``options`` cites somebody by name who fills the blank for sure: of ``?@N1 & ? = James | ?@N1
  & ? = Jason``, only one does;
- the entity that fills the blank is named from a placement (``?@N1`` and ``James@N1``) or from two relations, never
  from a relation and a placement together: finding the seat is one step, and finding who sits there is the next;
- a claim with ``?`` repeats no seat of a named entity (``Bob@S2``) that no cited step says, in no alternative;
- each alternative of a claim with ``?`` can hold for somebody who may fill the blank under the cited premises. Only a
  claim without ``|`` that has a relation may hold for nobody;
- a lookup cites the seats of the entities that it looks up. Nested functions (``across(right(Ann))``) are looked up
  one by one, unless the first one gives nobody;
- with ``scene``, a relation of ``?`` is the cited one, or the cited one with one function replaced by the entity that
  it leads to, or an equivalent in every placement. From ``? = across(right(Ann))`` follows ``? = across(Bob)`` in one
  step, but not ``? = left(Jan)``, even if this is the same person. From a placement (``?@N1``) no relation follows;
- a step that cites ``scene`` or ``wlog`` seats and names only people that a cited premise mentions. If it cites a
  relation and seats somebody, it seats somebody that the relation mentions. The last person left is found in a
  separate step, also before the blank is named. ``wlog`` alone chooses the seat of one person;
- nothing but ``options = {..}`` is derived from a step that says ``options = {..}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from srt.language.trace import Step
from srt.worlds.seating.checker.cited_premises import Citations
from srt.worlds.seating.checker.claim_sets import BLANK, TOKENS, ClaimForm, Meaning
from srt.worlds.seating.checker.entailment import follows
from srt.worlds.seating.checker.lookup_or_substitution import (
    has_nested_functions,
    is_another_relation,
    is_substitution,
    leads_to_somebody,
    leaves_open_who,
    relates_people,
    relations_at_once,
)
from srt.worlds.seating.checker.reading.problem_text import SeatingProblem

_ATOMS = re.compile(r" [&|] ")
MOST_RELATIONS_WITH_SCENE = 1
"""A lookup: one relation is read off the plan of the seats."""
MOST_RELATIONS_WITHOUT_SCENE = 2
"""A substitution: one relation is put into another."""
MOST_LISTS_JOINED = 2
"""Two lists of where people may sit make one; what follows from it is another step."""


def leap(step: Step, claim: Meaning, cited: Citations, problem: SeatingProblem) -> str | None:
    """Why ``step``, which follows from what it cites and is no faithful reading, makes several inferences at once.

    ``None`` where it makes one.
    """
    # A step may break several of these rules: the first one is reported.
    if cited.quoted:
        return f"{cited.quoted[0]} is cited by {step.op}: only CORRELATE reads a clue or the question"
    premises = [premise.form for premise in cited.meanings]
    # What the cited claims about named entities leave open, with the plan of the seats.
    known = problem.language.world.full
    for meaning in cited.meanings:
        if not meaning.blank:
            known &= meaning.tied[0]
    if claim.letters is not None:
        return _options_leap(cited, premises, known, problem)
    if any(premise.letters is not None for premise in cited.meanings):
        return "which options are right is the end: nothing is derived from it"
    most = MOST_RELATIONS_WITH_SCENE if cited.scene else MOST_RELATIONS_WITHOUT_SCENE
    if cited.relations > most:
        return f"it uses {cited.relations} relations; {'with' if cited.scene else 'without'} scene {most} at most"
    if reason := _joins(claim, cited) or _found_relation(claim, cited, problem):
        return reason
    # "Dan sits on N2, as all others sit elsewhere" is an inference of its own, and easily hidden in a lookup.
    if _eliminates(claim, cited, premises):
        return "it names somebody that no cited premise names: who is left over is another step"
    related = _tokens(form.tokens for form in premises if form.relations)
    if cited.scene and not claim.blank and cited.relations and not claim.form.tokens & related:
        return "it seats nobody that the relation names: who is left over is another step"
    # ``Bob@S2 & ?@N1`` from ``?@N1`` alone would bring Bob's seat in without saying where it is known from.
    if claim.blank and _says_new_seats(claim.form, [premise.form for premise in cited.meanings if not premise.blank]):
        return "it says where somebody sits, and no cited step says so"
    if claim.blank and _has_dead_alternative(claim, known, cited, problem):
        return "an alternative holds for nobody: it adds nothing but a guess"
    # From ``? = right(Ann)``, ``Ann@S1`` and ``Bob@S2`` follows first ``?@S2``, and then ``? = Bob``. In one step a
    # trace could say the name that it has guessed and cite all seats.
    if cited.relations and claim.form.names_somebody:
        if cited.scene or any(form.places for form in premises):
            return "find the seat that is asked for in one step, and who sits there in the next"
    elif cited.relations and cited.scene and claim.blank and (claim.form.seats_blank or claim.form.nobody):
        if _tokens(form.tokens for form in premises if form.relations) - _tokens(form.seated for form in premises):
            return "it looks up somebody whose seat no cited step gives"
        # Unless the first function leads to nobody: then the next one has nothing to be applied to.
        if any(leads_to_somebody(premise, known, problem) for premise in cited.meanings if premise.blank):
            return "look up one function of the question in one step"
    if cited.scene and claim.blank and any(relates_people(one.masked) and not one.blank for one in cited.meanings):
        return "a relation of named people seats one of them; what it says of the blank is another step"
    if cited.scene and claim.blank and is_another_relation(claim, cited.meanings, known, problem):
        return "it says another relation of the blank than the one it cites, with one function looked up at most"
    return None


def idle_premise(step: Step, claim: Meaning, cited: Citations, problem: SeatingProblem) -> str | None:
    """The first premise without which ``step`` still follows; ``""`` where it follows from nothing at all.

    ``None`` where every premise is needed. A step that repeats the seat of somebody may cite where it is known from,
    and a lookup of the person it finds, where nobody fills the blank either way.
    """
    # A step that repeats ``options = {..}`` rests on the step before, and needs no letters.
    decides_options = claim.letters is not None and all(premise.letters is None for premise in cited.meanings)
    if cited.letters and not decides_options:
        return cited.letters[0]
    # A name adds nothing that the claim could follow from, so that taking it away would show nothing.
    if cited.entities:
        named = _tokens(premise.form.tokens for premise in cited.meanings)
        if unnamed := next((name for name in cited.entities if problem.tokens[name] not in named), None):
            return unnamed
    if twice := next((word for place, word in enumerate(step.args) if word in step.args[:place]), None):
        return twice
    # A choice of seats takes the plan of the seats for granted.
    if cited.wlog and "scene" in step.args:
        return "scene"
    sitting = (premise.form.seats_repeated for premise in cited.meanings if not premise.form.nobody)
    repeated = claim.form.seats_repeated | _tokens(sitting)
    # One at a time is enough: if a part of the premises is enough, so is that part with any others beside it.
    for place, word in enumerate(cited.words):
        if not _says_where(place, repeated, cited) and not _seats_whom_is_found(place, claim, cited):
            rest = [*cited.meanings[:place], *cited.meanings[place + 1 :]]
            if follows(rest, claim, problem, scene=cited.scene, free=cited.wlog):
                return word
    if cited.wlog:
        return "wlog" if follows(cited.meanings, claim, problem, scene=True) else None
    if cited.scene:
        return "scene" if follows(cited.meanings, claim, problem, scene=False) else None
    return None if cited.words else ""


def _found_relation(claim: Meaning, cited: Citations, problem: SeatingProblem) -> str | None:
    """Why a relation that the step finds, or a person it names by relations, is neither a lookup nor a substitution."""
    related = any(relates_people(premise.masked) for premise in cited.meanings)
    # Without the plan nothing is known of seats but what is cited, so only words can be replaced by equal ones.
    if not cited.scene:
        finds = claim.form.names_somebody or claim.form.nobody or relates_people(claim.masked)
        if related and not finds and any(premise.blank for premise in cited.meanings):
            return "without scene no place follows from a relation: find in one step who it is, and where in the next"
        if related and finds and not is_substitution(claim, cited.meanings, problem):
            return "without scene one relation is put into another: it says what neither of them says"
        return None
    if claim.blank or not relates_people(claim.masked):
        return None
    if related or cited.wlog:
        return "it seats somebody and looks somebody up: these are two steps"
    if relations_at_once(claim.masked) > 1 or has_nested_functions(claim.masked):
        return "look up one function in one step"
    return None


def _joins(claim: Meaning, cited: Citations) -> str | None:
    """Why a step that cites several lists of alternatives does more than join two of them."""
    lists = sum(_lists(premise, cited) and not premise.blank for premise in cited.meanings)
    only_seats = not (cited.scene or claim.blank or claim.form.relations)
    related = any(relates_people(premise.masked) for premise in cited.meanings)
    most = MOST_LISTS_JOINED if only_seats and not related else 1
    if lists > most:
        return f"it cites {lists} lists of alternatives: join two in one step, without scene, and go on from there"
    if lists > 1 and claim.form.tokens - _tokens(premise.form.tokens for premise in cited.meanings):
        return "it joins two lists and names who is left over: these are two steps"
    return None


def _lists(premise: Meaning, cited: Citations) -> bool:
    """Whether a premise lists alternatives: without ``scene``, the places of somebody who faces north are a list."""
    return " | " in premise.masked or (
        not cited.scene and premise.form.relations > 0 and not relates_people(premise.masked)
    )


def _options_leap(cited: Citations, premises: list[ClaimForm], known: int, problem: SeatingProblem) -> str | None:
    if any(premise.letters is not None for premise in cited.meanings):
        return None
    if cited.scene or cited.relations or not any(form.names_fillers for form in premises):
        return "the options are decided by who fills the blank: name them in a step before"
    # ``?@N1 & ? = Ann | ?@N1 & ? = Bob`` names who may fill the blank: an answer read off it would be a guess.
    named = (premise for premise in cited.meanings if premise.form.names_fillers and not premise.form.nobody)
    if any(leaves_open_who(premise.masked, known, problem) for premise in named):
        return "the options are decided by who fills the blank: this lists who may"
    return None


def _eliminates(claim: Meaning, cited: Citations, premises: list[ClaimForm]) -> bool:
    """Whether the claim seats or names somebody who is left over, besides what the step looks up.

    All but those spoken of may be named together ("who does not sit beside Ann"); one alone is found by elimination.
    ``wlog`` alone may choose the seat of one person.
    """
    if cited.wlog and not premises:
        return len(claim.form.tokens) > 1
    looks_up = cited.scene and (claim.form.places or claim.form.relations > 0)
    if not looks_up and (cited.relations or not claim.blank):
        return False
    left_over = claim.form.tokens - _tokens(form.tokens for form in premises)
    return bool(left_over) if looks_up else len(left_over) == 1


def _says_new_seats(claim: ClaimForm, premises: list[ClaimForm]) -> bool:
    """Whether a claim about the blank repeats a seat that no premise says; what it always says, one must always say.

    ``premises`` are those about named entities: what one about the blank repeats, it takes for granted.
    """
    always = _tokens(form.seats for form in premises)
    anywhere = _tokens(form.seats_anywhere for form in premises)
    return bool(claim.seats - always or claim.seats_anywhere - anywhere)


def _has_dead_alternative(claim: Meaning, known: int, cited: Citations, problem: SeatingProblem) -> bool:
    """Whether some alternative of a claim about the blank holds for nobody that the cited premises let fill it.

    A claim of one alternative that is a relation may hold for nobody, and ``? = none`` says so.
    """
    alternatives = claim.masked.split(" | ")
    if claim.form.nobody or (len(alternatives) == 1 and claim.form.relations):
        return False
    fillers = [known] * len(claim.tied)
    for premise in cited.meanings:
        if premise.blank:
            fillers = [mask & part for mask, part in zip(fillers, premise.tied, strict=True)]
    meanings = (problem.language.meaning(alternative) for alternative in alternatives)
    return any(meaning is not None and not _holds_for_some(meaning, fillers) for meaning in meanings)


def _holds_for_some(alternative: Meaning, fillers: list[int]) -> bool:
    """Whether ``alternative`` holds for some entity, where the masks say in which placements each may fill the blank.

    One that says nothing of the blank has one part, whoever fills it.
    """
    parts = alternative.tied if alternative.blank else alternative.tied * len(fillers)
    return any(part & mask for part, mask in zip(parts, fillers, strict=True))


def _says_where(place: int, repeated: frozenset[str], cited: Citations) -> bool:
    """Whether the premise ``place`` alone gives one of the seats ``repeated`` by the claim or a cited claim."""
    premise = cited.meanings[place]
    if premise.blank or not premise.form.seats & repeated:
        return False
    # Given twice, the seat is known without either, and one of them is idle after all.
    others = (other for at, other in enumerate(cited.meanings) if at != place and not other.blank)
    return bool(repeated & premise.form.seats - _tokens(other.form.seats for other in others))


def _seats_whom_is_found(place: int, claim: Meaning, cited: Citations) -> bool:
    """Whether the premise ``place`` seats somebody that a lookup relates to the blank, and no other cited claim does.

    Without it, :func:`leap` would take this person for one who is left over.
    """
    premise = cited.meanings[place]
    if not cited.scene or not claim.blank or not claim.form.relations or premise.blank:
        return False
    found = {token for atom in _ATOMS.split(claim.masked) if BLANK in atom for token in atom if token in TOKENS}
    others = (other.form.tokens for at, other in enumerate(cited.meanings) if at != place)
    return bool(premise.form.seated & found - _tokens(others))


def _tokens(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)
