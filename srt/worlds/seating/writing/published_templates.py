"""The benchmark's own sentence templates, extracted from the user's copy of SpaCE2025.

The reader reads the training items, and the names in them are masked: what is left of a clue or a question is a
wording, and the claim that the reader found is its meaning. The repository holds none of these texts.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from srt.io.errors import UserError
from srt.io.record_reader import read_rows
from srt.io.records import Lang, Problem
from srt.worlds.seating.claim_language import BLANK, Claim, format_claim, names_of, parse_claim, rename
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.seating.relations import holds
from srt.worlds.seating.scenes import SCENES, Scene
from srt.worlds.seating.writing.own_templates import own_templates
from srt.worlds.seating.writing.sentence_templates import TEXT_BLANK, SentenceTemplates, Wording, fill_names
from srt.worlds.world import Refused

VARIABLE = "SRT_SPACE2025"
_STOPS = " \t;；.。"
_OPTION = "wordings (or the environment variable SRT_SPACE2025)"


def published_templates(folder: Path | None, lang: Lang) -> SentenceTemplates:
    """The templates of the benchmark in ``lang``, from ``spr_{lang}_train.jsonl`` in ``folder``.

    ``folder`` ``None`` stands for the environment variable ``SRT_SPACE2025``. Items that the reader refuses are
    skipped.

    Raises:
        UserError: the folder or the file does not exist, or no item in the file could be read.
    """
    if folder is None:
        if not os.environ.get(VARIABLE):
            raise UserError(f"seating: style space2025 needs a copy of SpaCE2025: give its folder as {_OPTION}")
        folder = Path(os.environ[VARIABLE])
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; give the folder of a copy of SpaCE2025 as {_OPTION}")
    return _extracted(folder / f"spr_{lang}_train.jsonl", lang)


@cache
def _extracted(path: Path, lang: Lang) -> SentenceTemplates:
    own = own_templates(lang, "short")
    collector = _TemplateCollector(own.joiner)
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
            collector.add(problem, read_problem(problem), several=len(row["answer"]) > 1)
        except KeyError as error:
            raise UserError(f"{path}:{number}: {error.args[0]}: the field is missing") from None
        except Refused:
            continue
    if not collector.openings:
        raise UserError(f"{path}: no item of it could be read")
    return collector.templates(lang, own.none_of_the_above)


class _TemplateCollector:
    """What has been collected so far, by scene kind: openings, sentences by claim, names, and the form of the lines."""

    def __init__(self, joiner: str) -> None:
        self.openings: dict[Scene, Counter[str]] = {}
        self._joiner = joiner
        self._clues: dict[str, dict[str, Counter[str]]] = {}
        self._questions: dict[str, dict[str, Counter[str]]] = {}
        self._names: dict[str, Counter[str]] = {}
        self._lines: tuple[Counter[str], Counter[str], Counter[str]] = (Counter(), Counter(), Counter())
        self._instructions: tuple[Counter[str], Counter[str]] = (Counter(), Counter())

    def add(self, problem: Problem, puzzle: Puzzle, several: bool) -> None:
        """Add one item, read as ``puzzle``; ``several`` options of it are right."""
        header, *lines = problem.question.split("\n")
        listing = self._joiner.join(puzzle.names)
        if len(lines) != len(puzzle.clues) + 1 or not header.startswith(listing) or re.search("[{}]", problem.question):
            return
        self.openings.setdefault(puzzle.scene, Counter())["{names}" + header[len(listing) :]] += 1
        family = puzzle.scene.family
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

    def templates(self, lang: Lang, none_of_the_above: str) -> SentenceTemplates:
        """The templates: all sentences, and the most frequent line forms and instructions."""
        clue_line, last_clue_line, question_line = (_first(counter) for counter in self._lines)
        return SentenceTemplates(
            lang=lang,
            source="space2025",
            openings={scene: tuple(sorted(texts)) for scene, texts in self.openings.items()},
            clues={scene: self._wordings(self._clues, scene) for scene in SCENES},
            questions={scene: self._wordings(self._questions, scene) for scene in SCENES},
            names={scene.kind: tuple(sorted(self._names.get(scene.family, ()))) for scene in SCENES},
            joiner=self._joiner,
            clue_line=clue_line or last_clue_line,
            last_clue_line=last_clue_line,
            question_line=question_line,
            none_of_the_above=none_of_the_above,
            instructions=(_first(self._instructions[0]) or None, _first(self._instructions[1]) or None),
        )

    def _keep(self, table: dict[str, Counter[str]], claim: Claim, text: str, names: Iterable[str]) -> None:
        spoken = [name for name in names_of(claim) if name != BLANK]
        if len(spoken) > 2:
            return
        slots = dict(zip(spoken, ("{X}", "{Y}"), strict=False))
        finder = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        masked = re.sub(finder, lambda match: slots.get(match[0], match[0]), text)
        masked = re.sub(r"[(（]\s*[)）]", TEXT_BLANK, masked)
        if all(masked.count(slot) == 1 for slot in slots.values()):
            table.setdefault(format_claim(rename(claim, slots)), Counter())[masked] += 1

    def _wordings(self, table: Mapping[str, Mapping[str, Counter[str]]], scene: Scene) -> tuple[Wording, ...]:
        found = table.get(scene.family, {})
        return tuple(Wording(claim, tuple(sorted(found[claim]))) for claim in sorted(found) if _means(claim, scene))


def _means(claim: str, scene: Scene) -> bool:
    """Whether a claim of the family means something in ``scene`` (directions need a compass that has them)."""
    x, y, asked = scene.seats[:3]
    try:
        for atom in itertools.chain(*parse_claim(fill_names(claim, x, y))):
            holds(((atom,),), scene, {seat: seat for seat in scene.seats}, asked)
    except ValueError:
        return False
    return True


def _first(counter: Counter[str]) -> str:
    return max(counter, key=lambda text: (counter[text], text)) if counter else ""
