"""``certified``: a text's last plan satisfies every clue of the problem, and its answer is right in that plan."""

from __future__ import annotations

import random
import re

import pytest

from srt.io.records import Answer, Problem
from srt.judging.judge import judge, judge_trace
from srt.language.text import answer_line, linearize
from srt.worlds.world_registry import certified, world_named

BOOTH = Problem(
    id="booth",
    question="Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
    "() faces the right neighbour of Robert.",
    choices={"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"},
)
PLAN = "S1: Robert, S2: Mary, N1: James, N2: Jason."
VIEWS = Problem(
    id="views",
    source="views",
    question="A solid is built of equal cubes. Every cube stands on the table or exactly on another cube.\n"
    "The pictures show its front view, right view and top view.\nHow many cubes is it built of?",
    meta={
        "figures": [
            {"name": "front", "rows": [".#", "##"], "type": "view"},
            {"name": "right", "rows": ["#.", "##"], "type": "view"},
            {"name": "top", "rows": ["##", ".#"], "type": "view"},
        ]
    },
)
A_WORLD = pytest.mark.parametrize(
    ("world", "plan", "spec"),
    [
        ("seating", "running", {}),
        ("seating", "read-as-turns", {}),
        ("views", "needed", {"style": "none", "kinds": ["C3M"]}),
    ],
)


@A_WORLD
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_teachers_prose_is_certified_in_each_form_and_no_other_answer_is(
    world: str, plan: str, spec: dict[str, object], lang: str
) -> None:
    here = world_named(world)
    sample = here.sampler({**spec, "lang": lang})
    for problem in map(sample, range(40)):
        trace = here.solve(problem, plan)
        end = answer_line(trace.answer, trace.lang)
        prose = [here.explain(problem, trace, terse=terse) for terse in (False, True)]
        said = "\n".join(here.assertion(step.claim or "", trace.lang) for step in trace.steps)
        for text in (linearize(trace), *(f"{one}\n{end}" for one in (*prose, said))):
            assert certified(problem, text, trace.answer), text
            assert not certified(problem, text, None)
            for other in problem.choices or map(str, range(1, 20)):
                assert certified(problem, text, other) is (other == trace.answer)


def test_the_judge_says_it_of_any_text_beside_its_code() -> None:
    prose = f"Clue 1 puts Mary on Robert's right.\n{PLAN} So James faces Mary.\nANSWER: C"
    trace = world_named("seating").solve(BOOTH)
    for text in (prose, f"<think>{PLAN}</think>The answer is C.", f"{PLAN}\nJames"):
        judged = judge(BOOTH, text)
        assert (judged.code, judged.answer, judged.certified) == ("another_form", "C", True), text
    whole = judge(BOOTH, linearize(trace))
    assert (whole.code, whole.certified) == ("proved", True)
    assert judge_trace(BOOTH, trace).certified
    assert judge(BOOTH, f"{PLAN}\nANSWER: C".replace("ANSWER: C", "")).certified is False


@pytest.mark.parametrize(
    "text",
    [
        "ANSWER: C",
        f"{PLAN}\nANSWER: A",
        f"{PLAN}\nANSWER: A, C",
        f"{PLAN}\nANSWER: C or A",
        "S1: Mary, S2: Robert, N1: James, N2: Jason.\nANSWER: C",
        "S1: Robert, S2: Mary, N1: Jason, N2: James.\nANSWER: C",
        "S1: Robert, S2: Mary, N1: James.\nANSWER: C",
        f"{PLAN}\nNo: S1: Robert, S2: Mary, N1: Jason, N2: James.\nANSWER: C",
        "A Jason, B Mary, C James. (1) Mary is right of Robert. (2) Jason is right of James.\nANSWER: C",
        "A: Jason\nB: Mary\nC: James\nANSWER: C",
        PLAN * 20_000 + "\nANSWER: C",
    ],
)
def test_what_no_certificate_is(text: str) -> None:
    assert judge(BOOTH, text).certified is False


HEIGHTS = "a2 = 1; b2 = 1; b1 = 2"
DISOWNED = """\
Discarded: {}.|A student wrote: {}.|He said: {}.|Assume for contradiction: {}.|Example of another puzzle: {}.
Case 2: {}.
Before they moved, {}.|In a mirror: {}.|No: {}.|Plan X (fails): {}.|Rejected: {}.|My first guess: {}.|In a dream, {}.
{}, but then they all moved one seat on.|{}. This is wrong.|{}. It does not work.|{}. Not so.
{}, which fails.|{} (rejected)
It is not the case that {}.
If {}, it fails.|{}, or so he thought.|{}. Just kidding.|{}. We reject it.|Imagine {}.|Let {}.
假设{}。|排除：{}。|反证：{}。|有人说：{}。|另一道题：{}。|例：{}。|倘若{}。|{}，然后大家都换了座位。|{}。大家又换了座位。|{}。这样不行。|{}。与线索2矛盾。
{}.\\nFails.|Fails.\\n{}.|{}\\n✗|✗\\n{}|{}\\n不成立|不成立\\n{}
The following is false.\\n{}|Let us pretend.\\n{}|{}\\nNo.|{}\\n否
Discarded:\\n{}|A student wrote:\\n{}|别人的答案：\\n{}|Rejected plan\\n{}|~~\\n{}\\n~~|<del>\\n{}\\n</del>"""


@pytest.mark.parametrize("said", [one.replace("\\n", "\n") for one in re.split(r"[|\n]", DISOWNED)])
def test_a_plan_that_the_text_does_not_state_as_its_own_is_none(said: str) -> None:
    for problem, plan, end in ((BOOTH, PLAN.rstrip("."), "C"), (VIEWS, HEIGHTS, "4")):
        assert judge(problem, f"{plan}\nANSWER: {end}").certified
        assert judge(problem, f"{said.format(plan)}\nANSWER: {end}").certified is False


TAKEN_BACK = """\
But clue 1 does not hold.|The above breaks clue 1.|That clashes with clue 1.|Clue 1 says otherwise.|Clue 1 refutes this.
Oops.|Well, no.|Alas, no.|Strike that.|Scrap all of this.|I take that back.|Cross that out.|Undo.|I made an error.
Start over.|Let me reconsider.|The plan is void.|This is unlikely.|Reverse it.|Flip the first two.|Permute the benches.
All then go one place on.|👎|⊥|This is wr\u200bong.|This is \uff57\uff52\uff4f\uff4e\uff47."""


@pytest.mark.parametrize("said", re.split(r"[|\n]", TAKEN_BACK))
def test_a_plan_that_is_taken_back_is_none(said: str) -> None:
    assert judge(BOOTH, f"{PLAN} {said}\nANSWER: C").certified is False


@pytest.mark.parametrize("said", ["This breaks the symmetry.", "There is no error.", "Clue 1 holds.", "Clue 2 is met."])
def test_words_of_doubt_in_what_approves_take_nothing_back(said: str) -> None:
    assert judge(BOOTH, f"{PLAN} {said}\nANSWER: C").certified


@pytest.mark.parametrize(
    "said",
    ["The answer is A.", "The correct answer is A.", "\\boxed{A}", "Or rather A.", "=> A", "That is, Jason.",
     "Hmm, Jason fits better, so A."],
)  # fmt: skip
def test_an_answer_that_another_follows_is_not_certified(said: str) -> None:
    assert judge(BOOTH, f"{PLAN}\nANSWER: C\n{said}").certified is False
    assert judge(BOOTH, f"{PLAN}\n{said}\nANSWER: C").certified


@pytest.mark.parametrize("said", ["The answer is C.", "That is, James.", "I hope this helps!"])
def test_an_answer_may_be_said_again(said: str) -> None:
    assert judge(BOOTH, f"{PLAN}\nANSWER: C\n{said}").certified


@pytest.mark.parametrize(
    "said",
    [
        "So {}.",
        "The final arrangement is: {}.",
        "So the seating is as follows:\n\n{}",
        "因此，座位安排如下：\n{}",
        "最终排法：{}",
        "Let's check the clues.\n{}\nAll clues are satisfied.",
        "Let us assume the first case. That fails.\nThe only arrangement that satisfies all clues, finally: {}.",
        "{}. Option A is wrong, so it is C.",
        "Discarded:\nS1: Mary, S2: Robert.\nThe correct plan:\n{}",
    ],
)
def test_a_plan_in_plain_words_is_the_texts_own(said: str) -> None:
    assert judge(BOOTH, f"{said.format(PLAN.rstrip('.'))}\nANSWER: C").certified


def test_gold_is_not_read_and_clues_are_those_of_the_problem() -> None:
    text = f"(2) James is right of Jason.\n{PLAN}\nANSWER: C"
    for letter in "ABC":
        assert judge(BOOTH.model_copy(update={"answer": Answer(kind="choice_set", value=[letter])}), text).certified
    turned = BOOTH.model_copy(update={"question": BOOTH.question.replace("right of James", "left of James")})
    assert judge(turned, text).certified is False
    unread = BOOTH.model_copy(update={"question": BOOTH.question.replace("right of James", "fond of James")})
    assert judge(unread, text).certified is False


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("a2 = 1; b2 = 1; b1 = 2\nANSWER: 4", True),
        ("The stack at a2 is 1 high; the stack at b2 is 1 high; the stack at b1 is 2 high.\nANSWER: 4", True),
        ("Heights in rows from back to front: 1 1 / 0 2.\nANSWER: 4", True),
        ("| a2 | 1 |\n| b2 | 1 |\n| b1 | 2 |\nANSWER: 4", True),
        ("a2 = 1; b2 = 1; b1 = 2\nANSWER: 5", False),
        ("a2 = 1; b2 = 2; b1 = 2\nANSWER: 5", False),
        ("a2 = 1; b1 = 2\nANSWER: 3", False),
        ("a2 = 1; b2 = 1; b1 = 2; a1 = 1\nANSWER: 5", False),
        ("The stack at a2 is 1 high. The tallest of the stacks at b1 and b2 is 1 high. b1 has 2.\nANSWER: 4", False),
        ("A.a2 = 1; A.b2 = 1; A.b1 = 2\nANSWER: 4", False),
        ("There are 4 cubes.\nANSWER: 4", False),
    ],
)
def test_heights_that_show_the_views_certify_their_number(text: str, sure: bool) -> None:
    assert judge(VIEWS, text).certified is sure


@pytest.mark.parametrize(
    "said",
    [
        *(
            f"a2 = {much}"
            for much in ("1 + 1", "1.5", "1,5", "1/2", "1 or 2", "1-2", "1^2", "1²", "1 * 2", "1 = 2", "1x")
        ),
        *(f"a2 = 1{rest}" for rest in (" mod 3", " is wrong", "?", "!", "0", " (no)", " | b2 = 1")),
        "-a2 = 1",
        "not a2 = 1",
        "¬a2 = 1",
        "a2 is 1 or 2 high",
        "a2处高1层半",
        "a2处高1十层",
        "a2高1.5层",
        "a2处高1层是错的",
    ],
)
def test_a_height_is_a_number_with_nothing_after_it(said: str) -> None:
    assert judge(VIEWS, "a2 = 1; b2 = 1; b1 = 2\nANSWER: 4").certified
    assert judge(VIEWS, f"{said}; b2 = 1; b1 = 2\nANSWER: 4").certified is False


def test_a_height_that_is_no_plain_number_takes_back_the_one_before() -> None:
    assert judge(VIEWS, "a2 = 1; b2 = 1; b1 = 2; a2 = 1 + 1\nANSWER: 4").certified is False
    assert judge(VIEWS, "1 1 / 0 2 is wrong\nANSWER: 4").certified is False


def test_problems_without_a_certificate() -> None:
    walk = world_named("routes").sampler({"lang": "en"})(0)
    asked = "At most how many cubes can such a solid have?"
    most = VIEWS.model_copy(update={"question": VIEWS.question.replace("How many cubes is it built of?", asked)})
    for problem in (walk, most, Problem(question="What is 3 + 4?")):
        assert judge(problem, "ANSWER: 7").certified is None


def test_no_text_raises() -> None:
    rng = random.Random(0)
    problems = [world_named(name).sampler({"lang": lang})(n) for name in ("seating", "views") for lang in ("en", "zh")
                for n in range(5)]  # fmt: skip
    traces = {problem.id: world_named(problem.source).solve(problem) for problem in problems}
    for _ in range(2_000):
        problem = rng.choice(problems)
        trace = traces[problem.id]
        said = linearize(trace) if rng.random() < 0.5 else world_named(problem.source).explain(problem, trace)
        pieces = re.split(r"(\W)", said)
        for _ in range(rng.randrange(12)):
            pieces[rng.randrange(len(pieces))] = rng.choice((rng.choice(pieces), chr(rng.randrange(0x10FFFF)), "", "|"))
        assert certified(problem, "".join(pieces), rng.choice("ABC4")) in (True, False, None)
