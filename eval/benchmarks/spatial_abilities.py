"""Basic Spatial Abilities: 312 items of nine psychometric tests with pictures, five abilities.

The user's mapping (:mod:`eval.benchmarks.external.mapped_reader`) names the fields; ``test``, ``number``, ``section``
(of NCIT) and ``block`` (of the R-Cube tests) are the benchmark's own. ``role: example`` marks items that are shown as
shots and never asked, ``role: introduction`` rows whose pictures belong to the introduction of their test (the
published ones cannot be shipped). The options are in the pictures.

An item is asked at the end of a dialogue: the introduction of its test with an example, the example's right answer,
shots with their answers and, where the file has them, their solutions; then the item. In the paper the model first
answers the example itself and then gets the right answer; here the right answer stands as its own. All pictures come
before the text, which names them by number, since that is how a prompt shows pictures.

=============  =====  =====================  ==============
test           items  answer                 ability
=============  =====  =====================  ==============
SVT               32  one of five            perception
NCIT              16  one of three           relation
DAT:SR            40  several of five        relation
R-Cube-SR         48  true or false          relation
MRMT              32  turns, in one answer   orientation
MRT               24  two of four            mental rotation
PSVT:R            30  one of five            mental rotation
SBST              30  one of four            visualization
R-Cube-Vis        60  true or false          visualization
=============  =====  =====================  ==============

:mod:`eval.benchmarks.tables.ability_scores` has the scoring. The tests are introduced in our own words with
the rules of the published introductions (``prompts/*/spatial_abilities_*.md``), and with an example in words where
theirs is a picture.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from eval.benchmarks.definition.benchmark import PLAIN, Asking, Benchmark, Question
from eval.benchmarks.definition.prompt_files import introduction_prompt, with_own_prompts
from eval.benchmarks.external.mapped_reader import Column, Form, read_mapped
from eval.benchmarks.tables.ability_scores import TESTS, contrast, of_means, tables, turns_in
from srt.answers.written_form import canonical_text
from srt.corpora.corpus_reader import ImportRefusal, ImportRequest
from srt.io.records import Answer, AnswerKind, Image, Lang, Message, Problem

_WORDS = Path(__file__).with_name("spatial_abilities.yaml")
_OPTIONS = {"SVT": "ABCDE", "NCIT": "ABC", "DAT:SR": "ABCDE", "MRT": "ABCD", "PSVT:R": "ABCDE", "SBST": "ABCD"}
_SEVERAL_RIGHT = ("DAT:SR", "MRT")
"""The tests whose introduction announces several right options; the others with options have one (the table above)."""
_EXAMPLE = "example"
_INTRODUCTION = "introduction"
_PARTS = {"NCIT": ("section", 8, "AB"), "R-Cube-SR": ("block", 24, "12"), "R-Cube-Vis": ("block", 20, "123")}
"""Tests in parts: the column that names the part, how many items a part has, and the names of the parts."""


def _options(own: Mapping[str, str], found: dict[str, str]) -> tuple[dict[str, str], AnswerKind]:
    """The options of an item: those of the file, else letters without text, T and F, or no options for turns."""
    test = own["test"]
    if test == "MRMT":
        return {}, "sequence"
    if test in _OPTIONS:
        return found or dict.fromkeys(_OPTIONS[test], ""), "choice_set"
    return {"F": "false", "T": "true"}, "choice_set"


_FORM = Form(
    source="spatial-abilities",
    columns={
        "test": Column(needed=True, values=tuple(TESTS)),
        "number": Column(),
        "role": Column(values=(_INTRODUCTION, _EXAMPLE, "item")),
        "section": Column(values=("A", "B")),
        "block": Column(values=("1", "2", "3")),
    },
    twins=(),
    options=_options,
    question=False,
    categories=lambda own: (TESTS[own["test"]], own["test"]),
    without_answer=lambda own: own["role"] == _INTRODUCTION,
    single_choice=lambda own: own["test"] not in _SEVERAL_RIGHT,
)


def read(path: Path, request: ImportRequest) -> Iterator[Problem | ImportRefusal]:
    """The items that the mapping at ``path`` describes; turns of one map in separate rows become one item.

    ``category`` is the ability, ``subcategory`` the test; ``meta.number`` the item's number in its test.

    Raises:
        UserError: as :func:`eval.benchmarks.external.mapped_reader.read_mapped` does.
    """
    counts: Counter[tuple[str, str]] = Counter()
    walk: Problem | None = None
    for item in read_mapped(path, request, _FORM):
        if isinstance(item, ImportRefusal):
            yield item
            continue
        test = item.meta["test"]
        role = item.meta.get("role", "item")
        counts[test, role] += 1
        meta = {"number": str(counts[test, role]), **item.meta}
        item = item.model_copy(update={"meta": meta})
        if test != "MRMT" or role == _INTRODUCTION:
            yield item
        elif (turns := turns_in(_gold(item))) is None:
            yield ImportRefusal(
                item=item.id, what="problem", reason="no_answer", detail="answer: turns, each L or R, were expected"
            )
        elif walk is not None and len(turns) == 1 and item.images == walk.images:
            walk = _with_turns(walk, [*_gold(walk), *turns])
        else:
            if walk is not None:
                yield walk
            walk = _with_turns(item, turns)
    if walk is not None:
        yield walk


def ask(problems: Sequence[Problem], asking: Asking) -> Iterator[Question]:
    """Every item once, after its test's introduction, ``shots`` solved items of that test, and with ``cot`` the steps.

    Shots are the items marked as examples; where a test has none, its first items other than the one that is asked.
    """
    by_role: dict[tuple[str, str], list[Problem]] = defaultdict(list)
    for problem in problems:
        by_role[str(problem.subcategory), problem.meta.get("role", "item")].append(problem)
    wanted = int(asking.options["shots"])
    for problem in problems:
        if problem.meta.get("role", "item") != "item":
            continue
        test = str(problem.subcategory)
        introduced = [image for row in by_role[test, _INTRODUCTION] for image in row.images]
        pool = by_role[test, _EXAMPLE] or [other for other in by_role[test, "item"] if other.id != problem.id]
        yield _question(problem, introduced, [shot for shot in pool if shot.answer is not None][:wanted], asking)


def grade(problem: Problem, given: Answer) -> float:
    """Chosen right options over all right options, 0 if any wrong option is chosen.

    A walk: turns that are right at their place, over the number of turns (of the longer, where the answer has more).
    """
    gold = problem.answer
    if gold is None or gold.kind != given.kind:
        return 0.0
    if gold.kind == "sequence":
        turns = turns_in(given.value)
        if turns is None:
            return 0.0
        right = sum(a == b for a, b in zip(gold.value, turns, strict=False))
        return float(right / max(len(gold.value), len(turns)))
    chosen, wanted = set(given.value), set(gold.value)
    return 0.0 if chosen - wanted else len(chosen & wanted) / len(wanted)


def introduction(test: str, lang: Lang, asking: Asking, count: int = 0) -> list[str]:
    """How ``test`` is introduced: the instruction and, for most tests, an example question and its right answer.

    ``count`` is the number of turns of MRMT.
    """
    templates = with_own_prompts(asking.own_prompts)
    instruction, *example = templates.parts(introduction_prompt(test), lang, {"count": str(count)})
    if asking.options["cot"] == "on":
        steps = "spatial_abilities_steps_sbst" if test == "SBST" else "spatial_abilities_steps"
        instruction += f"\n\n{templates.piece(steps, lang, {})}"
    return [instruction, *example]


def _question(problem: Problem, introduced: Sequence[Image], shots: Sequence[Problem], asking: Asking) -> Question:
    """``introduced`` are the pictures of the introduction. They come first: picture 1 of its text is picture 1."""
    test = str(problem.subcategory)
    count = len(_gold(problem)) if test == "MRMT" else 0
    instruction, *example = introduction(test, problem.lang, asking, count)
    images: list[Image] = []
    if named := _named(introduced, problem.lang, asking, images):
        instruction += "\n\n" + _words()[problem.lang]["introduced"].format(pictures=named)
    turns = [(f"{instruction}\n\n{example[0]}", example[1])] if example else []
    turns += [(_item(shot, asking, images), _solved(shot)) for shot in shots]
    asked = [turn for turn, _ in turns] + [_item(problem, asking, images)]
    if not example:
        asked[0] = f"{instruction}\n\n{asked[0]}"
    messages = [Message(role="user", content=asked[0])]
    for (_, reply), following in zip(turns, asked[1:], strict=True):
        messages += [Message(role="assistant", content=reply), Message(role="user", content=following)]
    return Question(problem, PLAIN, messages, images)


def _solved(shot: Problem) -> str:
    """The solution of ``shot``, if the file has one, and its answer in the form that is asked for."""
    assert shot.answer is not None
    turns = shot.subcategory == "MRMT"
    answer = canonical_text(shot.answer).replace(", ", "," if turns else "")
    line = _words()[shot.lang]["answer"].format(answer=answer if turns else f"{shot.meta['number']},{answer}")
    return "\n\n".join(part for part in ((shot.solution or "").strip(), line) if part)


def _item(problem: Problem, asking: Asking, images: list[Image]) -> str:
    """The text of an item; its pictures join ``images``, and the text names them by their place there."""
    words = _words()[problem.lang]
    named = _named(problem.images, problem.lang, asking, images)
    described = None if named else problem.diagram_description
    written = problem.choices if problem.subcategory in _OPTIONS else {}
    options = "\n".join(f"{letter}. {text}" for letter, text in sorted(written.items()) if text)
    shown = words["shown"].format(names=named) if named else ""
    head = words["item"].format(number=problem.meta["number"], pictures=shown)
    place = _place(problem)
    announced = [words[str(problem.subcategory)][place]] if place else []
    return "\n".join(part for part in (*announced, head, described, problem.question, options) if part)


def _named(pictures: Sequence[Image], lang: Lang, asking: Asking, images: list[Image]) -> str:
    """How the text names ``pictures``, by their place among ``images``, which they join; empty if none is shown."""
    if not asking.pictures or not pictures:
        return ""
    first, last = len(images) + 1, len(images) + len(pictures)
    images += pictures
    return str(_words()[lang]["one_picture" if first == last else "more_pictures"].format(first=first, last=last))


def _place(problem: Problem) -> str:
    """The section of an item of NCIT, or the block of one of the R-Cube tests; empty if a test has none.

    From the file, else by the published order.
    """
    name, size, names = _PARTS.get(str(problem.subcategory), ("", 1, ""))
    number = str(problem.meta["number"])
    given = problem.meta.get(name)
    if not given and number.isdecimal() and 1 <= int(number) <= size * len(names):
        given = names[(int(number) - 1) // size]
    return str(given) if given and str(given) in names else ""


def _gold(problem: Problem) -> list[str]:
    return list(problem.answer.value) if problem.answer is not None else []


def _with_turns(problem: Problem, turns: list[str]) -> Problem:
    return problem.model_copy(update={"answer": Answer(kind="sequence", value=turns)})


@functools.cache
def _words() -> dict[str, Any]:
    words: dict[str, Any] = yaml.safe_load(_WORDS.read_text(encoding="utf-8"))
    return words


SPATIAL_ABILITIES = Benchmark(
    name="spatial-abilities",
    mapped=True,
    about="Basic Spatial Abilities: nine psychometric tests with pictures, partial credit, five abilities",
    read=read,
    ask=ask,
    options={"shots": ("0", "1", "3", "5", "10"), "cot": ("off", "on")},
    grade=grade,
    tables=tables,
    contrast=contrast,
    of_means=of_means,
)
