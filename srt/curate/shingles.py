"""How texts are compared: a normal form for exact duplicates, shingles and MinHash for near ones, and their facts.

Two problems whose texts differ in a number ("edge 3" and "edge 5") or in a word that turns the question ("top view" and
"left view", 体积 and 表面积) look alike to every measure of likeness and are different problems. Such facts of a text
are compared separately, and must be the same. Any word may turn a question, so nothing is dropped unless all words are
the same, in the same order, but for those that say nothing (:func:`wording`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datasketch import LeanMinHash, MinHash, MinHashLSH  # type: ignore[import-untyped]

Facts = tuple[tuple[str, int], ...]

# `3.`, `第3题:`, `(3)` and `(5分)` at the beginning; "3.5" is a number of the problem.
_NUMBERED = re.compile(
    r"\s*(?:第?\s*\d{1,3}\s*[.．、)）题:：](?!\d)|[(（]\s*\d{1,3}\s*[)）]|[(（][^()（）]{0,20}\d\s*分[)）])\s*"
)
_PICTURE = re.compile(r"<(?:image|img)_?\d*>|<imagehere>")
_STYLED = re.compile(r"\\(?:mathrm|mathbf|mathit|text|textbf|operatorname)\s*\{([^{}]*)\}|(?<=_)\s*\{([^{}]*)\}")
"""Braces that group nothing: those of a type style, and of a subscript."""
_LATEX = re.compile(r"\\(?:mathrm|mathbf|text|left|right|displaystyle|quad|qquad|[,;!: ])")
# Signs of operations and relations (√ ∠ ⊥ ≤ ...), shapes (△ ★ ...) and primes make the problem; dots and blanks do not.
_KEPT = re.compile(
    r"[^\w+\-*/=<>^%°.\\:×÷±'\u2190-\u22ff\u25a0-\u2bff\U0001f000-\U0001faff]|_|(?<!\w)[.:]|[.:](?!\w)|(?<!\d)\.|\.(?!\d)"
)
_SUM = re.compile(r"\(([^()]{1,60}[+\-±][^()]{1,60})\)")
_GROUP = re.compile(r"(?<=\w)\}\s*(?:\{\s*)?(?=[\w\\])")
"""The end of a group that something follows: ``\\frac{1}{23}``, ``\\sqrt{2}3``."""
_PRIME = re.compile(r"(?:\^ ?)?(?:\{ ?)?\\prime(?: ?\})?|[′’‘`]")
_BETWEEN_NUMBERS = re.compile(r"(?<=\d)[\s,;:、()\[\]{}]+(?=\d)")
_LETTER = re.compile(r"(?<![A-Za-z])(?![Aa]\s+[A-Za-z]{2})[A-Za-z](?![A-Za-z])")
_SAYS_NOTHING = re.compile(
    r"\b(?:the|an|please|then|so|that|which|is|are|be|of|its?|this|these|there|has|have)\b|[的了请则是为呢吗吧该这那么个它其]"
)
"""Articles, particles and the like: a closed class."""
_LABEL = re.compile(r"(?<![a-z])[A-Z]'*(?![a-z])")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_DIGIT_OF = {word: str(1 + at) for at, word in enumerate("一二三四五六七八九")} | {"十": "10", "两": "2"}
_DIGIT_OF |= {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_DIGIT_OF |= {"six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10"}
_NUMBER_WORD = re.compile("|".join(rf"\b{word}\b" if word.isascii() else word for word in _DIGIT_OF))
_FACT = re.compile(
    r"[不主正左右俯侧一二三四五六七八九十两]|[上下前后]面|最[大小多少长短]|表面积|侧面积|全面积|体积|面积|周长|[余正]弦|正切|平行|垂直"
    r"|\b(?:not|front|left|right|top|bottom|side|back|maximum|minimum|largest|smallest|longest|shortest|most|least"
    r"|volume|lateral|surface|area|perimeter|sine|cosine|tangent|parallel|perpendicular"
    r"|one|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|\d+(?:\.\d+)?|√|\\sqrt|\\pi|π|[⊥∥≤≥<>]|\\(?:perp|parallel|leq?|geq?)\b"
)
PERMUTATIONS: Final = 128


def unnumbered(text: str) -> str:
    """Narrow, in lower case, without the number of the question and without marks of pictures."""
    text = _PICTURE.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()
    # A number and the points that the question is worth.
    for _ in range(2):
        text = _NUMBERED.sub("", text, count=1) if _NUMBERED.match(text) else text
    return text.strip()


def normal_form(text: str) -> str:
    """``text`` without spacing, punctuation, numbering and marks of pictures: equal for exact duplicates."""
    plain = _STYLED.sub(lambda group: group[1] or group[2] or "", _PRIME.sub("'", unnumbered(text)))
    # Sums in brackets and groups keep their borders: 2(a+b) is not 2a+b, \frac{1}{23} not \frac{12}{3}.
    plain = _GROUP.sub(":", _SUM.sub("⦅\\1⦆", _LATEX.sub("", plain)))
    return _KEPT.sub("", _BETWEEN_NUMBERS.sub(":", plain))  # "3, 12" is not "31, 2"


def lone_letters(text: str) -> str:
    """The letters of ``text`` that stand alone, in their case: a line *b* is not a point *B*."""
    return "".join(_LETTER.findall(unicodedata.normalize("NFKC", text)))


def wording(text: str) -> tuple[str, str]:
    """What two texts must have in common to be the same but for words that say nothing, and for 5 and *five*."""
    plain = _NUMBER_WORD.sub(lambda word: _DIGIT_OF[word[0]], unnumbered(text))
    return normal_form(_SAYS_NOTHING.sub(" ", plain)), lone_letters(text)


def facts(text: str) -> Facts:
    """The numbers and the turning words of ``text`` with their counts, in order of their names; its points in a row."""
    found = Counter(_DIGIT_OF.get(match[0], match[0]) for match in _FACT.finditer(_LATEX.sub(" ", unnumbered(text))))
    points = "".join(_LABEL.findall(_PRIME.sub("'", unicodedata.normalize("NFKC", _LATEX.sub(" ", text)))))
    return (*sorted(found.items()), (points, 1)) if points else tuple(sorted(found.items()))


def shingles(normal: str) -> frozenset[str]:
    """Runs of three characters of a Chinese text, of five of another; the whole of a shorter text."""
    # Three Chinese characters say about as much as five letters.
    size = 3 if len(_CHINESE.findall(normal)) * 3 > len(normal) else 5
    if len(normal) <= size:
        return frozenset((normal,))
    return frozenset(normal[at : at + size] for at in range(len(normal) - size + 1))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared shingles by all shingles, 0 to 1."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def signature(normal: str) -> LeanMinHash:
    """The MinHash signature of a text in its normal form."""
    from datasketch import LeanMinHash

    minhash = _empty_signature().copy()
    minhash.update_batch([shingle.encode() for shingle in shingles(normal)])
    return LeanMinHash(minhash)


def buckets(one: LeanMinHash, least: float) -> list[int]:
    """The buckets of a signature in the index of :func:`minhash_pairs`, which pairs the texts that share one.

    A bucket is a hash (64 bits) of a band of the signature. Two bands with the same are one more pair to compare.
    """
    bands = [bytes([band]) + one.hashvalues[start:end].tobytes() for band, (start, end) in enumerate(_bands(least))]
    return [int.from_bytes(blake2b(band, digest_size=8).digest(), "little") for band in bands]


def minhash_pairs(signatures: Iterable[LeanMinHash], least: float, most: int) -> Iterator[tuple[int, int]]:
    """Pairs ``(earlier, later)`` of positions whose shingles are probably alike by ``least`` or more.

    A text is paired with at most ``most`` earlier ones. Locality-sensitive hashing of MinHash signatures: no comparison
    of all pairs; a pair well above ``least`` is found almost surely, one far below almost never.
    """
    index = _index(least)
    for position, one in enumerate(signatures):
        for other in sorted(index.query(one))[:most]:
            yield other, position
        index.insert(position, one)


def _index(least: float) -> MinHashLSH:
    from datasketch import MinHashLSH

    # A threshold a little lower than asked for: the index loses some pairs around it.
    return MinHashLSH(threshold=max(0.1, least - 0.1), num_perm=PERMUTATIONS)


@cache
def _bands(least: float) -> list[tuple[int, int]]:
    """The part of a signature that each table of the index has as its key."""
    return list(_index(least).hashranges)


@cache
def _empty_signature() -> MinHash:
    from datasketch import MinHash

    return MinHash(num_perm=PERMUTATIONS, seed=1)
