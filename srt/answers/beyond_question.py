"""What a sentence says beyond the words of the question: James of "James sits opposite Mary", asked who sits there.

An answer in a sentence repeats the question and adds what is asked for. The repeated words, and words that say nothing
by themselves ("so", "the answer is"), are taken off both ends; what is left is the answer, if it is of one piece. Where
what is left could also be the other end of the relation ("Eve is to the left of Tom"), nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srt.answers.clauses import conclusion, is_denied, is_open, without_remark
from srt.answers.equality.normal_form import plain
from srt.answers.equality.spelled_numbers import number_in_words
from srt.answers.written_form import undecorated
from srt.maths.units.unit_phrases import phrase_unit
from srt.maths.words import word_set

_EMPTY = word_set(
    "a an the this that these those it its he she him her they them their we i you there here so thus hence therefore "
    "then finally overall altogether only exactly just simply also now indeed in on at of to into for by with from "
    "and as who which what whose where when one ones person people answer option choice solution result value total "
    "number amount correct matching required requested final following name type kind shape figure solid object body "
    "shown given pictured picture image diagram all conclusion us according now others labelled labeled marked over"
)
_VERBS = word_set(
    "is are was were be being am has have had does do did will would must should can sits sit sitting seated stands "
    "stand lies lie gets get need needs needed take takes make makes give gives find found obtain called named known "
    "equal equals contains contain measures measure comes works fits matches holds say choose chose pick select "
    "selected chosen built made composed conclude computed compute calculated counted count located situated "
    "represents depicts shows says reads"
)
_LEADS = word_set("a an the so thus hence therefore only then and")
_PLACES = ("on", "at", "in")
_PAST = word_set("spent bought sold gave lost ate paid won took made came went drove ran flew grew cut put held had")
_SYMMETRIC = word_set("opposite across facing faces beside next adjacent near neighbour neighbor neighbours parallel")
_ENDS_AN_OBJECT = word_set("opposite from facing faces beside to near with parallel")
_RIGHT_ONE = re.compile(
    r"(?<![a-z])(?:the\s+)?(?:right|correct|matching|valid|best)\s+(?:one|answer|option|choice|pick|match)(?![a-z])",
    re.I,
)
_ACROSS = re.compile(r"(?<![a-z])(?:across\s+from|directly\s+opposite|opposite\s+(?:to|of))(?![a-z])", re.I)
_ASKS_PLACE = re.compile(r"(?<![a-z])(?:when|where|what\s+time|(?:on|at|in)\s+(?:which|what))(?![a-z])", re.I)
_SENTENCE_END = re.compile(r"[.。!！]\s")
_LABEL = re.compile(r"\W*(?:\d{1,3}|[A-Z])\W*")
_NUMBER = re.compile(r"[-−$\\(]*[\d½⅓⅔¼¾⅕-⅞]|\\?(?:sqrt|frac)|[√π]")
_QUOTES = "\"'“”‘’「」『』《》`"
_MOST_WORDS = 8
_LONGEST = 400
_HAN = re.compile(r"[\u4e00-\u9fff]")
_HAN_ASKS = re.compile(
    r"什么(?:形状|图形|几何体|名称|样的.{0,4})?|谁|哪(?:一?[个位种条只项]|些)?(?:人|几何体|图形)?|多少[个条块面]?|百分之(?:几|多少)|几分之几"
)
_HAN_IS = re.compile(r"(?:应该|就|便|应)?(?:叫做?|称为|称作|[是为])(?:一?[个座种只位])?|[:：]")
_HAN_STANDS = re.compile(r"(?:正|就)?[站坐住排](?=在)")
_HAN_EMPTY = frozenset("这那该此它其他她个的几何体立图形物名称答案题中所示由三视可知根据我们得到故即")


def said_beyond(sentence: str, question: str) -> str | None:
    """The words of ``sentence`` that ``question`` has not; ``None`` where it says no one thing, or leaves it open."""
    if len(sentence) > _LONGEST or is_open(sentence) or sentence.lstrip()[:1] in ("{", "["):
        return None
    body = without_remark(undecorated(conclusion(sentence))).strip(" .。!！,，")
    if is_denied(body, question):
        return None
    if _HAN.search(body):
        return _beyond_han(body, question)
    # A question that lists the names that may answer asks in its last sentence.
    asking = _SENTENCE_END.split(question.strip())[-1]
    return _Sentence.of(body, question).answer() or (
        _Sentence.of(body, asking).answer() if asking != question else None
    )


@dataclass(frozen=True)
class _Sentence:
    """The words of a sentence, and what each is: ``verb``, ``empty``, ``asked`` (the question has it) or ``new``."""

    words: list[str]
    parts: list[str]
    asked: list[str]
    asks_place: bool
    tells: bool
    """It has a verb of what the question tells before it asks: "she spent 60", asked what is left."""

    @classmethod
    def of(cls, body: str, question: str) -> _Sentence:
        body, question = (_ACROSS.sub("opposite", text) for text in (body, question))
        words = _RIGHT_ONE.sub(" option ", body).replace("’", "'").split()
        words = [part for word in words for part in (("it", "is") if word.casefold() == "it's" else (word,))]
        spelled = [_bare(word) for word in undecorated(question).replace("/", " ").split()]
        asked = [_stem(word) for word in spelled]
        parts = [_part(word, spelled, asked) for word in words]
        for at, word in enumerate(words[1:], 1):  # The unit of a number stays, even if the question has it.
            if re.search(r"\d", words[at - 1]) and phrase_unit(plain(word.strip(".,;:!"))) is not None:
                parts[at] = "new"
        asking = _SENTENCE_END.split(question.strip())[-1].casefold()
        told = [_bare(word) for word, part in zip(words, parts, strict=True) if part == "asked"]
        tells = any((word in _PAST or word.endswith("ed")) and word not in asking for word in told)
        return cls(words, parts, asked, _ASKS_PLACE.search(question) is not None, tells)

    def answer(self) -> str | None:
        """The one run of new words, with the noun that belongs to it."""
        new = [at for at, part in enumerate(self.parts) if part == "new"]
        if not new or new[-1] - new[0] >= _MOST_WORDS or {"verb", "asked"} & set(self.parts[new[0] : new[-1]]):
            return None
        counts = _NUMBER.match(self.words[new[0]]) is not None
        start, end = self._labelled_from(new[0], new[-1]), new[-1] + 1 if counts else self._noun_to(new[-1] + 1)
        at_place = self.asks_place and _bare(self.words[0]) in _PLACES
        if (
            not at_place
            and not {"verb", "asked"} & set(self.parts[:start] + self.parts[new[-1] + 1 :])
            and start == new[0]
        ):
            return None  # Nothing of the question, and no statement: the text is the answer as it stands.
        if counts and self.tells:
            return None
        if start == new[0] and not counts and not self._leads_to_answer(start, end):
            return None
        text = " ".join(self.words[start:end]).strip(" ,.;:!")
        return (text.strip(_QUOTES) if text[:1] in _QUOTES else text) or None

    def _labelled_from(self, first: int, last: int) -> int:
        """Where an answer that is a label begins: ``Net 2 folds``, "it is net 2"; else ``first``."""
        noun = first
        while noun and self.parts[noun - 1] == "asked":
            noun -= 1
        lead = [self.words[at].casefold() for at in range(noun) if self.parts[at] != "verb"]
        begins = (noun and self.parts[noun - 1] == "verb") or set(lead) <= _LEADS
        return noun if first == last and _LABEL.fullmatch(self.words[first]) and begins else first

    def _noun_to(self, end: int) -> int:
        """Where an answer ends whose noun is the question's: "the red cube is on top"; else ``end``."""
        noun = end
        while noun < len(self.parts) and self.parts[noun] == "asked":
            noun += 1
        return noun if noun == len(self.parts) or self.parts[noun] == "verb" else end

    def _leads_to_answer(self, start: int, end: int) -> bool:
        """Whether the words before ``start`` may lead to the answer, and do not turn the question round.

        "Eve is to the left of Tom" does not say who is left of Eve; "Mary sits opposite James" says who is opposite.
        """
        repeated = [at for at in range(start) if self.parts[at] == "asked"]
        behind = [at for at in range(end, len(self.parts)) if self.parts[at] == "asked"]
        symmetric = any(_bare(self.words[at]) in _SYMMETRIC for at in (*repeated, *behind))
        places = [[self.asked.index(_stem(self.words[at])) for at in each] for each in (repeated, behind)]
        turned = all(places) and min(places[0]) > max(places[1])
        rest = iter(self.asked)
        in_order = all(_stem(self.words[at]) in rest for at in behind)
        if (turned or not in_order) and not symmetric:
            return False
        last = next((at for at in reversed(range(start)) if self.parts[at] != "empty"), None)
        if not repeated or last is None or self.parts[last] == "verb":
            return True
        word = _bare(self.words[start - 1])
        at_place = self.asks_place and word in (*_PLACES, "the")
        return at_place or (symmetric and not behind and word in _ENDS_AN_OBJECT)


def _part(word: str, spelled: Sequence[str], asked: Sequence[str]) -> str:
    bare, stem = _bare(word), _stem(word)
    if word.endswith(":") or bare in _VERBS:
        return "verb"
    if stem in asked and bare not in spelled and bare != stem and bare not in _EMPTY:
        return "verb"  # Another form of a word of the question: forms, for "what does it form?"
    if not bare or (
        bare in _EMPTY and not (len(bare) == 1 and word.strip(_QUOTES + "()[].,;:").isupper() and bare not in "ai")
    ):
        return "empty"
    return "asked" if stem in asked or number_in_words(bare) in spelled else "new"


def _bare(word: str) -> str:
    return word.strip(_QUOTES + "()[].,;:!?").casefold()


def _stem(word: str) -> str:
    """A word without its ending: sits, sitting and sit are one."""
    bare = _bare(word).removesuffix("'s")
    for ending in ("ing", "ed", "es", "s"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 3 and bare.isalpha():
            bare = bare[: -len(ending)]
            break
    if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "sl":
        bare = bare[:-1]
    return bare.removesuffix("e") if len(bare) > 3 else bare


def _beyond_han(body: str, question: str) -> str | None:
    """The same of a Chinese sentence: behind 是 or 为, or in the place of the question's 谁 or 什么."""
    clause = re.split(r"[,，;；]", body)[-1].strip()
    asks = _HAN_ASKS.search(question)
    if asks is not None:
        head = re.split(r"[,，。;；]", question[: asks.start()])[-1]
        tail = re.split(r"[,，。;；?？吗呢]", question[asks.end() :])[0].strip()
        said, tail = (_HAN_STANDS.sub("", one.replace("的", "")) for one in (clause, tail))
        if len(tail) > 1 and said.startswith(head) and said.endswith(tail) and len(said) > len(head) + len(tail):
            return said[len(head) : len(said) - len(tail)].strip(_QUOTES)
    for verb in list(_HAN_IS.finditer(clause))[:4]:
        subject, said = clause[: verb.start()], clause[verb.end() :].strip(_QUOTES + " ")
        if said and all(char in _HAN_EMPTY or char in question or not _HAN.match(char) for char in subject):
            return said
    return None
