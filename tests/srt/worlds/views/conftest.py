"""Problems of every kind."""

from __future__ import annotations

from typing import get_args

import pytest

from srt.io.records import Lang, Problem
from srt.worlds.views.sampling.problem_draft import Kind
from srt.worlds.views.sampling.sampler import ViewsSampler, ViewsSpec

KINDS: tuple[Kind, ...] = get_args(Kind)


def sampled(n: int, lang: Lang = "en", **fields: object) -> list[Problem]:
    """The first ``n`` problems of a specification."""
    sample = ViewsSampler(ViewsSpec.parse({"lang": lang, **fields}))
    return [sample(index) for index in range(n)]


@pytest.fixture(scope="session")
def problems() -> list[Problem]:
    """20 problems of each kind in each language, small and large."""
    return [
        problem
        for kind in KINDS
        for lang, largest in (("en", 3), ("zh", 4))
        for problem in sampled(20, lang, kinds=[kind], largest=largest)
    ]
