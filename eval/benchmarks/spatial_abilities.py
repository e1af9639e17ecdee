"""Basic Spatial Abilities: 312 items of nine psychometric tests with pictures, five abilities.

The user's mapping (:mod:`eval.benchmarks.external.mapped_reader`) names the fields; ``test`` and ``number`` are the
benchmark's own, and ``role: example`` marks items that are shown as shots and never asked. The options are in the
pictures.

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

:mod:`eval.benchmarks.tables.ability_scores` has the scoring. The tests are introduced in our own words, each with our
own worked example (``spatial_abilities.yaml``); figures are therefore not those of the published prompts.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from eval.benchmarks.benchmark import PLAIN, Asking, Benchmark, Question
from eval.benchmarks.external.mapped_reader import Column, Form, read_mapped
from eval.benchmarks.tables.ability_scores import TESTS, of_means, tables, turns_in
from srt.answers.written_form import canonical_text
from srt.corpora.corpus_reader import ImportRefusal, ImportRequest
from srt.io.records import Answer, AnswerKind, Image, Lang, Message, Problem

_WORDS = Path(__file__).with_name("spatial_abilities.yaml")
_OPTIONS = {"SVT": "ABCDE", "NCIT": "ABC", "DAT:SR": "ABCDE", "MRT": "ABCD", "PSVT:R": "ABCDE", "SBST": "ABCD"}
_ASKED_FOR = {"DAT:SR": "letters", "MRT": "two", "R-Cube-SR": "truth", "R-Cube-Vis": "truth", "MRMT": "turns"}
_EXAMPLE = "example"


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
        "role": Column(values=(_EXAMPLE, "item")),
    },
    twins=(),
    options=_options,
    question=False,
    categories=lambda own: (TESTS[own["test"]], own["test"]),
)


def read(path: Path, request: ImportRequest) -> Iterator[Problem | ImportRefusal]:
    """The items that the mapping at ``path`` describes; turns of one map in separate rows become one item.

    ``category`` is the ability, ``subcategory`` the test; ``meta.number`` the item's number in its test.

    Raises:
        UserError: as :func:`eval.benchmarks.external.mapped_reader.read_mapped` does.
    """
    counts: dict[str, int] = {}
    walk: Problem | None = None
    for item in read_mapped(path, request, _FORM):
        if isinstance(item, ImportRefusal):
            yield item
            continue
        test = item.meta["test"]
        counts[test] = counts.get(test, 0) + 1
        meta = {"number": str(counts[test]), **item.meta}
        item = item.model_copy(update={"meta": meta})
        if test != "MRMT":
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
    examples: dict[str, list[Problem]] = {}
    items: dict[str, list[Problem]] = {}
    for problem in problems:
        group = examples if problem.meta.get("role") == _EXAMPLE else items
        group.setdefault(str(problem.subcategory), []).append(problem)
    wanted = int(asking.options["shots"])
    for problem in problems:
        if problem.meta.get("role") == _EXAMPLE:
            continue
        test = str(problem.subcategory)
        pool = examples.get(test) or [other for other in items[test] if other.id != problem.id]
        yield _question(problem, [shot for shot in pool if shot.answer is not None][:wanted], asking)


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


def introduction(test: str, lang: Lang, count: int = 0) -> str:
    """How ``test`` is introduced, its worked example and its answer included; ``count`` is the number of turns."""
    words = _words()[lang]
    one = words["tests"][test]
    solved = words["answer"].format(answer=one["sample"])
    form = words["form"].format(what=words["what"][_ASKED_FOR.get(test, "letter")], sample=one["sample"])
    return "\n\n".join([one["text"].format(count=count), f"{one['example']}\n{solved}", form])


def _question(problem: Problem, shots: Sequence[Problem], asking: Asking) -> Question:
    words = _words()[problem.lang]
    test = str(problem.subcategory)
    blocks = [introduction(test, problem.lang, len(_gold(problem)) if test == "MRMT" else 0)]
    if asking.options["cot"] == "on":
        blocks.append(words["steps_of"].get(test, words["steps"]))
    images: list[Image] = []
    if shots:
        blocks.append(words["shots"])
        for shot in shots:
            assert shot.answer is not None
            solved = f"{shot.meta['number']},{canonical_text(shot.answer).replace(', ', ',' if test == 'MRMT' else '')}"
            blocks.append(f"{_item(shot, asking, images)}\n{words['answer'].format(answer=solved)}")
        blocks.append(words["now"])
    blocks.append(_item(problem, asking, images))
    return Question(problem, PLAIN, [Message(role="user", content="\n\n".join(blocks))], images)


def _item(problem: Problem, asking: Asking, images: list[Image]) -> str:
    """The text of an item; its pictures join ``images``, and the text names them by their place there."""
    words = _words()[problem.lang]
    named = ""
    if asking.pictures and problem.images:
        first, last = len(images) + 1, len(images) + len(problem.images)
        images += problem.images
        names = words["one_picture" if first == last else "more_pictures"].format(first=first, last=last)
        named = words["shown"].format(names=names)
    described = None if named else problem.diagram_description
    written = problem.choices if problem.subcategory in _OPTIONS else {}
    options = "\n".join(f"{letter}. {text}" for letter, text in sorted(written.items()) if text)
    head = words["item"].format(number=problem.meta["number"], pictures=named)
    return "\n".join(part for part in (head, described, problem.question, options) if part)


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
    about="Basic Spatial Abilities: nine psychometric tests with pictures, partial credit, five abilities",
    read=read,
    ask=ask,
    options={"shots": ("0", "1", "3", "5", "10"), "cot": ("off", "on")},
    grade=grade,
    tables=tables,
    contrast=lambda runs: tables(runs)[:2],
    of_means=of_means,
)
