"""New problems of the seating world, each with one solution and one set of right options, both proven.

A problem is a function of (world, version, specification, index): a hash of these seeds the draw. A scene and a
placement are drawn, then clues that are true in it until no other placement (but turns of it) is left; clues that the
others imply are dropped, but for those that link people where a specification wants it (``links``); then a question
and its options. What is drawn is written down, read back and solved by the reader and the solver, and given out only
where they find what was drawn; anything else is a defect, and raises.

Counting placements is cheap: each of the n! placements is one bit of an integer, and a clue is the integer of the
placements in which it holds.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import operator
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from srt.io.errors import UserError
from srt.io.records import Answer, Lang, Problem
from srt.io.yaml_config import Config, parse_config
from srt.worlds.seating.canonical_key import canonical_key, meaning_key
from srt.worlds.seating.claim_language import BLANK, Claim, Equal, parse_claim
from srt.worlds.seating.derivation.solver import SolvedPuzzle, solve
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.seating.relations import asked_set, holds
from srt.worlds.seating.scenes import SCENES, Scene
from srt.worlds.seating.writing.own_templates import own_templates
from srt.worlds.seating.writing.published_templates import published_templates
from srt.worlds.seating.writing.sentence_templates import SentenceTemplates, Wording, fill_names
from srt.worlds.split_shares import Split, split_of
from srt.worlds.world import Refused

VERSION = 1
LETTERS = "ABCD"
NONE_RIGHT = 0.3
"""How often "None of the above" is right where it is offered, as in the benchmark (290 of 997)."""
_ATTEMPTS = 20_000


class SampleSpec(Config):
    """What kind of problems to draw. Recipes hold these fields as YAML."""

    split: Split = "train"
    split_by: Literal["puzzle", "meaning", "people"] = "puzzle"
    """``puzzle``: problems with the same key are in the same split, so a test asks for puzzles never trained on.

    ``meaning``: a test asks for nothing that was trained on in other words, such as "Ann is left of Bob" for "Bob is
    right of Ann". There are far fewer meanings than puzzles.

    ``people`` is for families of so few puzzles that training exhausts them: the splits share puzzles, but not with the
    same people on the same seats. Say so where you report such figures.
    """
    lang: Lang = "en"
    style: Literal["short", "long", "space2025"] = "short"
    """``short`` and ``long`` are wordings of our own; ``space2025`` are the benchmark's, see ``wordings``."""
    scenes: tuple[str, ...] | None = None
    """Names as :func:`scene_name` gives them; ``None`` is all."""
    names: int | None = Field(default=None, ge=4)
    """How many names there are to draw from."""
    relations: tuple[str, ...] | None = None
    """Relations of clues, by :func:`~srt.worlds.seating.writing.sentence_templates.relation_name`; ``None`` is all."""
    questions: tuple[str, ...] | None = None
    """Relations of questions, likewise."""
    direct_questions: bool = False
    """Only questions with the blank alone on one side, ``? = across(left(Ann))``: nothing has to be turned round."""
    links: Literal["tree", "ring"] | None = None
    """How clues link people; ``None``: in any way, with no clue that could be left out.

    ``tree``: each clue links somebody to one who was linked before, until everybody is, so that one can be seated after
    the other. ``ring``: clues link neighbours all around a scene. To either, clues are added until one placement is
    left. Some of these clues may say what the others imply, as in SpaCE2025, whose hexagons are all like this.
    """
    variety: int | None = Field(default=None, ge=1)
    """At most this many ways of saying each relation; ``None`` is all."""
    none_share: float = Field(default=0.5, ge=0, le=1)
    """The share of problems that offer "None of the above".

    A booth with one name in the question always does: only three others are left.
    """
    min_clues: int = Field(default=1, ge=1)
    max_clues: int = Field(default=11, ge=1)
    """Bounds on the number of clues."""
    wordings: Path | None = None
    """The folder of the user's copy of the benchmark; it implies ``style: space2025``.

    That style without this field takes the folder from the environment variable ``SRT_SPACE2025``.
    """

    @model_validator(mode="before")
    @classmethod
    def _wordings_imply_the_style(cls, fields: Any) -> Any:
        return {**fields, "style": "space2025"} if isinstance(fields, dict) and fields.get("wordings") else fields

    @classmethod
    def parse(cls, fields: Mapping[str, object]) -> SampleSpec:
        """The specification of ``fields`` (YAML); a :class:`UserError` names every field that is wrong."""
        return parse_config(cls, fields, "seating")


class SampleDefect(Exception):
    """Reader and solver do not find in a text what was drawn: a bug, never the user's fault."""


def sample(spec: SampleSpec, index: int) -> Problem:
    """Problem ``index`` of ``spec``; the same arguments give the same problem on every machine.

    Raises:
        UserError: the specification names what does not exist, or allows no problem of its split.
        SampleDefect: reader and solver do not find what was drawn.
    """
    plan = _plan(spec)
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


def key_of(problem: Problem) -> str | None:
    """The split key of any problem of this world; ``None`` where it cannot be read or has no single solution."""
    try:
        puzzle = read_problem(problem)
        return _key(puzzle, solve(puzzle))
    except Refused:
        return None


def keys_of(problem: Problem) -> set[str]:
    """The split key and the key of the meaning; none where there is no split key."""
    try:
        puzzle = read_problem(problem)
        solution = solve(puzzle)
    except Refused:
        return set()
    claims = [clue.claim for clue in puzzle.clues]
    return {key(puzzle.scene, claims, puzzle.question, solution.placement) for key in (canonical_key, meaning_key)}


def scene_name(scene: Scene) -> str:
    """``booth``, ``booth-NS``, ``hexagon-out-EW``, ``shelf``: how specifications call a scene."""
    return scene.kind if scene.compass == "none" else f"{scene.kind}-{scene.compass}"


@dataclass(frozen=True)
class _Relation:
    """A wording in a scene. ``seats``: for whom it is true, a seat for each name (clue) or the name's seat (question);
    ``fills`` (question): for each such seat the seats of those who fill the blank."""

    wording: Wording
    seats: tuple[tuple[str, ...], ...]
    fills: Mapping[tuple[str, ...], frozenset[str]]


@dataclass(frozen=True)
class _ScenePlan:
    scene: Scene
    clues: tuple[tuple[_Relation, ...], ...]
    questions: tuple[tuple[_Relation, ...], ...]


@dataclass(frozen=True)
class _Plan:
    """A specification made ready: relations grouped by name, so that a group is drawn first and a member then."""

    spec: SampleSpec
    templates: SentenceTemplates
    scenes: tuple[_ScenePlan, ...]
    identity: str


@dataclass(frozen=True)
class _Sentence:
    """A clue or question: its wording and the names in it."""

    wording: Wording
    names: tuple[str, ...]

    @property
    def claim(self) -> Claim:
        return parse_claim(fill_names(self.wording.claim, *self.names))

    def text(self, rng: random.Random, variety: int | None) -> str:
        return fill_names(rng.choice(self.wording.texts[:variety]), *self.names)


_Clue = tuple[_Sentence, int]
"""A clue and the placements in which it holds, one bit each."""


@dataclass(frozen=True)
class _Draft:
    """A problem before it is put into words. ``options`` in order, ``None`` for "None of the above"."""

    scene: Scene
    placement: Mapping[str, str]
    clues: tuple[_Sentence, ...]
    question: _Sentence
    options: tuple[str | None, ...]
    right: tuple[str, ...]
    key: str
    group: str
    """The key, or that of its meaning: what a split is made by, and what counts as one in an interval."""


def _draw(plan: _Plan, rng: random.Random) -> _Draft | None:
    """One try: ``None`` where chance led to something that the specification does not allow."""
    place = rng.choice(plan.scenes)
    scene = place.scene
    pool = plan.templates.names[scene.kind][: plan.spec.names]
    placement = dict(zip(rng.sample(pool, len(scene.seats)), scene.seats, strict=True))
    clues = _draw_clues(place, placement, plan.spec.links, rng)
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


def _draw_clues(
    place: _ScenePlan, placement: Mapping[str, str], links: Literal["tree", "ring"] | None, rng: random.Random
) -> list[_Sentence] | None:
    """Clues true in ``placement`` that leave it alone; ``None`` where none are found.

    Those without ``links`` are all needed; with them, those are that link nobody.
    """
    who = {seat: name for name, seat in placement.items()}
    names = tuple(placement)
    placements = _placements(len(names))
    everything = (1 << len(placements.seated)) - 1
    goal = len(place.scene.symmetries)

    def allowed(clues: Sequence[_Clue]) -> int:
        return functools.reduce(operator.and_, (mask for _, mask in clues), everything)

    def said(relation: _Relation, seats: Sequence[str]) -> _Clue:
        sentence = _Sentence(relation.wording, tuple(who[seat] for seat in seats))
        about = tuple(names.index(name) for name in sentence.names)
        return sentence, placements.where(relation, about, place.scene)

    pairs = [] if links is None else _linked_seats(place.scene, links, rng)
    linking = [_relation_of(place, pair, rng) for pair in pairs]
    chosen = [said(*found) for found in linking if found is not None]
    if len(chosen) < len(pairs):
        return None
    left, more = allowed(chosen), []
    for _ in range(200):
        if left.bit_count() == goal:
            break
        relation = rng.choice(rng.choice(place.clues))
        clue = said(relation, rng.choice(relation.seats))
        if left & clue[1] != left:
            left &= clue[1]
            more.append(clue)
    else:
        return None
    for clue in rng.sample(more, len(more)):
        if allowed([*chosen, *(other for other in more if other is not clue)]).bit_count() == goal:
            more.remove(clue)
    chosen += more
    rng.shuffle(chosen)
    return [sentence for sentence, _ in chosen]


def _linked_seats(scene: Scene, links: Literal["tree", "ring"], rng: random.Random) -> list[tuple[str, str]]:
    """Pairs of seats whose people are linked by a clue each."""
    if links == "ring":
        # Seats of a shelf are listed tier by tier: up one side, and down the other.
        loop = (*scene.seats[::2], *scene.seats[::-2]) if scene.kind == "shelf" else scene.seats
        return list(zip(loop, (*loop[1:], loop[0]), strict=True))
    order = rng.sample(scene.seats, len(scene.seats))
    return [(rng.choice(order[:place]), seat) for place, seat in enumerate(order) if place]


def _relation_of(
    place: _ScenePlan, pair: tuple[str, str], rng: random.Random
) -> tuple[_Relation, tuple[str, ...]] | None:
    """A relation that holds of the two who sit on ``pair``, and their seats as it names them."""
    ways = [
        [(relation, seats) for relation in group for seats in itertools.permutations(pair) if seats in relation.seats]
        for group in place.clues
    ]
    ways = [group for group in ways if group]
    return rng.choice(rng.choice(ways)) if ways else None


def _draw_question(
    place: _ScenePlan, placement: Mapping[str, str], none_share: float, rng: random.Random
) -> tuple[_Sentence, tuple[str | None, ...], tuple[str, ...]] | None:
    """A question, its four options and the letters of the right ones."""
    relation = rng.choice(rng.choice(place.questions))
    who = {seat: name for name, seat in placement.items()}
    seats = rng.choice(relation.seats)
    said = _Sentence(relation.wording, tuple(who[seat] for seat in seats))
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


def _written(draft: _Draft, plan: _Plan, rng: random.Random, index: int) -> Problem:
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


@cache
def _plan(spec: SampleSpec) -> _Plan:
    if spec.min_clues > spec.max_clues:
        raise UserError(f"seating: max_clues: {spec.max_clues} is less than min_clues, {spec.min_clues}")
    lang, style = spec.lang, spec.style
    templates = published_templates(spec.wordings, lang) if style == "space2025" else own_templates(lang, style)
    scenes = _chosen_scenes(spec, templates)
    chosen = (("relations", spec.relations, templates.clues), ("questions", spec.questions, templates.questions))
    for field, names, tables in chosen:
        known = sorted({wording.relation for scene in scenes for wording in tables[scene]})
        for name in names or ():
            if name not in known:
                raise UserError(f"seating: {field}: {name!r} is not one of {', '.join(known)}")
    plans = tuple(_scene_plan(scene, templates, spec) for scene in scenes)
    for plan in plans:
        for field, groups in (("relations", plan.clues), ("questions", plan.questions)):
            if not groups:
                raise UserError(f"seating: {field}: none of them is known in the scene {scene_name(plan.scene)}")
        if spec.names is not None and spec.names < len(plan.scene.seats):
            raise UserError(
                f"seating: names: {spec.names} are too few for {scene_name(plan.scene)}, "
                f"which has {len(plan.scene.seats)} seats"
            )
    later = {"links"} if spec.links is None else set()  # What came later changes nothing where it is not used.
    identity = f"seating/{VERSION}/{spec.model_dump_json(exclude={'wordings', *later})}"
    return _Plan(spec, templates, plans, identity)


def _chosen_scenes(spec: SampleSpec, templates: SentenceTemplates) -> list[Scene]:
    known_scenes = {scene_name(scene): scene for scene in SCENES if templates.openings.get(scene)}
    for name in spec.scenes or ():
        if name not in known_scenes:
            raise UserError(f"seating: scenes: {name!r} is not a scene; known are {', '.join(known_scenes)}")
    chosen = [known_scenes[name] for name in spec.scenes] if spec.scenes is not None else list(known_scenes.values())
    if not chosen:
        raise UserError("seating: scenes: at least one is needed")
    return chosen


def _scene_plan(scene: Scene, templates: SentenceTemplates, spec: SampleSpec) -> _ScenePlan:
    everywhere = {seat: seat for seat in scene.seats}  # everybody is called by their seat
    clues: dict[str, list[_Relation]] = {}
    for wording in templates.clues[scene]:
        if spec.relations is None or wording.relation in spec.relations:
            seats = tuple(
                seats
                for seats in itertools.permutations(scene.seats, wording.arity)
                if holds(parse_claim(fill_names(wording.claim, *seats)), scene, everywhere)
            )
            if seats:
                clues.setdefault(wording.relation, []).append(_Relation(wording, seats, {}))
    questions: dict[str, list[_Relation]] = {}
    for wording in templates.questions[scene]:
        wanted = spec.questions is None or wording.relation in spec.questions
        if wanted and (not spec.direct_questions or _is_direct(wording)):
            fills = {
                seats: asked_set(parse_claim(fill_names(wording.claim, *seats)), scene, everywhere)
                for seats in itertools.permutations(scene.seats, wording.arity)
            }
            if any(fills.values()):
                questions.setdefault(wording.relation, []).append(_Relation(wording, tuple(fills), fills))
    return _ScenePlan(scene, _groups(clues), _groups(questions))


def _is_direct(wording: Wording) -> bool:
    match parse_claim(fill_names(wording.claim, "X", "Y")):
        case ((Equal(left, right),),):
            return BLANK in (left, right)
    return False


def _groups(relations: Mapping[str, Sequence[_Relation]]) -> tuple[tuple[_Relation, ...], ...]:
    return tuple(tuple(relations[name]) for name in sorted(relations))


class _Placements:
    """All placements of n entities on n seats, one bit each."""

    def __init__(self, count: int) -> None:
        self.seated = list(itertools.permutations(range(count)))
        self._at = [[0] * count for _ in range(count)]
        for bit, seats in enumerate(self.seated):
            for entity, seat in enumerate(seats):
                self._at[entity][seat] |= 1 << bit

    def where(self, relation: _Relation, entities: tuple[int, ...], scene: Scene) -> int:
        """The placements in which ``relation`` holds of ``entities``."""
        mask = 0
        for seats in relation.seats:
            one = -1
            for entity, seat in zip(entities, seats, strict=True):
                one &= self._at[entity][scene.seats.index(seat)]
            mask |= one
        return mask


_placements = cache(_Placements)
