"""A specification made ready: which relations hold of which seats, scene by scene."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from srt.io.errors import UserError
from srt.worlds.seating.claim_language import BLANK, Equal, parse_claim
from srt.worlds.seating.relations import asked_set, holds
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.scenes import SCENES, Scene, scene_name
from srt.worlds.seating.writing.own_templates import own_templates
from srt.worlds.seating.writing.published_templates import published_templates
from srt.worlds.seating.writing.sentence_templates import SentenceTemplates, Wording, fill_names

VERSION = 1


@dataclass(frozen=True)
class Relation:
    """A wording in a scene. ``seats``: the seats that make it true, one for each name (clue) or the name's seat
    (question);
    ``fills`` (question): for each such seat the seats of those who fill the blank."""

    wording: Wording
    seats: tuple[tuple[str, ...], ...]
    fills: Mapping[tuple[str, ...], frozenset[str]]


@dataclass(frozen=True)
class ScenePlan:
    """A scene with the relations that its clues and questions may use, in groups of one name."""

    scene: Scene
    clues: tuple[tuple[Relation, ...], ...]
    questions: tuple[tuple[Relation, ...], ...]


@dataclass(frozen=True)
class SamplingPlan:
    """A specification made ready. ``identity`` tells its problems from those of others.

    Relations are grouped by name, so that a group is drawn first and a member then.
    """

    spec: SampleSpec
    templates: SentenceTemplates
    scenes: tuple[ScenePlan, ...]
    identity: str


@cache
def plan_of(spec: SampleSpec) -> SamplingPlan:
    """``spec`` made ready.

    Raises:
        UserError: it names what does not exist, or what a scene has not got.
    """
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
        arities = {relation.wording.arity for group in plan.clues for relation in group}
        for arity, people in ((1, "one person alone"), (2, "two people")):
            if spec.links == "anchored" and arity not in arities:
                raise UserError(
                    f"seating: links: 'anchored' needs clues about {people}; among these relations, in this style, "
                    f"{scene_name(plan.scene)} has none"
                )
        if spec.names is not None and spec.names < len(plan.scene.seats):
            raise UserError(
                f"seating: names: {spec.names} are too few for {scene_name(plan.scene)}, "
                f"which has {len(plan.scene.seats)} seats"
            )
    later = {"links"} if spec.links is None else set()  # What came later changes nothing where it is not used.
    identity = f"seating/{VERSION}/{spec.model_dump_json(exclude={'wordings', *later})}"
    return SamplingPlan(spec, templates, plans, identity)


def _chosen_scenes(spec: SampleSpec, templates: SentenceTemplates) -> list[Scene]:
    known_scenes = {scene_name(scene): scene for scene in SCENES if templates.openings.get(scene)}
    for name in spec.scenes or ():
        if name not in known_scenes:
            raise UserError(f"seating: scenes: {name!r} is not a scene; known are {', '.join(known_scenes)}")
    chosen = [known_scenes[name] for name in spec.scenes] if spec.scenes is not None else list(known_scenes.values())
    if not chosen:
        raise UserError("seating: scenes: at least one is needed")
    return chosen


def _scene_plan(scene: Scene, templates: SentenceTemplates, spec: SampleSpec) -> ScenePlan:
    everywhere = {seat: seat for seat in scene.seats}  # everybody is called by their seat
    clues: dict[str, list[Relation]] = {}
    for wording in templates.clues[scene]:
        if spec.relations is None or wording.relation in spec.relations:
            seats = tuple(
                seats
                for seats in itertools.permutations(scene.seats, wording.arity)
                if holds(parse_claim(fill_names(wording.claim, *seats)), scene, everywhere)
            )
            if seats:
                clues.setdefault(wording.relation, []).append(Relation(wording, seats, {}))
    questions: dict[str, list[Relation]] = {}
    for wording in templates.questions[scene]:
        wanted = spec.questions is None or wording.relation in spec.questions
        if wanted and (not spec.direct_questions or _is_direct(wording)):
            fills = {
                seats: asked_set(parse_claim(fill_names(wording.claim, *seats)), scene, everywhere)
                for seats in itertools.permutations(scene.seats, wording.arity)
            }
            if any(fills.values()):
                questions.setdefault(wording.relation, []).append(Relation(wording, tuple(fills), fills))
    return ScenePlan(scene, _groups(clues), _groups(questions))


def _is_direct(wording: Wording) -> bool:
    match parse_claim(fill_names(wording.claim, "X", "Y")):
        case ((Equal(left, right),),):
            return BLANK in (left, right)
    return False


def _groups(relations: Mapping[str, Sequence[Relation]]) -> tuple[tuple[Relation, ...], ...]:
    return tuple(tuple(relations[name]) for name in sorted(relations))
