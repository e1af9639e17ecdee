from __future__ import annotations

import re
from typing import Any, get_args

import pytest

from srt.io.errors import UserError
from srt.io.records import Answer, AnswerKind, Image, Lang, Message, Problem, Sequence, Span
from srt.language.prompts import (
    PromptStyle,
    asks_for_one_letter,
    prompt_ids,
    prompt_messages,
    render_completion,
    render_prompt,
)

STEPS = "CORRELATE (1): right(Ana) = Bo\nINFER #1: ? = Bo"


class Tokenizer:
    chat_template: Any = "a template"

    def apply_chat_template(
        self, conversation: list[dict[str, str]], *, add_generation_prompt: bool, tokenize: bool
    ) -> Any:
        assert add_generation_prompt
        assert not tokenize
        return "".join(f"[{turn['role']}]{turn['content']}" for turn in conversation) + "[assistant]"

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        return [ord(character) for character in text]


def sequence(text: str, lang: Lang = "en") -> Sequence:
    spans, at = [], 0
    for line in text.split("\n"):
        label = "ANSWER" if line.startswith(("ANSWER", "答案")) else "INFER"
        spans.append(Span(start=at, end=at + len(line), label=label))
        at += len(line) + 1
    message = [Message(role="assistant", content=text)]
    return Sequence(problem_id="p", trace_id="t", arm="srt", lang=lang, prompt=[], completion=message, spans=spans)


def problem(lang: Lang = "en", **changes: Any) -> Problem:
    choices = {"B": "Bo", "A": "Ana\nMaria"}
    values = {"id": "p", "source": "s", "lang": lang, "question": "Who?\n (1) One.", "choices": choices}
    return Problem(**(values | changes))


def test_full_prompt() -> None:
    [message] = prompt_messages(problem(instruction="Choose."), "full")
    assert message.content.startswith(
        "Choose.\n\nWho?\n (1) One.\n\nA. Ana\nMaria\nB. Bo\n\nEnd with a line 'ANSWER: '"
    )
    [chinese] = prompt_messages(problem("zh"), "full")
    assert "答案: " in chinese.content
    assert "ANSWER" not in chinese.content
    [open_question] = prompt_messages(problem(choices={}), "full")
    assert "letters" not in open_question.content
    assert open_question.content.endswith("and the answer alone.")


ANSWERS: dict[str, Any] = {
    "choice_set": ["A"],
    "number": 3,
    "expression": "\\sqrt{2}",
    "text": "正确",
    "sequence": ["左", "右"],
    "boolean": True,
    "parts": [Answer(kind="number", value=1), Answer(kind="number", value=2)],
}
ENDINGS = {
    ("en", True): "End with a line 'ANSWER: ' and the letters of all right options, as in 'ANSWER: A' or "
    "'ANSWER: A, C'.",
    ("en", False): "End with a line 'ANSWER: ' and the answer alone.",
    ("zh", True): "最后单独写一行“答案: ”和所有正确选项的字母，例如“答案: A”或“答案: A, C”。",
    ("zh", False): "最后单独写一行“答案: ”和答案。",
}


def test_there_is_an_answer_of_every_kind() -> None:
    assert set(ANSWERS) == set(get_args(AnswerKind))


@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize("choices", [{}, {"A": "左", "B": "右"}], ids=["open", "options"])
@pytest.mark.parametrize("style", get_args(PromptStyle))
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_prompt_ends_in_the_language_of_its_problem(
    lang: Lang, style: PromptStyle, choices: dict[str, str], kind: Any
) -> None:
    """``full`` says how to answer, in the problem's language and nothing but it; ``bare`` does not say it at all."""
    question = "谁坐在左边？" if lang == "zh" else "Who sits on the left?"
    options = choices if lang == "zh" else dict.fromkeys(choices, "left")
    asked = problem(lang, question=question, choices=options, answer=Answer(kind=kind, value=ANSWERS[kind]))
    [message] = prompt_messages(asked, style)
    if style == "full":
        assert message.content.split("\n\n")[-1] == ENDINGS[lang, bool(choices)]
    else:
        assert message.content == "\n".join(
            [question, *filter(None, ["; ".join(f"{k} {v}" for k, v in options.items())])]
        )
    foreign = r"[A-Za-z]{2}" if lang == "zh" else r"[\u4e00-\u9fff]"
    assert not re.search(foreign, message.content)


ONE_LETTER = {
    "en": "End with a line 'ANSWER: ' and the letter of the right option, as in 'ANSWER: A'.",
    "zh": "最后单独写一行“答案: ”和正确选项的字母，例如“答案: A”。",
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_single_choice_problem_asks_for_one_letter(lang: Lang) -> None:
    for choices in ({"A": "a", "B": "b"}, {}):  # The options may be in the picture.
        [message] = prompt_messages(problem(lang, choices=choices, single_choice=True), "full")
        assert message.content.endswith(ONE_LETTER[lang])


@pytest.mark.parametrize(
    "instruction",
    [
        "A multiple-choice question with one correct answer. Think step by step.",
        "Exactly one option is correct.",
        "This is a single-choice question.",
        "本题为单选题，请选择。",
        "四个选项中只有一个选项正确。",
        "每题有一个正确答案。",
    ],
)
def test_an_instruction_that_announces_one_right_option_asks_for_one_letter(instruction: str) -> None:
    [message] = prompt_messages(problem(instruction=instruction), "full")
    assert message.content.endswith(ONE_LETTER["en"])
    assert not asks_for_one_letter(problem(instruction=instruction, choices={}))


@pytest.mark.parametrize(
    "instruction",
    [
        None,
        "Choose.",
        "A multiple-choice question with more than one correct answers.",
        "One or more options are correct; at least one option is correct.",
        "There may be one correct answer or several correct answers.",
        "本题为多选题，有两个或两个以上的正确答案。",
        "不定项选择：至少有一个正确。",
        "有一个或多个正确答案。",
    ],
)
def test_any_other_instruction_asks_for_all_letters(instruction: str | None) -> None:
    """How many options are right is never taken from the gold answer."""
    for gold in (["A"], ["A", "B"]):
        asked = problem(instruction=instruction, answer=Answer(kind="choice_set", value=gold))
        [message] = prompt_messages(asked, "full")
        assert message.content.endswith(ENDINGS["en", True])


def test_bare_prompt() -> None:
    [message] = prompt_messages(problem(instruction="Choose."), "bare")
    assert message.content == "Who? (1) One.\nA Ana Maria; B Bo"
    [described] = prompt_messages(problem(choices={}, diagram_description="A cube."), "bare")
    assert described.content == "A cube.\nWho? (1) One."


def test_prompt_ids_are_the_rendered_text() -> None:
    messages = [Message(role="user", content="hello")]
    assert render_prompt(Tokenizer(), messages) == "[user]hello[assistant]"
    assert "".join(map(chr, prompt_ids(Tokenizer(), messages))) == "[user]hello[assistant]"
    bare = Tokenizer()
    bare.chat_template = None
    with pytest.raises(UserError, match=r"chat_template\.jinja"):
        render_prompt(bare, messages)


@pytest.mark.parametrize(
    ("prompt", "think", "expected"),
    [
        ("[assistant]", False, "{steps}\n{answer}"),
        ("[assistant]", True, "<think>\n{steps}\n</think>\n\n{answer}"),
        ("[assistant]<think>\n", False, "{steps}\n</think>\n\n{answer}"),
        ("[assistant]<think>", False, "\n{steps}\n</think>\n\n{answer}"),
        ("[assistant]<think>\n\n</think>\n\n", False, "{steps}\n{answer}"),
    ],
)
@pytest.mark.parametrize(("answer", "lang"), [("ANSWER: A, C", "en"), ("答案: A", "zh")])
def test_completion_follows_the_prompt(prompt: str, think: bool, expected: str, answer: str, lang: Lang) -> None:
    whole = sequence(f"{STEPS}\n{answer}", lang)
    rendered = render_completion(prompt, whole, think=think)
    assert rendered.text == expected.format(steps=STEPS, answer=answer)
    there = [rendered.text[span.start : span.end] for span in rendered.spans]
    assert there == f"{STEPS}\n{answer}".split("\n")


def test_an_answer_alone_closes_the_block_at_once() -> None:
    rendered = render_completion("<think>\n", sequence("ANSWER: A"))
    assert rendered.text == "\n</think>\n\nANSWER: A"
    assert rendered.text[rendered.spans[0].start : rendered.spans[0].end] == "ANSWER: A"
    rendered = render_completion("", sequence("ANSWER: A"), think=True)
    assert rendered.text == "<think>\n\n</think>\n\nANSWER: A"


def test_completion_without_an_answer_line() -> None:
    with pytest.raises(UserError, match=r"trace t \(arm srt\): completion: .*'ANSWER: '"):
        render_completion("<think>\n", sequence("It is A."))


@pytest.mark.parametrize(("prompt", "think"), [("<think>\n", False), ("", True)])
def test_a_completion_that_closes_the_block_itself(prompt: str, think: bool) -> None:
    whole = sequence("So.</think>\nANSWER: A")
    with pytest.raises(UserError, match=r"trace t \(arm srt\): completion: .*</think>"):
        render_completion(prompt, whole, think=think)
    assert render_completion("", whole).text == "So.</think>\nANSWER: A"


def test_a_template_that_fails_is_named() -> None:
    class Failing(Tokenizer):
        def apply_chat_template(self, conversation: Any, **how: Any) -> Any:
            raise ZeroDivisionError("division\nby zero")

    with pytest.raises(UserError, match=r"\(division by zero\)"):
        render_prompt(Failing(), [Message(role="user", content="hello")])


class PictureTokenizer(Tokenizer):
    """Its template shows pictures as ``(picture)``."""

    def apply_chat_template(
        self, conversation: list[dict[str, Any]], *, add_generation_prompt: bool, tokenize: bool
    ) -> Any:
        turns = []
        for turn in conversation:
            parts = turn["content"]
            if not isinstance(parts, str):
                parts = "".join("(picture)" if part["type"] == "image" else part["text"] for part in parts)
            turns.append({"role": turn["role"], "content": parts})
        return super().apply_chat_template(turns, add_generation_prompt=add_generation_prompt, tokenize=tokenize)


SHOWN = [Image(path="a.png", sha256="0"), Image(path="b.png", sha256="1")]


@pytest.mark.parametrize("style", ["full", "bare"])
def test_a_prompt_has_pictures_or_their_description(style: PromptStyle) -> None:
    both = problem(images=SHOWN, diagram_description="A cube.")
    assert "A cube." in prompt_messages(both, style)[0].content
    assert prompt_messages(both, style, pictures=True) == prompt_messages(problem(), style)
    # Nothing else shows what a problem without pictures describes.
    described = problem(diagram_description="A cube.")
    assert prompt_messages(described, style, pictures=True) == prompt_messages(described, style)


def test_pictures_stand_before_the_text_of_the_first_user_turn() -> None:
    messages = [
        Message(role="system", content="Be brief."),
        Message(role="user", content="Is <image1> it? <ImageHere>"),
        Message(role="assistant", content="Yes."),
        Message(role="user", content="And now?"),
    ]
    text = (
        "[system]Be brief.[user](picture)(picture)Is <image1> it? <ImageHere>[assistant]Yes.[user]And now?[assistant]"
    )
    assert render_prompt(PictureTokenizer(), messages, 2) == text
    assert "".join(map(chr, prompt_ids(PictureTokenizer(), messages, 2))) == text
    assert render_prompt(PictureTokenizer(), messages) == text.replace("(picture)", "")
    assert messages[1].content == "Is <image1> it? <ImageHere>"
    with pytest.raises(UserError, match=r"^prompt: "):
        render_prompt(PictureTokenizer(), messages[:1], 1)


def test_a_template_that_cannot_show_pictures() -> None:
    class TextOnly(Tokenizer):
        def apply_chat_template(self, conversation: list[dict[str, Any]], **how: Any) -> Any:
            return "".join("[" + turn["role"] + "]" + turn["content"] for turn in conversation)

    with pytest.raises(UserError, match=r"the model: .* pictures .*can only concatenate str"):
        render_prompt(TextOnly(), [Message(role="user", content="hello")], 1)
