"""The clauses of a sentence: what it concludes, whether it leaves that open or denies it, and what is only a reason."""

from __future__ import annotations

import re

_HEDGED = re.compile(
    r"(?<![a-z])(?:maybe|perhaps|possibly|probably|likely|might|could|may|can[’']?t\s+tell|either|or|nor|neither|guess|"
    r"unsure|uncertain|seems?|looks?|appears?|if|unless|whether|almost|nearly|hardly|barely|scarcely)(?![a-z])|[?？]|"
    r"可能|也许|或|大概|似乎|好像|看起来|是否|如果|若|还是",
    re.I,
)
_DENIED = re.compile(
    r"(?<![a-z])(?:not|no|never|none|cannot|without|except|but|other\s+than|eliminated?|exclud\w{1,3}|rul\w{1,3}\s+out)(?![a-z])|"
    r"n[’']t|不.?|没有?|无.?|并?非|排除",
    re.I,
)
_WORD_BEHIND = re.compile(r"\s+[A-Za-z0-9]{1,30}")
_REASON = re.compile(
    r"\s{0,3}(?:[,;:—–(-]\s{0,3})?(?<![a-z])(?:because|since|as\s+(?:it|the|he|she|they|we|both)|for\s+the\s+reason)(?![a-z]).*$|"
    r"\s(?:-\s(?-i:(?=[a-z]{2}))|[—–]\s(?=\S+\s\S+\s\S)(?![^—–]*[—–])).*$|\s(?-i:by\s(?:the\s)?[A-Z]{2,4}(?![A-Za-z])).*$|[,，]?因为.*$|[,，]而(?!是).*$",
    re.I | re.S,
)
_THEREFORE = re.compile(
    r"(?:^|[,;:.]\s*|\s)(?:so|thus|hence|therefore|consequently|which\s+means(?:\s+that)?)(?![a-z]),?\s+|[⇒∴⟹]|\\(?:Rightarrow|therefore|implies)(?![A-Za-z])"
    r"|(?:[,，;；]|^)\s*(?:所以|因此|故|于是|可知|综上(?:所述)?|则)[,，]?",
    re.I,
)
_GROUND = re.compile(
    r"^\W*(?:since|because|as|when|after|by|from|using|given|based\s+on|according\s+to|with|looking\s+at|for|因为|由于|由|根据)"
    r"(?![a-z])[^,，:：]{1,200}[,，]\s*",
    re.I,
)
_REMARK = re.compile(r"(?<!\s)\s*[(（](?=[^()（）]{0,78}(?:[A-Za-z]{2}|[\u4e00-\u9fff]))[^()（）]{0,80}[)）]\s*$")


def conclusion(sentence: str) -> str:
    """What ``sentence`` concludes: all behind its last "so", without the reason before or after it."""
    last = next((piece for piece in reversed(_THEREFORE.split(sentence)) if piece.strip(" .。,，")), sentence)
    return _REASON.sub("", _GROUND.sub("", last, count=1), count=1).strip(" ,，;") or sentence


def premise(beginning: str) -> str:
    """What stands before the last "so" of the beginning of a sentence, if it says it outright; empty otherwise."""
    pieces = [piece.strip(" ,，;.。") for piece in _THEREFORE.split(beginning)]
    return "" if len(pieces) < 2 or _REASON.match(pieces[-2]) else pieces[-2]


def without_reason(text: str) -> str:
    """``text`` without the reason or the remark at its end."""
    return without_remark(_REASON.sub("", text, count=1)).strip(" ,，;") or text


def without_remark(text: str) -> str:
    """``text`` without the words in brackets at its end."""
    return _REMARK.sub("", text)


def is_open(sentence: str) -> bool:
    """Whether ``sentence`` asks, or only considers what it says ("it may be a cone")."""
    return _HEDGED.search(sentence) is not None


def is_denied(sentence: str, question: str) -> bool:
    """Whether ``sentence`` denies something, in words that ``question`` has not ("which has no vertex").

    A denial is that of the question only with the word behind it: after "which is not red", "not B" denies B.
    """
    asked = " ".join(question.casefold().split())
    for denial in _DENIED.finditer(sentence):
        behind = _WORD_BEHIND.match(sentence, denial.end())
        words = " ".join((denial[0] + (behind[0] if behind else "")).casefold().split())
        begins = "" if denial[0][1:2] in ("'", "’") else r"(?<![a-z])"  # "isn't"
        if re.search(rf"{begins}{re.escape(words)}(?![a-z])", asked) is None:
            return True
    return False
