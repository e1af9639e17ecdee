"""The written form of an answer: how an answer record is written as text, and how such text is read back.

Reading is cautious: a letter counts only as an option, never inside a word ("A cube is higher" is not the answer A),
and a text that leaves the choice open ("A or B") is ambiguous, never decided by chance.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from srt.io.records import Answer, AnswerKind, Problem
from srt.maths.words import word_set

_DECORATION = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200b-\u200f\u2060\ufeff]|[*`$]|\\\\[()\\[\\]]|"
    r"(?<!\w)_(?=\w)|(?<=\w)_(?!\w)|"
    r"</?(?:b|i|u|p|em|br|strong|span|div|code|sub|sup|font)\b[^<>]{0,80}>|"
    r"\\f?box(?:ed)?(?=\{)|\\(?:text|mathrm|mathbf|textbf|textit|mathit|rm|bf|boldsymbol|operatorname)(?=\s*\{)"
)
FONT = re.compile(r"\\(?:text|mathrm|mathbf|textbf|textit|mathit|textrm|mathsf|boldsymbol|operatorname)\s*\{([^{}]*)\}")
_SPACING = re.compile(r"\\(?:[ ,;:!~]|q?quad(?![A-Za-z]))|~")
_BRACKETS = str.maketrans("【】「」『』〔〕“”‘’〈〉", "()()()()\"\"''()")
_POWERS = str.maketrans({"²": "^2", "³": "^3"})  # NFKC would make a2 of a².
_LEAD = re.compile(
    r"(?:(?:so|definitely|certainly|clearly|surely|probably)(?![a-z])[, ]*)*[(\[\"']*\s*+(?:either|both|only)?\s*+"
    r"(?:选择|选项|应选|故选|options?|choices?|letters?|statements?|选)?\s*+(?:is|are|是|为)?\s*+:?\s*+",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\(?\d{1,3}\)?\s*[,.:、)]\s*(?=[(\[\"']*[A-Za-z])")
_BUT = re.compile(
    r"(?:(?:it\s++)?is\s++|it'?s\s++)?not\s++\(?[A-Z]\)?\s*+,?\s*+but\s++(?:rather\s++)?"
    r"|不是\s*+[A-Z]\s*+[,，]?\s*+而?是\s*+",
    re.I,
)
_ITEM = r"[(\[{\"']*(?:[A-Z]+)[)\]}\"']*"
_SEPARATOR = r"(?:\s*(?:,\s*and(?![A-Za-z])|[,、;&+/]|(?:and|or)(?![A-Za-z])|[和与及或])\s*|\s+|(?<=[)\]])(?=[(\[]))"
_ALONE = re.compile(r"[(\[\"']*([A-Za-z])[)\]\"'.:]*")
_LETTERS = re.compile(rf"{_ITEM}(?:{_SEPARATOR}{_ITEM})*(?![A-Za-z])")
_SMALL = re.compile(r"[(\[\"']*[a-z][)\]\"']*(?:\s*[,、;]\s*[(\[\"']*[a-z][)\]\"']*)*[.。]?")
_REASON = re.compile(
    r"(?<![a-z])(?:because|since|as|explanation|justification|reason)(?![a-z])|因为|由于|解析|理由", re.I
)
_REJECTED = re.compile(
    r"(?<![a-z])(?:not|wrong|incorrect|false|ruled|excluded?|eliminated?|rather|instead|unlike|than|neither|cannot)(?![a-z])|"
    r"n['’]t|[不非错排误]",
    re.I,
)
_OPEN_CHOICE = re.compile(r"/|或|(?<![A-Za-z])or(?![A-Za-z])")
_AFTER = re.compile(
    r"\s*(?:$|[.。,;:!)\]}\n]|选?项|而?(?:不是|非)|(?:rather\s+than|instead\s+of|and\s+not|not)\s|"
    r"(?:(?:options?|choices?)\s*)?(?:is|are)\s+(?:(?:the|my)\s+)?(?:final\s+)?(?:correct|right|answer)"
    r"|(?:,\s*)?(?:because|since|as|I\s+(?:think|believe|am))\s|吧|(?:options?|choices?|only)\s*(?:$|[.。,;:!)\]}\n])|[是为]?正确)",
    re.IGNORECASE,
)
DENIED_BEHIND = (
    r"\s*+(?:(?:选?项|options?|choices?)\s*+)?(?:的?(?:说法|结论|推断)\s*+)?"
    r"(?:(?:is|are|was|were|可以|可|是|为|均|都|也)\s*+)*"
    r"(?:n['’]t|not\s+(?:correct|right|true|the|an?|possible)|wrong|incorrect|false|excluded|eliminated|ruled|out(?![a-z])|"
    r"不(?!选)|错|有误|排除|非)"
)
"""What stands after letters that are called wrong: 选项错误, "is not correct"."""
_DENIED = re.compile(DENIED_BEHIND, re.IGNORECASE)
OTHERS_DENIED = re.compile(rf"[,;.]\s*+[A-Z](?:[,、]?[A-Z]){{0,25}}(?i:{DENIED_BEHIND})[^,;.。]*$")
_AROUND_BOOLEAN = re.compile(r"^(?:it\s++is|this\s++is|是否正确:|判断:)\s*+|[!.。\s\"'()]{1,40}$|^[\s\"'(]+")
_TRUE = word_set("true yes correct right t y √ 正确 对 是 真 对的 正确的 是的")
_FALSE = word_set("false no incorrect wrong f n × 错误 错 否 假 错的 错误的 不是 不对 不正确")


@dataclass(frozen=True)
class ReadAnswer:
    """The answer that a text states, if any. ``ambiguous``: it names several and does not decide between them."""

    answer: Answer | None
    ambiguous: bool = False


def expected_kind(problem: Problem) -> AnswerKind:
    """The kind of answer that ``problem`` asks for: that of its gold answer, or what its form shows without one."""
    if problem.answer is not None:
        return problem.answer.kind
    return "choice_set" if problem.choices else "text"


def canonical_text(answer: Answer) -> str:
    """The text of ``answer`` on an answer line: ``A, C`` for a choice set, parts joined by ``; ``.

    Parts are numbered, ``(1) 9; (2) 8; 1``, where one of them has a semicolon of its own.
    """
    if answer.kind == "parts":
        parts = [canonical_text(part) for part in answer.value]
        if any(re.search("[;；]", part) for part in parts):
            parts = [f"({number}) {part}" for number, part in enumerate(parts, 1)]
        return "; ".join(parts)
    if answer.kind in ("choice_set", "sequence"):
        return ", ".join(answer.value)
    text = str(answer.value).lower() if answer.kind == "boolean" else str(answer.value)
    return f"{text} {answer.unit}" if answer.unit else text


def read_answer(text: str, kind: AnswerKind, choices: Mapping[str, str]) -> ReadAnswer:
    """Read ``text`` (what follows the marker on an answer line) as an answer of ``kind``.

    ``choices`` are the problem's options: with a letter that is not among them there is no answer. Without options any
    capital letter counts. ``parts`` cannot be read from one line: there is no answer.
    """
    if kind == "choice_set":
        return _read_choices(text, choices)
    body = undecorated(text).rstrip(".。")
    if not body or kind == "parts":
        return ReadAnswer(None)
    if kind == "number":
        match = re.fullmatch(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:\s*([^\d\s.].*))?", body.replace(",", ""))
        if match is None:
            return ReadAnswer(None)
        value = float(match[1])
        return ReadAnswer(Answer(kind="number", value=int(value) if value.is_integer() else value, unit=match[2]))
    if kind == "boolean":
        word = _AROUND_BOOLEAN.sub("", body.casefold())
        return ReadAnswer(Answer(kind="boolean", value=word in _TRUE) if word in _TRUE | _FALSE else None)
    if kind == "sequence":
        elements = [part.strip() for part in re.split(r"[,，、;；]|->|→", body) if part.strip()]
        return ReadAnswer(Answer(kind="sequence", value=elements))
    return ReadAnswer(Answer(kind=kind, value=body))


def _read_choices(text: str, choices: Mapping[str, str]) -> ReadAnswer:
    body = _BUT.sub("", _NUMBERED.sub("", undecorated(text), count=1), count=1)
    alone = _ALONE.fullmatch(body)
    if alone is not None and (not choices or alone[1].upper() in choices):
        return ReadAnswer(Answer(kind="choice_set", value=[alone[1].upper()]))  # Whatever the texts of the options are.
    named = [letter for letter, option in choices.items() if _option(option) == _option(text)]
    if len(named) == 1 and _option(text):
        return ReadAnswer(Answer(kind="choice_set", value=named))
    for letter, option in sorted(choices.items(), key=lambda item: -len(item[1])):
        words = undecorated(option)
        if words and words.casefold() in body.casefold():
            words = re.escape(words)
            body = re.sub(
                rf"(?<![A-Za-z])(\(?){letter}(\)?)\s*[.):、:-]*\s*\(?{words}\)?(?!\w)",
                letter,
                body,
                flags=re.IGNORECASE,
            )
            body = re.sub(rf"^{words}\s*\({letter}\)", letter, body, flags=re.IGNORECASE)
    start = _LEAD.match(body)
    at = start.end() if start else 0
    if _SMALL.fullmatch(body[at:]):
        body = body.upper()
    body = OTHERS_DENIED.sub("", body)
    match = _LETTERS.match(body, at)
    if match is None or not _AFTER.match(body, match.end()) or _DENIED.match(body, match.end()):
        return ReadAnswer(None)
    runs = re.findall(r"(?<![A-Za-z])[A-Z]+(?![A-Za-z])", match[0])
    found = [letter for run in runs for letter in run]
    # ``BAD`` is a word; letters that are chosen ascend, as ``ABD``, or are two.
    is_word = any(len(set(run)) < len(run) or (len(run) > 2 and list(run) != sorted(run)) for run in runs)
    if is_word or (choices and not set(found) <= set(choices)):
        return ReadAnswer(None)
    if len(set(found)) > 1 and _OPEN_CHOICE.search(body[: match.end()]):
        return ReadAnswer(None, ambiguous=True)
    if _other_options(body[match.end() :], choices) - set(found):
        return ReadAnswer(None, ambiguous=True)
    return ReadAnswer(Answer(kind="choice_set", value=found))


def _other_options(rest: str, choices: Mapping[str, str]) -> set[str]:
    """The options that ``rest``, what follows the letters, names as right too: not as wrong, and in no reason."""
    named: set[str] = set()
    for clause in re.split(r"[,.;!。(]\s*|(?<![a-z])(?:but|while|whereas)(?![a-z])|但", _REASON.split(rest)[0]):
        if _REJECTED.search(clause):
            continue
        named |= set(re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z'’])", clause)) & set(choices)
        named |= {letter for letter, text in choices.items() if text.strip() and _plain(text) in _plain(clause)}
    return named


def undecorated(text: str) -> str:
    """``text`` on one line, with full-width forms narrowed, decoration and the braces around a whole dropped."""
    body = _SPACING.sub(" ", unicodedata.normalize("NFKC", html.unescape(text).translate(_POWERS)).translate(_BRACKETS))
    body = _DECORATION.sub("", FONT.sub(r" \1", body)).strip()
    while len(body) > 1 and body[0] == "{" and body[-1] == "}":
        body = body[1:-1].strip()
    return " ".join(body.split())


def same_option(text: str, option: str) -> bool:
    """Whether ``text`` is the text of ``option``."""
    return _option(text) == _option(option)


def _option(text: str) -> str:
    """An option's text for comparison: without case, spacing, decoration and the full stop."""
    return (
        re.sub(r"\s|\\left|\\right|\\[,;:! ]", "", undecorated(text).casefold())
        .strip(".。\"'")
        .replace("\\dfrac", "\\frac")
    )


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
