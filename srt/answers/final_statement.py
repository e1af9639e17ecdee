"""The final answer of a text: the last one that it states, unless it corrects it or takes it back.

What follows a correction ("Wait, ...") comes before what precedes it, if it states an answer. What follows a new
question is not read. Where answers stand is decided by :mod:`srt.answers.answer_places`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from srt.answers.answer_places import MOST_TRIED, FinalStatement, stated_last
from srt.io.records import AnswerKind

_CORRECTION = re.compile(
    r"(?:^|(?<=[\n.!?。！？]))[ \t*_]{0,8}(?:(?:(?:but|oh|no|hmm),?\s++){0,4}"
    r"(?:wait|sorry|oops|my\s++mistake|no(?=,\s(?:it|the|that)(?![a-z]))|hold\s++on|actually|correction|scratch\s++that|on\s++second\s++thou?ght|let\s++me\s++correct)(?![A-Za-z])"
    r"|等等|等一下|更正|纠正|修正|不对|重新(?:检查|计算|看|审题))",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"(?:(?<![a-z])(?:it(?:['’]s|\s+is)|(?:should|must)\s+be)|应?该?是|应为)\s*([^\s.。\n][^.。\n]{0,60})[.。!！]?\s*\Z",
    re.IGNORECASE,
)
"""What a correction ends with, where it has no place of its own: "Wait, it is 37."."""
_TAKEN_BACK = re.compile(
    r"\\boxed\s*\{[^{}\n]{0,80}\}[$*\s]{0,4}(?:is|was|seems|looks)\s+(?:wrong|incorrect|not|false)"
    r"|(?<![无没])(?:答案|结果)(?:是|有)?(?:错误?的?|有误)[.。!！]?\s*\Z",
    re.IGNORECASE,
)
_RETRACTED = re.compile(
    r"[(（]\s*(?:wrong|incorrect|false|correction|should\s+be|错误?|有误|应为|应该?是)"
    r"|\n[ \t*_]{0,8}(?:(?:this|that|(?:the|my)\s+(?:above|answer|final\s+answer|answer\s+above|above\s+answer))"
    r"\s+(?:answer\s+)?(?:is|was)\s+(?:wrong|incorrect|false|not\s+(?:right|correct))"
    r"|(?:no|nope|wrong|incorrect|false|never\s*mind)[ \t*_]*(?:[.!]|(?=\n|\Z))|scratch\s+that|disregard|ignore"
    r"|i\s+(?:hereby\s+)?(?:retract|withdraw|take\s+(?:that|this|it|my\s+answer|the\s+answer)\s+back|was\s+wrong)"
    r"|(?:this|that)\s+(?:cannot|can['’]t)\s+be\s+right|edit\s*:|on\s+reflection"
    r"|i\s+(?:meant|forgot|change\s+my\s+answer|made\s+a\s+mistake|miscalculated)"
    r"|我?(?:算错|弄错|忘)了|(?:上面|以上|这个?)的?(?:答案|结果)?(?:是错的|错了|有误|不对|不正确)|我?(?:收回|撤回)|错了?[。！!]|不[。！!]|还要|还应)"
    r"|[✗✘❌]|~~",
    re.IGNORECASE,
)
"""What takes back the answer before it."""
_CONFIRMED = re.compile(
    r"(?<![a-z])(?:yes|yeah|correct|right|confirm\w*|consistent|same|still|indeed|agrees?|fine|ok)(?![a-z])|没错|一致|无误|正确|对的",
    re.IGNORECASE,
)
_NEXT_QUESTION = re.compile(
    r"\n[ \t#*]*(?:"
    r"(?:(?:next|new|another)\s++)?(?:question|problem|exercise)[ \t]*+\d*[*_]*[ \t]*+[:：.\n]|Q[ \t]*+\d*[:：]|"
    r"(?:human|user|instruction)[*_]*[ \t]*+[:：\n]|"
    r"(?:问题|题目|例题|练习)[ \t]*+[\d一二三四五]*+[*_]*+[ \t]*+[:：\n]|【(?:题目|问题)】|下一?道?题|"
    r"\d{1,2}[ \t]*+[.．、][ \t]*+[(（【\[](?:单选|多选|填空|判断|解答)题?[)）】\]])"
    r"|<\|[a-z_]{2,20}\|>|</s>",
    re.IGNORECASE,
)
_NOTHING = FinalStatement("", "", marked=True)
"""An answer that was taken back, and nothing said for it."""


def final_statement(body: str, kind: AnswerKind) -> FinalStatement | None:
    """The final answer that ``body`` states in a place of one of the three ranks, to be read as ``kind``."""
    corrections = [match for match in _CORRECTION.finditer(body) if body[: match.start()].strip()]
    for match in corrections[: -MOST_TRIED // 8 - 1 : -1]:
        corrected = stated_last(body[match.end() :], kind)
        if corrected is None and (said := _CORRECTED.search(body, match.end())):
            corrected = FinalStatement(said[1], said[1])
        if corrected is not None:
            return corrected
    taken_back = _TAKEN_BACK.search(body)
    # "So the answer is 错误" is an answer, unless there is one before it to take back.
    if taken_back and (taken_back[0][0] == "\\" or stated_last(body[: taken_back.start()], kind) is not None):
        return _NOTHING
    found = stated_last(body, kind)
    if found is None or not found.marked:
        return found
    back = _RETRACTED.search(found.rest)
    again = body[corrections[-1].end() :] if corrections else ""
    if back is None and re.search(r"\w", again) and not _CONFIRMED.search(again):
        back = next((match for match in _CORRECTION.finditer(found.rest) if match.start()), None)
    if back is None:
        return found
    return stated_last(found.rest[back.end() :], kind) or _NOTHING


def first_answers(body: str) -> Iterator[str]:
    """``body`` up to each place where a new question begins, and all of it: a base model runs on into questions."""
    for match in list(_NEXT_QUESTION.finditer(body))[:MOST_TRIED]:
        if body[: match.start()].strip():
            yield body[: match.start()]
    yield body
