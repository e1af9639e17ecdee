"""Answers from a closed set of labels: right or wrong (正确 / 错误), the same or different (相同 / 不同).

A label is read with its negation (该推断不正确 is 错误, 没有不同 is 相同) and in other words (对, 一样). A text that
names both without deciding, or only asks for one (是否正确), states none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_OF_OTHERS = r"(?:(?<=[是为]正确)|(?<=[是为]错误)|(?!的?[说表推判答选理解句位]))"
"""A word that describes another noun (正确的说法应是…) states nothing, unless a verb precedes it (是正确的说法)."""

_WORDS = {
    "正确": rf"正确{_OF_OTHERS}|对(?![应象称比照面方于着的错])|对的$|无误|成立|没有?问题|^是的?$|^√$|"
    "true|correct|right|yes",
    "错误": rf"^否$|^×$|有问题|错误{_OF_OTHERS}|错(?!误)|有误|false|incorrect|wrong",
    "相同": r"^是的?$|同一|相同|一样|一致|同义|same|identical|equivalent",
    "不同": r"^否$|不同|相异|(?:有|存在)(?:所)?(?:区别|差异|差别)|different",
}
_NEGATION = r"不存在|没有?什么|不是|并非|并不是|没有|没|并不|并无|不|未|非|无|isn['’]t|aren['’]t|is not|are not|not"
_NOT_BUT = re.compile(r"(?:不是|并非)[^，,。]{0,20}[，,]?\s*而?是|not\s+\S{1,20},?\s+but\s+")
_ASKS = re.compile(r"是否.{0,6}|[\u4e00-\u9fff]{2}与否|(?:对|正确)(?:还是|或)(?:错误|错)|相同(?:还是|或)不同")
_CLAUSE = re.compile(r"[，,。；;：:!！?？\n]|(?<=[a-z])\.(?:\s|$)|但是?|不过|却|而(?![且是])|(?<![a-z])but(?![a-z])")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_IN_PASSING = re.compile(r"\s*(?:因为|由于|虽然|尽管|如果|假如|若|即使|because|since|although|if)", re.IGNORECASE)
_OPEN = re.compile(
    r"可能|也许|或许|无法|不能(?:确定|判断)|难以|不确定|还是|或|请(?:判断|回答)|cannot|perhaps|maybe", re.I
)
_DECORATION = re.compile(r"[\s*_`\"'“”‘’「」『』《》【】()（）\[\]{}$★]|\\(?:text|boxed|mathrm)")


def read_label(text: str, labels: Sequence[str]) -> str | None:
    """The label of ``labels`` that a statement means; ``None`` where it means none or leaves it open.

    A clause that is nothing but a label decides; otherwise the last clause that names one, reasons left out.
    """
    corrected = list(_NOT_BUT.finditer(text))
    if corrected:
        text = text[corrected[-1].end() :]
    text = _ASKS.sub("", text)
    if _OPEN.search(text):
        return None
    clauses = [clause for clause in _CLAUSE.split(text) if not _IN_PASSING.match(clause)]
    clauses = [_DECORATION.sub("" if _HAN.search(clause) else " ", clause).strip() for clause in clauses]
    alone = {label for clause in clauses if (label := label_alone(clause, labels))}
    if len(alone) == 1:
        return alone.pop()
    meant = next((found for clause in reversed(clauses) if (found := _meant(clause, labels))), set())
    return meant.pop() if len(meant) == 1 else None


def label_alone(clause: str, labels: Sequence[str]) -> str | None:
    """The label that ``clause`` is, in its own or other words, with nothing beside it; ``None`` where it is more."""
    body = _DECORATION.sub("", clause).strip("。.!！")
    matches = list(_pattern(tuple(labels)).finditer(body.removesuffix("的")))
    if len(matches) != 1 or matches[0].span() != (0, len(body.removesuffix("的"))):
        return None
    meant = _meant(body, labels)
    return meant.pop() if len(meant) == 1 else None


def _meant(clause: str, labels: Sequence[str]) -> set[str]:
    """Every label that ``clause`` names, turned by its negation."""
    meant = set()
    for match in _pattern(tuple(labels)).finditer(clause):
        label = next(label for number, label in enumerate(labels) if match[f"_{number}"] is not None)
        if len(re.findall(_NEGATION, match["negation"], re.IGNORECASE)) % 2:
            others = [other for other in labels if other != label]
            if len(others) != 1:
                return set()
            label = others[0]
        meant.add(label)
    return meant


@lru_cache(maxsize=64)
def _pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(f"(?P<_{number}>{_WORDS.get(label) or re.escape(label)})" for number, label in enumerate(labels))
    negated = rf"(?P<negation>(?:(?:{_NEGATION})(?:完全|太|大|是|\s|the(?![a-z]))*)*)"
    return re.compile(f"{negated}(?:{words})", re.IGNORECASE)
