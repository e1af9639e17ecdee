"""What a notebook shows of records: the cards of the gallery, each with its style, without script and requests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Template

from srt.gallery.card import Card, checked_card, problem_card, trace_card
from srt.io.records import Problem, Record
from srt.judging.judgement import Judgement
from srt.language.trace import Trace, TraceCheck
from srt.pages.page_template import embedded_style, page_environment
from srt.worlds.world_registry import world_of

_FOLDER = Path(__file__).parent


class ShownCard(NamedTuple):
    """A card that a notebook displays; ``html`` is the text of it."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


def card_html(card: Card) -> str:
    """``card`` as HTML to put into a page of others; everything that comes from data is escaped."""
    return _template().render(shown=card, style=embedded_style(_FOLDER / "gallery.css"))


def record_html(record: Record) -> str:
    """The card of a problem, a trace (with its verdicts, if it has any), verdicts on a trace, or a judgement.

    Pictures of a problem are looked for in the current folder; those of a world are drawn.
    """
    match record:
        case Problem():
            return card_html(problem_card(record, world=world_of(record)))
        case Trace():
            return card_html(trace_card(record, record.checks))
        case TraceCheck():
            return card_html(checked_card(record))
        case Judgement():
            right = None if record.right is None else "right" if record.right else "wrong"
            said = [record.code, record.answer and f"the answer is {record.answer}", right, record.reason]
            card = Card() if record.check is None else checked_card(record.check)
            return card_html(card._replace(said=", ".join(word for word in said if word)))
    raise TypeError(f"no card shows a {type(record).__name__}")


@cache
def _template() -> Template:
    return page_environment(_FOLDER).get_template("notebook_card.html.jinja")
