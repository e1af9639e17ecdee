"""The options that a statement chooses: by their letters, by their texts, or by a value that equals theirs.

A letter decides, unless the statement sets it beside another option's text or value: then it contradicts itself.
Without a letter, the statement is compared with each option by :mod:`srt.answers.equality`; of two that are equal to it
none is chosen. Several texts with "and" between them are several options.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from srt.answers.answer_places import FinalStatement
from srt.answers.beyond_question import said_beyond
from srt.answers.clauses import conclusion, is_denied, is_open, premise
from srt.answers.equality.equal import equal_texts
from srt.answers.equality.normal_form import plain
from srt.answers.equality.policies import LENIENT, TRAINING
from srt.answers.equality.stated_values import stated_value
from srt.answers.equality.units import split_noun
from srt.answers.values import concluded_value, is_unasked_ratio
from srt.answers.written_form import ReadAnswer, read_answer, same_option, undecorated
from srt.answers.yes_or_no import yes_or_no
from srt.io.records import Answer, Problem
from srt.maths.words import word_set

_LISTED_OPTION = re.compile(
    r"[ \t>*#•-]*+(?:\d{1,2}[.)]\s+)?([(（\[*]*[A-Z](?![A-Za-z])[)）\]*]*)(?:\s*[.、．:：)]\s*(.*)|\s*$)"
)
_VERDICT_LINE = re.compile(
    r"[ \t|>*#•-]{0,12}(?:options?\s|选项)?[(*\[]{0,3}(?P<letter>[A-Z])(?![A-Za-z])(?P<rest>[^\n]{0,300})", re.I
)
_RIGHT_MARK = re.compile(r"[✓✔✅√☑]|(?<![a-z])(?:yes|correct|true)(?![a-z])|(?<!不)正确|(?<![不])符合", re.I)
_WRONG_MARK = re.compile(r"[✗✘❌×☒]|(?<![a-z])(?:no|not|incorrect|false|wrong)(?![a-z])|不正确|错误|不符合", re.I)
_ASKS_WRONG = re.compile(
    r"(?<![a-z])(?:not|false|incorrect|wrong|never|cannot|except)(?![a-z])|n[’']t|不|错误|有误", re.I
)
_LETTER_NAMED = re.compile(r"(?:the\s+)?(?P<words>(?:[A-Za-z]+\s+){0,3})[(\[\"'“]?(?P<letter>[A-Z])[)\]\"'”]?")
_NOUNS = word_set("the this option options choice figure view answer is labelled labeled marked")
_LABELLED = re.compile(
    r"[(\[]?(?P<letter>[A-Z])(?:[)\]][.:]?\s*|\s*[.:、]\s*|\s+[—–-]\s+|\s*(?=\())(?P<words>.{1,400})", re.S
)
_LABELLED_BEHIND = re.compile(
    r"(?P<words>[^,(（]{1,200}?)\s{0,3}(?:[,(（]|→|⇒|->|=>)\s*(?:(?:i\.e\.,?|that\s+is,?|which\s+is|so|namely|即)\s*)?"
    r"(?:(?:the\s+)?(?:answer\s+is\s+)?(?:options?|choice|answer|选项?)\s*)?[(\[]?(?P<letter>[A-Z])[)\])）]{0,2}[.。]?"
)
_LETTER_BESIDE = re.compile(r"[(\[\"']*[A-Z][)\]\"']*\s*(?:[.,:=、)]|[—–-](?=\s))?\s*(.*)", re.S)
_REMARK = re.compile(r"[(（]([^()（）]{1,80})[)）]")
_REASON = re.compile(r"(?<![a-z])(?:because|since|as|where|which|for)(?![a-z])|因为|由于|[;；。\n]", re.I)
_NOT_OTHERS = re.compile(
    r"(?<=[A-Za-z)\]*])[\s,;(（]{0,4}(?i:but\s+)?(?i:not|and\s+not|rather\s+than|不是?|而?不选|而非)\s*(?i:options?\s+)?"
    r"[A-Z](?:(?:\s*[,、/]\s*|\s+(?:or|and|nor)\s+)?[A-Z]){0,8}(?![A-Za-z])[)）]?"
)
_VERB = re.compile(r"(?<![a-z])(?:is|are|was|were|has|have)(?![a-z])|=|[是为]", re.I)
_BRACES = re.compile(r"(?<![A-Za-z])\\?\{\s*([A-Z](?:\s*[,、;]\s*[A-Z]){0,25})\s*\\?\}")
_AND = re.compile(r"\s{0,3}(?:,\s{0,3}(?:and(?![a-z]))?|[、；;&]|(?<![A-Za-z])and(?![A-Za-z])|[和与及])\s{0,3}", re.I)
_NOT_BUT = re.compile(r"(?<![a-z])not\s[^,;]{1,60}\sbut\s(?:rather\s)?|(?:不是|并非)[^,，;；]{1,40}[,，]?\s?而是", re.I)
_MODIFIED = re.compile(
    r"(?<![a-z])(?:half|part|piece|one|any|some|all|each|opposite|unlike|anti|non|then|out|wrong|incorrect|near|twice|shadow"
    r"|mirror)(?![a-z])|一半|之一|错|误"
)
_THAN = re.compile(r"\sthan\s[^,;:]*", re.I)
_PARTS = re.compile(r"[:：;；]\s*")
_BROKEN_OFF = re.compile(r"(?:(?<![a-z])(?:and|or|but)|[和与及或])$")
"""A sentence that ends so says nothing yet: "Ann and"."""
_NAME = re.compile(r"(?!(?:the|and|are|side|from)(?![a-z]))[a-z]{3,}|[\u4e00-\u9fff]{2}")
_HAS_DIGIT = re.compile(r"\d|\\|[零一二三四五六七八九十]")
_INITIAL = re.compile(r"[(*]{0,3}([TFYN])[)*.]{0,4}")
"""Of true, false, yes and no."""
_SHORTEST = 2
_LEAST = 2
_LONGEST = 400


def read_options(said: FinalStatement, text: str, problem: Problem) -> ReadAnswer:
    """The options that ``text`` chooses, which is that of ``said`` without the item's number."""
    listed = _listed(said.rest, problem.choices)
    if listed is not None:
        return listed
    text = _BRACES.sub(r"\1", _NOT_OTHERS.sub("", text))
    read = read_answer(text, "choice_set", problem.choices)
    if read.ambiguous or not problem.choices:
        return read
    if read.answer is None:
        return _by_value(text, problem)
    beside = [*_beside(text), premise(said.before)]
    # "The answer is B. Pia": the full stop is of the letter.
    if not _VERB.search(said.after) or any(same_option(said.after, option) for option in problem.choices.values()):
        beside.append(said.after)
    named = [set(equal_options(one, problem)) for one in beside]
    if any(found and not found & set(read.answer.value) for found in named):
        return ReadAnswer(None, ambiguous=True)
    return read


def verdicts(body: str, problem: Problem) -> str | None:
    """The letters that are called right where ``body`` ends in a verdict on each of several options, a line each."""
    found: dict[str, bool] = {}
    for line in reversed(body.strip().splitlines()):
        if not line.strip():
            continue
        match = _VERDICT_LINE.fullmatch(line)
        marks = None if match is None else (_RIGHT_MARK.search(match["rest"]), _WRONG_MARK.search(match["rest"]))
        if match is None or marks is None or not any(marks) or match["letter"] not in problem.choices:
            break
        found[match["letter"]] = marks[1] is None
    if len(found) < _LEAST or _ASKS_WRONG.search(problem.question):
        return None
    return ", ".join(sorted(letter for letter, right in found.items() if right)) or None


def equal_options(text: str, problem: Problem) -> Sequence[str]:
    """The letters of the options that have the text, or the value, of ``text``; first exactly, then with rounding."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return ()
    return _equal_options(text, tuple(problem.choices.items()), problem.question)


@lru_cache(maxsize=1024)
def _equal_options(text: str, choices: tuple[tuple[str, str], ...], question: str) -> tuple[str, ...]:
    same = tuple(letter for letter, option in choices if option.strip() and same_option(text, option))
    if same:
        return same
    truths = {letter: read_answer(option, "boolean", {}).answer for letter, option in choices}
    if choices and all(truths.values()):
        if (initial := _INITIAL.fullmatch(text)) and initial[1] not in dict(choices):
            return tuple(letter for letter, option in choices if option.strip().upper().startswith(initial[1]))
        said = yes_or_no(text, question)
        return tuple(letter for letter, truth in truths.items() if truth is not None and truth.value is said)
    if is_denied(text, f"{question} {' '.join(option for _, option in choices)}"):
        return ()
    for policy in (TRAINING, LENIENT):
        found = tuple(
            letter
            for letter, option in choices
            if equal_texts(option, text, "text", policy, question).equal and not _counts_others(text, option, question)
        )
        if found:
            return found
    return ()


def _counts_others(text: str, option: str, question: str) -> bool:
    """Whether ``text`` counts what neither the question nor the option names: 4 layers, of 4 cubes."""
    value = stated_value(plain(text)).sides[-1]
    known = split_noun(value, f"{question} {option} units", any_noun=False) != value
    return not known and split_noun(value, "", any_noun=True) != value


def _by_value(text: str, problem: Problem) -> ReadAnswer:
    """The options that ``text`` states without beginning with their letter alone."""
    body = undecorated(text).replace("（", "(").replace("）", ")")
    labelled = _LABELLED.match(body) or _LABELLED_BEHIND.fullmatch(body)
    if labelled is not None and labelled["letter"] in problem.choices:
        found = _said(labelled["words"].strip("()（） "), problem)
        if found or labelled.re is _LABELLED:
            agree = list(found) == [labelled["letter"]]
            return _chosen(found) if agree else ReadAnswer(None, ambiguous=bool(found))
    found = _said(text, problem)
    if len(found) > 1:
        return ReadAnswer(None, ambiguous=True)
    if found:
        return _chosen(found)
    if mentioned := _mentioned(text, problem):
        return _chosen([mentioned])
    said = said_beyond(text, problem.question) or text
    parts = [_said(part, problem) for part in _AND.split(said) if part]
    if len(parts) > 1 and all(len(part) == 1 for part in parts):
        return _chosen([part[0] for part in parts])
    return ReadAnswer(None)


def _said(text: str, problem: Problem) -> Sequence[str]:
    """The options that equal all of ``text``, or the value that it concludes, or what it says beyond the question."""
    if any(same_option(text, option) for option in problem.choices.values()):
        return equal_options(text, problem)
    unasked = is_unasked_ratio(text, problem) and not any(":" in option for option in problem.choices.values())
    if len(text) > _LONGEST or is_open(conclusion(text)) or unasked:
        return ()
    for said in dict.fromkeys((text, concluded_value(text, problem.question), said_beyond(text, problem.question))):
        found = () if said is None else equal_options(said, problem) or _letter_named(said, text, problem)
        if found:
            return found
    return ()


def _letter_named(said: str, text: str, problem: Problem) -> Sequence[str]:
    """The letter that is all of ``said`` but words of the question: ``net B``; one that is all of ``text`` was read."""
    match = _LETTER_NAMED.fullmatch(said)
    if match is None or match["letter"] not in problem.choices or said == text == match["letter"]:
        return ()
    words, asked = match["words"].casefold(), problem.question.casefold()
    known = all(word in _NOUNS or re.search(rf"(?<![a-z]){re.escape(word)}", asked) for word in words.split())
    return [match["letter"]] if known and not is_denied(words, "") else ()


def _mentioned(text: str, problem: Problem) -> str | None:
    """The one option whose words stand in the conclusion of ``text``, which is neither denied nor open.

    "The cat is on the left side of the dog", where the options are left, right and behind. Where a longer option is
    named, a shorter one within it does not count: "unit cube" does not choose the option "cube". Options with digits
    are values and are left to :func:`equal_options`.
    """
    words = {letter: _spelled(option) for letter, option in problem.choices.items()}
    if len(text) > _LONGEST or any(len(one) < _SHORTEST or _HAS_DIGIT.search(one) for one in words.values()):
        return None
    said = _spelled(_THAN.sub("", _NOT_BUT.sub("", undecorated(conclusion(text)))))
    if _BROKEN_OFF.search(said):
        return None
    said = _PARTS.split(said)[-1] or said
    if _MODIFIED.search(said):
        return None
    found = [letter for letter, option in words.items() if _stands_in(option, said)]
    longest = [one for one in found if not any(words[one] in words[other] for other in found if other != one)]
    if len(longest) != 1:
        return None
    asked, rest = _spelled(problem.question), said.replace(words[longest[0]], " ")
    if "likely" in asked:
        rest = rest.replace("likely", " ")
    denied = is_denied(said.replace(words[longest[0]], " 0 "), problem.question)  # "not 0": of no question
    if denied or is_denied(rest, problem.question) or is_open(rest):
        return None
    if _turned(said, words[longest[0]], asked):
        return None
    # A word of the question is no answer, unless the question lists the options.
    listed = sum(_stands_in(option, asked) for option in words.values()) > 1
    return longest[0] if listed or not _stands_in(words[longest[0]], asked) else None


def _turned(said: str, option: str, asked: str) -> bool:
    """Whether ``said`` names what the question asks about behind the option, and what it asks from before it.

    "The school is north of the library" does not say where the library is.
    """
    before, _, behind = said.partition(option)
    places = [[asked.index(word) for word in _NAME.findall(side) if word in asked] for side in (before, behind)]
    return all(places) and places[0][-1] > places[1][0]


def _spelled(text: str) -> str:
    return undecorated(text).replace("-", " ").casefold().strip(" .。!！")


def _stands_in(option: str, text: str) -> bool:
    bound = "" if not option.isascii() else r"(?![a-z])"
    return re.search(rf"{'(?<![a-z])' if bound else ''}{re.escape(option)}{bound}", text) is not None


def _chosen(letters: Sequence[str]) -> ReadAnswer:
    return ReadAnswer(Answer(kind="choice_set", value=sorted(set(letters))))


def _beside(text: str) -> list[str]:
    """What stands directly beside the letter of ``text``: behind it, or in a remark; a reason is none."""
    body = undecorated(text)
    match = _LETTER_BESIDE.match(body)
    behind = _REASON.split(match[1])[0] if match is not None else ""
    remark = _REMARK.search(behind)
    found = [remark[1], behind[: remark.start()]] if remark is not None else [behind]
    return [one.strip(" .,;:=()") for one in found if one.strip(" .,;:=()")]


def _listed(rest: str, choices: Mapping[str, str]) -> ReadAnswer | None:
    """All letters of the list of options that ``rest`` begins with; ``None`` where it begins with none.

    Either letters alone, or each with its option's text; a list that says more of an option is ambiguous.
    """
    found = []
    for line in rest.strip().splitlines():
        match = _LISTED_OPTION.match(line)
        if match is None:
            break
        found.append((match[1].strip("()（）[]* "), (match[2] or "").strip("* ")))
    if len({letter for letter, _ in found}) < _LEAST or len({bool(words) for _, words in found}) > 1:
        return None
    if any(words and not same_option(words, choices.get(letter, words)) for letter, words in found):
        return ReadAnswer(None, ambiguous=True)
    return read_answer(", ".join(letter for letter, _ in found), "choice_set", choices)
