"""A text under a guide: what comes after a verdict, and that no token goes uncounted."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from eval.decoding.decode_settings import Decode, Redrawing
from eval.decoding.guide import Verdict
from eval.decoding.guided_text import TAKEN_BACK, GuidedText
from eval.decoding.refused_lines import LONGEST, MOST, refused_lines
from eval.decoding.text import Break, RefusedIds

END, BREAK = 0, 1


def text(longest: int = 100, *, may_be_cut: bool = False, **options: int) -> GuidedText:
    return GuidedText(Redrawing.model_validate(options), longest, {END}, may_be_cut=may_be_cut)


def line(of: GuidedText, *tokens: int, kept: bool, whole: bool = False, breaks: Break = "none") -> None:
    for token in tokens:
        asked = of.add(token, "ends" if token == BREAK else breaks)
    assert asked
    of.judged(Verdict(kept, whole))


def test_a_refused_line_is_sampled_as_often_as_tries_say_then_lines_go_back() -> None:
    one = text(tries=2)
    line(one, 5, BREAK, kept=True)
    line(one, 6, BREAK, kept=True)
    assert not one.sampled
    for _ in range(2):
        line(one, 7, BREAK, kept=False)
        assert one.sampled
        assert one.ids == [5, BREAK, 6, BREAK]
    line(one, 7, BREAK, kept=False)
    assert one.ids == [5, BREAK]
    assert one.sampled, "greedily it would be the line that was taken back"
    line(one, 8, BREAK, kept=True)
    assert not one.sampled, "nothing is known of what follows another line"
    for _ in range(3):
        line(one, 7, BREAK, kept=False)
    assert one.ids == [], "it came no further: two lines at once"
    assert (one.drawn, one.redrawn, one.taken_back) == (18, 6, 3)
    for token in (5, 6, 7, 8):
        line(one, token, BREAK, kept=True)
    for _ in range(3):
        line(one, 9, BREAK, kept=False)
    assert one.line == 3, "it had come further: one line again"


def test_tokens_of_lines_that_nobody_needs_count() -> None:
    one = text(tokens=10)
    line(one, 5, BREAK, kept=True)
    one.spend(7)
    assert not one.finished
    one.add(6, "none")
    assert one.finished
    assert (one.drawn, one.ids) == (10, [5, BREAK, 6])
    other = text(tokens=10, tries=3)
    line(other, 5, BREAK, kept=True)
    assert other.tries_left == 4
    line(other, 6, BREAK, kept=False)
    assert other.tries_left == 3
    other.spend(8)
    assert other.finished
    assert (other.drawn, other.ids) == (12, [5, BREAK])


def test_a_token_that_opens_a_line_goes_with_that_line() -> None:
    opens = 3
    one = text(tries=0)
    line(one, 5, BREAK, kept=True)
    one.add(6, "none")
    assert one.add(opens, "opens")
    one.judged(Verdict(kept=True))
    assert one.ids == [5, BREAK, 6, opens]
    assert one.line == 2
    line(one, 7, BREAK, kept=False)
    assert one.ids == [5, BREAK], "its own line, and one before it"
    assert not one.add(opens, "opens"), "no line ends here"
    line(one, 7, BREAK, kept=False)
    assert one.ids == []
    assert one.taken_back == 2
    one.add(6, "none")
    one.add(opens, "opens")
    one.judged(Verdict(kept=False))
    assert one.ids == []


def test_one_that_may_be_cut_off_is_whole_where_no_line_that_ended_is_refused() -> None:
    too_long = text(longest=4, tokens=50, may_be_cut=True)
    line(too_long, 5, BREAK, kept=True, whole=True)
    for token in (6, 7):
        too_long.add(token, "none")
    assert (too_long.finished, too_long.whole, too_long.ids) == (True, True, [5, BREAK, 6, 7])

    just_as_long = text(longest=4, tokens=50, may_be_cut=True)
    line(just_as_long, 5, BREAK, kept=True, whole=True)
    line(just_as_long, 6, BREAK, kept=True, whole=True)
    assert (just_as_long.finished, just_as_long.whole, just_as_long.redrawn) == (True, True, 0)

    spent = text(tokens=5, may_be_cut=True)
    line(spent, 5, BREAK, kept=True, whole=True)
    line(spent, 6, BREAK, kept=False)
    spent.add(7, "none")
    assert (spent.finished, spent.whole, spent.ids) == (True, True, [5, BREAK, 7])

    refused = text(tokens=4, may_be_cut=True)
    line(refused, 5, BREAK, kept=True, whole=True)
    line(refused, 6, END, kept=False)
    assert (refused.finished, refused.whole, refused.ids) == (True, False, [5, BREAK, 6, END])


def test_it_ends_with_the_longest_text_that_was_kept() -> None:
    one = text(tries=0, tokens=12)
    for token in (5, 6, 7):
        line(one, token, BREAK, kept=True)
    line(one, 8, BREAK, kept=False)  # 7 goes back
    line(one, 9, BREAK, kept=False)  # 5 and 6 go back
    assert one.ids == []
    one.add(4, "none")
    assert not one.finished
    one.add(4, "none")
    assert one.finished
    assert not one.whole
    assert one.ids == [5, BREAK, 6, BREAK, 7, BREAK]


def test_a_refused_answer_stays_if_nothing_longer_comes() -> None:
    one = text(tries=1, tokens=7)
    line(one, 5, BREAK, kept=True)
    line(one, 6, END, kept=False)
    line(one, 7, 7, BREAK, kept=False)
    assert one.finished
    assert one.ids == [5, BREAK, 6, END]
    assert not one.whole


def test_what_is_gone_has_the_place_of_the_line_that_stands_there() -> None:
    opens = 3
    one = text(longest=6, tries=0, tokens=40)
    line(one, 5, BREAK, kept=True)
    line(one, 6, BREAK, kept=True)
    line(one, 7, BREAK, kept=False)  # 6 goes back
    line(one, 8, 8, BREAK, kept=True)
    one.add(4, "none")  # too long: 8 goes back, and with it 5
    assert one.refused[-3:] == [
        RefusedIds(0, (BREAK,), (4,), "the text would have more than 6 tokens"),
        RefusedIds(0, (), (5, BREAK), TAKEN_BACK),
        RefusedIds(0, (BREAK,), (8, 8, BREAK), TAKEN_BACK),
    ], "none of their places stands"
    line(one, 9, 9, BREAK, kept=True)
    one.add(6, "none")
    one.add(opens, "opens")
    one.judged(Verdict(kept=False, reason="why"))
    assert one.ids == []
    line(one, 2, BREAK, kept=True)
    assert [(gone.before, gone.ids) for gone in one.refused] == [
        (2, (7, BREAK)),
        (2, (6, BREAK)),
        (2, (4,)),
        (0, (5, BREAK)),
        (2, (8, 8, BREAK)),
        (2, (6,)),
        (0, (9, 9, BREAK)),
    ]


def test_refused_lines_are_few_short_and_whole() -> None:
    says = {5: "A @", 6: " one\nB", 7: " two\n", 8: " three\nC", 9: "", 4: "x" * 400 + "\n"}
    one = text(tries=200, tokens=2000)
    one.add(5, "none")
    line(one, 6, kept=True, breaks="ends")
    for token in (8, 8, 4, END):
        line(one, token, kept=False, breaks="ends")
    line(one, 7, kept=True, breaks="ends")

    def said_by(ids: Sequence[int]) -> str:
        return "".join(says.get(number, "") for number in ids)

    kept = said_by(one.ids)
    assert kept == "A @ one\nB two\n"
    found = refused_lines(one, said_by)
    assert [(gone.at, gone.line, gone.times) for gone in found] == [
        (8, "B three", 2),
        (8, f"B{'x' * (LONGEST - 2)}…", 1),
        (8, "B", 1),
    ], "B is said by the token that ends the line before"
    for token in range(100, 300):
        says[token] = f" {token}\n"
        line(one, token, kept=False, breaks="ends")
    assert len(refused_lines(one, said_by)) == MOST


def test_a_text_does_not_grow_beyond_what_it_may() -> None:
    one = text(longest=4, tries=1, tokens=50)
    line(one, 5, BREAK, kept=True)
    one.add(6, "none")
    one.add(6, "none")
    assert one.ids == [5, BREAK], "refused without a look"
    assert (one.drawn, one.redrawn, one.finished) == (4, 1, False)


@pytest.mark.parametrize("seed", range(20))
def test_any_verdicts_end_at_the_budget(seed: int) -> None:
    rng = random.Random(seed)
    tries, back, tokens = rng.randint(0, 3), rng.randint(1, 3), rng.randint(1, 60)
    one = text(longest=rng.randint(2, 20), tries=tries, back=back, tokens=tokens)
    while not one.finished:
        if one.add(rng.randint(0, 4), rng.choice(["none", "none", "ends", "opens"])):
            kept = rng.random() < 0.6
            one.judged(Verdict(kept, kept))
        assert one.drawn <= tokens
        assert len(one.ids) <= one.drawn
    assert one.whole or one.drawn == tokens


def test_the_key_of_a_recipe() -> None:
    assert Decode.model_validate("proved") == Decode.model_validate({"proved": None}) == Decode(proved=Redrawing())
    assert Decode.model_validate({"proved": {"tokens": 9}}).model_dump() == {
        "proved": {"tries": 6, "back": 1, "tokens": 9}
    }
