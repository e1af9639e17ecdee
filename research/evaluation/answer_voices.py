"""The same answers in each arm's voice: how often a score refuses right ones, and accepts wrong ones, by voice.

    python -m research.evaluation.answer_voices [--solidgeo PATH] [--space2025 PATH] [--generated N] [--misses] [--json]

A model that was taught ``ANSWER: C`` and one that ends with a sentence or a box must be scored alike. Each gold answer
is said in every voice: as the letter, as the letter with its option, as the option alone, and where there are no
options as the corpus prints it; what is in LaTeX also as people type it (``60°``, ``5√2``). So is one wrong answer for
each: another option, the right letter with another option, or the answer of the next item of that kind. The items are
the sample of SolidGeo, SpaCE2025's items with answers and generated seating problems; a source that is not at hand is
left out. All under the policy ``strict``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from research.evaluation.answer_equality import read_items
from srt.answers.equality import equal_to_gold
from srt.answers.equality.math_verify_client import shared_math_verify
from srt.answers.equality.normal_form import squeezed
from srt.answers.extraction import extract
from srt.answers.written_form import canonical_text
from srt.corpora import space2025
from srt.corpora.gold_answers import printed_answer
from srt.io.problem_files import read_problems
from srt.io.records import Lang, Problem
from srt.pipeline.generate import generate_file

_TYPED = (
    (r"\$|\\left|\\right|\\[,;! ]", ""),
    (r"\\(?:mathrm|text)\s*\{\s*~?\s*([^{}]*)\}", r" \1"),
    (r"\^\s*\{?\s*\\circ\s*\}?", "°"),
    (r"\\sqrt\s*\{(\w+)\}", r"√\1"),
    (r"\\d?frac\s*\{([^{}]+)\}\s*\{(\w+)\}", lambda match: f"{_whole(match[1])}/{match[2]}"),
    (r"\\pi(?![a-z])\s*", "π"),
    (r"\\(?:times|cdot)\s*", "×"),
    (r"\^\s*\{?2\}?", "²"),
    (r"\^\s*\{?3\}?", "³"),
    (r"~", " "),
)
Content = Literal["letter", "letter and option", "option", "option respelled", "label", "value", "value respelled"]

_WORK: dict[Lang, str] = {
    "en": "We go through what is given, step by step.\n\n1. The first condition fixes one place.\n2. The rest follows.",
    "zh": "我们逐步分析题目所给的条件。\n\n1. 由第一个条件确定一个位置。\n2. 其余随之得出。",
}
_THOUGHT: dict[Lang, str] = {
    "en": "<think>\nLet me see. Maybe it is 7? If so, \\boxed{7}. Wait, that does not fit.\n</think>\n\n",
    "zh": "<think>\n先看题目。会不会是7？那样就是\\boxed{7}。等等，不对，再检查一遍。\n</think>\n\n",
}
_TEMPLATES: dict[str, dict[Lang, tuple[str, ...]]] = {
    "tuned": {"en": ("{work}\nANSWER: {answer}",), "zh": ("{work}\n答案：{answer}",)},
    "R1": {
        "en": ("{thought}{work}\n\n**Answer:** {answer}", "{thought}The final answer is **{answer}**."),
        "zh": ("{thought}{work}\n\n**答案：** {answer}", "{thought}最终答案是**{answer}**。"),
    },
    "prose": {
        "en": (
            "{work}\n\nTherefore, the answer is {answer}.",
            "{work}\n\nSo the correct answer is {answer}.",
            "{work}\n\nSo it is {answer}.",
        ),
        "zh": ("{work}\n\n因此，答案是{answer}。", "{work}\n\n所以正确答案为{answer}。", "{work}\n\n所以是{answer}。"),
    },
    "box": {
        "en": ("{work}\n\n\\[\n\\boxed{{{answer}}}\n\\]", "{work}\n\nThe final answer is $\\boxed{{{answer}}}$."),
        "zh": ("{work}\n\n\\[\n\\boxed{{{answer}}}\n\\]", "{work}\n\n答案为 $\\boxed{{{answer}}}$。"),
    },
    "bare": {"en": ("{answer}",), "zh": ("{answer}",)},
}


@dataclass(frozen=True)
class Said:
    """An answer in a voice: of ``problem``, as ``content``, whether it is ``right``, and whether it was accepted."""

    problem: Problem
    voice: str
    content: Content
    text: str
    right: bool
    accepted: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solidgeo", type=Path, default=os.environ.get("SRT_SOLIDGEO"))
    parser.add_argument("--space2025", type=Path, default=os.environ.get("SRT_SPACE2025"))
    parser.add_argument("--generated", type=int, default=60, help="seating problems (default 60)")
    parser.add_argument("--most", type=int, default=60, help="items of each file of SpaCE2025 (default 60)")
    parser.add_argument("--misses", action="store_true", help="print each answer that is scored wrongly")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    problems = [*_generated(arguments.generated)]
    if arguments.solidgeo is not None:
        problems += read_items(Path(arguments.solidgeo))[0]
    if arguments.space2025 is not None:
        problems += _space2025(Path(arguments.space2025), arguments.most)
    said = list(measure(problems))
    print(json.dumps(figures(said), indent=2) if arguments.json else report(said))
    for one in said if arguments.misses else ():
        if one.accepted != one.right:
            wanted = "right" if one.right else "wrong"
            print(f"{wanted} {one.problem.id} {one.voice}, {one.content}: {one.text[-90:]!r}")


def measure(problems: Sequence[Problem]) -> Iterator[Said]:
    """Every answer of ``problems`` in every voice; problems without gold are passed over."""
    known = [problem for problem in problems if problem.answer is not None]
    for number, problem in enumerate(known):
        others = [*known[number + 1 :], *known[:number]]
        for right, contents in ((True, list(_right(problem))), (False, list(_wrong(problem, others)))):
            for content, answer in contents:
                for voice, texts in _TEMPLATES.items():
                    for template in texts[problem.lang]:
                        text = template.format(work=_WORK[problem.lang], thought=_THOUGHT[problem.lang], answer=answer)
                        yield Said(problem, voice, content, text, right, _is_accepted(problem, text))


def _right(problem: Problem) -> Iterator[tuple[Content, str]]:
    """The gold answer of ``problem`` in each of its contents."""
    answer = problem.answer
    assert answer is not None
    if answer.kind == "choice_set":
        yield from _of_letters(problem, answer.value)
    else:
        yield ("label" if problem.labels else "value"), _printed(problem)
        if not problem.labels and _typed(_printed(problem)) != _printed(problem):
            yield "value respelled", _typed(_printed(problem))


def _of_letters(problem: Problem, letters: Sequence[str]) -> Iterator[tuple[Content, str]]:
    yield "letter", ", ".join(letters)
    texts = [problem.choices.get(letter, "").strip() for letter in letters]
    distinct = {squeezed(text) for text in problem.choices.values()}
    if len(letters) == 1 and texts[0] and len(distinct) == len(problem.choices) and "\n" not in texts[0]:
        yield "letter and option", f"{letters[0]}. {texts[0]}"
        yield "option", texts[0].rstrip(".。")
        respelled = _typed(texts[0].rstrip(".。"))
        if respelled != texts[0].rstrip(".。"):
            yield "option respelled", respelled


def _whole(numerator: str) -> str:
    """A numerator in brackets, where the line would not hold it together."""
    return f"({numerator})" if re.search(r"[-+]", numerator) else numerator


def _typed(text: str) -> str:
    """LaTeX as people type it: ``60°`` for ``60^{\\circ}``, ``5√2``, ``3/4``, ``24 cm²``."""
    for pattern, plain in _TYPED:
        text = re.sub(pattern, plain, text)
    return " ".join(text.split())


def _wrong(problem: Problem, others: Iterable[Problem]) -> Iterator[tuple[Content, str]]:
    """A wrong answer in each content: the next option or label, or the printed answer of another item of the kind."""
    answer = problem.answer
    assert answer is not None
    if answer.kind == "choice_set":
        letters = sorted(problem.choices) or list("ABCD")
        after = letters[(letters.index(answer.value[-1]) + 1) % len(letters)]
        if [after] != answer.value:
            yield from _of_letters(problem, [after])
            contents = dict(_of_letters(problem, [after]))
            if "option" in contents and len(answer.value) == 1:
                # The right letter beside another option's text contradicts itself.
                yield "letter and option", f"{answer.value[0]}. {contents['option']}"
    elif problem.labels:
        yield "label", next(label for label in problem.labels if label != answer.value)
    else:
        own = squeezed(canonical_text(answer))
        golds = ((other, other.answer) for other in others if not other.labels)
        alike = (
            _printed(other)
            for other, gold in golds
            if gold is not None and gold.kind == answer.kind and squeezed(canonical_text(gold)) != own
        )
        other = next(alike, None)
        if other is not None:
            yield "value", other
            yield "value respelled", _typed(other)


def _printed(problem: Problem) -> str:
    """The gold answer as the corpus prints it, without dollars, which a box or a sentence has around it or not."""
    assert problem.answer is not None
    printed = problem.meta.get("answer")
    return (printed_answer(printed) if isinstance(printed, str) else canonical_text(problem.answer)).replace("$", "")


def _is_accepted(problem: Problem, text: str) -> bool:
    found = extract(text, problem)
    if found.answer is None or found.text is None:
        return False
    return equal_to_gold(problem, found.text, same_formula=shared_math_verify().same).equal


def _generated(count: int) -> Iterator[Problem]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problems.jsonl"
        generate_file("seating", count, "test", path, {})
        yield from read_problems(path).values()


def _space2025(folder: Path, most: int) -> Iterator[Problem]:
    taken: Counter[str] = Counter()
    for problem in space2025.read(folder):
        source = problem.id.rpartition("-")[0]
        taken[source] += 1
        if problem.answer is not None and taken[source] <= most:
            yield problem


def figures(said: Sequence[Said]) -> dict[str, dict[str, dict[str, int]]]:
    """By content (``all`` too) and voice: right answers, those refused, wrong answers, those accepted."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for one in said:
        for content in (one.content, "all"):
            cell = found.setdefault(content, {}).setdefault(
                one.voice, {"right": 0, "refused": 0, "wrong": 0, "accepted": 0}
            )
            cell["right" if one.right else "wrong"] += 1
            cell["refused"] += one.right and not one.accepted
            cell["accepted"] += one.accepted and not one.right
    return found


def report(said: Sequence[Said]) -> str:
    """The table, for people: refused right answers and accepted wrong ones, by content and voice."""
    voices = list(_TEMPLATES)
    lines = [f"| answer | {' | '.join(voices)} |", "|---" * (len(voices) + 1) + "|"]
    for content, by_voice in figures(said).items():
        for name, of, what in (("refused", "right", "right, refused"), ("accepted", "wrong", "wrong, accepted")):
            cells = [_cell(by_voice[voice][name], by_voice[voice][of]) for voice in voices]
            lines.append(f"| {content}: {what} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(count: int, of: int) -> str:
    return f"{count} of {of}: {count / of:.1%}" if of else "-"


if __name__ == "__main__":
    main()
