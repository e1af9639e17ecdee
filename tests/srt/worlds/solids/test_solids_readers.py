"""Solver and checker read the same texts, and read them alike, also after a small change of wording."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from srt.io.records import Lang, Problem
from srt.worlds.solids.solids_world import SolidsWorld
from tests.srt.worlds.solids.two_readers import changed, understood

CHANGES: dict[Lang, str] = {
    "en": " has | have ; has | with ; has | has a ;A |The ;A |An ;The |A ;The |;a |the ;a |; is | of ; of | ; and |, ;"
    ", | ;. |, and ;Find|find;Find the |Find ;What is|Find;?|.;its|the;the |its ; of the | of a ;Consider a |A ;"
    " with | has ; with | with a ;A |In a ; of | is ; |  ; cm|cm; cm| centimetres;²|^2;times|times the;Find |What is ;"
    "has|has the; times | ;equal to|;. |? ;. |.. ; to | ;into a|into;into a|to a;It is|It was;in |;π|ππ;radius|height",
    "zh": "一个|;已知|;的|;的|的的;是|为;为|;是|;，|,;，|、;，|。;。|，;求|求它的;它的|;它的|其;多少|几;"
    "？|。;。|;已知|一个;厘米| cm; cm|厘米;底面半径|半径;求|已知;和|与;倍|倍的;把它|将它;"
    "相同的|;其中|;是多少|;等于|是;一个|已知一个;是|是 ;π|ππ",
}


@pytest.mark.parametrize("n", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_what_one_reads_the_other_reads_alike(n: int) -> None:
    sampler, rng, seen = SolidsWorld().sampler({}), random.Random("wordings"), Counter[bool]()
    for index in range(n):
        problem = sampler(index)
        texts = list(changed(problem.question, problem.lang, CHANGES[problem.lang].split(";"), rng))
        for text in rng.sample(texts, min(len(texts), 12)):
            solver, checker = understood(problem.model_copy(update={"question": text}))
            assert solver == checker, text
            seen[solver is not None] += 1
    assert min(seen[True], seen[False]) > n


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("A solid has volume 5 cm³. Find its surface area.", None),
        ("A cone has base radius 3 3 and height 4. Find its volume.", None),
        ("A cone has base radius 3ππ and height 4. Find its volume.", None),
        ("A cone has base radius 3 and height 4.0000000000001. Find its volume.", None),
        ("A cylinder is put on a cone so that their bases coincide. The cone has height 3. Find its volume.", None),
        ("A cube has edge 3. It is melted down and recast into 0 equal copies of a ball. Find the radius.", None),
        ("The figure shows a cone.  Find its volume.", "base radius 3; height 4 and slant height 5"),
        ("A cone has base radius 3 deg and height 4. Find its volume.", None),
        ("A ball has height 6. Find its volume.", None),
        ("A cone has base radius 3  cm and height 4 cm. Find its volume.", None),
        ("A cylinder has base circumference 1/2π and height 4. Find its volume.", None),
        ("A cylinder has base radius 02 and height 4. Find its volume.", None),
        (
            "The largest cone that stands on a face is cut out of a cube. The edge of the cube is 6. "
            "Find the volume of the whole solid.",
            None,
        ),
    ],
)
def test_what_neither_reads(question: str, labels: str | None) -> None:
    problem = Problem(id="p", source="solids", lang="en", question=question, diagram_description=labels)
    assert understood(problem) == (None, None)
