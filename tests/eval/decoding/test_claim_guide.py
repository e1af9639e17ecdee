"""The guide of texts of no world: a line with a claim that cannot be is refused, and nothing else is."""

from __future__ import annotations

import pytest

from eval.decoding.guide import LineDraft, Verdict
from eval.decoding.guides import CONTEXT, ClaimGuide
from srt.io.records import Answer, Problem
from srt.judging import refuted_claims
from srt.prose import check_prose

BOX = Problem(id="box", question="A box is 3 cm long, 4 cm wide and 5 cm high. What is its volume?")


def verdict(text: str, problem: Problem = BOX, *, ended: bool = False) -> Verdict:
    return ClaimGuide().verdict(LineDraft(problem, text, ended, line=0, draw=0, seed=0, log_probability=0.0))


@pytest.mark.parametrize(
    "text",
    [
        "The base is 3 × 4 = 13 cm².\n",
        "The base is 3 × 4 = 12 cm².\nSo V = 12 × 5 = 70 cm³.\n",
        "The volume is 60 cm².\n",
        "2 m = 20 cm\n",
        "INFER #1 - V = 3 × 4 × 5 = 61\n",
        "INFER #1 - so V = 60 [claim: 3 * 4 * 5 = 61]\n",
        "```\n2 + 2 = 5\n",
        "````python\n  2 + 2 = 5\n",
        "```\n2 + 2 = 4\n```\nso 2 + 2 = 5\n",
        "a × 5 = 20\na = 3\n",  # the line before is refuted by this one
    ],
)
@pytest.mark.parametrize("ended", [False, True])
def test_a_line_with_a_refuted_claim_is_refused(text: str, ended: bool) -> None:
    found = verdict(text.rstrip() if ended else text, ended=ended)
    assert not found.kept
    assert found.reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "The base is 3 × 4 = 12 cm².\n",
        "So V = 60 cm³, I think.\n",
        "Suppose that 3 × 4 = 13.\n",
        "INFER #1 #3 - 4 × 5 = 20\n",  # nothing is subtracted
        "INFER #1 3 × 4 = 13\n",  # a step that cannot be read: nothing is known of it
    ],
)
@pytest.mark.parametrize("ended", [False, True])
def test_any_other_line_is_kept_and_a_text_is_whole_with_it(text: str, ended: bool) -> None:
    assert verdict(text, ended=ended) == Verdict(kept=True, whole=True)


def test_a_line_is_not_blamed_for_those_before_it() -> None:
    assert verdict("3 × 4 = 13\n5 × 5 = 25\n").kept
    assert not verdict("3 × 4 = 13\n5 × 5 = 26\n").kept


def test_the_lines_before_and_the_problem_are_its_context() -> None:
    assert verdict("2AB = 7 cm\n").kept
    assert not verdict("AB = 3 cm.\n2AB = 7 cm\n").kept
    assert not verdict("2AB = 7 cm\n", Problem(id="stated", question="AB = 3 cm. What is 2AB?")).kept


def test_gold_is_not_read() -> None:
    for value in (60, 77):
        gold = BOX.model_copy(update={"answer": Answer(kind="number", value=value), "solution": "V = 5"})
        assert verdict("V = 60 cm³\n", gold).kept


def test_a_long_text_takes_no_longer_than_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def watched(text: str, **given: object) -> object:
        read.append(len(text))
        return check_prose(text, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(refuted_claims, "check_prose", watched)
    lines = [f"{n} + 1 = {n + 1}\n" for n in range(1000)]
    assert verdict("".join(lines)).kept
    assert not verdict("".join(lines) + "3 × 4 = 13\n").kept
    assert CONTEXT - 30 < max(read) <= CONTEXT
    assert verdict("3 × " * 700 + "0 = 0").kept, "the beginning of its claim is out of sight"
