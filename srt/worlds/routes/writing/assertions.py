"""Each claim as one sentence for people. It counts the sentences of the problem as the claim does."""

from __future__ import annotations

from srt.io.records import Lang
from srt.worlds.routes.derivation.claims import Claim
from srt.worlds.routes.reading.wordings import number_with_unit

_TURNS = {
    "en": {"left": "is a turn to the left", "right": "is a turn to the right", "around": "is a turn around"},
    "zh": {"left": "是向左转", "right": "是向右转", "around": "是向后转"},
}
_SENTENCES: dict[Lang, dict[str, str]] = {
    "en": {
        "facing": "After ({n}) the walker faces {value}.",
        "turn": "({n}) {value}.",
        "walk": "({n}) is a walk of {value}.",
        "leg": "The leg of ({n}) is {value}.",
        "at": "After ({n}) the walker is {value}.",
        "back": "After ({n}) the way back is {value}.",
        "steps": "After ({n}) the start is {value} away along the grid.",
        "square": "After ({n}) the square of the straight line to the start is {value}.",
        "line": "After ({n}) the straight line to the start is {value} long.",
        "options": "So the right option is {value}.",
        "answer": "So the answer is {value}.",
    },
    "zh": {
        "facing": "第({n})句之后面向{value}。",
        "turn": "第({n})句{value}。",
        "walk": "第({n})句走了{value}。",
        "leg": "第({n})句这一段是{value}。",
        "at": "第({n})句之后位于{value}。",
        "back": "第({n})句之后，返回的路是{value}。",
        "steps": "第({n})句之后，沿网格离起点{value}。",
        "square": "第({n})句之后，到起点的直线距离的平方是{value}。",
        "line": "第({n})句之后，到起点的直线距离是{value}。",
        "options": "所以正确选项是{value}。",
        "answer": "所以答案是{value}。",
    },
}
_NORTHWARDS = {"north": "北", "east": "东", "south": "南", "west": "西"}


def assertion(claim: Claim, lang: Lang) -> str:
    """``claim`` as a sentence in ``lang``."""
    return _SENTENCES[lang][claim.name].format(n=claim.number, value=value_in_words(claim, lang))


def value_in_words(claim: Claim, lang: Lang) -> str:
    """The value of a claim as it stands in a sentence: ``3 steps east and 2 steps north of the start``."""
    value = claim.value
    match claim.name:
        case "facing":
            return direction_word(value, lang)
        case "turn":
            return _TURNS[lang].get(value, "is no turn" if lang == "en" else "没有转弯")
        case "leg":
            return legs_in_words(value, lang, " and ")
        case "at":
            return place_in_words(value, lang)
        case "back":
            if value == "none":
                return "no way at all" if lang == "en" else "不用走"
            return legs_in_words(value, lang, ", then " if lang == "en" else "，再")
        case "walk" | "steps" | "line":
            return number_with_unit(int(value), lang)
        case _:
            return value.strip("{}")


def direction_word(direction: str, lang: Lang) -> str:
    """``east``, ``东``."""
    return direction if lang == "en" else _NORTHWARDS[direction]


def place_in_words(value: str, lang: Lang) -> str:
    """The value of a claim about a place: ``3 east, 2 north``, or ``start``."""
    if value == "start":
        return "at the start" if lang == "en" else "起点"
    if lang == "en":
        return f"{legs_in_words(value, lang, ' and ')} of the start"
    parts = (part.split() for part in value.split(", "))
    return "起点" + "、".join(f"以{_NORTHWARDS[direction]}{steps}步" for steps, direction in parts)


def legs_in_words(value: str, lang: Lang, joint: str) -> str:
    """Legs, ``3 east, 2 north``, each with its unit, joined by ``joint``."""
    parts = [part.split() for part in value.split(", ")]
    if lang == "zh":
        return joint.join(f"向{_NORTHWARDS[direction]}走{steps}步" for steps, direction in parts)
    return joint.join(f"{number_with_unit(int(steps), lang)} {direction}" for steps, direction in parts)
