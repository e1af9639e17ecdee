"""New problems of the seating world, each with one solution and one set of right options, both proven.

A problem is a function of (world, version, specification, index): a hash of these seeds the draw. A scene and a
placement are drawn, then clues that are true in it until no other placement (but turns of it) is left; clues that the
others imply are dropped, but for those that link people where a specification wants it (``links``); then a question
and its options. What is drawn is written down, read back and solved by the reader and the solver, and given out only
where they find what was drawn; anything else is a defect, and raises.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass

from srt.io.errors import UserError
from srt.io.records import Answer, Problem
from srt.worlds.kit.splits import split_of
from srt.worlds.seating.canonical_key import canonical_key, meaning_key
from srt.worlds.seating.claim_language import parse_claim
from srt.worlds.seating.derivation.solver import SolvedPuzzle, solve
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.seating.sampling.clue_drawing import Sentence, draw_clues
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampling_plan import SamplingPlan, ScenePlan, plan_of
from srt.worlds.seating.scenes import Scene, scene_name
from srt.worlds.seating.writing.sentence_templates import fill_names
from srt.worlds.world import Refused

LETTERS = "ABCD"
NONE_RIGHT = 0.3
"""How often "None of the above" is right where it is offered, as in the benchmark (290 of 997)."""
_ATTEMPTS = 20_000


class SampleDefect(Exception):
    """Reader and solver do not find in a text what was drawn: a bug, never the user's fault."""


def sample(spec: SampleSpec, index: int) -> Problem:
    """Problem ``index`` of ``spec``; the same arguments give the same problem on every machine.

    Raises:
        UserError: the specification names what does not exist, or allows no problem of its split.
        SampleDefect: reader and solver do not find what was drawn.
    """
    plan = plan_of(spec)
    rng = random.Random(hashlib.sha256(f"{plan.identity}/{index}".encode()).digest())
    for _ in range(_ATTEMPTS):
        draft = _draw(plan, rng)
        if draft is not None and split_of("seating", _split_key(draft, spec)) == spec.split:
            problem = _written(draft, plan, rng, index)
            _prove(problem, draft)
            return problem
    raise UserError(
        f"seating: no problem of the split {spec.split!r} came up in {_ATTEMPTS} draws: "
        f"allow more scenes, relations, questions or clues{', or leave out links' if spec.links else ''}"
    )


def _split_key(draft: _Draft, spec: SampleSpec) -> str:
    if spec.split_by != "people":
        return draft.group
    seated = {seat: name for name, seat in draft.placement.items()}
    names = [seated[seat] for seat in draft.scene.seats]
    turned = ([names[place] for place in symmetry] for symmetry in draft.scene.symmetries)
    return f"{draft.key}/{min(','.join(people) for people in turned)}"


def keys_of(problem: Problem) -> tuple[str, ...]:
    """The split key and the key of the meaning; none for a problem that cannot be read or has no single solution."""
    try:
        puzzle = read_problem(problem)
        solution = solve(puzzle)
    except Refused:
        return ()
    claims = [clue.claim for clue in puzzle.clues]
    keys = [key(puzzle.scene, claims, puzzle.question, solution.placement) for key in (canonical_key, meaning_key)]
    return tuple(dict.fromkeys(keys))


@dataclass(frozen=True)
class _Draft:
    """A problem before it is put into words. ``options`` in order, ``None`` for "None of the above"."""

    scene: Scene
    placement: Mapping[str, str]
    clues: tuple[Sentence, ...]
    question: Sentence
    options: tuple[str | None, ...]
    right: tuple[str, ...]
    key: str
    group: str
    """The key, or that of its meaning: what a split is made by, and what counts as one in an interval."""


def _draw(plan: SamplingPlan, rng: random.Random) -> _Draft | None:
    """One try: ``None`` where chance led to something that the specification does not allow."""
    place = rng.choice(plan.scenes)
    scene = place.scene
    pool = plan.templates.names[scene.kind][: plan.spec.names]
    placement = dict(zip(rng.sample(pool, len(scene.seats)), scene.seats, strict=True))
    clues = draw_clues(place, placement, plan.spec.links, rng)
    if clues is None or not plan.spec.min_clues <= len(clues) <= plan.spec.max_clues:
        return None
    drawn = _draw_question(place, placement, plan.spec.none_share, rng)
    if drawn is None:
        return None
    question, options, right = drawn
    claims = [clue.claim for clue in clues]
    answers = [options[LETTERS.index(letter)] for letter in right]
    asked = (question.wording.claim.replace("?", str(name)) for name in answers)
    if any(parse_claim(fill_names(claim, *question.names)) in claims for claim in asked):
        return None  # The answer is in a clue, word for word.
    key = canonical_key(scene, claims, question.claim, placement)
    by_meaning = plan.spec.split_by == "meaning"
    group = meaning_key(scene, claims, question.claim, placement) if by_meaning else key
    return _Draft(scene, placement, tuple(clues), question, options, right, key, group)


def _draw_question(
    place: ScenePlan, placement: Mapping[str, str], none_share: float, rng: random.Random
) -> tuple[Sentence, tuple[str | None, ...], tuple[str, ...]] | None:
    """A question, its four options and the letters of the right ones."""
    relation = rng.choice(rng.choice(place.questions))
    who = {seat: name for name, seat in placement.items()}
    seats = rng.choice(relation.seats)
    said = Sentence(relation.wording, tuple(who[seat] for seat in seats))
    right = {who[seat] for seat in relation.fills[seats]}
    others = [name for name in placement if name not in said.names]
    if not right <= set(others):
        return None
    offers_none = len(others) < len(LETTERS) or rng.random() < none_share
    if not offers_none and not right:
        return None
    options: list[str | None] = [*rng.sample(others, len(LETTERS) - offers_none)]
    if offers_none:
        if len(others) > len(LETTERS) - 1:
            wanted = rng.random() < NONE_RIGHT
            if wanted != right.isdisjoint(options):
                return None
        elif not right and rng.random() >= NONE_RIGHT:
            return None
        options.append(None)
    letters = tuple(letter for letter, name in zip(LETTERS, options, strict=True) if name in right)
    if not letters and not offers_none:
        return None
    return said, tuple(options), letters or (LETTERS[-1],)


def _written(draft: _Draft, plan: SamplingPlan, rng: random.Random, index: int) -> Problem:
    """The draft in words."""
    spec, templates, scene = plan.spec, plan.templates, draft.scene
    names = list(draft.placement)
    rng.shuffle(names)
    text = templates.write(
        rng.choice(templates.openings[scene]),
        names,
        [clue.text(rng, spec.variety) for clue in draft.clues],
        draft.question.text(rng, spec.variety),
    )
    return Problem(
        id=f"seating-{hashlib.sha256(plan.identity.encode()).hexdigest()[:8]}-{spec.split}-{index}",
        source="seating",
        split=spec.split,
        lang=spec.lang,
        question=text,
        instruction=templates.instructions[len(draft.right) > 1],
        choices={
            letter: templates.none_of_the_above if name is None else name
            for letter, name in zip(LETTERS, draft.options, strict=True)
        },
        answer=Answer(kind="choice_set", value=list(draft.right)),
        category=scene_name(scene),
        subcategory=draft.question.wording.relation,
        group_id=draft.group,
        meta={
            "scene": scene.kind,
            "compass": scene.compass,
            "style": spec.style,
            "wordings": templates.source,
            "clues": len(draft.clues),
            "key": draft.key,
        },
    )


def _prove(problem: Problem, draft: _Draft) -> None:
    """Read ``problem`` back and solve it: reader and solver must find what was drawn."""
    try:
        puzzle = read_problem(problem)
        solution = solve(puzzle)
    except Refused as error:
        raise SampleDefect(f"{problem.id}: drawn, but refused: {error}\n{problem.question}") from None
    found = (puzzle.scene, set(puzzle.names), solution.letters, _key(puzzle, solution))
    drawn = (draft.scene, set(draft.placement), draft.right, draft.key)
    if found != drawn:
        raise SampleDefect(f"{problem.id}: drawn {drawn}, read back {found}\n{problem.question}")


def _key(puzzle: Puzzle, solution: SolvedPuzzle) -> str:
    return canonical_key(puzzle.scene, [clue.claim for clue in puzzle.clues], puzzle.question, solution.placement)
