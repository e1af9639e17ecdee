"""Find the claims of a text and decide them: closed ones exactly, others from what the text and the givens state.

A claim is refuted only if every reading of it fails and nothing around it denies it, supposes it or leaves it open. An
undecided claim is ``consistent`` (read, but nothing decides it) or ``unchecked`` (not read, or too large).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from srt.io.records import Lang
from srt.language.trace import ClaimCheck
from srt.maths.work import MOST_WORK, TooMuchWork, budget
from srt.prose.claims.claim_verdicts import verdicts
from srt.prose.claims.find import Prose, read_prose
from srt.prose.claims.links import links_of, state, state_points
from srt.prose.claims.named_dimension import asked
from srt.prose.claims.scope import Scope
from srt.prose.claims.stated_pi import stated_pi
from srt.prose.claims.units_beside import units_beside

LONGEST_TEXT = 20_000
"""So many characters of a text, and of each given, are read."""
_VECTORS = re.compile(r"向量|[Vv]ectors?\b|\\overrightarrow|\\vec(?![a-z])")


def check_prose(text: str, *, lang: Lang | None = None, givens: Sequence[str] = ()) -> tuple[ClaimCheck, ...]:
    """The claims of ``text`` with their verdicts, in the order of the text.

    Args:
        text: a solution or the assertion of a step: English, Chinese, LaTeX, mixed.
        lang: the language of ``text`` where it is known: a lone ``a`` is an article in English, not in Chinese.
        givens: texts taken as true (the problem, cited steps): what they state is a premise; they are not checked.

    Returns:
        One :class:`ClaimCheck` for each pair of neighbours in a chain ``a = b = c``, and a refuted one for each value
        in the words beside them whose unit is wrong. ``start`` and ``end`` are the characters of ``text`` that say it.
        Never raises; time and memory are bounded for any text: 20,000 characters of a text are read, 400 chains of
        claims, and as much as :data:`~srt.maths.work.MOST_WORK` allows. Where there are more, the last claim is
        ``unchecked``, spans what was not read and says so; where a given is longer, so does the first.
    """
    checks: list[ClaimCheck] = []
    with budget(MOST_WORK):
        try:
            _check(text, lang, givens, checks)
        except TooMuchWork:
            start = max((check.end for check in checks), default=0)
            why = "it takes more work than is done on one trace"
            checks.append(
                ClaimCheck(claim="the rest of the text", start=start, end=len(text), support="unchecked", reason=why)
            )
    return tuple(sorted(checks, key=lambda check: (check.start, check.end)))


def _check(text: str, lang: Lang | None, givens: Sequence[str], checks: list[ClaimCheck]) -> None:
    """Add the verdicts on ``text`` to ``checks`` one by one, so that they outlive a lack of work."""
    read = [one[:LONGEST_TEXT] for one in (text, *givens)]
    scope = Scope(vectors=any(map(_VECTORS.search, read)), values_of_pi=frozenset().union(*map(stated_pi, read)))
    place = -sum(len(given[:LONGEST_TEXT]) + 1 for given in givens)
    for given in givens:
        prose = read_prose(given[:LONGEST_TEXT], lang)
        for link in links_of(prose, place):
            state(scope, link, given=True)
        state_points(scope, prose, place)
        scope.scenes.add_given(prose.text, place)
        scope.quantities.add(prose.text, prose.tokens, place)
        scope.quantities.asked |= asked(prose.text)
        place += len(prose.text) + 1
    prose = read_prose(text[:LONGEST_TEXT], lang)
    scope.scenes.add_text(prose.text)
    scope.quantities.add(prose.text, prose.tokens, 0)
    links = links_of(prose, 0)
    scope.one_claim = len(links) == 1
    for link in links:
        state(scope, link, given=False)
    state_points(scope, prose, 0)
    for link in links:
        checks.extend(verdicts(scope, link, prose))
    checks.extend(units_beside(scope, links, prose))
    checks[:0] = _not_read(text, prose, len(links), givens)  # Before those at the same place.


def _not_read(text: str, prose: Prose, read: int, givens: Sequence[str]) -> Iterator[ClaimCheck]:
    """What was left out: chains after the first ``read``, characters of ``text`` and of ``givens`` beyond the limit."""
    if read < len(prose.chains):
        start, why = prose.chains[read].start, f"the text has more than {read} equations: those after them are not read"
    else:
        start, why = LONGEST_TEXT, f"the text beyond {LONGEST_TEXT:,} characters is not read"
    if start < len(text):
        yield ClaimCheck(claim="the rest of the text", start=start, end=len(text), support="unchecked", reason=why)
    if text and any(len(given) > LONGEST_TEXT for given in givens):
        why = f"what it says beyond {LONGEST_TEXT:,} characters is not read"
        yield ClaimCheck(claim="what is given", start=0, end=len(text), support="unchecked", reason=why)
