from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import orjson
import pytest
from scipy import stats
from typer.testing import CliRunner

from srt.cli import make_app
from srt.io.errors import UserError
from srt.statistics.power import detectable_difference, discordance_of, effect_of, problems_needed
from srt.statistics.significance import sign_flip


def power_of(problems: int, difference: float, discordance: float, rejects: Callable[[int, int], bool]) -> float:
    """By adding up all outcomes: the number of discordant problems is binomial, and so is each side's share of it."""
    toward = (discordance + difference) / (2 * discordance)
    counts = np.arange(problems + 1)
    weights = stats.binom.pmf(counts, problems, discordance)
    total = 0.0
    for count in counts[weights > 1e-9]:
        ones = np.arange(count + 1)
        rejected = np.array([rejects(int(one), int(count - one)) for one in ones])
        total += weights[count] * stats.binom.pmf(ones, count, toward)[rejected].sum()
    return float(total)


def by_normal(only_first: int, only_second: int) -> bool:
    count = only_first + only_second
    return count > 0 and abs(only_first - only_second) / math.sqrt(count) > 1.959964


@pytest.mark.parametrize(("difference", "discordance"), [(0.05, 0.1), (0.1, 0.3), (0.2, 0.5)])
def test_the_closed_form_has_the_power_it_promises(difference: float, discordance: float) -> None:
    problems = problems_needed(difference, discordance)
    assert power_of(problems, difference, discordance, by_normal) == pytest.approx(0.8, abs=0.03)


@pytest.mark.long
def test_the_exact_test_needs_a_few_percent_more() -> None:
    problems = problems_needed(0.1, 0.3)

    def exact(first: int, second: int) -> bool:
        return sign_flip([1.0] * first + [-1.0] * second) < 0.05

    assert 0.74 < power_of(problems, 0.1, 0.3, exact) < 0.8
    assert power_of(math.ceil(1.1 * problems), 0.1, 0.3, exact) > 0.79


def test_by_hand() -> None:
    """Connor (1987): (1.95996 sqrt 0.3 + 0.84162 sqrt 0.29)^2 / 0.01 = 233.1."""
    assert problems_needed(0.1, 0.3) == 234
    assert problems_needed(-0.1, 0.3) == 234
    assert problems_needed(0.1, 0.3, effect=2.0) == 467
    assert problems_needed(0.1, 0.3, power=0.9) > 234 < problems_needed(0.1, 0.3, level=0.01)
    assert problems_needed(0.1, 0.02) == problems_needed(0.1, 0.1)  # no less than the difference can be discordant


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [((0.0, 0.2), "difference 0.0"), ((1.2, 0.2), "difference 1.2"), ((0.1, 1.5), "discordance 1.5")],
)
def test_what_cannot_be(arguments: tuple[float, float], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        problems_needed(*arguments)
    with pytest.raises(ValueError, match="power"):
        problems_needed(0.1, 0.2, power=1.0)


@pytest.mark.parametrize(("problems", "discordance"), [(234, 0.3), (1742, 0.2), (60, 0.05)])
def test_the_detectable_difference_is_the_inverse(problems: int, discordance: float) -> None:
    found = detectable_difference(problems, discordance)
    assert found is not None
    assert problems_needed(found, discordance) <= problems < problems_needed(found - 2e-4, discordance)


def test_a_handful_of_problems_shows_nothing() -> None:
    assert detectable_difference(3, 0.2) is None


def test_discordance_and_design_effect() -> None:
    assert discordance_of([1.0, -1.0, 0.0, 0.0]) == 0.5
    assert discordance_of([0.5, 0.0]) == 0.125
    # Each problem twice: the variance of the mean is twice that of independent problems, but for G / (G - 1).
    apart = [1.0, 1.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0] * 25
    assert effect_of(apart, [at // 2 for at in range(200)]) == pytest.approx(2 * 100 / 99)
    assert effect_of([0.0, 0.0], "ab") == 1.0


def run_power(*arguments: str) -> dict[str, object]:
    result = CliRunner().invoke(make_app(), ["power", *arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    found: dict[str, object] = orjson.loads(result.stdout)
    return found


def test_the_command(make_run: Callable[..., Path]) -> None:
    runs = [
        str(make_run("srt", lambda number: "ANSWER: " + ("B" if number % 3 else "A, C"))),
        str(make_run("answer", lambda number: "ANSWER: B")),
    ]
    assert run_power("--difference", "10", "--discordance", "0.3")["problems needed at discordance"] == {"0.3": 234}
    found = run_power("--difference", "10", *runs)
    assert found["problems needed"] == problems_needed(0.1, 1 / 3, effect=30 / 29)
    assert found["problems that all runs have"] == 30
    assert found["points that were measured"] == pytest.approx(100 / 3)
    assert found["discordance"] == pytest.approx(1 / 3)
    assert found["design effect"] == pytest.approx(30 / 29)


def test_seeds_and_problems_to_buy(make_run: Callable[..., Path]) -> None:
    """Runs that agree need the fewer problems the more of them there are; runs far apart are beyond any number."""
    base = str(make_run("answer", lambda number: "ANSWER: B" if number % 5 else "?"))

    def srt(seed: int, right: int) -> str:
        reply = "ANSWER: " + "{}"
        return str(
            make_run(
                "srt",
                lambda number: reply.format("D" if number % 10 > right else "B" if number % 3 else "A, C"),
                seed=seed,
            )
        )

    near = run_power("--difference", "40", base, srt(0, 8), srt(1, 7))
    assert near["arms"] == {"answer": 1, "srt": 2}
    needed = near["problems needed"]
    assert isinstance(needed, dict)
    counts = [needed[f"with {runs} runs"] for runs in (3, 4, 5, 8)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]
    far = run_power("--difference", "40", base, srt(2, 9), srt(3, 1))
    assert far["problems needed"]["with 2 runs"] == "no number is enough"  # type: ignore[index]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--difference", "0"], "--difference"),
        (["--difference", "30", "--discordance", "0.2"], "--difference 30"),
        (["--difference", "3", "--discordance", "20"], "--discordance"),
        (["--difference", "3", "--power", "80"], "--power"),
        (["--difference", "3", "here", "there"], r"run\.json"),
    ],
)
def test_faults_of_the_command(arguments: list[str], fault: str) -> None:
    with pytest.raises(UserError, match=fault):
        CliRunner().invoke(make_app(), ["power", *arguments], catch_exceptions=False)
