"""Reads the free prose of booths by itself: sentences, facts, and what is taken back. Shares nothing with the writer.

A fact is looked up in a placement with four seats drawn here by hand; which placements the clues allow is found by
trying all 24 with the masks of the checker, which reads the problem, not the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from srt.io.records import Lang, Problem
from srt.worlds.seating.checker.reading.problem_text import read_seating_problem

Placement = Mapping[str, str]
Fact = tuple[str, ...]
"""``place name seat``, ``faces name word``, ``beside sign name name``, ``equal sign term term``, ``asked term``, ``fill
names...``, ``option name``; a term is its functions, outermost first, and a name."""

_BLANK = "_"
_OF_THE_BLANK = ("asked", "fill", "option")
_FUNCTIONS: dict[Lang, dict[str, str]] = {
    "en": {
        "the one opposite ": "opposite", "the one diagonal to ": "diagonal", "the left neighbour of ": "left",
        "the right neighbour of ": "right", "the one front-left of ": "front-left",
        "the one front-right of ": "front-right",
    },
    "zh": {
        "的正对面": "opposite", "的斜对面": "diagonal", "的左邻": "left", "的右邻": "right", "的左前方": "front-left",
        "的右前方": "front-right",
    },
}  # fmt: skip
_TAKEN_BACK: dict[Lang, str] = {
    "en": r"wrong|scrap it|^No,|cannot be|not right|drop it|take that back|not fit|That fails",
    "zh": r"不对|划掉|^不行|不成立|放弃|收回|这不符合|行不通",
}
_HEDGES: dict[Lang, str] = {
    "en": r"(?:Hmm\.|Let me think\.|I think so\.|As far as I can see:|Let me be careful\.|It seems to me:|"
    r"Probably so\.|If I read this right:) ",
    "zh": "嗯。|让我想想。|我觉得是这样。|在我看来：|小心一点。|看起来：|大概是这样。|如果我没看错：",
}
_FACES = {"north": "N", "south": "S", "east": "E", "west": "W", "北": "N", "南": "S", "东": "E", "西": "W"}


@dataclass(frozen=True)
class Sentence:
    """``alternatives``: the facts that are said for sure, then, of "either ... or", those of each way."""

    text: str
    sure: list[Fact]
    alternatives: list[list[Fact]]
    takes_back: bool

    def facts(self) -> Iterator[Fact]:
        yield from self.sure
        for facts in self.alternatives:
            yield from facts


class NotUnderstood(AssertionError):
    """A name or a seat is left in a sentence once its facts are read."""


def placements(problem: Problem, names: Sequence[str]) -> list[dict[str, str]]:
    """All that satisfy the clues."""
    read = read_seating_problem(problem)
    assert read is not None
    assert sorted(read.names) == sorted(names)
    world, found = read.language.world, []
    for way in permutations(range(4)):
        case = world.full
        for entity, seat in enumerate(way):
            case &= world.at[entity][seat]
        if all(clue is not None and clue.tied[0] & case for clue in read.clues):
            found.append({name: world.plan.seats[seat] for name, seat in zip(read.names, way, strict=True)})
    return found


def read_sentences(text: str, names: Sequence[str], lang: Lang) -> list[Sentence]:
    """The sentences of ``text`` without hedges."""
    ends = r"(?<=[.?])\s+|\n" if lang == "en" else r"(?<=[。？])\s*|\n"
    text = re.sub(_HEDGES[lang], "", text)
    return [_sentence(part, names, lang) for part in re.split(ends, text) if part]


def fault_of(sentences: Sequence[Sentence], placement: Placement) -> str | None:
    """What is wrong in ``placement``: a false fact that stands, or a true one that is taken back; or nothing."""
    asked = None
    for place, sentence in enumerate(sentences):
        gone = place + 1 < len(sentences) and sentences[place + 1].takes_back
        true = all(_is_true(fact, placement) for fact in sentence.sure if fact[0] not in _OF_THE_BLANK)
        if sentence.alternatives:
            true &= any(all(_is_true(fact, placement) for fact in facts) for facts in sentence.alternatives)
        if _is_about_the_blank(sentence):
            filled = _filled(sentence, placement)
            asked = filled if asked is None and not gone else asked
            true &= filled == asked
        if true == gone:
            return f"{'taken back, and true' if gone else 'false'}: {sentence.text}"
    return None


def fillers(sentences: Sequence[Sentence], placement: Placement) -> set[str]:
    """Who fills the blank, by the last sentence that says so."""
    for place in reversed(range(len(sentences))):
        gone = place + 1 < len(sentences) and sentences[place + 1].takes_back
        if _is_about_the_blank(sentences[place]) and not gone:
            return _filled(sentences[place], placement)
    return {fact[1] for fact in sentences[-1].facts() if fact[0] == "option"}


def _is_about_the_blank(sentence: Sentence) -> bool:
    return any(fact[0] in ("asked", "fill") or _BLANK in " ".join(fact).split() for fact in sentence.facts())


def places_in(sentence: Sentence) -> set[tuple[str, str]]:
    """Each name with a seat that the sentence gives it, the blank as ``_``."""
    return {(fact[1], fact[2]) for fact in sentence.facts() if fact[0] == "place"}


def _filled(sentence: Sentence, placement: Placement) -> set[str]:
    filled: set[str] = set()
    for fact in sentence.facts():
        if fact[0] == "fill":
            filled |= set(fact[1:])
        elif fact[0] == "asked":
            filled |= {name for name in placement if placement[name] == _seat(fact[1], placement)}
        elif _BLANK in " ".join(fact).split():
            filled |= {name for name in placement if _is_true(fact, {**placement, _BLANK: placement[name]})}
    return filled


def _is_true(fact: Fact, at: Placement) -> bool:
    if _BLANK in " ".join(fact).split() and _BLANK not in at:
        return True  # judged as what is asked for
    match fact:
        case ("place", name, seat):
            return at[name] == seat
        case ("faces", name, word):
            return at[name][0] == {"N": "S", "S": "N", "E": "W", "W": "E"}[_FACES[word]]
        case ("beside", sign, one, other):  # nobody is beside themselves, nor "not beside" themselves
            return at[one] != at[other] and (at[one][0] == at[other][0]) == (sign == "is")
        case ("equal", sign, one, other):
            first, second = _seat(one, at), _seat(other, at)
            of_itself = at[one.split()[-1]] == at[other.split()[-1]]
            if not first or not second or (sign == "not" and of_itself):
                return False
            return (first == second) == (sign == "is")
    raise AssertionError(fact)


def _seat(term: str, at: Placement) -> str | None:
    *functions, name = term.split()
    seat: str | None = at[name]
    for function in reversed(functions):
        seat = _next(function, seat) if seat else None
    return seat


def _next(function: str, seat: str) -> str | None:
    """Two benches, each numbered from its sitters' left: whoever sits first on one faces the second of the other."""
    bench, place = seat
    facing = {"N": "S", "S": "N", "E": "W", "W": "E"}[bench]
    beside, across = bench + "21"[int(place) - 1], facing + "21"[int(place) - 1]
    match function:
        case "opposite":
            return across
        case "diagonal":
            return facing + place
        case "left" | "front-left":
            found = beside if place == "2" else None
        case _:
            found = beside if place == "1" else None
    return _next("opposite", found) if found and function.startswith("front") else found


def _sentence(text: str, names: Sequence[str], lang: Lang) -> Sentence:
    parts = re.split(", or |；或", text)
    found = [_facts(part, names, lang) for part in parts]
    sure, alternatives = found[0], list[list[Fact]]()
    if len(found) > 1:
        width = len(found[1])
        sure, alternatives = found[0][:-width], [found[0][-width:], *found[1:]]
    return Sentence(text, sure, alternatives, re.search(_TAKEN_BACK[lang], text) is not None)


def _facts(text: str, names: Sequence[str], lang: Lang) -> list[Fact]:
    found: list[tuple[int, Fact]] = []
    for pattern, kind in _patterns(tuple(names), lang):

        def taken(match: re.Match[str], kind: str = kind) -> str:
            found.append((match.start(), _fact(kind, match.groups(), lang)))
            return "#" * len(match[0])

        text = pattern.sub(taken, text)
    if left := re.search("|".join([*_whole(names, lang), r"\b[NESW][12]\b", "the blank", "whoever is", "所求"]), text):
        raise NotUnderstood(f"{left[0]!r} is left in {text!r}")
    return [fact for _, fact in sorted(found)]


def _fact(kind: str, groups: tuple[str, ...], lang: Lang) -> Fact:
    if kind == "option":
        return ("option", groups[0])
    if kind == "fill":
        return ("fill", *(name for name in re.split(" and |和", groups[0]) if name not in ("nobody", "Nobody", "无人")))
    words = [_term(group, lang) for group in groups]
    if kind in ("beside", "equal"):
        first, negated, second = groups
        sign = "not" if negated.strip() in ("not", "未", "并非") else "is"
        return (kind, sign, _term(first, lang), _term(second, lang))
    return (kind, *words)


def _term(text: str, lang: Lang) -> str:
    functions = []
    if lang == "en":
        text = text[:1].lower() + text[1:] if text.startswith("The ") else text
        while match := next((word for word in _FUNCTIONS["en"] if text.startswith(word)), None):
            functions.append(_FUNCTIONS["en"][match])
            text = text.removeprefix(match)
    else:
        while match := next((word for word in _FUNCTIONS["zh"] if text.endswith(word)), None):
            functions.append(_FUNCTIONS["zh"][match])
            text = text.removesuffix(match)
    blank = text.lower() in ("the blank", "whoever", "所求", "")
    return " ".join([*functions, _BLANK if blank else text])


def _whole(names: Sequence[str], lang: Lang) -> list[str]:
    """Eve is not in "Every"."""
    return [rf"\b{name}\b" for name in names] if lang == "en" else list(names)


@cache
def _patterns(names: tuple[str, ...], lang: Lang) -> list[tuple[re.Pattern[str], str]]:
    """Whatever is matched goes, so that a longer form comes before one that it holds."""
    name = "|".join(_whole(names, lang))
    if lang == "en":
        who = rf"({name}|[Tt]he blank|[Ww]hoever)"
        function = "|".join(word.replace("the ", "[Tt]he ", 1) for word in _FUNCTIONS["en"])
        term, deep = rf"((?:{function})*(?:{name}|[Tt]he blank))", rf"((?:{function})+(?:{name}|[Tt]he blank))"
        forms = [
            (rf"((?:{name})(?: and (?:{name}))*|[Nn]obody) fills? the blank", "fill"),
            (rf"({name}) is option [A-D]", "option"),
            (r"()(?<=whoever is at [NESW][12] or )([NESW][12])", "place"),
            (rf"{who} is at ([NESW][12])", "place"),
            (rf"{who} faces (north|south|east|west)", "faces"),
            (rf"{who} is( not|) beside ({name}|the blank)", "beside"),
            (rf"{deep} is( not|) {term}", "equal"),
            (rf"{term} is( not|) {deep}", "equal"),
            (deep, "asked"),
        ]
    else:
        who = rf"({name}|所求|)"
        function = "|".join(_FUNCTIONS["zh"])
        term, deep = rf"((?:{name}|所求)(?:{function})*)", rf"((?:{name}|所求)(?:{function})+)"
        forms = [
            (rf"((?:{name})(?:和(?:{name}))*)都?符合", "fill"),
            (r"(无人)可填空", "fill"),
            (rf"({name})是选项[A-D]", "option"),
            (r"()(?<=位于[NESW][12]或)([NESW][12])", "place"),
            (rf"{who}位于([NESW][12])", "place"),
            (rf"{who}朝向([北南东西])", "faces"),
            (rf"{who}(未?)在({name}|所求)的旁边", "beside"),
            (rf"{deep}(是|并非){term}", "equal"),
            (rf"{term}(是|并非){deep}", "equal"),
            (deep, "asked"),
        ]
    return [(re.compile(form), kind) for form, kind in forms]
