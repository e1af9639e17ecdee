"""The clauses of a step that assert something at its end, without those that deny, doubt, suppose or report it.

Whether a text states an answer is decided on its last words: ``it is not a cone but a sphere`` states ``a sphere``,
``the answer might be 5`` states nothing. What is in doubt is taken as not stated.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

_BREAK = re.compile(
    r"(?:[.。！;；\n]|!(?!=))+(?!\d)|[,，](?!\d{3}(?!\d))(?!\s*[A-Z](?![A-Za-z])(?!\S{0,40}?\s{0,9}[=＝]))"
    r"|\b(?<!thing )(?<!all )(?=(?:so|therefore|hence|thus|but|yet|however|while|whereas|although|though|because|since"
    r"|rather than|instead of|and (?![A-Z](?![A-Za-z])(?!\S{0,40}?\s{0,9}[=＝])))\b)"
    r"|(?=因为|由于|所以|因此|从而|故|但|然而|而(?:不是|非|是)|可见|于是|则)",
    re.IGNORECASE,
)
_OPENS = "([{（【"
_CLOSES = ")]}）】"
_DENIES = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot|without|wrong\w*|false\w*|incorrect\w*|untrue|invalid"
    r"|impossible|absurd|mistak\w*|errors?|erroneous\w*|exclud\w*|eliminat\w*"
    r"|rul(?:e[sd]?|ing)\s+(?:\S+\s+)?out|is out|are out|reject\w*"
    r"|discard\w*|dismiss\w*|refut\w*|disprov\w*|contradict\w*|rather than|instead|except\w*|other than|unlike|fail\w*"
    r"|different|forget\w*|too (?:large|small|big|long|short|many|few)|far from|excess\w*|ignor\w*"
    r"|cross(?:ed)? out|leaves? out"
    r"|unable|lacks?|extraneous|(?:any|every)thing but|all but|hardly|scarcely|barely|opposite of|short of"
    r"|(?:apart|aside) from|nowhere)\b|n['’]t\b|≠|!=|\\neq?(?![a-z])"
    r"|不(?!妨|等式|变|同于|难|仅|但|论|断|规则|定积分)|非(?!常|负)|错|误(?!差)|排除|否|舍去|舍弃|剔除|淘汰|除了|除去|以外|之外|矛盾"
    r"|没有|没|无(?!理数|盖|限|穷)|未|谬|违背|违反|相反|岂|难道|哪里|谈不上|算不上|称不上|另有",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:if|were|would|could|might|may|maybe|perhaps|possibl[ey]|probabl[ey]|likely|unlikely|seem\w*"
    r"|appear\w*|looks? like"
    r"|suppose\w*|supposing|assum\w+|guess\w*|doubt\w*|wonder\w*|whether|unless|unclear|unknown|uncertain|undetermined"
    r"|insufficient|not sure|unsure|say|says|said|claims?|claimed|thinks?|thought|believ\w*|wrote|writes"
    r"|suggest\w*|student|tempt\w*"
    r"|remains to|still to be|yet to be|to be (?:found|shown|determined|checked)|almost|nearly"
    r"|close to|hope\w*|want\w*)\b|[?？]"
    r"|如果|假设|假如|若|倘若|设想|要是|也许|或许|可能|大概|恐怕|似乎|好像|看似|看起来|貌似|猜|怀疑|是否|是不是|难以|尚|待|暂|同学|有人"
    r"|认为|以为|说是|声称|误以|接近|不妨|未必|吗|几乎",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?:not|wrong\w*|false\w*|incorrect\w*|untrue|invalid|impossible|except\w*|errors?|cannot)\b|n['’]t\b|错|误|不|非|无",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    r".*\b(?:is|are)\s+not\s(?!true|the case|correct|right|so\b|certain|clear|sure|prove\w|shown)[^:：]*[:：]\s*"
    r"(?=(?:(?:so|thus|hence|therefore)\s+)?(?:the\s+(?:correct\s+)?(?:answer|option|choice)|choose|select|答案|故?选))",
    re.IGNORECASE | re.DOTALL,
)
"""A fact that is denied, and the answer that follows: ``it is not parallel: the answer is B``."""
_REASON = re.compile(r"\s*(?:because|since|as\b|given that|for\b|因为|由于)", re.IGNORECASE)
_CONTRAST = re.compile(
    r"\s*+(?:(?:(?:and|but|而|并)\s*+)?(?:not|nor|rather than|instead of|不是|非|并非|绝非|不为|没有))", re.IGNORECASE
)
_TURNS = re.compile(r"\s*(?:but|yet|however|while|whereas|although|though|但|然而|可是)", re.IGNORECASE)
_CONNECTIVES = re.compile(
    r"^(?:\s|[,，:：]|\b(?:so|therefore|hence|thus|but|and|then|which|that|rather|in fact|finally|it follows that"
    r"|we get|consequently|indeed|also|exactly|only)\b"
    r"|所以|因此|从而|故|但|而是|而|则|即|可见|于是|应该?|综上|可知|只)+",
    re.IGNORECASE,
)
_REMARK = re.compile(r"<[^<>\n]{0,40}>|[(（]\s*\d+\s*(?:分|points?|marks?)\s*[)）]")
_MOST_PASSED_OVER = 3


@dataclass(frozen=True)
class Clause:
    """One clause; ``said`` is it without connecting words at its start."""

    text: str

    @property
    def said(self) -> str:
        """The clause without ``so``, ``therefore``, ``but`` before it."""
        return _CONNECTIVES.sub("", self.text).strip()

    @property
    def guessed(self) -> bool:
        """Whether it doubts, supposes or reports something."""
        return _DOUBTS.search(self.text) is not None

    def doubtful(self, asked: str) -> bool:
        """Whether it denies, doubts, supposes or reports something.

        Where the question ``asked`` asks what is wrong, that something is wrong is an answer.
        """
        if self.guessed:
            return True
        asks_wrong = asks_what_is_wrong(asked)
        return any(not (asks_wrong and _WRONG.fullmatch(word[0])) for word in _DENIES.finditer(self.text))


def asks_what_is_wrong(question: str) -> bool:
    """Whether ``question`` asks which of several things does not hold."""
    return _WRONG.search(question) is not None


def last_clause(text: str) -> Clause | None:
    """The clause that ``text`` ends with, whatever it says."""
    return next(reversed(_clauses(text)), None)


def last_assertions(text: str, asked: str) -> Iterator[Clause]:
    """The clauses at the end of ``text`` that may state an answer to the question ``asked``, the last first.

    Reasons, and what is said for contrast (``..., not 18``), are passed over. A clause that denies or doubts something
    ends the search: it may take back what stands before it.
    """
    passed = 0
    for clause in reversed(_clauses(text)):
        if _REASON.match(clause.text):
            continue
        if _CONTRAST.match(clause.text):
            if _DOUBTS.search(clause.text):
                return
            continue
        denied = _NOT_SO.match(clause.text)
        if denied is not None and _DOUBTS.search(clause.text) is None:
            clause = Clause(clause.text[denied.end() :])
        if clause.doubtful(asked):
            return
        yield clause
        passed += 1
        if passed > _MOST_PASSED_OVER or _TURNS.match(clause.text):
            return


def _clauses(text: str) -> list[Clause]:
    """``text`` taken apart where a clause ends, outside brackets; pictures and marks, ``(8分)``, are left out."""
    text = _REMARK.sub(" ", text)
    inside = _inside_brackets(text)
    parts, start = [], 0
    for match in _BREAK.finditer(text):
        if inside[match.start()]:
            continue
        parts.append(text[start : match.start()])
        start = match.end()
    parts.append(text[start:])
    return [Clause(part.strip()) for part in parts if re.search(r"\w", part)]


def _inside_brackets(text: str) -> list[bool]:
    """For each character of ``text`` whether it is inside brackets that close; the brace of a system does not."""
    change = [0] * (len(text) + 1)
    opened: list[int] = []
    for at, char in enumerate(text):
        if char in _OPENS:
            opened.append(at)
        elif char in _CLOSES and opened:
            change[opened.pop()] += 1
            change[at] -= 1
    return [depth > 0 for depth in itertools.accumulate(change)]
