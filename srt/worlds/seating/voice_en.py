"""The seating world in English, in words of our own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from srt.worlds.seating.scenes import Scene
from srt.worlds.seating.voice import Wording

PEOPLE = (
    *("Ann", "Bob", "Cal", "Dee", "Eve", "Fay", "Gus", "Hal"),
    *("Ida", "Jan", "Kim", "Lou", "Max", "Ned", "Ola", "Pam"),
    *("Quin", "Ray", "Sue", "Tom", "Una", "Viv", "Wes", "Xena"),
    *("Yves", "Zoe"),
)
POTS = (
    *("Red Oak", "Blue Fern", "White Iris", "Sage", "Thyme", "Basil", "Aster", "Dahlia"),
    *("Yellow Poppy", "Heather", "Lavender", "Clover", "Ivy", "Fuchsia", "Pink Peony", "Violet"),
    *("Daisy", "Orchid", "Green Moss", "Bamboo", "Azalea", "Begonia", "Sea Holly", "Hosta"),
)
NAMES = {"booth": PEOPLE, "hexagon-out": PEOPLE, "hexagon-in": PEOPLE, "shelf": POTS}
JOINER = ", "
CLUE_LINE = "({number}) {clue};"
LAST_CLUE_LINE = "({number}) {clue}."
QUESTION_LINE = "{question}."
NONE_OF_THE_ABOVE = "None of the above"

DIRECTIONS = {
    "N": "north",
    "NE": "northeast",
    "E": "east",
    "SE": "southeast",
    "S": "south",
    "SW": "southwest",
    "W": "west",
    "NW": "northwest",
}
NUMBERS = ("zero", "one", "two", "three", "four", "five")
MEETING = {
    "over": "straight above",
    "under": "straight below",
    "upper_left": "up and left of",
    "upper_right": "up and right of",
    "lower_left": "down and left of",
    "lower_right": "down and right of",
    "left": "just left of",
    "right": "just right of",
}


def opening(scene: Scene, style: Literal["short", "long"]) -> str:
    """The words before the clues, with ``{names}`` in them."""
    return _short(scene) if style == "short" else _long(scene)


def wordings(scene: Scene) -> Iterator[Wording]:
    """Every relation that ``scene`` has, with its sentences."""
    if scene.kind == "booth":
        yield from _booth(scene)
    elif scene.kind == "shelf":
        yield from _shelf()
    else:
        yield from _hexagon(scene)


def _booth(scene: Scene) -> Iterator[Wording]:
    for side in ("left", "right"):
        yield Wording(f"{side}({{Y}}) = {{X}}", (f"{{X}} is {side} of {{Y}}", f"{{Y}}'s {side} neighbour is {{X}}"))
        yield Wording(f"front_{side}({{Y}}) = {{X}}", (f"{{X}} is front-{side} of {{Y}}",))
        for function, phrase in (("across", "faces"), ("diag", "is diagonal to")):
            yield Wording(
                f"{function}({side}({{Y}})) = {{X}}",
                (
                    f"{{X}} {phrase} the {side} neighbour of {{Y}}",
                    f"the {side} neighbour of {{Y}} {phrase} {{X}}",
                ),
            )
    yield Wording("across({Y}) = {X}", ("{X} faces {Y}",))
    yield Wording("across({Y}) != {X}", ("{X} does not face {Y}",))
    yield Wording("diag({Y}) = {X}", ("{X} is diagonal to {Y}",))
    yield Wording("{X} in beside({Y})", ("{X} shares a bench with {Y}",))
    yield Wording("{X} notin beside({Y})", ("{X} does not share a bench with {Y}",))
    if scene.compass != "none":
        yield from _facing(scene.compass)


def _hexagon(scene: Scene) -> Iterator[Wording]:
    for k in range(1, 6):
        for side in ("left", "right"):
            yield Wording(f"{_apply(side, k)} = {{X}}", (f"{{X}} is {NUMBERS[k]} {side} of {{Y}}",))
            if k != 3:  # the place opposite the third one is Y's own
                yield Wording(
                    f"across({_apply(side, k)}) = {{X}}",
                    (f"{{X}} is opposite the place {NUMBERS[k]} {side} of {{Y}}",),
                )
        for function, word in (("cw", "clockwise"), ("ccw", "counterclockwise")):
            yield Wording(f"{_apply(function, k)} = {{X}}", (f"{{X}} is {NUMBERS[k]} {word} of {{Y}}",))
    yield Wording("across({Y}) = {X}", ("{X} is opposite {Y}",))
    yield Wording("{X} in beside({Y})", ("{X} is next to {Y}",))
    yield Wording("{X} notin beside({Y})", ("{X} is not next to {Y}",))
    yield Wording("{X} in one_between({Y})", ("one place lies between {X} and {Y}",))
    for side in ("left", "right"):
        yield Wording(f"{{X}} in {side}_side({{Y}})", (f"{{X}} is on the {side} side of {{Y}}",))
    if scene.compass == "none":
        return
    for word in DIRECTIONS.values():
        yield Wording(f"{{X}} in {word}({{Y}})", (f"{{X}} is {word} of {{Y}}",))
    for word in [DIRECTIONS[letter] for letter in "NESW"]:
        yield Wording(f"{{X}} in due_{word}({{Y}})", (f"{{X}} is due {word} of {{Y}}",))
    for letters in scene.seats:  # the seats' names are the directions that are looked in
        yield Wording(f"faces({{X}}) = {letters}", (f"{{X}} looks {DIRECTIONS[letters]}",))


def _shelf() -> Iterator[Wording]:
    for side in ("left", "right"):
        yield Wording(f"{side}({{Y}}) = {{X}}", (f"{{X}} is {side} of {{Y}} on the same tier",))
        for height, word in (("upper", "up"), ("lower", "down")):
            yield Wording(f"{{X}} in {height}_{side}({{Y}})", (f"{{X}} is {word} and {side} of {{Y}}",))
            for k, tiers in ((1, "one tier"), (2, "two tiers")):
                yield Wording(
                    f"{{X}} in {height}_{side}({{Y}}, {k})", (f"{{X}} is {tiers} {word} and {side} of {{Y}}",)
                )
    for function, word in (("up", "above"), ("down", "below")):
        for k, tiers in ((1, "one tier"), (2, "two tiers")):
            yield Wording(f"{_apply(function, k)} = {{X}}", (f"{{X}} is {tiers} straight {word} {{Y}}",))
    for region, phrase in (
        ("over", "is somewhere straight above"),
        ("under", "is somewhere straight below"),
        ("beside", "is on the tier of"),
        ("tier_next", "is a tier away from"),
        ("tier_above", "is on the tier just above"),
        ("tier_below", "is on the tier just below"),
        ("diag_above", "is diagonally above"),
        ("diag_below", "is diagonally below"),
        ("above", "is higher than"),
        ("below", "is lower than"),
        ("same_side", "is in the column of"),
    ):
        yield Wording(f"{{X}} in {region}({{Y}})", (f"{{X}} {phrase} {{Y}}",))
    yield Wording("{X} in tier_apart({Y})", ("a tier lies between {X} and {Y}",))
    yield Wording("{X} in stacked({Y})", ("{X} and {Y} are stacked",))
    yield Wording("{X} notin same_side({Y})", ("{X} is not in the column of {Y}",))
    for tier in (1, 2, 3):
        yield Wording(f"tier({{X}}) = {tier}", (f"{{X}} is on tier {NUMBERS[tier]}",))
        for column in ("E", "W"):
            yield Wording(f"{{X}}@{tier}{column}", (f"{{X}} is in the {DIRECTIONS[column]} of tier {NUMBERS[tier]}",))
    for column in ("E", "W"):
        yield Wording(f"column({{X}}) = {column}", (f"{{X}} is in the {DIRECTIONS[column]} column",))
    for first, r in MEETING.items():
        for second, s in MEETING.items():
            if first != second:
                yield Wording(f"meet({first}({{X}}), {second}({{Y}}))", (f"a place {r} {{X}} is also {s} {{Y}}",))


def _facing(letters: str) -> Iterator[Wording]:
    for letter in letters:
        yield Wording(f"faces({{X}}) = {letter}", (f"{{X}} looks {DIRECTIONS[letter]}",))


def _apply(function: str, k: int) -> str:
    return f"{function}({{Y}})" if k == 1 else f"{function}({{Y}}, {k})"


def _short(scene: Scene) -> str:
    if scene.kind == "booth":
        sides = {
            "none": "",
            "NS": ", benches on the north and south sides",
            "EW": ", benches on the east and west sides",
        }
        return f"Booth{sides[scene.compass]}: {{names}}."
    if scene.kind == "shelf":
        return "Shelf of three tiers, east on the left: {names}."
    facing = "out" if scene.kind == "hexagon-out" else "in"
    seats = "" if scene.compass == "none" else f", seats {' '.join(scene.seats)}"
    return f"Ring of six facing {facing}{seats}: {{names}}."


def _long(scene: Scene) -> str:
    if scene.kind == "booth":
        sides = {"NS": ("north", "south"), "EW": ("east", "west")}.get(scene.compass)
        compass = (
            f" One bench is on the {sides[0]} side of the table, the other on the {sides[1]} side." if sides else ""
        )
        return "{names} share a booth: two benches face each other across a table, with two seats on each." + compass
    if scene.kind == "shelf":
        return (
            "{names} stand on a shelf with three tiers, numbered from the bottom, and two places on each tier. "
            "To the viewer, east is on the left and west is on the right."
        )
    facing = "facing away from" if scene.kind == "hexagon-out" else "facing"
    text = f"{{names}} stand at the six corners of a regular hexagon, all {facing} its centre."
    if scene.compass == "none":
        return text
    words = [DIRECTIONS[seat] for seat in scene.seats]
    return f"{text} The corners lie to the {', '.join(words[:-1])} and {words[-1]} of the centre."
