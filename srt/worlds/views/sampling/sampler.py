"""New problems of the views world, each with one right answer, proven by a second method.

A problem is a function of (world, version, specification, index): a hash of these seeds the draw. A kind and a solid
are drawn, and a problem is made of them; for options, problems of like solids (:mod:`.wrong_options`). What was drawn
is proved by :mod:`.second_method`: the right answer is right, and every other option is wrong. A right answer that is
not confirmed is a defect, and raises.

Like problems are of the same split, too. If only the one that becomes the problem were, the split itself would tell
something: of the few solids of four cubes more or fewer than the average are in it, and so is "4" right.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from pydantic import Field, model_validator

from srt.io.errors import UserError
from srt.io.records import Answer, Lang, Problem
from srt.io.yaml_config import Config, parse_config
from srt.worlds.kit.splits import Split, split_of
from srt.worlds.views.canonical_key import canonical_key
from srt.worlds.views.claim_language import NET_FORMS
from srt.worlds.views.kernel.stacks import Heights, count, is_connected, is_trimmed, size
from srt.worlds.views.reading.figures import Figure, as_meta
from srt.worlds.views.sampling.kinds import KINDS, OF_NETS, OF_ONE_SOLID, Drawer
from srt.worlds.views.sampling.net_problems import draw_net, like_net
from srt.worlds.views.sampling.problem_draft import Choices, Kind, Option, ProblemDraft, Wrong
from srt.worlds.views.sampling.proof import is_answer
from srt.worlds.views.sampling.wrong_options import like_drafts, like_solid
from srt.worlds.views.writing.description import describe
from srt.worlds.views.writing.question_text import SEEN_FROM, picture_text, question_text

VERSION = 5
LETTERS = "ABCD"
_ATTEMPTS = 20_000


class ViewsSpec(Config):
    """What kind of problems to draw. Recipes hold these fields as YAML."""

    split: Split = "train"
    lang: Lang = "en"
    kinds: tuple[Kind, ...] | None = Field(default=None, min_length=1)
    """The categories of MathSpatial and tests to draw from; ``None`` is all."""
    smallest: int = Field(default=2, ge=2, le=5)
    largest: int = Field(default=3, ge=2, le=5)
    """Bounds on the rows and the columns of the plan."""
    highest: int = Field(default=3, ge=2, le=5)
    """The most cubes in a stack."""
    min_cubes: int = Field(default=4, ge=1)
    max_cubes: int = Field(default=20, ge=1)
    """Bounds on the cubes of the solid that is drawn."""
    style: Literal["varied", "patches", "cells", "none"] = "varied"
    """How pictures are drawn: as in various textbooks, or plainly, on a grid of the patches of a vision model.

    ``cells`` is ``patches`` without labels and margins. ``none`` draws none: the figures are described in words.
    """
    connected: bool = True
    """Whether the stacks hang together by faces."""
    nets: bool = True
    """Whether problems of the kind ``FPBI`` ask of nets of a cube, too."""
    options_share: float = Field(default=0.5, ge=0, le=1)
    """The share with options among the problems whose answer is a number; all others have options."""

    @model_validator(mode="after")
    def _ordered(self) -> ViewsSpec:
        if self.smallest > self.largest:
            raise ValueError(f"smallest: {self.smallest} is more than largest, {self.largest}")
        if self.min_cubes > self.max_cubes:
            raise ValueError(f"min_cubes: {self.min_cubes} is more than max_cubes, {self.max_cubes}")
        return self

    @classmethod
    def parse(cls, fields: Mapping[str, object]) -> ViewsSpec:
        """The specification of ``fields`` (YAML); a :class:`UserError` names every field that is wrong."""
        return parse_config(cls, fields, "views")


class ViewsSampleDefect(Exception):
    """The second method does not confirm the answer that was drawn: a bug, never the user's fault."""


class ViewsSampler:
    """The problems of a specification, by index."""

    def __init__(self, spec: ViewsSpec) -> None:
        self.spec = spec
        self.identity = f"views/{VERSION}/{spec.model_dump_json()}"
        self._name = hashlib.sha256(self.identity.encode()).hexdigest()[:8]
        self._kinds = spec.kinds or get_args(Kind)
        self._tries = 60 if spec.split == "train" else 600  # One solid in ten is of a small split.

    def __call__(self, index: int) -> Problem:
        """Problem ``index``; the same on every machine.

        Raises:
            UserError: the specification allows no problem of its split.
            ViewsSampleDefect: the answer is not confirmed.
        """
        rng = random.Random(hashlib.sha256(f"{self.identity}/{index}".encode()).digest())
        kind = rng.choice(self._kinds)
        drawer = rng.choice([one for one in KINDS[kind] if self.spec.nets or one not in OF_NETS])
        with_options = rng.random() < self.spec.options_share
        for _ in range(_ATTEMPTS):
            drafts = self._drafts(drawer, with_options, rng)
            if drafts:
                draft = rng.choice(drafts)
                return self._written(draft, self._options(draft, drafts, rng), rng, index)
        raise UserError(
            f"views: kinds: no {kind} of the split {self.spec.split!r} came up in {_ATTEMPTS} draws: "
            "allow larger solids, another number of cubes or, for numbers, no options (options_share: 0)"
        )

    def _drafts(self, drawer: Drawer, with_options: bool, rng: random.Random) -> list[ProblemDraft]:
        """As many drafts as there are options, or one; none where chance led to none."""
        of_net = drawer in OF_NETS
        heights = draw_net(rng) if of_net else self._draw_solid(rng)
        choices = Choices(rng)

        def draw(solid: Heights) -> ProblemDraft | None:
            draft = drawer(solid, choices.again()) if of_net or self._allows(solid) else None
            return draft if draft is not None and self._is_of_split(draft) else None

        first = draw(heights)
        if first is None:
            return []
        if isinstance(first.right, int) and not with_options:
            return [first]

        tried = {heights}

        def another() -> ProblemDraft | None:
            if of_net:
                solid = like_net(heights, rng)
            elif first.asked.form == "completes":  # Views of solids that are much alike seldom contradict each other.
                solid = self._draw_solid(rng, size(heights))
            else:
                solid = like_solid(first, heights, self.spec.highest, rng)
            if solid in tried:
                return None
            tried.add(solid)
            return draw(solid)

        if drawer in OF_ONE_SOLID:
            return like_drafts(first, lambda: drawer(heights, Choices(rng)), len(LETTERS), tries=10) or []
        return like_drafts(first, another, len(LETTERS), tries=self._tries) or []

    def _is_of_split(self, draft: ProblemDraft) -> bool:
        return split_of("views", _key(draft)) == self.spec.split

    def _draw_solid(self, rng: random.Random, plan: tuple[int, int] | None = None) -> Heights:
        """Stacks drawn one by one; on a plan of so many rows and columns, if it is given."""
        spec = self.spec
        depth, width = plan or (rng.randint(spec.smallest, spec.largest), rng.randint(spec.smallest, spec.largest))
        empty = rng.choice((0.1, 0.3, 0.45))
        low = rng.random() < 0.5  # Half of the solids have mostly low stacks: views tell more of them.
        return tuple(
            tuple(
                0 if rng.random() < empty else 1 if low and rng.random() < 0.6 else rng.randint(1, spec.highest)
                for _ in range(width)
            )
            for _ in range(depth)
        )

    def _allows(self, heights: Heights) -> bool:
        """Whether the specification allows a solid."""
        spec = self.spec
        if not is_trimmed(heights) or not spec.min_cubes <= count(heights) <= spec.max_cubes:
            return False
        return not spec.connected or is_connected(heights)

    def _options(self, draft: ProblemDraft, drafts: Sequence[ProblemDraft], rng: random.Random) -> list[Wrong | Option]:
        """The options in order, the right one as it is; empty for a problem without."""
        if any(is_answer(draft, other.right) != (other is draft) for other in drafts):
            raise ViewsSampleDefect(f"{self.identity}: {draft}: the answer is not confirmed")
        options: list[Wrong | Option] = []
        for other in drafts:
            reason = None if other is draft else draft.why(other.right)
            options.append(Wrong(other.right, reason) if reason is not None else other.right)
        if len(options) < 2:
            return []
        if isinstance(draft.right, int):
            return sorted(options, key=_number)
        rng.shuffle(options)
        return options

    def _written(
        self, draft: ProblemDraft, options: Sequence[Wrong | Option], rng: random.Random, index: int
    ) -> Problem:
        """The draft in words."""
        lang = self.spec.lang
        figures: list[Figure] = list(draft.shown)
        choices: dict[str, str] = {}
        reasons: dict[str, str] = {}
        right = ""
        for letter, option in zip(LETTERS, options, strict=False):
            if isinstance(option, Wrong):
                reasons[letter] = option.reason
                option = option.option
            else:
                right = letter
            match option:
                case int():
                    choices[letter] = str(option)
                case str():
                    choices[letter] = _direction_text(option, lang)
                case _:
                    choices[letter] = picture_text(letter, lang)
                    figures.append(option.model_copy(update={"name": letter}))
        if right:
            answer = Answer(kind="choice_set", value=[right])
        else:
            answer = Answer(kind="number", value=draft.right)
        names = [figure.name for figure in draft.shown]
        solids = any(figure.type == "solid" and figure.name in choices for figure in figures)
        depth, width, key = len(draft.subject), len(draft.subject[0]), _key(draft)
        meta: dict[str, Any] = {
            "kind": draft.kind,
            "asked": str(draft.asked),
            "shown": "+".join(names),
            "figures": as_meta(tuple(figures)),
            "size": f"{min(depth, width)}x{max(depth, width)}",
            "key": key,
        }
        if draft.asked.form not in NET_FORMS:
            meta["cubes"] = count(draft.subject)
        if reasons:
            meta["distractors"] = reasons
        if self.spec.style != "varied":
            meta["style"] = self.spec.style
        return Problem(
            id=f"views-{self._name}-{self.spec.split}-{index}",
            source="views",
            split=self.spec.split,
            lang=lang,
            question=question_text(draft.asked, names, lang, rng, solids),
            choices=choices,
            diagram_description=describe(figures, lang),
            answer=answer,
            category=draft.kind,
            subcategory=draft.asked.word.split(" ")[0] if draft.asked.form == "asked" else draft.asked.form,
            group_id=key,
            meta=meta,
        )


def _key(draft: ProblemDraft) -> str:
    return canonical_key(draft.asked, draft.shown[0].name in ("plan", "solid"), draft.subject)


def _number(option: Wrong | Option) -> int:
    number = option.option if isinstance(option, Wrong) else option
    assert isinstance(number, int)
    return number


def _direction_text(direction: str, lang: Lang) -> str:
    return {str(name): text for name, text in SEEN_FROM[lang].items()}[direction]
