"""Draws by the inverse of the cumulative distribution: the right distribution, and each row by itself."""

from __future__ import annotations

import pytest
import torch
from scipy.stats import chisquare
from transformers import TopPLogitsWarper

from eval.backends.constraints import NEVER, RowSampler, draw_tokens
from eval.backends.protocol import GenerationSettings

ROWS = 20_000


def logits(size: int, seed: int = 0, spread: float = 2.0) -> torch.Tensor:
    return torch.randn(size, generator=torch.Generator().manual_seed(seed)) * spread


def uniforms(rows: int, seed: int = 1) -> torch.Tensor:
    return torch.rand(rows, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("size", [3, 40, 512, pytest.param(1300, marks=pytest.mark.long)])
@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.6, 0.95), (1.7, 0.5), (3.0, 0.999)])
def test_the_distribution_is_the_one_that_is_asked_for(size: int, temperature: float, top_p: float) -> None:
    scores = logits(size, seed=size)
    scores[1] = NEVER  # banned
    tempered = (scores.double() / temperature)[None]
    if top_p < 1:
        tempered = TopPLogitsWarper(top_p)(None, tempered)
    expected = tempered.softmax(1)[0] * ROWS
    parts = uniforms(ROWS, seed=size).split(5000)
    drawn = torch.cat([draw_tokens(scores.repeat(len(part), 1), part, temperature, top_p) for part in parts])
    counts = torch.bincount(drawn, minlength=size).double()
    assert counts[expected == 0].sum() == 0, "nothing that is banned, nothing outside the nucleus"
    # The test wants at least 5 expected in each class: the rarest tokens are one class.
    rare = expected < 5
    classes = [torch.cat([each[~rare], each[rare].sum()[None]]) for each in (counts, expected)]
    keep = classes[1] > 0
    assert keep.sum() == 1 or chisquare(classes[0][keep], classes[1][keep]).pvalue > 1e-3


def test_uniforms_at_the_ends() -> None:
    """The smallest and the largest number draw tokens that have a probability."""
    scores = logits(1300)
    scores[:600], scores[900:] = NEVER, NEVER
    largest = torch.nextafter(torch.tensor(1.0), torch.tensor(0.0))
    for top_p in (1.0, 0.999999):
        drawn = draw_tokens(scores.repeat(2, 1), torch.tensor([0.0, largest]), 1.0, top_p)
        assert drawn.tolist() == [600, 899]
    # Sums that round differently: the largest number may be beyond one of them.
    many = torch.stack([logits(700, seed) for seed in range(2000)])
    many[:, 500:] = NEVER
    assert draw_tokens(many, largest.expand(2000), 1.0, 1.0).max() == 499


@pytest.mark.parametrize("top_p", [1.0, 0.9])
def test_no_row_looks_at_another(top_p: float) -> None:
    """Narrow and wide nuclei together, each as alone."""
    scores = torch.stack([logits(5000, seed, spread=0.1 if seed % 3 else 6.0) for seed in range(16)])
    settings = GenerationSettings(max_new_tokens=9, temperature=0.8, top_p=top_p)
    together = RowSampler(settings, range(16))
    alone = [RowSampler(settings, [seed]) for seed in range(16)]
    for _ in range(9):
        drawn = together(torch.empty(0), scores.clone()).argmax(1)
        assert drawn.tolist() == [int(one(torch.empty(0), scores[[row]])) for row, one in enumerate(argmaxes(alone))]


def argmaxes(samplers: list[RowSampler]) -> list[object]:
    return [lambda ids, scores, one=one: one(ids, scores.clone()).argmax(1) for one in samplers]


def test_a_nucleus_is_whole() -> None:
    """Tokens that are as likely as the last of the nucleus are in it, whatever their place."""
    scores = torch.tensor([[0.0, 2.0, 1.0, 1.0, 1.0, 0.0]])
    drawn = {int(draw_tokens(scores, torch.tensor([u / 100]), 1.0, 0.5)) for u in range(100)}
    assert drawn == {1, 2, 3, 4}
    assert {int(draw_tokens(scores, torch.tensor([u / 100]), 1.0, 1e-6)) for u in range(100)} == {1}
