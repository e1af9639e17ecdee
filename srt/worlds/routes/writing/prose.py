"""A trace as prose: the same facts in the same order, with reasons, or as notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from srt.io.records import Lang
from srt.worlds.routes.derivation.claims import Claim
from srt.worlds.routes.derivation.derive import facts_of
from srt.worlds.routes.reading.read_route import Route
from srt.worlds.routes.writing.assertions import direction_word, legs_in_words, place_in_words, value_in_words

_SENTENCES: dict[Lang, dict[str, str]] = {
    "en": {
        "facing at first": "At the start, {name} faces {value}.",
        "facing as before": "So {who} still faces {value}.",
        "facing": "Facing {facing_before} and {turning}, {who} now faces {value}.",
        "turn": "In ({n}) {who} {turns}.",
        "no turn": "({n}) is no turn.",
        "walk": "In ({n}) {who} walks {value}.",
        "no walk": "In ({n}) {who} does not walk.",
        "leg": "Facing {facing}, {who} goes {value}.",
        "at first": "From the start, that leads to {value}.",
        "at": "From {place_before}, that leads to {value}.",
        "at as before": "So {who} is still {value}.",
        "back first": "The way back is the opposite of this leg: {value}.",
        "back": "The way back begins with the opposite of this leg, {first}, and goes on as before: {value}.",
        "back as before": "So the way back is still {value}.",
        "steps": "Along the grid, {sum} = {digits}, so the start is {value} away.",
        "square": "The square of the straight line is {squares} = {value}.",
        "line": "The square root of {square} is {digits}.",
        "options": "So the right option is {value}.",
        "answer": "So the answer is {value}.",
    },
    "zh": {
        "facing at first": "开始时，{name}面向{value}。",
        "facing as before": "所以{who}仍然面向{value}。",
        "facing": "面向{facing_before}时{turning}，{who}就面向{value}。",
        "turn": "第({n})句中，{who}{turning}。",
        "no turn": "第({n})句中，{who}没有转弯。",
        "walk": "第({n})句中，{who}走了{value}。",
        "no walk": "第({n})句中，{who}没有走动。",
        "leg": "{who}面向{facing}，所以{value}。",
        "at first": "从起点出发，到达{value}。",
        "at": "从{place_before}出发，到达{value}。",
        "at as before": "所以{who}仍然位于{value}。",
        "back first": "返回的路与这一段方向相反：{value}。",
        "back": "返回时先走这一段的反方向，即{first}，然后照之前的走法：{value}。",
        "back as before": "所以返回的路仍然是{value}。",
        "steps": "沿网格是{sum} = {digits}，所以离起点{value}。",
        "square": "直线距离的平方是{squares} = {value}。",
        "line": "{square}的平方根是{digits}。",
        "options": "所以正确选项是{value}。",
        "answer": "所以答案是{value}。",
    },
}
_TURNING = {
    "en": {"left": "turning left", "right": "turning right", "around": "turning around", "none": ""},
    "zh": {"left": "向左转", "right": "向右转", "around": "向后转", "none": ""},
}
_TURNS = {"left": "turns left", "right": "turns right", "around": "turns around"}
_NOTES: dict[Lang, dict[str, str]] = {
    "en": {
        "left": "left",
        "right": "right",
        "around": "around",
        "none": "straight on",
        "leg": "{digits}",
        "at": "at {digits}",
        "back": "back {digits}",
        "square": "square {value}",
    },
    "zh": {
        "left": "左转",
        "right": "右转",
        "around": "后转",
        "none": "直行",
        "at": "到{value}",
        "back": "返回{value}",
        "square": "平方{value}",
    },
}


def full_prose(claims: Sequence[Claim], route: Route, lang: Lang) -> str:
    """A sentence with its reason for each of ``claims``, which are those of a valid trace, in its order."""
    known = {subject: fact.value for subject, fact in facts_of(route.walk).items()}
    sentences = [
        _SENTENCES[lang][_kind(claim, known)].format(
            who=route.who, name=route.name, value=value_in_words(claim, lang), **_reasons(claim, known, lang)
        )
        for claim in claims
    ]
    return ("" if lang == "zh" else " ").join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def terse_prose(claims: Sequence[Claim], lang: Lang) -> str:
    """The values of ``claims`` alone, with a word where a value does not say what it is."""
    return ("; " if lang == "en" else "；").join(_note(claim, lang) for claim in claims)


def _kind(claim: Claim, known: Mapping[str, str]) -> str:
    """Which sentence says ``claim``: it depends on whether there was a turn, a leg, anything before."""
    name, n = claim.name, claim.number
    if name in ("turn", "walk"):
        return f"no {name}" if claim.value in ("none", "0") else name
    if name == "facing" and (n == 1 or known[f"turn({n})"] == "none"):
        return "facing at first" if n == 1 else "facing as before"
    if name in ("at", "back") and f"leg({n})" not in known:
        return f"{name} as before"
    if name == "at" and n == 2:
        return "at first"
    if name == "back" and known.get(f"back({n - 1})", "none") == "none":
        return "back first"
    return name


def _reasons(claim: Claim, known: Mapping[str, str], lang: Lang) -> dict[str, str | int]:
    """What the sentences say beside the value: the facts about this sentence and the one before."""
    n = claim.number
    place = known.get(f"at({n})", "start")
    numbers = [part.split()[0] for part in place.split(", ")] if place != "start" else ["0"]
    return {
        "n": n,
        "digits": claim.value,
        "turns": _TURNS.get(claim.value, ""),
        "facing": _word(known.get(f"facing({n})"), lang),
        "facing_before": _word(known.get(f"facing({n - 1})"), lang),
        "turning": _TURNING[lang][known.get(f"turn({n})", "none")],
        "place_before": place_in_words(known.get(f"at({n - 1})", "start"), lang).removeprefix("at "),
        "first": legs_in_words(claim.value.split(", ")[0], lang, "")
        if claim.name == "back" and claim.value != "none"
        else "",
        "sum": " + ".join(numbers),
        "squares": " + ".join(f"{number}^2" for number in numbers),
        "square": known.get(f"square({n})", ""),
    }


def _word(direction: str | None, lang: Lang) -> str:
    return direction_word(direction, lang) if direction else ""


def _note(claim: Claim, lang: Lang) -> str:
    """The value; of what a sentence says, with the number of the sentence."""
    value = value_in_words(claim, lang)
    template = _NOTES[lang].get(claim.value if claim.name == "turn" else claim.name, "{value}")
    note = template.format(value=value, digits=claim.value)
    said = claim.name in ("turn", "walk") or (claim.name == "facing" and claim.number == 1)
    return f"({claim.number}) {note}" if said else note
