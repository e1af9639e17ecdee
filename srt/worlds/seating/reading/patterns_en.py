"""English: the words of the seating world and how they combine, in the notation of :mod:`.pattern_notation`."""

from __future__ import annotations

from srt.worlds.seating.reading.pattern_notation import LanguagePatterns, SceneSentence

_DIRECTIONS = {
    "northeast|north-east": "NE",
    "northwest|north-west": "NW",
    "southeast|south-east": "SE",
    "southwest|south-west": "SW",
    "north": "N",
    "south": "S",
    "east": "E",
    "west": "W",
}
_CORNER_NOUN = "(?: corner| side| position)?"
_CORNERS = {
    f"(?:upper|top) left{_CORNER_NOUN}": "upper_left",
    f"(?:upper|top) right{_CORNER_NOUN}": "upper_right",
    f"(?:lower|bottom) left{_CORNER_NOUN}": "lower_left",
    f"(?:lower|bottom) right{_CORNER_NOUN}": "lower_right",
}
_SLANTS = {
    "up and left of": "upper_left",
    "up and right of": "upper_right",
    "down and left of": "lower_left",
    "down and right of": "lower_right",
}
# "No tier between" is one tier away, "one tier between" is two; in claims of vertical neighbours the 1 is left out.
_LEVEL = "(?:tier|layer|floor)s?"
_PARTED = "sep[ea]rat(?:ed|ing)"
_TOGETHER = (
    f",? (?:and there (?:is|are) no {_LEVEL} (?:between|separating) (?:them|the two)"
    f"|with no {_LEVEL} (?:between|separating) them|and (?:they|the two) are not {_PARTED} by an?y? {_LEVEL})"
)
_APART = (
    f",? (?:and there is (?:a|one) {_LEVEL} (?:between|separating) (?:them|the two)"
    f"|with one {_LEVEL} (?:between|separating) them|and (?:they are )?{_PARTED} by (?:a|one) {_LEVEL})"
)
_VOCABULARY = {
    "side": {"left": "left", "right": "right"},
    "rotation": {"clockwise": "cw", "counter-?clockwise|anti-?clockwise": "ccw"},
    "ordinal": {"first": "", "second": ", 2", "third": ", 3", "fourth": ", 4", "fifth": ", 5"},
    "count": {"one": "", "two": ", 2", "three": ", 3", "four": ", 4", "five": ", 5"},
    "between": {"one": ", 2", "two": ", 3", "three": ", 4"},
    "direction": _DIRECTIONS,
    "bearing": {words: words.partition("|")[0] for words in _DIRECTIONS},
    "cardinal": {word: word for word in ("north", "south", "east", "west")},
    "opposite": {
        "(?:directly |just )?opposite(?: to)?|(?:directly |just )?across from": "across",
        "diagonally opposite(?: to)?|diagonally across from|diagonal to": "diag",
    },
    "opposite_verb": {
        "faces|is (?:directly |just )?opposite(?: to)?|is (?:sitting )?across from": "across",
        "is (?:sitting )?diagonally opposite(?: to)?|is (?:sitting )?diagonally across from|is diagonal to": "diag",
    },
    "corner": _CORNERS,
    "slant": _SLANTS,
    "spot": {
        "(?:the position )?(?:directly|exactly|straight) above": "over",
        "(?:the position )?(?:directly|exactly|straight) (?:below|under)": "under",
        "just left of|the left(?: side)? neighbou?r of|the neighbou?r to the left of": "left",
        "just right of|the right(?: side)? neighbou?r of|the neighbou?r to the right of": "right",
        **{f"the {words} of": region for words, region in _CORNERS.items()},
        **_SLANTS,
    },
    "tiers": {_TOGETHER: ", 1", _APART: ", 2"},
    "gap": {_TOGETHER: "", _APART: ", 2"},
    "rise": {"one tier": ", 1", "two tiers": ", 2"},
    "floors": {"one tier": "", "two tiers": ", 2"},
    "up": {"above": "above", "below": "below"},
    "higher": {"higher": "above", "lower": "below"},
    "vertical": {"above": "up", "below|under": "down"},
    "straight": {"above": "over", "below|under": "under"},
    "tier": {"first|ground|bottom": "1", "second|middle": "2", "third|top": "3"},
    "tier_number": {"one": "1", "two": "2", "three": "3"},
    "column": {"east|left": "E", "west|right": "W"},
}

_BOOTH = (
    ("{X} is on {Y}'s {side} on the same side", "{side}({Y}) = {X}"),
    ("{X} is sitting next to {Y} on the {side}-hand side", "{side}({Y}) = {X}"),
    ("{X} is (?:the one sitting|sitting|seated) on the {side}-hand side of {Y}", "{side}({Y}) = {X}"),
    ("{X} is (?:sitting )?to the {side} of {Y}", "{side}({Y}) = {X}"),
    ("{X} is {side} of {Y}", "{side}({Y}) = {X}"),
    ("{X} is the {side} neighbou?r of {Y}", "{side}({Y}) = {X}"),
    ("{Y}'s {side} neighbou?r is {X}", "{side}({Y}) = {X}"),
    (
        "{X} is sitting facing {direction}, next to {Y} on the {side}-hand side",
        "{side}({Y}) = {X} & faces({X}) = {direction}",
    ),
    ("{X} is sitting facing {direction}, next to {Y}", "{X} in beside({Y}) & faces({X}) = {direction}"),
    ("{X} is sitting facing {direction}, {opposite} {Y}", "{opposite}({Y}) = {X} & faces({X}) = {direction}"),
    ("{X} (?:looks|faces|is facing|is sitting facing) (?:due )?{direction}", "faces({X}) = {direction}"),
    ("{X} and {Y} are sitting (?:next to each other|side by side|on the same side)", "{X} in beside({Y})"),
    ("{X} shares a bench with {Y}", "{X} in beside({Y})"),
    ("{X} and {Y} are not sitting (?:next to each other|side by side|on the same side)", "{X} notin beside({Y})"),
    ("{X} and {Y} are facing different directions", "{X} notin beside({Y})"),
    ("{X} does not share a bench with {Y}", "{X} notin beside({Y})"),
    ("{X} is (?:sitting )?{opposite} {Y}", "{opposite}({Y}) = {X}"),
    ("{X} faces {Y}", "across({Y}) = {X}"),
    ("{X} is not (?:sitting )?{opposite} {Y}", "{opposite}({Y}) != {X}"),
    ("{X} does not face {Y}", "across({Y}) != {X}"),
    ("{X} is to the front {side} of {Y}", "front_{side}({Y}) = {X}"),
    ("{X} is front-{side} of {Y}", "front_{side}({Y}) = {X}"),
    ("{X} {opposite_verb} the {side} neighbou?r of {Y}", "{opposite_verb}({side}({Y})) = {X}"),
    ("the {side} neighbou?r of {X} {opposite_verb} {Y}", "{opposite_verb}({side}({X})) = {Y}"),
)

_PLACE_WORD = "(?:position|spot|place)"
_HEXAGON = (
    ("{X} is (?:immediately|directly|next) to the {side} of {Y}", "{side}({Y}) = {X}"),
    ("{X} is next to {Y} on the {side} side", "{side}({Y}) = {X}"),
    (f"{{X}} (?:is at|occupies) the {{ordinal}} {_PLACE_WORD} to the {{side}} of {{Y}}", "{side}({Y}{ordinal}) = {X}"),
    ("{X} is the {ordinal} one on the {side} side of {Y}", "{side}({Y}{ordinal}) = {X}"),
    ("{X} is the {ordinal} in sequence starting to the {side} of {Y}", "{side}({Y}{ordinal}) = {X}"),
    ("{X} is {count} {side} of {Y}", "{side}({Y}{count}) = {X}"),
    (
        "{X} is (?:positioned )?to the {side} of {Y}, with {between} (?:person|people|statue|spot)s? between them",
        "{side}({Y}{between}) = {X}",
    ),
    (
        "{X} is (?:positioned )?to {Y}'s {side}, with {between} (?:person|people|statue|spot)s? between them",
        "{side}({Y}{between}) = {X}",
    ),
    (
        "{X} is (?:positioned )?to the {side} of {Y}, separated by {between} (?:person|people|statue|spot)s?",
        "{side}({Y}{between}) = {X}",
    ),
    (
        f"{{X}} (?:is at|occupies) the {{ordinal}} {_PLACE_WORD} (?:when counted )?{{rotation}} from {{Y}}",
        "{rotation}({Y}{ordinal}) = {X}",
    ),
    (
        f"{{X}} is (?:at|located in) the {{ordinal}} {_PLACE_WORD} (?:in|to) the {{rotation}} direction "
        "(?:from|of) {Y}",
        "{rotation}({Y}{ordinal}) = {X}",
    ),
    ("{X} is {count} {rotation} of {Y}", "{rotation}({Y}{count}) = {X}"),
    ("{X} is diagonally opposite on the {side} side of {Y}", "{side}({Y}, 2) = {X}"),
    ("{X} is diagonally (?:opposite|across from) {Y}", "{X} in one_between({Y})"),
    ("there is one (?:statue|person|place) between {X} and {Y}", "{X} in one_between({Y})"),
    ("one place lies between {X} and {Y}", "{X} in one_between({Y})"),
    ("{X} is (?:positioned )?back-to-back with {Y}", "across({Y}) = {X}"),
    ("{X} and {Y} are (?:back-to-back|facing each other|separated by two positions)", "across({Y}) = {X}"),
    ("there are two (?:statues|people) between {X} and {Y}", "across({Y}) = {X}"),
    ("{X} is (?:sitting )?(?:directly |just )?(?:opposite|across from) {Y}", "across({Y}) = {X}"),
    (
        f"{{X}} is (?:sitting across from|facing away from) the {{ordinal}} {_PLACE_WORD} to the {{side}} of {{Y}}",
        "across({side}({Y}{ordinal})) = {X}",
    ),
    (
        f"the position that {{X}} is facing away from is the {{ordinal}} {_PLACE_WORD} to the {{side}} of {{Y}}",
        "across({side}({Y}{ordinal})) = {X}",
    ),
    ("{X} is opposite the place {count} {side} of {Y}", "across({side}({Y}{count})) = {X}"),
    ("{X} (?:faces|looks|is facing|is (?:directed|oriented) towards) (?:due )?{direction}", "faces({X}) = {direction}"),
    ("{X} is (?:next to|beside|adjacent to|by|within the same side range as) {Y}", "{X} in beside({Y})"),
    ("{X} is not (?:next to|beside|adjacent to|by) {Y}", "{X} notin beside({Y})"),
    ("{X} and {Y} are adjacent", "{X} in beside({Y})"),
    ("{X} and {Y} are not adjacent", "{X} notin beside({Y})"),
    ("there are other (?:statues|people) between {X} and {Y}", "{X} notin beside({Y})"),
    ("{X} is (?:somewhere )?on the {side} side of {Y}", "{X} in {side}_side({Y})"),
    ("{X} is (?:somewhere )?to the {side} of {Y}", "{X} in {side}_side({Y})"),
    ("{X} is (?:located|situated) (?:within|in) the area to the {side} of {Y}", "{X} in {side}_side({Y})"),
    ("{X} is (?:located|situated) (?:within|in) the area to {Y}'s {side}", "{X} in {side}_side({Y})"),
    ("{X} is (?:to the )?{bearing} of {Y}", "{X} in {bearing}({Y})"),
    ("{X} is (?:directly to the|due) {cardinal} of {Y}", "{X} in due_{cardinal}({Y})"),
)

_SAME_TIER = "(?:, both on the same tier| and both are on the same tier| on the same tier)?"
_SHELF = (
    ("the tier where {X} is located is next to the tier where {Y} is located", "{X} in tier_next({Y})"),
    ("{X} is a tier away from {Y}", "{X} in tier_next({Y})"),
    (f"{{X}} and {{Y}} are {_PARTED} by (?:a|one) tier", "{X} in tier_apart({Y})"),
    ("a tier lies between {X} and {Y}", "{X} in tier_apart({Y})"),
    ("{X} is (?:one tier|on the tier just) {up} {Y}", "{X} in tier_{up}({Y})"),
    ("{X} and {Y} are (?:vertically adjacent(?: to each other)?|stacked)", "{X} in stacked({Y})"),
    ("{X} and {Y} are (?:horizontally adjacent(?: to each other)?|on the same tier)", "{X} in beside({Y})"),
    ("{X} is on the tier of {Y}", "{X} in beside({Y})"),
    ("{X} is the {side} neighbou?r of {Y}", "{side}({Y}) = {X}"),
    # Bare left and right on a shelf mean the same tier: so the published answers have it.
    (f"{{X}} is (?:somewhere )?(?:to the )?{{side}} of {{Y}}{_SAME_TIER}", "{side}({Y}) = {X}"),
    ("{X} is directly to {Y}'s {side}", "{side}({Y}) = {X}"),
    ("{X} is (?:located )?(?:at|in|on) the {corner} of {Y}", "{X} in {corner}({Y})"),
    ("{X} is (?:located )?(?:at|in|on) the {corner} of {Y}{tiers}", "{X} in {corner}({Y}{tiers})"),
    ("{X} is {slant} {Y}", "{X} in {slant}({Y})"),
    ("{X} is {rise} {slant} {Y}", "{X} in {slant}({Y}{rise})"),
    ("{X} is (?:located )?directly {vertical} {Y}{gap}", "{vertical}({Y}{gap}) = {X}"),
    ("{X} is {floors} straight {vertical} {Y}", "{vertical}({Y}{floors}) = {X}"),
    ("{X} is (?:located )?directly {straight} {Y}", "{X} in {straight}({Y})"),
    ("{X} is somewhere straight {straight} {Y}", "{X} in {straight}({Y})"),
    ("{X} is {straight} {Y} in a straight line", "{X} in {straight}({Y})"),
    ("{X} is diagon+al+y {up} {Y}", "{X} in diag_{up}({Y})"),
    ("{X} is {up} {Y}", "{X} in {up}({Y})"),
    ("{X} is {higher} than {Y}", "{X} in {higher}({Y})"),
    ("{X} is on the {tier} (?:floor|tier)", "tier({X}) = {tier}"),
    ("{X} is on tier {tier_number}", "tier({X}) = {tier_number}"),
    ("{X} (?:is )?(?:located )?on the {column} side of the {tier} (?:floor|tier)", "{X}@{tier}{column}"),
    ("(?:on )?the {column} side of the {tier} (?:floor|tier) is {X}", "{X}@{tier}{column}"),
    ("the {tier} {column} side is {X}", "{X}@{tier}{column}"),
    ("{X} is in the {column} of tier {tier_number}", "{X}@{tier_number}{column}"),
    ("{X} is (?:located )?on the {column} side", "column({X}) = {column}"),
    ("{X} is in the {column} column", "column({X}) = {column}"),
    ("there is {X} on the {column} side", "column({X}) = {column}"),
    ("{X} is (?:on the same side as|in the column of) {Y}", "{X} in same_side({Y})"),
    ("{X} is (?:on a different side from|not in the column of) {Y}", "{X} notin same_side({Y})"),
    ("{spot} {X} is (?:in |on |at )?{spot2} {Y}", "meet({spot}({X}), {spot2}({Y}))"),
    ("a place {spot} {X} is also {spot2} {Y}", "meet({spot}({X}), {spot2}({Y}))"),
)

_TABLE = "along the long sides of a rectangular table"
_NS = "(?:north and south|south and north)"
_EW = "(?:east and west|west and east)"
_SCENE_SENTENCES = (
    SceneSentence("it is known that:"),
    # Booths.
    SceneSentence(r"four people went to .+ and chose a four-person booth\.", kind="booth"),
    SceneSentence(rf"the booth is arranged {_TABLE}, with two people sitting on each side, facing each other\."),
    SceneSentence(
        r"the two people sitting on the east side are facing west, while the two people sitting on the west side "
        r"are facing east\.",
        compass="EW",
    ),
    SceneSentence(
        r"the two people sitting on the south side are facing north, while the two people sitting on the north side "
        r"are facing south\.",
        compass="NS",
    ),
    SceneSentence(r"booth:", kind="booth"),
    SceneSentence(rf"booth, benches on the {_NS} sides:", kind="booth", compass="NS"),
    SceneSentence(rf"booth, benches on the {_EW} sides:", kind="booth", compass="EW"),
    SceneSentence(r"share a booth: two benches face each other across a table, with two seats on each\.", kind="booth"),
    SceneSentence(
        r"one bench is on the (?:north side of the table, the other on the south|south side of the table, the other on "
        r"the north) side\.",
        compass="NS",
    ),
    SceneSentence(
        r"one bench is on the (?:east side of the table, the other on the west|west side of the table, the other on "
        r"the east) side\.",
        compass="EW",
    ),
    # Hexagons.
    SceneSentence(r"these six statues are arranged in a circle .+, each facing away from the center.*", "hexagon-out"),
    SceneSentence(r"these six statues are arranged in a circle .+, each facing towards? the center.*", "hexagon-in"),
    SceneSentence(r"these six taoist priests are seated .+, arranged in a circle .+"),
    SceneSentence(r"each priest is facing outward, with their backs toward the center of the circle\.", "hexagon-out"),
    SceneSentence(r"each priest is facing inward, looking toward the center of the circle\.", "hexagon-in"),
    SceneSentence(r"the positions of the six .+ (?:regular|perfect) hexagon\."),
    SceneSentence(r"the distance between any two adjacent .+ is equal, approximately one meter\."),
    SceneSentence(
        r"the (?:directions the six people are facing are|six statues are facing) due (?:south, due north|north, due "
        r"south), northwest, northeast, southwest, and southeast\.",
        compass="NS",
    ),
    SceneSentence(
        r"the (?:directions the six people are facing are|six statues are facing) due (?:east, due west|west, due "
        r"east), northwest, northeast, southwest, and southeast\.",
        compass="EW",
    ),
    SceneSentence(r"ring of six facing out:", "hexagon-out"),
    SceneSentence(r"ring of six facing in:", "hexagon-in"),
    SceneSentence(r"ring of six facing out, seats N NE SE S SW NW:", "hexagon-out", "NS"),
    SceneSentence(r"ring of six facing in, seats N NE SE S SW NW:", "hexagon-in", "NS"),
    SceneSentence(r"ring of six facing out, seats NE E SE SW W NW:", "hexagon-out", "EW"),
    SceneSentence(r"ring of six facing in, seats NE E SE SW W NW:", "hexagon-in", "EW"),
    SceneSentence(
        r"stand at the six corners of a regular hexagon, all facing away from its cent(?:re|er)\.", "hexagon-out"
    ),
    SceneSentence(r"stand at the six corners of a regular hexagon, all facing its cent(?:re|er)\.", "hexagon-in"),
    SceneSentence(
        r"the corners lie to the north, northeast, southeast, south, southwest and northwest of the cent(?:re|er)\.",
        compass="NS",
    ),
    SceneSentence(
        r"the corners lie to the northeast, east, southeast, southwest, west and northwest of the cent(?:re|er)\.",
        compass="EW",
    ),
    # Shelves.
    SceneSentence(r"these six pots of flowers are arranged on a three-tiered flower stand, .+", "shelf"),
    SceneSentence(r"the tiers are numbered from bottom to top as the first, second and third tiers\."),
    SceneSentence(
        r"each tier is divided into two sections, with one pot placed in each section—one on the east side and one on "
        r"the west\."
    ),
    SceneSentence(r"the artist stands in front of the flower stand, facing it, .+"),
    SceneSentence(
        r"when describing the positional relationships of the flowers, .+ with the eastern pot being on the left and "
        r"the western pot being on the right\."
    ),
    SceneSentence(
        r"in other words, the eastern pot is to the left of the western pot, and the western pot is to the right of "
        r"the eastern pot\."
    ),
    SceneSentence(r"shelf of three tiers, east on the left:", "shelf"),
    SceneSentence(
        r"stand on a shelf with three tiers, numbered from the bottom, and two places on each tier\.", "shelf"
    ),
    SceneSentence(r"to the viewer, east is on the left and west is on the right\."),
)

ENGLISH = LanguagePatterns(
    vocabulary=_VOCABULARY,
    wordings={"booth": _BOOTH, "hexagon": _HEXAGON, "shelf": _SHELF},
    scene_sentences=_SCENE_SENTENCES,
    headers=(
        r"(?P<names>[^.:]+?),?\s*[-—–]\s*(?P<scene>(?:four people|these six) .+)",
        r"(?P<scene>(?:booth|ring of six|shelf of three)[^:]*:) (?P<names>[^:]+)\.",
        r"(?P<names>[^.:]+?) (?P<scene>(?:share a booth|stand (?:at|on) ).+)",
    ),
    name_separator=r",(?: and)? | and ",
    word_edges=True,
)
