"""The checker's own reading of a seating problem: its scene, entities, clues and question.

The scene is recognised by what its text states about seats and facing; other texts are not read. A clue or a question
that no rule of the grammar generates stays unread (``None``) and proves nothing. Blank lines, full-width brackets,
capitals and final stops make no difference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from srt.io.records import Lang, Problem
from srt.worlds.seating.checker.claim_sets import BLANK, TOKENS, Language, Meaning, language, mask_claim
from srt.worlds.seating.checker.plans import Kind
from srt.worlds.seating.checker.reading.scene_text import recognise
from srt.worlds.seating.checker.reading.wordings import literal_of, without_end

NOBODY = -1
_NOBODY_TEXTS = ("none of the above", "以上选项都不是")
_CLUE = re.compile(r"[(（]\s*(\d{1,4})\s*[)）]\s*(.*)")
_TOKEN = re.compile(f"[{TOKENS}]")
_NOT_IN_NAMES = re.compile(r"[@=!&|,(){}?]")


@dataclass(frozen=True, eq=False)
class SeatingProblem:
    """A problem as the checker reads it.

    ``choices`` gives for each option letter an entity's number, or :data:`NOBODY`; it is ``None`` where an option is
    neither. ``base`` is the mask of the placements that fit all clues that could be read.
    """

    language: Language
    names: tuple[str, ...]
    tokens: dict[str, str]
    clues: tuple[Meaning | None, ...]
    question: Meaning | None
    letters: frozenset[str]
    choices: dict[str, int] | None
    base: int

    def meaning(self, claim: str) -> Meaning | None:
        """The meaning of ``claim`` in this problem; ``None`` if it is not a claim about its scene and entities."""
        return self.language.meaning(mask_claim(claim, self.tokens))


def read_seating_problem(problem: Problem) -> SeatingProblem | None:
    """Read ``problem``; ``None`` if it is not a problem of the seating world."""
    return _open(problem.lang, problem.question, tuple(problem.choices.items()))


@lru_cache(maxsize=256)
def _open(lang: Lang, text: str, choices: tuple[tuple[str, str], ...]) -> SeatingProblem | None:
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    numbered = [_CLUE.fullmatch(line) for line in lines]
    first = next((n for n, match in enumerate(numbered) if match), len(lines))
    clues = [match for match in numbered[first:-1] if match]
    if first == 0 or len(clues) != len(lines) - first - 1 or any(int(c[1]) != n for n, c in enumerate(clues, 1)):
        return None
    scene = recognise(lang, "\n".join(lines[:first]))
    if scene is None or _TOKEN.search(text):
        return None
    kind, compass, names = scene
    here = language(kind, compass)
    size = len(here.world.plan.seats)
    if len(names) != size or len(set(names)) != size or not all(map(_is_name, names)):
        return None
    tokens = dict(zip(names, TOKENS, strict=False))
    sentences = "\n".join([without_end(sentence) for sentence in (*(clue[2] for clue in clues), lines[-1])])
    for name in sorted(names, key=len, reverse=True):  # a name that is part of another comes after it
        sentences = sentences.replace(name, tokens[name])
    *read, question = [_read(sentence, kind, lang, here) for sentence in sentences.split("\n")]
    known = tuple([clue if clue is not None and not clue.blank else None for clue in read])
    base = here.world.full
    for clue in known:
        if clue is not None:
            base &= clue.tied[0]
    return SeatingProblem(
        language=here,
        names=names,
        tokens=tokens,
        clues=known,
        question=question if question is not None and question.blank else None,
        letters=frozenset(letter for letter, _ in choices),
        choices=_choices(choices, names),
        base=base,
    )


@lru_cache(maxsize=16_384)
def _read(sentence: str, kind: Kind, lang: Lang, here: Language) -> Meaning | None:
    """What a clue or question says whose names are tokens."""
    literal = literal_of(sentence, kind, lang, TOKENS, BLANK)
    return None if literal is None else here.meaning(literal)


def _choices(choices: tuple[tuple[str, str], ...], names: tuple[str, ...]) -> dict[str, int] | None:
    found: dict[str, int] = {}
    for letter, text in choices:
        option = text.strip()
        if option in names:
            found[letter] = names.index(option)
        elif option.rstrip(".。").casefold() in _NOBODY_TEXTS:
            found[letter] = NOBODY
        else:
            return None
    return found or None


def _is_name(name: str) -> bool:
    return bool(name) and name.isprintable() and name == name.strip() and not _NOT_IN_NAMES.search(name)
