"""The benchmark's own wordings, taken from the user's copy of SpaCE2025.

The training items are read by the reader, and the names in them masked: what is left of a clue or a question is a
wording, and the claim that the reader found is its meaning. Nothing of this is kept in the repository.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from srt.errors import UserError
from srt.jsonl import read_rows
from srt.records import Lang, Problem
from srt.worlds.seating import voice_en, voice_zh
from srt.worlds.seating.claims import BLANK as CLAIM_BLANK
from srt.worlds.seating.claims import Claim, format_claim, names_of, parse_claim
from srt.worlds.seating.reader import Puzzle, read_problem
from srt.worlds.seating.relations import holds
from srt.worlds.seating.scenes import SCENES, Scene
from srt.worlds.seating.voice import BLANK, Voice, Wording, say
from srt.worlds.world import Refused

VARIABLE = "SRT_SPACE2025"
_STOPS = " \t;；.。"
_OPTION = "wordings (or the environment variable SRT_SPACE2025)"


def mine_wordings(folder: Path | None, lang: Lang) -> Voice:
    """The voice of the benchmark in ``lang``, from ``spr_{lang}_train.jsonl`` in ``folder``.

    ``folder`` ``None`` stands for the environment variable ``SRT_SPACE2025``. Items that the reader refuses are passed
    over.

    Raises:
        UserError: there is no folder, or no such file in it, or nothing in the file could be read.
    """
    if folder is None:
        if not os.environ.get(VARIABLE):
            raise UserError(f"seating: style space2025 needs a copy of SpaCE2025: give its folder as {_OPTION}")
        folder = Path(os.environ[VARIABLE])
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; give the folder of a copy of SpaCE2025 as {_OPTION}")
    return _mined(folder / f"spr_{lang}_train.jsonl", lang)


@cache
def _mined(path: Path, lang: Lang) -> Voice:
    tongue = {"en": voice_en, "zh": voice_zh}[lang]
    seams = _Seams(tongue.JOINER)
    for number, row in read_rows(path):
        try:
            problem = Problem(
                id=str(row["id"]),
                source="space2025",
                split="train",
                lang=lang,
                question=f"{row['text']}\n{row['question']}",
                instruction=row["instruction"],
                choices=row["options"],
            )
            seams.dig(problem, read_problem(problem), several=len(row["answer"]) > 1)
        except KeyError as error:
            raise UserError(f"{path}:{number}: {error.args[0]}: the field is missing") from None
        except Refused:
            continue
    if not seams.openings:
        raise UserError(f"{path}: no item of it could be read")
    return seams.voice(lang, tongue.NONE_OF_THE_ABOVE)


class _Seams:
    """What has been dug up so far, by scene kind: openings, sentences by claim, names, and the form of the lines."""

    def __init__(self, joiner: str) -> None:
        self.openings: dict[Scene, Counter[str]] = {}
        self._joiner = joiner
        self._clues: dict[str, dict[str, Counter[str]]] = {}
        self._questions: dict[str, dict[str, Counter[str]]] = {}
        self._names: dict[str, Counter[str]] = {}
        self._lines: tuple[Counter[str], Counter[str], Counter[str]] = (Counter(), Counter(), Counter())
        self._instructions: tuple[Counter[str], Counter[str]] = (Counter(), Counter())

    def dig(self, problem: Problem, puzzle: Puzzle, several: bool) -> None:
        """Add one item, read as ``puzzle``; ``several`` options of it are right."""
        header, *lines = problem.question.split("\n")
        listing = self._joiner.join(puzzle.names)
        if len(lines) != len(puzzle.clues) + 1 or not header.startswith(listing) or re.search("[{}]", problem.question):
            return
        self.openings.setdefault(puzzle.scene, Counter())["{names}" + header[len(listing) :]] += 1
        family = _family(puzzle.scene)
        self._names.setdefault(family, Counter()).update(puzzle.names)
        for clue, line in zip(puzzle.clues, lines, strict=False):
            text = clue.text.strip(_STOPS)
            self._keep(self._clues.setdefault(family, {}), clue.claim, text, puzzle.names)
            form = line.replace(text, "{clue}").replace(f"({clue.number})", "({number})", 1)
            self._lines[clue.number == len(puzzle.clues)][form] += 1
        question = lines[-1].strip(_STOPS)
        self._keep(self._questions.setdefault(family, {}), puzzle.question, question, puzzle.names)
        self._lines[2][lines[-1].replace(question, "{question}")] += 1
        if problem.instruction:
            self._instructions[several][problem.instruction] += 1

    def voice(self, lang: Lang, none_of_the_above: str) -> Voice:
        """All of it as a voice; of line forms and instructions the most frequent, of sentences all."""
        clue_line, last_clue_line, question_line = (_first(counter) for counter in self._lines)
        return Voice(
            lang=lang,
            source="space2025",
            openings={scene: tuple(sorted(texts)) for scene, texts in self.openings.items()},
            clues={scene: self._wordings(self._clues, scene) for scene in SCENES},
            questions={scene: self._wordings(self._questions, scene) for scene in SCENES},
            names={scene.kind: tuple(sorted(self._names.get(_family(scene), ()))) for scene in SCENES},
            joiner=self._joiner,
            clue_line=clue_line or last_clue_line,
            last_clue_line=last_clue_line,
            question_line=question_line,
            none_of_the_above=none_of_the_above,
            instructions=(_first(self._instructions[0]) or None, _first(self._instructions[1]) or None),
        )

    def _keep(self, table: dict[str, Counter[str]], claim: Claim, text: str, names: Iterable[str]) -> None:
        spoken = [name for name in names_of(claim) if name != CLAIM_BLANK]
        if len(spoken) > 2:
            return
        slots = dict(zip(spoken, ("{X}", "{Y}"), strict=False))
        finder = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        masked = re.sub(finder, lambda match: slots.get(match[0], match[0]), text)
        masked = re.sub(r"[(（]\s*[)）]", BLANK, masked)
        if all(masked.count(slot) == 1 for slot in slots.values()):
            template = re.sub("\0[XY]", lambda match: "{" + match[0][1] + "}", _masked_claim(claim, slots))
            table.setdefault(template, Counter())[masked] += 1

    def _wordings(self, table: Mapping[str, Mapping[str, Counter[str]]], scene: Scene) -> tuple[Wording, ...]:
        found = table.get(_family(scene), {})
        return tuple(Wording(claim, tuple(sorted(found[claim]))) for claim in sorted(found) if _means(claim, scene))


def _masked_claim(claim: Claim, slots: Mapping[str, str]) -> str:
    """The claim's text with ``\\0X`` and ``\\0Y`` for names; whole names only, for one may occur within another."""
    names = "|".join(re.escape(name) for name in sorted(slots, key=len, reverse=True))
    text = format_claim(claim)
    if not names:
        return text
    return re.sub(rf"(?<![\w])(?:{names})(?![\w])", lambda match: "\0" + slots[match[0]][1], text)


def _means(claim: str, scene: Scene) -> bool:
    """Whether a claim of the family means something in ``scene`` (directions need a compass that has them)."""
    x, y, asked = scene.seats[:3]
    try:
        for atom in (atom for atoms in parse_claim(say(claim, x, y)) for atom in atoms):
            holds(((atom,),), scene, {seat: seat for seat in scene.seats}, asked)
    except ValueError:
        return False
    return True


def _family(scene: Scene) -> str:
    return scene.kind.split("-")[0]


def _first(counter: Counter[str]) -> str:
    return max(counter, key=lambda text: (counter[text], text)) if counter else ""
