"""What a tokenizer may have as one token in texts of the seating world (:class:`srt.worlds.world.Splitting`).

What varies between problems is a piece: a name, a name at its seat, a step number. Everything between two of them may
become one token (" is left of "). Sequences are about a third shorter than with a token a word, which saves time on a
CPU, and who sits where is one lookup instead of two.
"""

from __future__ import annotations

from srt.worlds.world import Splitting

_NAME = r"\p{Lu}\p{Ll}+"
_STEP = r"#[0-9]+"
# The letter of an option with its name ("B Ann"): which option a name is, is one lookup then. A letter in the token
# before would first have to be carried over to the name.
_OPTION = rf"(?<!\p{{L}})\p{{Lu}} {_NAME}"

# A name with its seat, in traces ("Ann@S1") and in prose ("Ann is at S1"): no arm has who sits where for less.
_SEATED = rf"(?:{_NAME}|whoever) is at \p{{Lu}}[A-Z0-9]*"
_PLACED = rf"(?:{_NAME}|\?)@[A-Z0-9]+"

# A seat by itself, after its name ("Ann@", "S1"; "Ann is at ", "S1"): to count on from a seat, a model needs the seat,
# the person there. The name has one token where a seat follows and another elsewhere, so that its seat is found by
# that token alone.
_BEFORE_A_SEAT = rf"(?:{_NAME}|whoever|\?)(?:@| is at |位于)"
_SEAT = r"(?:(?<=@)|(?<= is at )|(?<=位于))[A-Z0-9]+"
# A letter without a name, too: to go through the options is then one lookup a token, which of "B" and "B Ann" comes
# next, in traces ("A B Ann C D") and in prose ("A no, B Ann yes", "A不符合、B 小刚符合").
_LETTER = r"(?<=[ ：、])\p{Lu}(?=[ :\p{Han}])"

SPLITTINGS = {
    "placements": Splitting(
        "names, names with their seats, letters of options with their names, step numbers",
        "|".join((_SEATED, _OPTION, _PLACED, _NAME, _STEP)),
    ),
    "letters": Splitting(
        "names, seats, letters of options with their names or alone, step numbers",
        "|".join((_BEFORE_A_SEAT, _SEAT, _OPTION, _LETTER, _NAME, _STEP)),
    ),
}
