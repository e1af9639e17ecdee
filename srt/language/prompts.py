"""Prompts, and how a completion follows one. Training and evaluation both use this module.

``srt build`` stores the messages; ``train`` and ``eval`` both turn them into tokens with :func:`prompt_ids`, so a model
is trained on exactly the tokens that it is later prompted with. No chat template is applied to a completion: several
templates cut the reasoning out of an assistant turn (that of R1-Distill deletes everything before ``</think>``), so the
completion is rendered here, as the text that follows the prompt.

A prompt may show pictures. They come before the text of the first user turn, in the problem's order, and
:func:`render_prompt` writes one placeholder for each, in the form of the model family. Only the model's processor knows
how many tokens a picture takes: ``eval`` passes it the text and the pictures, ``train`` plans the same number without
opening them. A message holds text only; the number of pictures is passed separately. References to pictures within a
text (``<image1>``) are left unchanged: ``<image1>`` is the first picture shown.
"""

from __future__ import annotations

import re
from typing import Any, Literal, Protocol, get_args

from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.io.records import Lang, Message, Problem, Sequence
from srt.language.arm import Completion
from srt.language.model_vocabulary import VocabularyFault, find_control_token
from srt.language.template_check import template_fault
from srt.language.template_kwargs import NO_KWARGS, TemplateKwargs
from srt.language.text import MARKERS
from srt.language.trace import one_line
from srt.untrusted.template_steps import EndlessTemplate, bounded
from srt.untrusted.trial import try_template

PromptStyle = Literal["full", "bare"]
PROMPT_STYLES: tuple[PromptStyle, ...] = get_args(PromptStyle)

THINK_OPENS = "<think>"
THINK_CLOSES = "</think>"
_CHOICE_ENDING: dict[Lang, str] = {
    "en": "End with a line '{marker}: ' and the letters of all right options, as in '{marker}: A' or '{marker}: A, C'.",
    "zh": "最后单独写一行“{marker}: ”和所有正确选项的字母，例如“{marker}: A”或“{marker}: A, C”。",
}
_ONE_LETTER_ENDING: dict[Lang, str] = {
    "en": "End with a line '{marker}: ' and the letter of the right option, as in '{marker}: A'.",
    "zh": "最后单独写一行“{marker}: ”和正确选项的字母，例如“{marker}: A”。",
}
_OTHER_ENDING: dict[Lang, str] = {
    "en": "End with a line '{marker}: ' and the answer alone.",
    "zh": "最后单独写一行“{marker}: ”和答案。",
}
# SpaCE2025 prints "with one correct answer" and 单选题，有一个正确答案.
_ONE_IS_RIGHT = re.compile(
    r"(?<![a-z])one\s+(?:correct|right)\s+(?:answer|option|choice)(?![a-z])"
    r"|(?<![a-z])one\s+(?:answer|option|choice)\s+is\s+(?:correct|right)(?![a-z])"
    r"|(?<![a-z])single[- ](?:choice|answer)(?![a-z])|单选|单项选择|[只仅]?有一个(?:选项|答案)?是?正确",
    re.IGNORECASE,
)
_SEVERAL_MAY_BE = re.compile(
    r"(?<![a-z])(?:more\s+than\s+one|one\s+or\s+(?:more|several|two)|at\s+least\s+one|(?:two|several|multiple)\s+"
    r"(?:correct|right|answers?|options?))(?![a-z])|多选|不定项|至少有?一个|一个或",
    re.IGNORECASE,
)


class ChatTokenizer(Protocol):
    """The part of a transformers tokenizer that is used here."""

    chat_template: Any

    def apply_chat_template(
        self, conversation: list[dict[str, Any]], *, add_generation_prompt: bool, tokenize: bool
    ) -> Any:
        """The conversation as text (``tokenize=False``), up to where the model begins to write."""

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Token ids of ``text``."""


def style_named(name: str) -> PromptStyle:
    """The style ``name``; raises a :class:`UserError` that lists the styles if there is none of that name."""
    found: PromptStyle | None = next((style for style in PROMPT_STYLES if style == name), None)
    if found is None:
        meant = did_you_mean(name, PROMPT_STYLES)
        raise UserError(f"unknown prompt style {name!r}{meant}: the styles are {', '.join(PROMPT_STYLES)}")
    return found


def prompt_messages(problem: Problem, style: PromptStyle, pictures: bool = False) -> list[Message]:
    """The turns that ask for ``problem``.

    ``full``: instruction, question, one option per line, and how to give the answer, in the problem's language.
    ``bare``: the question on one line, the options on another, and nothing else, for very small models.
    The description of a diagram, if any, comes before the question; with ``pictures`` it is left out if the problem has
    pictures, because they are shown (:func:`render_prompt`).
    """
    description = None if pictures and problem.images else problem.diagram_description
    if style == "bare":
        parts = [description, problem.question]
        lines = [one_line(part) for part in parts if part]
        if problem.choices:
            lines.append("; ".join(f"{letter} {one_line(text)}" for letter, text in sorted(problem.choices.items())))
        return [Message(role="user", content="\n".join(lines))]
    options = "\n".join(f"{letter}. {text}" for letter, text in sorted(problem.choices.items()))
    blocks = [problem.instruction, description, problem.question, options, answer_ending(problem)]
    return [Message(role="user", content="\n\n".join(block.strip() for block in blocks if block))]


def answer_ending(problem: Problem) -> str:
    """The last paragraph of a full prompt: how to give the answer."""
    # The options of a single-choice problem may stand in its text or in its picture.
    if asks_for_one_letter(problem):
        endings = _ONE_LETTER_ENDING
    else:
        endings = _CHOICE_ENDING if problem.choices else _OTHER_ENDING
    return endings[problem.lang].format(marker=MARKERS[problem.lang]["ANSWER"])


def asks_for_one_letter(problem: Problem) -> bool:
    """Whether exactly one option is right, by the benchmark's protocol or by the problem's published instruction.

    How many are right is never taken from the gold answer: a prompt must not give away more than the benchmark does.
    """
    said = problem.instruction or ""
    by_instruction = _ONE_IS_RIGHT.search(said) is not None and _SEVERAL_MAY_BE.search(said) is None
    return problem.single_choice or (bool(problem.choices) and by_instruction)


def render_prompt(
    tokenizer: ChatTokenizer, messages: list[Message], pictures: int = 0, kwargs: TemplateKwargs = NO_KWARGS
) -> str:
    """The text that the model continues, with a placeholder for each of ``pictures`` before the first user's text.

    ``kwargs`` are variables of the template.

    Raises:
        VocabularyFault: a text contains a control token (:mod:`srt.language.model_vocabulary`).
        UserError: the tokenizer has no chat template, or one that fails on this prompt, cannot show pictures, writes
            nothing, loses the problem (:mod:`srt.language.template_check`), has no variable of a name in ``kwargs``, or
            goes beyond the bounds of :mod:`srt.untrusted`.
    """
    name = getattr(tokenizer, "name_or_path", "") or "the model"
    if not tokenizer.chat_template:
        raise UserError(
            f"{name}: its tokenizer has no chat template; use an instruct model, or add chat_template.jinja"
        )
    for number, message in enumerate(messages, 1):
        refuse_control_tokens(tokenizer, message.content, f"prompt: turn {number} ({message.role})")
    turns: list[dict[str, Any]] = [{"role": message.role, "content": message.content} for message in messages]
    if pictures:
        first = next((turn for turn in turns if turn["role"] == "user"), None)
        if first is None:
            raise UserError("prompt: a prompt with pictures needs a user turn to show them")
        first["content"] = [{"type": "image"}] * pictures + [{"type": "text", "text": first["content"]}]
    # Before it runs here for the first time.
    if fault := try_template(_template(tokenizer), turns, getattr(tokenizer, "special_tokens_map", {}), kwargs):
        raise UserError(f"{name}: chat_template: {fault}")
    apply: Any = tokenizer.apply_chat_template

    def rendered(turns: list[dict[str, Any]], opened: bool) -> Any:
        return bounded(lambda: apply(turns, add_generation_prompt=opened, tokenize=False, **kwargs))

    if fault := template_fault(_template(tokenizer), rendered, kwargs, bool(pictures)):
        raise UserError(f"{name}: chat_template: {fault}")
    try:
        text = rendered(turns, True)
    except EndlessTemplate as error:
        raise UserError(f"{name}: chat_template: {error}") from None
    except Exception as error:  # A template is a program: it can raise anything.
        what = "cannot show pictures" if pictures else "does not take this prompt"
        raise UserError(f"{name}: its chat template {what} ({' '.join(str(error).split())})") from None
    if not isinstance(text, str):
        raise TypeError(f"apply_chat_template gave {type(text).__name__}, not str")
    if not text.strip():
        raise UserError(f"{name}: chat_template: it writes nothing for a prompt")
    return text


def idle_kwargs(tokenizer: ChatTokenizer, kwargs: TemplateKwargs, pictures: int = 0) -> list[str]:
    """A line for each of ``kwargs`` without which a short prompt is the same, as where ``'no'`` stands for false.

    Raises:
        UserError: as :func:`render_prompt`.
    """
    asked = [Message(role="user", content="Who is left of Cleo?")]
    text = render_prompt(tokenizer, asked, pictures, kwargs)
    lines = []
    for name, value in kwargs.items():
        others = {other: kwargs[other] for other in kwargs if other != name}
        if render_prompt(tokenizer, asked, pictures, others) == text:
            lines.append(f"chat_template_kwargs.{name}: {value!r} changes nothing: the prompt is the same without it")
    return lines


def refuse_control_tokens(tokenizer: ChatTokenizer, text: str, field: str) -> None:
    """Look for control tokens of the model in ``text``, which stands in ``field`` of a record.

    Think marks are none of them: a prompt may speak of them, and a completion has them where a model thinks.

    Raises:
        VocabularyFault: there is one; the first is named.
    """
    if found := find_control_token(tokenizer, _template(tokenizer), text, but=(THINK_OPENS, THINK_CLOSES)):
        raise VocabularyFault(
            f"{field}: it contains {found}, a control token of this model, which would not be read as text; take it "
            "out, or write it with a space inside"
        )


def _template(tokenizer: ChatTokenizer) -> str:
    """The template of conversations without tools; others have names of their own."""
    found = tokenizer.chat_template
    return str(found.get("default", "")) if isinstance(found, dict) else str(found)


def prompt_ids(
    tokenizer: ChatTokenizer, messages: list[Message], pictures: int = 0, kwargs: TemplateKwargs = NO_KWARGS
) -> list[int]:
    """Token ids of the prompt, one placeholder for each of ``pictures``.

    The template writes its own special tokens, so the tokenizer adds none.
    """
    return list(tokenizer.encode(render_prompt(tokenizer, messages, pictures, kwargs), add_special_tokens=False))


def render_completion(prompt_text: str, sequence: Sequence, *, think: bool = False) -> Completion:
    """The completion of ``sequence`` as the text that follows ``prompt_text``, without the end-of-sequence token.

    If the prompt has already opened a think block (R1-Distill), the steps go inside it, and ``</think>`` comes before
    the answer line, which is the last line of every completion; an answer alone closes the block at once. ``think``
    opens the block here, for models whose template does not. Otherwise the text is unchanged.

    Raises:
        UserError: the completion is not one assistant turn, lacks the answer line before which it must be cut, or
            closes the block itself.
    """
    where = f"sequence of trace {sequence.trace_id} (arm {sequence.arm})"
    if len(sequence.completion) != 1 or sequence.completion[0].role != "assistant":
        raise UserError(f"{where}: completion: expected one assistant message")
    text = sequence.completion[0].content
    opened = prompt_text.rstrip().endswith(THINK_OPENS)
    if not opened and not think:
        return Completion(text, tuple(sequence.spans))

    steps, newline, answer = text.rpartition("\n")
    marker = f"{MARKERS[sequence.lang]['ANSWER']}: "
    if not answer.startswith(marker):
        raise UserError(f"{where}: completion: its last line must begin with {marker!r}")
    for mark in (THINK_OPENS, THINK_CLOSES):
        if mark in text:
            raise UserError(
                f"{where}: completion: it contains {mark}, but the block is opened before the steps, and must end "
                "before the answer"
            )
    # The steps begin on a line of their own, whether the template has written the line break or not.
    opening = "" if opened else THINK_OPENS
    if not prompt_text.endswith("\n") or not opened:
        opening += "\n"
    bridge = f"\n{THINK_CLOSES}\n\n"
    answer_at = len(steps) + len(newline)
    shift = len(opening) + len(steps) + len(bridge) - answer_at
    spans = []
    for span in sequence.spans:
        # The tags move the steps and the answer by different lengths.
        by = shift if span.start >= answer_at else len(opening)
        spans.append(span.model_copy(update={"start": span.start + by, "end": span.end + by}))
    return Completion(f"{opening}{steps}{bridge}{answer}", tuple(spans))
