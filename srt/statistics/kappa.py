"""Agreement of two raters on the classes of the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from srt.io.records import Record
from srt.statistics.clopper_pearson import clopper_pearson

_Z = 1.959963984540054


class Agreement(Record):
    """``same`` of ``count`` items got the same class from both, with the 95% Clopper-Pearson interval of that share.

    ``kappa`` is Cohen's (Educational and Psychological Measurement 20, 1960): agreement beyond what the two
    distributions give by chance; ``None`` without items, or if chance alone would give full agreement. ``kappa_low``
    and ``kappa_high`` are its 95% interval by the large-sample standard error of Fleiss, Cohen and Everitt
    (Psychological Bulletin 72, 1969), which takes items as independent; ``None`` if that error is 0, which is
    meaningless for a small sample in which all agree.
    """

    count: int
    same: int
    share: float | None
    low: float
    high: float
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None


def agreement(pairs: Sequence[tuple[str, str]]) -> Agreement:
    """The agreement over ``pairs``: the classes of each item by the first and by the second rater."""
    n, same = len(pairs), sum(one == other for one, other in pairs)
    bounds = clopper_pearson(same, n)
    kappa, error = _kappa(pairs) if n else (None, 0.0)
    low, high = (
        (max(-1.0, kappa - _Z * error), min(1.0, kappa + _Z * error)) if kappa is not None and error else (None, None)
    )
    return Agreement(
        count=n,
        same=same,
        share=same / n if n else None,
        low=bounds.low,
        high=bounds.high,
        kappa=kappa,
        kappa_low=low,
        kappa_high=high,
    )


def _kappa(pairs: Sequence[tuple[str, str]]) -> tuple[float | None, float]:
    """Kappa and its standard error."""
    n = len(pairs)
    both = {pair: count / n for pair, count in Counter(pairs).items()}
    first = {word: count / n for word, count in Counter(one for one, _ in pairs).items()}
    second = {word: count / n for word, count in Counter(other for _, other in pairs).items()}
    observed = sum(share for (one, other), share in both.items() if one == other)
    chance = sum(share * second.get(word, 0.0) for word, share in first.items())
    if chance == 1:
        return None, 0.0
    kappa = (observed - chance) / (1 - chance)
    # The three terms of the variance: items on which the raters agree, those on which they do not, and chance.
    agreed = differed = 0.0
    for (one, other), share in both.items():
        if one == other:
            agreed += share * (1 - (first[one] + second[one]) * (1 - kappa)) ** 2
        else:
            differed += share * (second.get(one, 0.0) + first.get(other, 0.0)) ** 2
    variance = agreed + (1 - kappa) ** 2 * differed - (kappa - chance * (1 - kappa)) ** 2
    return kappa, max(0.0, variance / (n * (1 - chance) ** 2)) ** 0.5
