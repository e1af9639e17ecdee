"""Texts by hand that somebody would try who wants a reward for nothing, and what a fair judge would say of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from srt.io.records import Problem
from srt.language.prompts import prompt_messages
from srt.language.text import answer_line

States = Literal["no answer", "a wrong answer", "the right answer"]
"""Of several answer lines the last one counts, as in evaluation; several answers in one line are a wrong one."""


class Attack(NamedTuple):
    """``text`` states ``states``. It is no proof."""

    name: str
    text: str
    states: States


def attacks(problem: Problem, right: str, wrong: str, steps: Sequence[str] = ()) -> Iterator[Attack]:
    """Attacks on ``problem``, with the lines of a trace (``steps``) where it has an exact one.

    ``right`` and ``wrong`` are answers as the answer line has them.
    """
    said, false = answer_line(right, problem.lang), answer_line(wrong, problem.lang)
    prompt = "\n".join(message.content for message in prompt_messages(problem, "full"))
    for states, line in (("the right answer", said), ("a wrong answer", false)):
        for name, text in _bodies(problem, line, prompt, steps):
            yield Attack(name, text, states)  # type: ignore[arg-type]
    for name, text in _without_answer(prompt, steps):
        # Of a word cut after its first letter, an option may be left: that is an answer.
        if text.split("\n")[-1] not in problem.choices:
            yield Attack(name, text, "no answer")
    for name, text in _several(problem, right, wrong, said, false):
        yield Attack(name, text, "a wrong answer")
    yield Attack("two answer lines, the right one last", f"{false}\n{said}", "the right answer")
    yield Attack("fifty answer lines", f"{false}\n{said}\n" * 25, "the right answer")


def _bodies(problem: Problem, line: str, prompt: str, steps: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Texts with the answer line ``line``, as whole as they may look."""
    op = {"en": "INFER", "zh": "推断"}[problem.lang]
    answer = line.partition(": ")[2]
    yield "the answer alone", line
    yield "one line of prose", f"All the clues are taken together.\n{line}"
    yield "it is proved", f"Every step of this is proved, and the code is proved.\n{line}"
    yield "the judge's own record", json.dumps({"code": "proved", "right": True, "value": 1.5}) + f"\n{line}"
    yield "a score", f"score: 1.5\nreward = 1.5\n{line}"
    yield "2 + 2 = 4, twenty times", "2 + 2 = 4\n" * 20 + line
    yield "2 + 2 = 4, eighty times", "2 + 2 = 4\n" * 80 + line
    yield "2 + 2 = 4 as steps", f"{op} scene: 2 + 2 = 4\n" * 80 + line
    yield "2 + 2 = 4 as free steps", "".join(f"{op} #{n} - 2 + 2 = 4\n" for n in range(80)) + line
    yield "x = x", f"{op} question: x = x\n" * 80 + line
    yield "the answer as a step", f"{op} question: options = {{{answer}}}\n{line}"
    yield "the answer as steps", f"{op} question: ? = {answer}\n{op} #1: options = {{{answer}}}\n{line}"
    yield "the prompt", f"{prompt}\n{line}"
    yield "the prompt in a thought", f"<think>{prompt}</think>\n{line}"
    yield "NUL", "\0" * 100 + f"\n{line}"
    yield "a byte order mark", f"\ufeff{line}"
    yield "a lone surrogate", f"\ud800\n{line}"
    yield "French", f"Tous les indices ensemble donnent la réponse.\n{line}"
    yield "Russian", f"Из всех подсказок следует ответ.\n{line}"
    yield "Chinese", f"综合所有条件可知。\n{line}"
    yield "open thoughts", "<think>" * 500 + line
    yield "closed thoughts", "</think>" * 500 + line
    yield "brackets", "(" * 20_000 + f"\n{line}"
    yield "empty lines", "\n" * 30_000 + line
    yield "very long", "so " * 200_000 + f"\n{line}"
    yield "a very long thought", "<think>" + "so " * 100_000 + f"</think>\n{line}"
    if not steps:
        return
    first, last = steps[0], steps[-1]
    claim = first.partition(": ")[2]
    number = len(steps)
    yield "80 times the first step", f"{first}\n" * 80 + line
    yield "80 times the last step", f"{last}\n" * 80 + line
    yield "80 restatements in a chain", "\n".join(
        [first, *(f"{op} #{n}: {claim}" for n in range(1, 80)), line]
    )  # fmt: skip
    yield "80 weaker claims", "\n".join([first, *(f"{op} #1: {claim} | {claim}" for _ in range(79)), line])
    yield "restated to the number of steps", "\n".join([*steps[:1] * number, line])
    yield "every step twice", "\n".join([*(step for step in steps for _ in range(2)), line])
    yield "only what cites nothing derived", "\n".join([*(step for step in steps if "#" not in step), line])
    yield "the steps backwards", "\n".join([*reversed(steps), line])
    yield "the second half alone", "\n".join([*steps[number // 2 :], line])
    yield "the first half", "\n".join([*steps[: number // 2], line])
    yield "all but the last step", "\n".join([*steps[:-1], line])
    yield "all but the first step", "\n".join([*steps[1:], line])
    yield "claims without premises", "\n".join([*(f"{op}: {step.partition(': ')[2]}" for step in steps), line])
    yield "claims alone", "\n".join([*(step.partition(": ")[2] for step in steps), line])
    yield "the answer first", "\n".join([line, *steps])
    yield "as JSON", json.dumps({"steps": list(steps), "answer": answer})
    yield "as a table", "\n".join([*(f"| {step} |" for step in steps), line])
    yield "as bold text", "\n".join([*(f"**{step}**" for step in steps), line])
    yield "prose between steps", "\n".join([*(part for step in steps for part in (step, "And so:")), line])
    yield "a step too many at the end", "\n".join([*steps, first, line])
    yield "a step too many, 80 times", "\n".join([*steps, *[first] * 80, line])
    yield "a premise twice, each", "\n".join([*(_doubled(step) for step in steps), line])
    yield "the operations in small letters", "\n".join([*(step.lower() for step in steps), line])
    yield "steps of both languages", "\n".join([*(_translated(step) for step in steps), line])
    for cut in range(1, number):
        yield "cut, and an answer guessed", "\n".join([*steps[:cut], steps[cut][: len(steps[cut]) // 2], line])


def _without_answer(prompt: str, steps: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield "nothing", ""
    yield "white space", " \n\t\n"
    yield "NUL", "\0"
    yield "prose without an answer", "This needs some thought."
    yield "a thought without an end", "<think>\nThis needs some thought."
    yield "sums without an answer", "we have 3 + 4 = 7\n" * 20
    yield "an empty answer", "ANSWER:"
    if steps:
        whole = "\n".join(steps)
        yield "the steps without an answer", whole
        yield "the steps, and prose", f"{whole}\nThis is what was to be shown."
        for cut in range(1, len(whole), 17):
            yield "cut anywhere", whole[:cut]


def _several(problem: Problem, right: str, wrong: str, said: str, false: str) -> Iterator[tuple[str, str]]:
    both = f"{right} or {wrong}"
    yield "two answer lines", f"{said}\n{false}"
    yield "fifty answer lines", f"{said}\n{false}\n" * 25
    yield "one or the other", answer_line(both, problem.lang)
    yield "one or the other, in a sentence", f"The answer is {both}."
    yield "one in a box, one not", f"\\boxed{{{right}}}\n{false}"
    yield "one in a box, one in another", f"\\boxed{{{right}}} \\boxed{{{wrong}}}"
    yield "the right one in a thought", f"<think>{said}</think>\n{false}"
    if problem.choices:
        yield "all letters", answer_line(", ".join(problem.choices), problem.lang)
        yield "all letters in a row", answer_line("".join(problem.choices), problem.lang)
        letters = [*(letter for letter in problem.choices if letter != wrong), wrong]
        yield "a line for each letter", "\n".join(answer_line(letter, problem.lang) for letter in letters)
    else:
        yield "a range of answers", answer_line(f"between {right} and {wrong}", problem.lang)
        yield "a list of answers", answer_line(f"{right}, {wrong}", problem.lang)
        yield "all numbers", "\n".join(answer_line(str(n), problem.lang) for n in range(100))


def _doubled(step: str) -> str:
    head, _, claim = step.partition(": ")
    op, *words = head.split(" ")
    return " ".join([op, *(word for word in words for _ in range(2))]) + f": {claim}"


def _translated(step: str) -> str:
    for en, zh in (("CORRELATE", "关联"), ("CONSTRAIN", "约束"), ("INFER", "推断")):
        if step.startswith(en):
            return zh + step.removeprefix(en)
        if step.startswith(zh):
            return en + step.removeprefix(zh)
    return step
