"""Texts with another meaning: no reader reads them as the old ones, and both read them alike, or one does not."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from srt.io.records import Lang, Problem
from srt.worlds.solids.solids_world import SolidsWorld
from tests.srt.worlds.solids.test_solids_published_wordings import ANSWERS
from tests.srt.worlds.solids.two_readers import understood

ADDED: dict[Lang, str] = {
    "en": "half full/without the lid/without a lid/open/hollow/not/about/half/of half/twice/two/each/at most/"
    "and a cube/oblique/tilted/upside down/small/inner/outer/average/increased by 2/of wood/larger/3/π/"
    "cm/first/slant/lateral",
    "zh": "半满/无盖/无盖的/约/不/斜/两个/一半/空心/小/大/内/外/平均/增加2/各/至少/3/π/cm/半/侧/正/上/下/的一半/2倍",
}
EXCHANGED: dict[Lang, str] = {
    "en": "cm|mm/m |cm /radius|diameter/diameter|radius/height|slant height/slant height|height/volume|surface area/"
    "surface area|volume/surface area|lateral area/cone|cylinder/cylinder|cone/cube|cuboid/sphere|hemisphere/"
    "inscribed|circumscribed/in a|around a/litres|cm/regular |/right |/by|to/lower|upper/equal to|greater than/"
    "times|half/is|is not/base edge|lateral edge/out of|into/hollowed|/off|/ small|/recast|broken/full|half full/"
    r"whole|lower/\frac|\sqrt/\pi|\phi/\mathrm|\mathbf/^{2}|^{3}/}{|}+{/\sqrt|/$|",
    "zh": "厘米|米/半径|直径/直径|半径/高|母线长/体积|表面积/表面积|侧面积/圆锥|圆柱/圆柱|圆锥/正方体|长方体/半圆|圆/"
    "正四棱锥|四棱锥/正|/等于|大于/倍|半/熔铸成|切成/装满|装一半/小|/上底|下底/侧棱|底棱/保留|不保留/挖去|放入/"
    r"\sqrt|/$|",
}


def other_meanings(text: str, lang: Lang) -> Iterator[str]:
    """The text with another number, another word, or a word more somewhere."""
    for match in re.finditer(r"(?<![0-9.])[0-9]+(?!\.?[0-9])", text):
        for other in (int(match[0]) + 1, int(match[0]) * 10):
            yield f"{text[: match.start()]}{other}{text[match.end() :]}"
    for old, new in (change.split("|") for change in EXCHANGED[lang].split("/")):
        for match in re.finditer(re.escape(old), text):
            yield text[: match.start()] + new + text[match.end() :]
    for at in [m.start() for m in re.finditer(" ", text)] if lang == "en" else range(len(text)):
        for added in ADDED[lang].split("/"):
            yield f"{text[:at]}{' ' * (lang == 'en')}{added}{text[at:]}"


def texts(sampled: int) -> Iterator[tuple[Lang, str]]:
    for lang, answers in ANSWERS.items():
        yield from ((lang, text) for text in answers)
    sampler = SolidsWorld().sampler({})
    for problem in map(sampler, range(sampled)):
        if problem.diagram_description is None:
            yield problem.lang, problem.question


@pytest.mark.parametrize(("sampled", "most"), [(20, 25), pytest.param(200, 1000, marks=pytest.mark.slow)])
def test_another_meaning_is_never_read_as_the_old_one(sampled: int, most: int) -> None:
    rng, seen = random.Random("meanings"), Counter[str]()
    for lang, text in texts(sampled):
        old, _ = understood(Problem(id="p", source="solids", lang=lang, question=text))
        variants = [other for other in other_meanings(text, lang) if other != text]
        for other in rng.sample(variants, min(most, len(variants))):
            both = understood(Problem(id="p", source="solids", lang=lang, question=other))
            assert old not in both, other
            assert None in both or both[0] == both[1], other
            seen["neither" if both == (None, None) else "one" if None in both else "both"] += 1
    assert min(seen["neither"], seen["both"]) > 0, seen
