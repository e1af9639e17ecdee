"""What a sentence says beyond the words of the question: James of "James sits opposite Mary", asked who sits there.

An answer in a sentence repeats the question and adds what is asked for. The repeated words, and words that say nothing
by themselves ("so", "the answer is"), are taken off both ends; what is left is the answer, if it is of one piece. Where
what is left could also be the other end of the relation ("Eve is to the left of Tom"), nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from srt.answers.equality.normal_form import plain
from srt.answers.written_form import undecorated
from srt.maths.units.unit_phrases import phrase_unit
from srt.maths.words import word_set

_EMPTY = word_set(
    "a an the this that these those it its he she him her they them their we i you there here so thus hence therefore "
    "then finally overall altogether only exactly just simply also now indeed in on at of to for by with from and as "
    "who which what whose where when one ones person people answer option choice solution result value total number "
    "amount correct matching required requested final following name type kind shape figure solid object body shown "
    "given pictured picture image diagram all conclusion us according now labelled labeled marked"
)
_VERBS = word_set(
    "is are was were be being am has have had does do did will would must should can sits sit sitting seated stands "
    "stand lies lie gets get need needs needed take takes make makes give gives find found obtain called named known "
    "equal equals contains contain measures measure comes works fits matches holds say choose chose pick select "
    "selected chosen conclude computed compute calculated counted count represents depicts shows says reads"
)
_SYMMETRIC = word_set("opposite across facing faces beside next adjacent near neighbour neighbor neighbours parallel")
_ENDS_AN_OBJECT = word_set("opposite from facing faces beside to near with parallel")
_HEDGED = re.compile(
    r"(?<![a-z])(?:maybe|perhaps|possibly|probably|likely|might|could|may|can[’']?t\s+tell|either|or|nor|neither|guess|unsure|"
    r"uncertain|seems?|looks?|appears?|if|unless|whether|almost|nearly)(?![a-z])|[?？]|可能|也许|或|大概|似乎|好像|看起来|是否|如果|若|[还]是",
    re.I,
)
_DENIED = re.compile(r"(?<![a-z])(?:not|no|never|none|cannot|without|except|other\s+than)(?![a-z])|n[’']t|不.?|没有?|无.?|并?非", re.I)
_RIGHT_ONE = re.compile(
    r"(?<![a-z])(?:the\s+)?(?:right|correct|matching|valid|best)\s+(?:one|answer|option|choice|pick|match)(?![a-z])", re.I
)
_REASON = re.compile(
    r"\s*(?:[,;:—–(-]\s*)?(?<![a-z])(?:because|since|as\s+(?:it|the|he|she|they|we|both)|for\s+the\s+reason)(?![a-z]).*$|"
    r"\s+(?:[—–]|-(?=\s[A-Za-z]{2}))\s.*$|[,，]?因为.*$|[,，]而(?!是).*$",
    re.I | re.S,
)
_THEREFORE = re.compile(
    r"(?:^|[,;:.]\s*|\s)(?:so|thus|hence|therefore|consequently|which\s+means(?:\s+that)?)(?![a-z]),?\s+|[⇒∴⟹]|\\(?:Rightarrow|therefore|implies)(?![A-Za-z])"
    r"|(?:[,，;；]|^)\s*(?:所以|因此|故|于是|可知|综上(?:所述)?|则)[,，]?",
    re.I,
)
_ACROSS = re.compile(r"(?<![a-z])(?:across\s+from|directly\s+opposite|opposite\s+(?:to|of))(?![a-z])", re.I)
_REMARK = re.compile(r"(?<!\s)\s*[(（](?=[^()（）]{0,78}(?:[A-Za-z]{2}|[\u4e00-\u9fff]))[^()（）]{0,80}[)）]\s*$")
_QUOTES = "\"'“”‘’「」『』《》`"
_CAPITAL = re.compile(r"[A-Z]")
_MOST_WORDS = 8
_LONGEST = 400
_HAN = re.compile(r"[\u4e00-\u9fff]")
_HAN_ASKS = re.compile(r"什么(?:形状|图形|几何体|名称|样的.{0,4})?|谁|哪(?:一?[个位种条只项]|些)?(?:人|几何体|图形)?|多少[个条块面]?")
_HAN_IS = re.compile(r"(?:应该|就|便|应)?(?:叫做?|称为|称作|[是为])(?:一?[个座种只位])?|[:：]")
_HAN_EMPTY = frozenset("这那该此它其他她个的几何体立图形物名称答案题中所示由三视可知根据我们得到故即")


def conclusion(sentence: str) -> str:
    """What ``sentence`` concludes: all behind its last "so", without the reason that follows."""
    last = next((piece for piece in reversed(_THEREFORE.split(sentence)) if piece.strip(" .。,，")), sentence)
    return _REASON.sub("", last, count=1).strip(" ,，;") or sentence


def is_open(sentence: str) -> bool:
    """Whether ``sentence`` asks, or only considers what it says ("it may be a cone")."""
    return _HEDGED.search(sentence) is not None


def is_denied(sentence: str, question: str) -> bool:
    """Whether ``sentence`` denies something, in words that ``question`` has not ("which has no vertex")."""
    return any(denial.casefold() not in question.casefold() for denial in _DENIED.findall(sentence))


def without_reason(text: str) -> str:
    """``text`` without the reason or the remark at its end."""
    return _REMARK.sub("", _REASON.sub("", text, count=1)).strip(" ,，;") or text


def said_beyond(sentence: str, question: str) -> str | None:
    """The words of ``sentence`` that ``question`` has not; ``None`` where it says no one thing, or leaves it open."""
    if len(sentence) > _LONGEST or is_open(sentence):
        return None
    body = _REMARK.sub("", undecorated(conclusion(sentence))).strip(" .。!！,，")
    if is_denied(body, question):
        return None
    return _beyond_han(body, question) if _HAN.search(body) else _beyond(body, question)


def _beyond(body: str, question: str) -> str | None:
    body, question = (_ACROSS.sub("opposite", text) for text in (body, question))
    words = _RIGHT_ONE.sub(" option ", body).replace("’", "'").split()
    words = [part for word in words for part in (("it", "is") if word.casefold() == "it's" else (word,))]
    asked = {_stem(word) for word in undecorated(question).replace("/", " ").split()} - {""}
    known = [_is_known(word, asked) for word in words]
    for at, word in enumerate(words[1:], 1):  # The unit of a number stays, even if the question has it.
        known[at] &= not (re.search(r"\d", words[at - 1]) and phrase_unit(plain(word.strip(".,;:!"))) is not None)
    first = next((at for at, one in enumerate(known) if not one), None)
    if first is None:
        return None
    last = len(words) - next(at for at, one in enumerate(reversed(known)) if not one)
    found, before, after = words[first:last], words[:first], words[last:]
    # ``Net 2 folds``, "it is net 2": the noun that the question has belongs to the answer.
    verb = next((at + 1 for at in reversed(range(len(before))) if _is_verb(before[at])), 0)
    noun = next((at for at in range(verb, len(before)) if not _is_empty(before[at])), len(before))
    found, before, labelled = before[noun:] + found, before[:noun], before[noun:]
    if verb and labelled and not re.fullmatch(r"\W*(?:\d+|[A-Z])\W*", found[len(labelled)]):
        found, before, labelled = found[len(labelled) :], before + labelled, []
    own = found[len(labelled) :]
    if len(found) > _MOST_WORDS or any(_stem(word) in asked or _is_verb(word) for word in own):
        return None
    repeated_before = any(_stem(word) in asked and not _is_empty(word) for word in before)
    counts = re.match(r"[-$\\]*\d", own[0]) is not None
    if repeated_before and not counts and not _precedes_answer(before, asked, any(_stem(word) in asked for word in after)):
        return None
    if not any(_is_verb(word) or _stem(word) in asked for word in [*before, *labelled, *after]):
        return None
    text = " ".join(found).strip(" ,.;:!")
    return (text.strip(_QUOTES) if text[:1] in _QUOTES else text) or None


def _precedes_answer(before: Sequence[str], asked: set[str], more: bool) -> bool:
    """Whether ``before``, which repeats the question, ends where an answer begins: behind a verb.

    A relation that is the same both ways may also end it: "Mary sits opposite James".
    """
    if _is_verb(next((word for word in reversed(before) if not _is_empty(word)), "")):
        return True
    last = _bare(before[-1])
    symmetric = any(_stem(word) in asked and _bare(word) in _SYMMETRIC for word in before)
    return symmetric and last in _ENDS_AN_OBJECT and not more


def _is_known(word: str, asked: set[str]) -> bool:
    bare = _bare(word)
    return not bare or _is_empty(word) or bare in _VERBS or _stem(word) in asked


def _is_empty(word: str) -> bool:
    return _bare(word) in _EMPTY and not (_CAPITAL.fullmatch(word.strip(_QUOTES + "()[].,;:")) and word[0] != "A" and word != "I")


def _is_verb(word: str) -> bool:
    return word.endswith(":") or _bare(word) in _VERBS


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
        if len(tail) > 1 and clause.startswith(head) and clause.endswith(tail) and len(clause) > len(head) + len(tail):
            return clause[len(head) : len(clause) - len(tail)].strip(_QUOTES)
    for verb in list(_HAN_IS.finditer(clause))[:4]:
        subject, said = clause[: verb.start()], clause[verb.end() :].strip(_QUOTES + " ")
        if said and all(char in _HAN_EMPTY or char in question or not _HAN.match(char) for char in subject):
            return said
    return None
