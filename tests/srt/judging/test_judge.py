"""What is said of a model's output, whatever else the model wrote around its trace."""

from __future__ import annotations

import json

import pytest

from srt.io.record_lines import parse_record
from srt.io.records import Answer, Problem
from srt.judging.judge import judge
from srt.judging.judge_many import judge_many
from srt.judging.judgement import Judgement
from srt.language.text import linearize
from srt.pipeline.check import check_with_truth
from srt.worlds.world_registry import world_named, worlds

BOOTH = Problem(
    id="booth",
    source="mine",
    split="test",
    lang="en",
    question="Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
    "() faces the right neighbour of Robert.",
    choices={"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"},
    answer=Answer(kind="choice_set", value=["C"]),
)
BOX = Problem(
    id="box", source="mine", split="test", lang="en", question="A box is 3 by 4 by 5. What is its volume?",
    answer=Answer(kind="number", value=60),
)  # fmt: skip


@pytest.fixture(scope="module")
def text() -> str:
    """The exact teacher's trace of the booth: 9 steps and the answer."""
    return linearize(world_named("seating").solve(BOOTH))


def said(text: str, problem: Problem = BOOTH, **settings: object) -> tuple[str, str | None, bool | None]:
    judged = judge(problem, text, **settings)  # type: ignore[arg-type]
    return judged.code, judged.answer, judged.right


def test_a_file_may_call_its_splits_what_it_likes(text: str) -> None:
    """Such a problem is asked and paid for; it has to be judged, too."""
    line = BOOTH.model_dump_json().replace('"split":"test"', '"split":"all"')
    assert said(text, parse_record(line.encode(), Problem, "file:1"))[0] == said(text)[0]


def steps_of(text: str) -> str:
    return text.rsplit("\n", 1)[0]


def test_a_proof_is_found_in_what_models_write_around_it(text: str) -> None:
    steps = steps_of(text)
    around = [
        text,
        f"Sure! Here is the trace:\n\n{text}\n",
        f"```\n{text}\n```\nI hope this helps.",
        f"<think>\nMaybe B? INFER it is not.\n</think>\n\n{text}",
        f"Maybe B.\n</think>\n{text}",
        f"<think>\n{steps}\n</think>\n\nANSWER: C",
        f"{steps}\n</think>\n\nThe answer is C.",
        f"{steps}\n\\boxed{{C}}",
        text.replace("\n", "\r\n  "),
        text.replace("\n", "\n\n"),
        f"{steps}\nANSWER: (C)",
        f"{steps}\nANSWER: James",
    ]
    for output in around:
        assert said(output) == ("proved", "C", True), output


def test_places_are_those_of_the_output(text: str) -> None:
    output = f"<think>well</think>\nOf course:\n{text}"
    places = [output[step.start : step.end] for step in judge(BOOTH, output).steps]
    assert places == text.split("\n")[:-1]


def test_a_text_that_breaks_off_is_judged_up_to_there(text: str) -> None:
    lines = text.split("\n")
    whole = judge(BOOTH, "\n".join(lines[:4]))
    assert (whole.code, whole.proved_steps, len(whole.spans)) == ("no_answer", 4, 4)
    cut = "\n".join(lines[:4])[:-3]
    assert judge(BOOTH, cut, "length").proved_steps == 3
    assert judge(BOOTH, cut + "\n").code in ("refuted", "no_answer")  # A whole line is judged as it stands.
    assert judge(BOOTH, f"{cut}<think>", thinking_open=True, finish_reason="length").code == "no_answer"


def test_a_line_that_is_no_step_ends_what_is_read(text: str) -> None:
    lines = text.split("\n")
    broken = "\n".join([*lines[:4], "INFER #0: x", *lines[4:]])
    judged = judge(BOOTH, broken)
    assert (judged.code, judged.proved_steps, len(judged.spans)) == ("malformed", 4, 4)
    assert "line 5" in str(judged.reason)
    between = "\n".join([*lines[:4], "and so on", *lines[4:]])
    assert judge(BOOTH, between).code == "malformed"


def test_what_is_refuted_is_said_before_what_is_malformed(text: str) -> None:
    lines = text.replace("James@N1", "James@N2").replace("Jason@N2", "Jason@N1").split("\n")
    assert judge(BOOTH, "\n".join([*lines[:6], "and so on"])).code == "refuted"
    assert said("\n".join([*steps_of(text).split("\n"), "ANSWER: A"])) == ("refuted", "A", False)


def test_several_answers_prove_none(text: str) -> None:
    assert said(f"{text}\nWait, that is wrong.\nANSWER: A") == ("malformed", "A", False)
    assert said(f"{text}\nANSWER: C") == ("proved", "C", True)
    assert said(f"{text}\n{text}")[0] == "malformed"
    assert said(f"{steps_of(text)}\nANSWER: C or A")[0] in ("no_answer", "malformed", "refuted")
    assert said(f"ANSWER: A\n{text}") == ("malformed", "C", True)


@pytest.mark.parametrize(
    "after",
    [
        "The answer is A.",
        r"\boxed{A}",
        "Therefore, option A.",
        "No, A.",
        "Final: A",
        "答案是A",
        "(A)",
        "\n\nA",
        "It is Mary: B.",
    ],
)
def test_no_proof_of_an_answer_that_is_taken_back(text: str, after: str) -> None:
    assert said(f"{text}\n{after}")[0] == "malformed"


@pytest.mark.parametrize(
    "after", ["The answer is C.", "So James.", "I hope this helps!", "</s>", "<|im_end|>", "Done: C"]
)
def test_what_says_the_same_or_nothing_after_the_answer_is_passed_over(text: str, after: str) -> None:
    assert said(f"{text}\n{after}") == ("proved", "C", True)


def test_the_answer_stands_behind_the_steps() -> None:
    """Where no options are given, what the last step concludes must be stated as the answer, too."""
    sample = world_named("routes").sampler({"split": "test"})
    problem = next(one for one in map(sample, range(200)) if not one.choices and one.lang == "en")
    text = linearize(world_named("routes").solve(problem))
    steps, answer = steps_of(text), text.rsplit(" ", 1)[1]
    assert judge(problem, text).code == "proved"
    assert judge(problem, steps).code == "no_answer"
    assert judge(problem, f"{steps}\nWait, it is {int(answer) + 1}.").code == "refuted"
    assert judge(problem, f"{text}\n{int(answer) + 1} steps").code == "malformed"
    for unit in ("miles", "apples", "degrees", "km", "hours"):
        assert judge(problem, f"{text} {unit}").code != "proved"


def test_an_option_that_names_the_picture_of_another_is_not_read() -> None:
    world = world_named("views")
    problem = next(
        one for one in map(world.sampler({"split": "test"}), range(200)) if "picture A" in one.choices.values()
    )
    text = linearize(world.solve(problem))
    assert judge(problem, text).code == "proved"
    for one, other in (("A", "B"), ("C", "A")):
        changed = problem.model_copy(update={"choices": {**problem.choices, one: f"picture {other}"}})
        assert judge(changed, text).code == "unchecked"


@pytest.mark.parametrize(
    "first", ["Nobody faces", "If faces", "No faces", "小红不面向东。", "小红没有面向东。", "若小红面向东。"]
)
def test_a_name_that_denies_is_none(first: str) -> None:
    """``Nobody faces east`` says of nobody that they face east; the name was whatever stood before the verb."""
    world = world_named("routes")
    lang = "en" if first.isascii() else "zh"
    problem = next(one for one in map(world.sampler({"split": "test"}), range(200)) if one.lang == lang)
    text = linearize(world.solve(problem))
    sentence, rest = problem.question.split("\n", 1)
    changed = f"{first} {sentence.split()[-1]}" if lang == "en" else first
    judged = judge(problem.model_copy(update={"question": f"(1) {changed}\n{rest}"}), text)
    assert judged.code in ("unchecked", "refuted")
    assert not world.recognises(problem.model_copy(update={"question": f"(1) {changed}\n{rest}"}))


def test_marks_of_a_list_are_no_part_of_a_step(text: str) -> None:
    for mark in ("- ", "* ", "> ", "1. ", "(2) ", "Step 3: "):
        marked = "\n".join(mark + line for line in steps_of(text).split("\n"))
        judged = judge(BOOTH, f"{marked}\nANSWER: C")
        assert judged.code == "proved"
        assert next(iter(judged.steps)).start == len(mark)


@pytest.mark.parametrize(
    "output",
    [
        "INFER question - 2 + 2 = 4, so the answer is option C\nANSWER: C",
        "2 + 2 = 4, so the answer is C.\nANSWER: C",
        "ANSWER: C",
        "The answer is C.",
    ],
)
def test_only_a_trace_of_its_world_proves_an_answer(output: str) -> None:
    judged = judge(BOOTH, output)
    assert (judged.code, judged.answer, judged.right) == ("another_form", "C", True)
    assert judge(BOOTH, output.replace("2 + 2 = 4", "2 + 2 = 5")).code == "another_form"


def test_a_proof_in_another_language_than_its_problem_is_none(text: str) -> None:
    chinese = text
    for english, word in {"CORRELATE": "关联", "CONSTRAIN": "约束", "INFER": "推断", "ANSWER": "答案"}.items():
        chinese = chinese.replace(english, word)
    for english, word in {"question": "题问", "scene": "场景", "wlog": "不妨设"}.items():
        chinese = chinese.replace(f" {english}", f" {word}")
    judged = judge(BOOTH, chinese)
    assert (judged.code, judged.kind, judged.right) == ("another_form", "world", True)
    assert len(judged.spans) == 9
    assert judge(BOOTH, steps_of(text) + "\n答案: C").code == "malformed"


def test_prose_on_other_problems() -> None:
    assert said("INFER (1) - V = 3 * 4 * 5 = 60\nANSWER: 60", BOX) == ("computed", "60", True)
    assert said("INFER (1) - V = 3 * 4 * 5 = 61\nANSWER: 61", BOX) == ("refuted", "61", False)
    assert said("It is a large box.\nANSWER: 60", BOX)[0] == "unchecked"
    assert said("60", BOX) == ("unchecked", "60", True)
    assert said("CORRELATE (1): right(Ann) = Bob\nANSWER: 60", BOX)[0] == "unchecked"


@pytest.mark.parametrize("output", ["", "\n\n", "```", "<think>", "<think>\n</think>", "I do not know.", "\ud800"])
def test_nothing_is_no_answer(output: str) -> None:
    for problem in (BOOTH, BOX):
        judged = judge(problem, output)
        assert (judged.code, judged.answer, judged.right) == ("no_answer", None, False)
    assert judge(BOOTH.model_copy(update={"answer": None}), output).right is None


def test_what_is_too_large_is_said_to_be(text: str) -> None:
    lines = text.split("\n")
    many = judge(BOOTH, "\n".join(lines[:-1] * 20 + lines[-1:]))
    assert many.code == "too_large"
    assert "100" in str(many.reason)
    assert judge(BOOTH, "x" * 500_000).code == "too_large"
    assert judge(BOOTH, f"<think>{'hm ' * 50_000}</think>{text}").code == "proved"
    assert judge(BOOTH, "so\n" * 20_000 + text).code == "too_large"


def test_truth_is_filled_in_on_request(text: str) -> None:
    assert {step.check.truth for step in judge(BOOTH, text).steps} == {"unknown"}
    judged = judge(BOOTH, text, checker=check_with_truth)
    assert {step.check.truth for step in judged.steps} == {"true"}


def test_many_are_judged_in_order_whatever_the_number_of_workers(text: str) -> None:
    pairs = [(BOOTH, text), (BOX, "ANSWER: 60"), (BOOTH, ""), (BOX, "V = 3 * 4 * 5 = 61\nANSWER: 61")] * 70
    alone = list(judge_many(pairs))
    assert [judged.code for judged in alone[:4]] == ["proved", "unchecked", "no_answer", "refuted"]
    assert list(judge_many(iter(pairs), workers=2)) == alone


def test_a_judgement_is_a_record(text: str) -> None:
    judged = judge(BOOTH, text)
    assert Judgement.model_validate(json.loads(judged.model_dump_json())) == judged


def test_the_exact_teachers_of_all_worlds_are_proved() -> None:
    for world in worlds():
        sample = world.sampler({"split": "test"})
        for index in range(5):
            problem = sample(index)
            assert said(linearize(world.solve(problem)), problem)[::2] == ("proved", True)


@pytest.mark.parametrize("letter", "ABCD")
def test_no_line_of_prose_proves_a_letter_of_any_world(letter: str) -> None:
    """``2 + 2 = 4, so the answer is option B`` proved every letter of every problem of a world."""
    for world in worlds():
        problem = next(one for one in map(world.sampler({"split": "test"}), range(20)) if one.choices)
        output = f"INFER question - 2 + 2 = 4, so the answer is option {letter}\nANSWER: {letter}"
        judged = judge(problem, output)
        assert (judged.code, judged.proved_steps) == ("another_form", 0)
        assert judged.check is not None
        assert not judged.check.proved
        assert not judged.check.refuted
