"""Errors planted in prose: they change a proved claim, they are told from harmless ones, and the checker finds them."""

from __future__ import annotations

import random

import pytest

from srt.claims import check_prose
from srt.mutate.prose_faults import KINDS, Kind, plant

TEXTS = [
    r"The volume is $V=\frac{1}{3} \pi \cdot 3^{2} \cdot 4=12 \pi$, and 12 × 7 - 4 = 80 pieces.",
    r"因为 $PE=\sqrt{5^2-3^2}=4$，所以 $S=32+4 \times 4=48\left(\mathrm{~cm}^{2}\right)$",
    "共有 1＋3＋6＋10＝20 个，表面积为 (5×4+5×3+4×3)×2=94",
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_error_is_in_a_proved_claim_and_is_refuted(kind: Kind) -> None:
    rng = random.Random(f"test/{kind}")
    planted = caught = 0
    for _ in range(60):
        text = rng.choice(TEXTS)
        checks = check_prose(text)
        error = plant(text, rng, checks, kind)
        if error is None:
            continue
        assert error.kind == kind
        assert error.text != text
        assert error.claim in checks
        assert error.claim.start <= error.start < error.end
        assert error.effect != "unknown"
        if error.effect == "false":
            planted += 1
            caught += any(check.support == "refuted" for check in check_prose(error.text))
        else:
            assert not any(check.support == "refuted" for check in check_prose(error.text))
    assert planted >= 20
    assert caught >= 0.95 * planted


def test_an_error_that_leaves_the_claim_true_is_recognised() -> None:
    rng = random.Random(0)
    text = "so 3 × 4 = 12"
    effects = {plant(text, rng, check_prose(text), "swap") for _ in range(40)}
    assert {error.effect for error in effects if error and error.text == "so 4 × 3 = 12"} == {"true"}
    assert {error.effect for error in effects if error and error.text != "so 4 × 3 = 12"} == {"false"}


def test_nothing_is_planted_where_nothing_was_proved() -> None:
    for text in ("no claim", "2 + 2 = 5", "x = 3"):
        assert plant(text, random.Random(0), check_prose(text)) is None


def test_indices_and_units_are_left_alone() -> None:
    text = r"$S_{12}=S_1+S_2=3 \times 4 \mathrm{~cm}^{2}=12 \mathrm{~cm}^{2}$"
    for seed in range(30):
        error = plant(text, random.Random(seed), check_prose(text))
        if error is not None:
            assert error.text.startswith(r"$S_{12}=S_1+S_2=")
            assert error.text.count(r"\mathrm{~cm}^{2}") == 2


def test_the_same_seed_plants_the_same_error() -> None:
    text = TEXTS[0]
    first, second = (plant(text, random.Random(7), check_prose(text)) for _ in range(2))
    assert first == second
    assert first is not None


@pytest.mark.parametrize(("text", "kind"), [("3 < 8", "digit"), ("$C_6^4=15$", "exponent")])
def test_accidents_of_inequalities_and_choices_are_recognised(text: str, kind: Kind) -> None:
    seen = set()
    for seed in range(40):
        error = plant(text, random.Random(seed), check_prose(text), kind)
        assert error is not None
        refuted = any(check.support == "refuted" for check in check_prose(error.text))
        assert error.effect == ("false" if refuted else "true"), error.text
        seen.add(error.effect)
    assert seen == {"false", "true"}
