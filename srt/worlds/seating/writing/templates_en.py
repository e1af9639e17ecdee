"""The seating world in English, in words of our own.

The tables are in the notation of :mod:`.own_templates`.
"""

from __future__ import annotations

from srt.worlds.seating.writing.phrases import DIRECTIONS_EN

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


_COUNTS = {"": "one", ", 2": "two", ", 3": "three", ", 4": "four", ", 5": "five"}
FIELDS = {
    "side": {"left": "left", "right": "right"},
    "opposite": {"across": "faces", "diag": "is diagonal to"},
    "direction": DIRECTIONS_EN,
    "bearing": {word: word for word in DIRECTIONS_EN.values()},
    "cardinal": {DIRECTIONS_EN[letter]: DIRECTIONS_EN[letter] for letter in "NESW"},
    "count": _COUNTS,
    "count_but_3": {count: word for count, word in _COUNTS.items() if word != "three"},
    "rotation": {"cw": "clockwise", "ccw": "counterclockwise"},
    "corner": {
        "upper_left": "up and left",
        "upper_right": "up and right",
        "lower_left": "down and left",
        "lower_right": "down and right",
    },
    "rise": {", 1": "one tier", ", 2": "two tiers"},
    "vertical": {"up": "above", "down": "below"},
    "floors": {"": "one tier", ", 2": "two tiers"},
    "tier": {"1": "one", "2": "two", "3": "three"},
    "column": {"E": "east", "W": "west"},
    "spot": {
        "over": "straight above",
        "under": "straight below",
        "upper_left": "up and left of",
        "upper_right": "up and right of",
        "lower_left": "down and left of",
        "lower_right": "down and right of",
        "left": "just left of",
        "right": "just right of",
    },
}

_BOOTH = (
    ("{side}({Y}) = {X}", "{X} is {side} of {Y}", "{Y}'s {side} neighbour is {X}"),
    ("front_{side}({Y}) = {X}", "{X} is front-{side} of {Y}"),
    (
        "{opposite}({side}({Y})) = {X}",
        "{X} {opposite} the {side} neighbour of {Y}",
        "the {side} neighbour of {Y} {opposite} {X}",
    ),
    ("{opposite}({Y}) = {X}", "{X} {opposite} {Y}"),
    ("across({Y}) != {X}", "{X} does not face {Y}"),
    ("{X} in beside({Y})", "{X} shares a bench with {Y}"),
    ("{X} notin beside({Y})", "{X} does not share a bench with {Y}"),
    ("faces({X}) = {direction}", "{X} looks {direction}"),
)
_HEXAGON = (
    ("{side}({Y}{count}) = {X}", "{X} is {count} {side} of {Y}"),
    # The place opposite the third one is Y's own.
    ("across({side}({Y}{count_but_3})) = {X}", "{X} is opposite the place {count_but_3} {side} of {Y}"),
    ("{rotation}({Y}{count}) = {X}", "{X} is {count} {rotation} of {Y}"),
    ("across({Y}) = {X}", "{X} is opposite {Y}"),
    ("{X} in beside({Y})", "{X} is next to {Y}"),
    ("{X} notin beside({Y})", "{X} is not next to {Y}"),
    ("{X} in one_between({Y})", "one place lies between {X} and {Y}"),
    ("{X} in {side}_side({Y})", "{X} is on the {side} side of {Y}"),
    ("{X} in {bearing}({Y})", "{X} is {bearing} of {Y}"),
    ("{X} in due_{cardinal}({Y})", "{X} is due {cardinal} of {Y}"),
    ("faces({X}) = {direction}", "{X} looks {direction}"),
)
_SHELF = (
    ("{side}({Y}) = {X}", "{X} is {side} of {Y} on the same tier"),
    ("{X} in {corner}({Y})", "{X} is {corner} of {Y}"),
    ("{X} in {corner}({Y}{rise})", "{X} is {rise} {corner} of {Y}"),
    ("{vertical}({Y}{floors}) = {X}", "{X} is {floors} straight {vertical} {Y}"),
    ("{X} in over({Y})", "{X} is somewhere straight above {Y}"),
    ("{X} in under({Y})", "{X} is somewhere straight below {Y}"),
    ("{X} in beside({Y})", "{X} is on the tier of {Y}"),
    ("{X} in tier_next({Y})", "{X} is a tier away from {Y}"),
    ("{X} in tier_above({Y})", "{X} is on the tier just above {Y}"),
    ("{X} in tier_below({Y})", "{X} is on the tier just below {Y}"),
    ("{X} in tier_apart({Y})", "a tier lies between {X} and {Y}"),
    ("{X} in stacked({Y})", "{X} and {Y} are stacked"),
    ("{X} in diag_above({Y})", "{X} is diagonally above {Y}"),
    ("{X} in diag_below({Y})", "{X} is diagonally below {Y}"),
    ("{X} in above({Y})", "{X} is higher than {Y}"),
    ("{X} in below({Y})", "{X} is lower than {Y}"),
    ("{X} in same_side({Y})", "{X} is in the column of {Y}"),
    ("{X} notin same_side({Y})", "{X} is not in the column of {Y}"),
    ("tier({X}) = {tier}", "{X} is on tier {tier}"),
    ("{X}@{tier}{column}", "{X} is in the {column} of tier {tier}"),
    ("column({X}) = {column}", "{X} is in the {column} column"),
    ("meet({spot}({X}), {spot2}({Y}))", "a place {spot} {X} is also {spot2} {Y}"),
)
WORDINGS = {"booth": _BOOTH, "hexagon": _HEXAGON, "shelf": _SHELF}
OPENINGS = {
    "short": {
        "booth": "Booth{compass}: {names}.",
        "hexagon-out": "Ring of six facing out{compass}: {names}.",
        "hexagon-in": "Ring of six facing in{compass}: {names}.",
        "shelf": "Shelf of three tiers, east on the left: {names}.",
    },
    "long": {
        "booth": "{names} share a booth: two benches face each other across a table, with two seats on each.{compass}",
        "hexagon-out": "{names} stand at the six corners of a regular hexagon, all facing away from its centre."
        "{compass}",
        "hexagon-in": "{names} stand at the six corners of a regular hexagon, all facing its centre.{compass}",
        "shelf": "{names} stand on a shelf with three tiers, numbered from the bottom, and two places on each tier. "
        "To the viewer, east is on the left and west is on the right.",
    },
}
COMPASS = {
    ("short", "booth", "NS"): ", benches on the north and south sides",
    ("short", "booth", "EW"): ", benches on the east and west sides",
    ("short", "hexagon", "NS"): ", seats N NE SE S SW NW",
    ("short", "hexagon", "EW"): ", seats NE E SE SW W NW",
    ("long", "booth", "NS"): " One bench is on the north side of the table, the other on the south side.",
    ("long", "booth", "EW"): " One bench is on the east side of the table, the other on the west side.",
    ("long", "hexagon", "NS"): " The corners lie to the north, northeast, southeast, south, southwest and northwest of "
    "the centre.",
    ("long", "hexagon", "EW"): " The corners lie to the northeast, east, southeast, southwest, west and northwest of "
    "the centre.",
}
