"""From the text of a problem to claims: scene, names, clues, question and options.

The text is taken as it is, published faults included: what is not understood is refused by name, never guessed.
A problem's ``question`` is the scene text, clues ``(1) ...`` one a line, and the question on the last line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from srt.io.records import Lang, Problem
from srt.worlds.seating.claim_language import BLANK, Claim, Equal, names_of, rename
from srt.worlds.seating.reading.pattern_notation import SLOTS, SceneSentence
from srt.worlds.seating.reading.patterns import language, read_wording
from srt.worlds.seating.scenes import Compass, Family, Kind, Scene
from srt.worlds.world import Refused

NONE_OF_THE_ABOVE: dict[Lang, str] = {"en": "none of the above", "zh": "以上选项都不是"}
"""The option that says that no other is right, in lower case."""

_CLUE = re.compile(r"[(（]\s*([0-9]{1,4})\s*[)）]\s*(.*)")
_BLANK = re.compile(r"[(（]\s*[)）]")
_STOPS = " \t;；.。?？"
_NAME = re.compile(r"(?:(?!\. )[^@=!&|,(){}?;:；：。])+")
"""No sign of claims is part of a name, nor what ends a sentence: the text after it would describe the scene."""


@dataclass(frozen=True)
class Clue:
    """A numbered clue: its number and text as printed, and what it says."""

    number: int
    text: str
    claim: Claim


@dataclass(frozen=True)
class Puzzle:
    """A problem of the seating world, understood. ``question`` is a claim with ``?``.

    ``options`` maps letters to names; ``None`` is "none of the above".
    """

    scene: Scene
    names: tuple[str, ...]
    clues: tuple[Clue, ...]
    question: Claim
    options: dict[str, str | None]
    lang: Lang


def read_problem(problem: Problem) -> Puzzle:
    """What ``problem`` says.

    Raises:
        Refused: ``unknown_scene`` or ``unknown_wording``; the detail names the clue, the question or the option.
    """
    lang = problem.lang
    header, clue_lines, question_text = _parts(problem.question)
    scene, names = read_scene(header, lang)
    clues = []
    for number, (printed, text) in enumerate(clue_lines, 1):
        if printed != number:
            raise Refused("unknown_wording", f"clue ({printed}) where clue ({number}) was expected: {text!r}")
        claim = _read_sentence(text, names, lang, scene.family)
        if claim is None or BLANK in names_of(claim):
            raise Refused("unknown_wording", f"clue ({number}): no known wording: {text!r}")
        clues.append(Clue(number, text, claim))
    question = _read_sentence(question_text, names, lang, scene.family)
    if question is None or BLANK not in names_of(question):
        raise Refused("unknown_wording", f"question: no known wording: {question_text!r}")
    return Puzzle(scene, names, tuple(clues), _blank_first(question), _read_options(problem, names), lang)


def read_scene(header: str, lang: Lang) -> tuple[Scene, tuple[str, ...]]:
    """The scene that the text before the clues describes, and who is there.

    Raises:
        Refused: ``unknown_scene``; the detail names the sentence or the name.
    """
    text = " ".join(header.split())
    for pattern in _headers(lang):
        if match := pattern.fullmatch(text):
            scene = _scene(match["scene"], lang)
            if isinstance(scene, str):
                raise Refused("unknown_scene", scene)
            return scene, _names(match["names"], len(scene.seats), lang)
    raise Refused("unknown_scene", f"no known scene: {_shorten(text)!r}")


def names_a_scene(header: str, lang: Lang) -> bool:
    """Whether ``header``, the text before the clues on one line, has a sentence by which a kind of scene is known."""
    matches = (pattern.fullmatch(header) for pattern in _headers(lang))
    scenes = (match["scene"] for match in matches if match)
    known = (_sentence(sentence, lang) for scene in scenes for sentence in _sentences(scene))
    return any(sentence is not None and sentence.kind is not None for sentence in known)


def _parts(text: str) -> tuple[str, list[tuple[int, str]], str]:
    """Header, ``(printed number, text)`` of the clues, and question."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    header: list[str] = []
    clues: list[tuple[int, str]] = []
    for line in lines[:-1]:
        if match := _CLUE.fullmatch(line):
            clues.append((int(match[1]), match[2]))
        elif clues:
            raise Refused("unknown_wording", f"a line among the clues is not one: {_shorten(line)!r}")
        else:
            header.append(line)
    if not header:
        raise Refused("unknown_scene", "there is no scene text before the clues")
    return " ".join(header), clues, lines[-1]


@cache
def _headers(lang: Lang) -> list[re.Pattern[str]]:
    return [re.compile(pattern, re.IGNORECASE) for pattern in language(lang).headers]


@lru_cache(maxsize=1024)
def _scene(text: str, lang: Lang) -> Scene | str:
    """The scene of a text without its names, or what is wrong with it."""
    kind: Kind | None = None
    compass: Compass = "none"
    for sentence in _sentences(text):
        known = _sentence(sentence, lang)
        if known is None:
            return f"no known sentence: {sentence!r}"
        if known.kind is not None:
            if kind not in (None, known.kind):
                return f"a {kind} and a {known.kind} at once: {sentence!r}"
            kind = known.kind
        compass = known.compass or compass
    if kind is None:
        return f"no sentence says what kind of scene it is: {_shorten(text)!r}"
    return Scene(kind, compass)


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in re.findall(r"[^.。]+[.。]?", text)]


@lru_cache(maxsize=1024)
def _sentence(text: str, lang: Lang) -> SceneSentence | None:
    known = language(lang).scene_sentences
    return next((s for s in known if re.fullmatch(s.wording, text, re.IGNORECASE)), None)


def _names(text: str, count: int, lang: Lang) -> tuple[str, ...]:
    names = tuple(name.strip() for name in re.split(language(lang).name_separator, text))
    for name in names:
        spelt = _NAME.fullmatch(name) and name.isprintable() and name == " ".join(name.split())
        if not spelt:
            raise Refused("unknown_scene", f"{name!r} cannot be a name")
        if name == "none":
            raise Refused("unknown_scene", f"{name!r} cannot be a name: '? = none' says that nobody fills the blank")
    if len(names) != count or len(set(names)) != count:
        raise Refused("unknown_scene", f"{count} different names were expected: {_shorten(text)!r}")
    return names


def split_at_names(text: str, names: Sequence[str], word_edges: bool) -> list[str]:
    """``text`` in pieces: every second one is a name or the blank. Of two names that begin alike, the longer is found.

    With ``word_edges``, a name is no part of a longer word. (A regular expression for the names of each problem would
    take longer to compile than everything else takes to solve it.)
    """
    spans = [blank.span() for blank in _BLANK.finditer(text)]
    for name in names:
        start = text.find(name)
        while start >= 0:
            end = start + len(name)
            if not (word_edges and (_in_word(text[start - 1 : start]) or _in_word(text[end : end + 1]))):
                spans.append((start, end))
            start = text.find(name, start + 1)
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= at:
            pieces += text[at:start], text[start:end]
            at = end
    return [*pieces, text[at:]]


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _read_sentence(text: str, names: Sequence[str], lang: Lang, family: Family) -> Claim | None:
    pieces = split_at_names(text.strip(_STOPS), names, language(lang).word_edges)
    found = pieces[1::2]
    if not 0 < len(found) <= len(SLOTS):
        return None
    pieces[1::2] = SLOTS[: len(found)]
    claim = read_wording(lang, family, "".join(pieces))
    if claim is None:
        return None
    named = [BLANK if name[0] in "(（" else name for name in found]
    return rename(claim, dict(zip(SLOTS, named, strict=False))) if named.count(BLANK) < 2 else None


def _blank_first(question: Claim) -> Claim:
    """``right(Mary) = ?`` as ``? = right(Mary)``: what is asked for stands first where it stands alone."""
    return tuple(
        tuple(
            Equal(BLANK, atom.left) if isinstance(atom, Equal) and not atom.negated and atom.right == BLANK else atom
            for atom in atoms
        )
        for atoms in question
    )


def _read_options(problem: Problem, names: tuple[str, ...]) -> dict[str, str | None]:
    if not problem.choices:
        raise Refused("unknown_wording", "there are no options")
    options: dict[str, str | None] = {}
    for letter, text in sorted(problem.choices.items()):
        name = text.strip()
        if name in names:
            options[letter] = name
        elif name.rstrip(_STOPS).lower() == NONE_OF_THE_ABOVE[problem.lang]:
            options[letter] = None
        else:
            raise Refused("unknown_wording", f"option {letter}: {text!r} is not among {', '.join(names)}")
    return options


def _shorten(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
