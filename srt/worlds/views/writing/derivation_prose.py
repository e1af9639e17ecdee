"""A derivation as prose: the sentences of its steps, those that say alike things of several columns run together."""

from __future__ import annotations

from itertools import groupby

from srt.io.records import Lang
from srt.language.trace import Trace
from srt.worlds.views.claim_language import NET_FORMS, ViewClaim, parse_claim
from srt.worlds.views.writing.assertion import sentence

_OPENING: dict[Lang, str] = {
    "en": "Columns of the plan have letters from the left, rows have numbers from the front.",
    "zh": "平面图的列从左起记为字母，行从前起记为数字。",
}
_END: dict[Lang, str] = {"en": ".", "zh": "。"}
_AND: dict[Lang, str] = {"en": "; ", "zh": "；"}


def explain(trace: Trace, terse: bool) -> str:
    """``trace`` as prose, one line for each group of like steps; ``terse``: the claims alone, the same facts."""
    claims = [parse_claim(step.claim or "") for step in trace.steps]
    groups = [list(group) for _, group in groupby(claims, key=lambda claim: (claim.form, claim.option))]
    if terse:
        return "\n".join("; ".join(map(str, group)) for group in groups)
    of_net = any(claim.form in NET_FORMS for claim in claims)
    opening = [] if of_net else [_OPENING[trace.lang]]
    return "\n".join([*opening, *(_together(group, trace.lang) for group in groups)])


def _together(claims: list[ViewClaim], lang: Lang) -> str:
    said = [sentence(claim, lang) for claim in claims]
    first, rest = said[0].removesuffix(_END[lang]), [one.removesuffix(_END[lang]) for one in said[1:]]
    if lang == "en":
        rest = [one[0].lower() + one[1:] for one in rest]
    return _AND[lang].join([first, *rest]) + _END[lang]
