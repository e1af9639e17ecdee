"""How problems of the seating world are written down: scene, clues and question as text.

:class:`SentenceTemplates` is a table: for each scene its opening, and for each relation that the scene has the
sentences that state it. A :class:`Wording` pairs one claim with sentences that mean it; ``{X}`` and ``{Y}`` stand for
names in both. The sampler draws claims from the table, so it never draws what it has no words for. Our own templates
are :mod:`.own_templates`; those of the benchmark are extracted from the user's copy by :mod:`.published_templates`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from srt.io.records import Lang
from srt.worlds.seating.claim_language import Apply, Attribute, Claim, Equal, Meet, Member, Place, Term, parse_claim
from srt.worlds.seating.scenes import Scene

TEXT_BLANK = "()"


@dataclass(frozen=True)
class Wording:
    """One claim and the sentences that mean it.

    ``claim`` is a claim with ``{X}`` and ``{Y}`` for names; in a question ``?`` stands for the blank. Each of ``texts``
    has the same placeholders, and ``()`` for the blank; it has no full stop. ``relation`` is :func:`relation_name`.
    """

    claim: str
    texts: tuple[str, ...]

    @property
    def relation(self) -> str:
        """The relation's name, by which a specification chooses relations."""
        return _relation_of_template(self.claim)

    @property
    def arity(self) -> int:
        """How many names the sentence takes: 1 or 2 (a question: without the blank, 0 or 1)."""
        return ("{X}" in self.claim) + ("{Y}" in self.claim)


@dataclass(frozen=True)
class SentenceTemplates:
    """All that is needed to write a problem down.

    ``openings``: scene -> texts with ``{names}``. ``clues`` and ``questions``: scene -> wordings. ``names``: scene kind
    -> entities to draw from. ``clue_line`` and ``last_clue_line`` take ``{number}`` and ``{clue}``; ``question_line``
    takes ``{question}``.
    ``instructions`` are the sentences for one right option and for several (``None``: none is given).
    """

    lang: Lang
    source: str
    openings: Mapping[Scene, tuple[str, ...]]
    clues: Mapping[Scene, tuple[Wording, ...]]
    questions: Mapping[Scene, tuple[Wording, ...]]
    names: Mapping[str, tuple[str, ...]]
    joiner: str
    clue_line: str
    last_clue_line: str
    question_line: str
    none_of_the_above: str
    instructions: tuple[str | None, str | None] = (None, None)

    def write(self, opening: str, names: Sequence[str], clues: Sequence[str], question: str) -> str:
        """The whole text of a problem: opening, clues one a line, question on the last line."""
        lines = [opening.replace("{names}", self.joiner.join(names))]
        for number, clue in enumerate(clues, 1):
            form = self.last_clue_line if number == len(clues) else self.clue_line
            lines.append(form.format(number=number, clue=clue))
        lines.append(self.question_line.format(question=question))
        return "\n".join(lines)


def fill_names(template: str, x: str = "", y: str = "") -> str:
    """Fill ``{X}`` and ``{Y}`` of a claim or of a sentence."""
    return template.replace("{X}", "\0").replace("{Y}", y).replace("\0", x)


def relation_name(claim: Claim) -> str:
    """What relation a claim speaks of, without names and numbers.

    Functions and regions by their names, nested ones as ``across(left)``, a denial with ``not`` before it, a seat as
    ``seat``, several atoms joined by ``&``.
    """
    return " & ".join(_atom_relation(atom) for atom in claim[0])


@cache
def _relation_of_template(template: str) -> str:
    return relation_name(parse_claim(fill_names(template, "X", "Y")))


def _atom_relation(atom: object) -> str:
    if isinstance(atom, Equal):
        chains = [c for c in (_chain(atom.left), _chain(atom.right)) if c]
        return ("not " if atom.negated else "") + (" = ".join(chains) or "same")
    if isinstance(atom, Member):
        return ("not " if atom.negated else "") + atom.region.name
    if isinstance(atom, Meet):
        return "meet"
    if isinstance(atom, Attribute):
        return atom.function
    return "seat" if isinstance(atom, Place) else type(atom).__name__.lower()


def _chain(term: Term) -> str:
    if not isinstance(term, Apply):
        return ""
    inner = _chain(term.argument)
    return f"{term.function}({inner})" if inner else term.function
