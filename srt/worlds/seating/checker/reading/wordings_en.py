"""The English wordings: those of the published texts (with their slips of spelling), and our own short ones."""

from __future__ import annotations

from srt.worlds.seating.checker.reading.grammar import Grammar, Word, rule

_SIDES: list[Word] = [{"side": "left"}, {"side": "right"}]
_TURNS: list[Word] = [{"f": "cw", "turn": "clockwise"}, {"f": "ccw", "turn": "counterclockwise"}]
_COUNTS: list[Word] = [
    {"k": "", "kth": "first", "n": "one"},
    {"k": ", 2", "kth": "second", "n": "two"},
    {"k": ", 3", "kth": "third", "n": "three"},
    {"k": ", 4", "kth": "fourth", "n": "four"},
    {"k": ", 5", "kth": "fifth", "n": "five"},
]
_CARDINALS: list[Word] = [
    {"D": "N", "dir": "north"},
    {"D": "E", "dir": "east"},
    {"D": "S", "dir": "south"},
    {"D": "W", "dir": "west"},
]
_QUADRANTS: list[Word] = [
    {"D": "NE", "dir": "northeast"},
    {"D": "SE", "dir": "southeast"},
    {"D": "SW", "dir": "southwest"},
    {"D": "NW", "dir": "northwest"},
]
_BOOTH = (
    rule(
        "side",
        "{side}(Y) = X",
        "X is on Y's {side} on the same side",
        "X is sitting next to Y on the {side}-hand side",
        "X is [the one sitting|seated] on the {side}-hand side of Y",
        "X is the {side} [neighbor|neighbour] of Y",
        "X is sitting to the {side} of Y",
        "X is {side} of Y",
        "Y's {side} neighbour is X",
    ),
    rule(
        "side dir",
        "{side}(Y) = X & faces(X) = {D}",
        "X is sitting facing {dir}, next to Y on the {side}-hand side",
    ),
    rule("dir", "faces(X) = {D}", "X looks {dir}"),
    rule("dir", "X in beside(Y) & faces(X) = {D}", "X is sitting facing {dir}, next to Y"),
    rule("dir", "across(Y) = X & faces(X) = {D}", "X is sitting facing {dir}, directly opposite Y"),
    rule("dir", "diag(Y) = X & faces(X) = {D}", "X is sitting facing {dir}, diagonally opposite Y"),
    rule("", "X in beside(Y)", "X and Y are sitting [next to each other|side by side]", "X shares a bench with Y"),
    rule(
        "",
        "X notin beside(Y)",
        "X and Y are not sitting [next to each other|side by side|on the same side]",
        "X and Y are facing different directions",
        "X does not share a bench with Y",
    ),
    rule("", "across(Y) = X", "X is [sitting across from|directly opposite] Y", "X faces Y"),
    rule("", "across(Y) != X", "X is not sitting across from Y", "X does not face Y"),
    rule("", "diag(Y) = X", "X is [sitting diagonally across from|diagonally opposite|diagonal to] Y"),
    rule("side", "front_{side}(Y) = X", "X is to the front {side} of Y", "X is front-{side} of Y"),
    rule(
        "side",
        "across({side}(Y)) = X",
        "X is across from the {side} [neighbor|neighbour] of Y",
        "X faces the {side} neighbour of Y",
    ),
    rule(
        "side",
        "diag({side}(Y)) = X",
        "X is [diagonally opposite|diagonal to] the {side} [neighbor|neighbour] of Y",
    ),
    rule(
        "side",
        "across({side}(X)) = Y",
        "the {side} [neighbor|neighbour] of X [is directly opposite|faces] Y",
    ),
    rule(
        "side",
        "diag({side}(X)) = Y",
        "the {side} [neighbor|neighbour] of X is [diagonally opposite|diagonal to] Y",
    ),
)
_HEXAGON = (
    rule(
        "side k",
        "{side}(Y{k}) = X",
        "X [is at|occupies] the {kth} position to the {side} of Y",
        "X is the {kth} one on the {side} side of Y",
        "X is the {kth} in sequence starting to the {side} of Y",
        "X is {n} {side} of Y",
    ),
    rule(
        "side",
        "{side}(Y) = X",
        "X is [immediately|directly] to the {side} of Y",
        "X is next to the {side} of Y",
        "X is next to Y on the {side} side",
    ),
    rule(
        "side",
        "{side}(Y, 2) = X",
        "X is to Y's {side}, with one spot between them",
        "X is [|positioned ]to the {side} of Y, separated by one [spot|person|statue]",
        "X is [|positioned ]to the {side} of Y, with one [spot|person|statue] between them",
        "X is diagonally opposite on the {side} side of Y",
    ),
    rule(
        "turn k",
        "{f}(Y{k}) = X",
        "X is at the {kth} position [{turn}|in the {turn} direction|when counted {turn}] from Y",
        "X occupies the {kth} position {turn} from Y",
        "X is located in the {kth} spot to the {turn} direction of Y",
        "X is {n} {turn} of Y",
    ),
    rule(
        "",
        "across(Y) = X",
        "X is positioned back-to-back with Y",
        "X and Y are [back-to-back|facing each other|separated by two positions]",
        "X is [directly opposite|just across from|opposite] Y",
        "there are two [statues|people] between X and Y",
    ),
    rule(
        "side k",
        "across({side}(Y{k})) = X",
        "[the position that X is facing away from is|X is facing away from|X is sitting across from]"
        " the {kth} position to the {side} of Y",
        "X is opposite the place {n} {side} of Y",
    ),
    rule("dir", "faces(X) = {D}", "X [faces|is directed towards|is oriented towards|is facing] due {dir}"),
    rule("quadrant", "faces(X) = {D}", "X [faces|is directed towards|is oriented towards|is facing] {dir}"),
    rule("dir", "faces(X) = {D}", "X looks {dir}"),
    rule("quadrant", "faces(X) = {D}", "X looks {dir}"),
    rule("dir", "X in {dir}(Y)", "X is [|to the ]{dir} of Y"),
    rule("quadrant", "X in {dir}(Y)", "X is [|to the ]{dir} of Y"),
    rule("dir", "X in due_{dir}(Y)", "X is [directly to the|due] {dir} of Y"),
    rule(
        "",
        "X in beside(Y)",
        "X is [beside|adjacent to|next to|by] Y",
        "X is within the same side range as Y",
    ),
    rule(
        "",
        "X notin beside(Y)",
        "X is not next to Y",
        "X and Y are not adjacent",
        "there are other [statues|people] between X and Y",
    ),
    rule(
        "",
        "X in one_between(Y)",
        "there is one [statue|person] between X and Y",
        "X is diagonally [opposite|across from] Y",
        "one place lies between X and Y",
    ),
    rule(
        "side",
        "X in {side}_side(Y)",
        "X is [|somewhere ][to the {side}|on the {side} side] of Y",
        "X is located within the area to the {side} of Y",
        "X is situated in the area to Y's {side}",
    ),
)
_TIERS: list[Word] = [
    {
        "t": "1",
        "n": "one",
        "floor": "[first|ground] floor",
        "tier": "[first tier|first floor|ground floor|bottom tier]",
    },
    {"t": "2", "n": "two", "floor": "[second|middle] floor", "tier": "[second|middle] [tier|floor]"},
    {"t": "3", "n": "three", "floor": "[third|top] floor", "tier": "[third|top] [tier|floor]"},
]
_COLUMNS: list[Word] = [
    {"c": "E", "east": "east", "col": "[east|left]"},
    {"c": "W", "east": "west", "col": "[west|right]"},
]
_RISES: list[Word] = [
    {"r": "upper", "over": "over", "up": "up", "above": "above", "straight": "directly above", "upper": "upper"},
    {
        "r": "lower",
        "over": "under",
        "up": "down",
        "above": "below",
        "straight": "directly [below|under]",
        "upper": "[lower|bottom]",
    },
]
_CORNERS: list[Word] = [
    {"corner": f"{rise}_{side}", "words": f"{words} {side}"}
    for rise, words in (("upper", "upper"), ("lower", "[lower|bottom]"))
    for side in ("left", "right")
]
_OTHERS: list[Word] = [{"other": word["corner"], "others": word["words"]} for word in _CORNERS]
_AROUND: list[tuple[str, str]] = [
    ("over", "straight above"),
    ("under", "straight below"),
    ("upper_left", "up and left of"),
    ("upper_right", "up and right of"),
    ("lower_left", "down and left of"),
    ("lower_right", "down and right of"),
    ("left", "just left of"),
    ("right", "just right of"),
]
_SHELF = (
    rule(
        "side",
        "{side}(Y) = X",
        "X is the {side} [neighbor|neighbour] of Y",
        # Bare left and right mean the same tier: so the published answers have it.
        "X is [|somewhere ][|to the ]{side} of Y[| on the same tier]",
        "X is [|somewhere ][|to the ]{side} of Y[, both| and both are] on the same tier",
        "X is directly to Y's {side}",
    ),
    rule(
        "",
        "X in beside(Y)",
        "X and Y are horizontally adjacent to each other",
        "X and Y are on the same tier",
        "X is on the tier of Y",
    ),
    rule(
        "",
        "X in tier_next(Y)",
        "the tier where X is located is next to the tier where Y is located",
        "X is a tier away from Y",
    ),
    rule("", "X in tier_apart(Y)", "X and Y are separated by [a|one] tier", "a tier lies between X and Y"),
    rule("rise", "X in tier_{above}(Y)", "X is one tier {above} Y", "X is on the tier just {above} Y"),
    rule("", "X in stacked(Y)", "X and Y are vertically adjacent to each other", "X and Y are stacked"),
    rule(
        "rise",
        "{up}(Y) = X",
        "X is [|located ]{straight} Y with no tiers separating them",
        "X is [|located ]{straight} Y and they are not [seperated|separated] by any tier",
        "X is one tier straight {above} Y",
    ),
    rule(
        "rise",
        "{up}(Y, 2) = X",
        "X is [|located ]{straight} Y and separated by one tier",
        "X is two tiers straight {above} Y",
    ),
    rule(
        "rise",
        "X in {over}(Y)",
        "X is {straight} Y",
        "X is {above} Y in a straight line",
        "X is somewhere straight {above} Y",
    ),
    rule(
        "rise side",
        "X in {r}_{side}(Y)",
        "X is [|located ][in|at|on] the {upper} {side} [|corner |side ]of Y",
        "X is {up} and {side} of Y",
    ),
    rule(
        "rise side",
        "X in {r}_{side}(Y, 1)",
        "X is [|located ][in|at|on] the {upper} {side} [|corner |side ]of Y"
        "[ and there is no tier between them| and there are no layers separating them"
        "| and the two are not separated by a layer| with no tier separating them]",
        "X is one tier {up} and {side} of Y",
    ),
    rule(
        "rise side",
        "X in {r}_{side}(Y, 2)",
        "X is [|located ][in|at|on] the {upper} {side} [|corner |side ]of Y"
        "[ and there is a tier between them| and there is a layer separating the two"
        "| and there is one tier separating the two| with one tier separating them]",
        "X is two tiers {up} and {side} of Y",
    ),
    rule("rise", "X in diag_{above}(Y)", "X is [diagonally|diagonnaly] {above} Y"),
    rule("", "X in above(Y)", "X is above Y", "X is higher than Y"),
    rule("", "X in below(Y)", "X is below Y", "X is lower than Y"),
    rule("tier", "tier(X) = {t}", "X is on the {floor}", "X is on tier {n}"),
    rule(
        "column",
        "column(X) = {c}",
        "X is [|located ]on the {col} side",
        "there is X on the {col} side",
        "X is in the {east} column",
    ),
    rule(
        "tier column",
        "X@{t}{c}",
        "X [|is ]on the {col} side of the {tier}",
        "[|on ]the {col} side of the {tier} is X",
        "X is in the {east} of tier {n}",
    ),
    rule("column", "X@3{c}", "the top {col} side is X"),
    rule("column", "X@1{c}", "the bottom {col} side is X"),
    rule("", "X in same_side(Y)", "X is on the same side as Y", "X is in the column of Y"),
    rule("", "X notin same_side(Y)", "X is on a different side from Y", "X is not in the column of Y"),
    rule(
        "side corner",
        "meet({side}(X), {corner}(Y))",
        "the {side} [|side ][neighbor|neighbour] of X is [|in |on ]the {words} [|position |corner |side ]of Y",
        "the [neighbor|neighbour] to the {side} of X is [|in |on ]the {words} [|position |corner |side ]of Y",
    ),
    rule(
        "side rise",
        "meet({side}(X), {over}(Y))",
        "the {side} [|side ][neighbor|neighbour] of X is {straight} Y",
        "the [neighbor|neighbour] to the {side} of X is {straight} Y",
    ),
    rule("", "meet(over(X), under(Y))", "the position [directly|exactly] above X is [directly|exactly] below Y"),
    rule("", "meet(under(X), over(Y))", "the position [directly|exactly] below X is [directly|exactly] above Y"),
    rule("corner other", "meet({corner}(X), {other}(Y))", "the {words} corner of X is the {others} corner of Y"),
    rule("rise corner", "meet({over}(X), {corner}(Y))", "{straight} X is the {words} corner of Y"),
    *(
        rule("", f"meet({r}(X), {s}(Y))", f"a place {first} X is also {second} Y")
        for r, first in _AROUND
        for s, second in _AROUND
    ),
)
GRAMMAR = Grammar(
    words={
        "side": _SIDES,
        "turn": _TURNS,
        "k": _COUNTS,
        "dir": _CARDINALS,
        "tier": _TIERS,
        "column": _COLUMNS,
        "rise": _RISES,
        "quadrant": _QUADRANTS,
        "corner": _CORNERS,
        "other": _OTHERS,
    },
    rules={"booth": _BOOTH, "hexagon": _HEXAGON, "shelf": _SHELF},
)
