"""The free form of booths: another order, skips, repetitions and dead ends, and every fact that stands is true."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from srt.checking import check
from srt.io.errors import UserError
from srt.io.records import Lang, Problem
from srt.language.trace import Trace
from srt.pipeline.solve import solve_one
from srt.worlds.seating.claim_language import Place, parse_claim
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample
from srt.worlds.seating.seating_world import SeatingWorld
from srt.worlds.seating.writing.free_frames_en import FRAMES_EN
from srt.worlds.seating.writing.free_frames_zh import FRAMES_ZH
from tests.srt.worlds.seating.free_text_reader import (
    NotUnderstood,
    Sentence,
    fault_of,
    fillers,
    placements,
    places_in,
    read_sentences,
)

BOOTHS = ("booth", "booth-NS", "booth-EW")
WORLD = SeatingWorld()


@cache
def solved(scene: str, lang: Lang, index: int) -> tuple[Problem, Trace]:
    problem = sample(SampleSpec.parse({"scenes": [scene], "lang": lang}), index)
    trace = solve_one(problem, "running" if index % 2 else "needed")
    assert isinstance(trace, Trace)
    return problem, trace


def read(problem: Problem, text: str) -> tuple[list[Sentence], list[dict[str, str]]]:
    separator = ", " if problem.lang == "en" else "、"
    header = problem.question.split("\n")[0].rstrip(".。")
    names = header.replace("：", ":").split(":")[-1].strip().split(separator)
    return read_sentences(text, names, problem.lang), placements(problem, names)


def faults(problem: Problem, text: str) -> list[str | None]:
    """In each placement that the clues allow; one of them has to be free of faults."""
    sentences, allowed = read(problem, text)
    assert allowed
    return [fault_of(sentences, one) for one in allowed]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("scene", BOOTHS)
def test_every_fact_that_is_not_taken_back_is_true_and_the_answer_is_right(scene: str, lang: Lang) -> None:
    taken_back = 0
    for index in range(40):
        problem, trace = solved(scene, lang, index)
        text = WORLD.free_form(problem, trace).prose
        found = faults(problem, text)
        assert None in found, (index, found, text)
        sentences, allowed = read(problem, text)
        taken_back += sum(sentence.takes_back for sentence in sentences)
        filled = fillers(sentences, allowed[found.index(None)])
        right = [letter for letter, name in problem.choices.items() if name in filled]
        assert problem.answer is not None
        assert problem.answer.value == (right or [sorted(problem.choices)[-1]])
        assert set(problem.answer.value) == {c for c in sentences[-1].text.split("answer")[-1] if c in "ABCD"}
    assert taken_back > 10


def test_the_reader_notices_what_is_false() -> None:
    """Else the test above would pass whatever the writer says."""
    noticed = 0
    for index in range(40):
        problem, trace = solved("booth-NS", "en", index)
        text = WORLD.free_form(problem, trace).prose
        names = sorted({name for name, _ in (pair for s in read(problem, text)[0] for pair in places_in(s))} - {"_"})
        for swapped in (
            text.replace(names[0], "#").replace(names[1], names[0]).replace("#", names[1]),
            text.replace("N1", "#").replace("N2", "N1").replace("#", "N2"),
            text.replace("left", "#").replace("right", "left").replace("#", "right"),
        ):
            noticed += None not in faults(problem, swapped)
    assert noticed > 80
    problem, trace = solved("booth", "en", 0)
    with pytest.raises(NotUnderstood):
        read(problem, WORLD.free_form(problem, trace).prose + " Also S1 and N2 are nice.")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_free_trace_goes_with_the_text_step_for_step(lang: Lang) -> None:
    for index in range(40):
        problem, trace = solved(BOOTHS[index % 3], lang, index)
        free = WORLD.free_form(problem, trace)
        sentences, _ = read(problem, free.prose)
        assert len(sentences) == len(free.steps)
        for number, (sentence, step) in enumerate(zip(sentences, free.steps, strict=True), 1):
            atoms = [atom for atoms in parse_claim(step.claim or "") for atom in atoms]
            seats = {(atom.name.replace("?", "_"), atom.seat) for atom in atoms if isinstance(atom, Place)}
            assert places_in(sentence) == seats, (sentence.text, step)
            assert all(0 < int(word[1:]) < number for word in step.args if word.startswith("#"))


def test_only_what_is_taken_back_is_refuted_by_the_checker() -> None:
    verdicts = Counter[str]()
    for index in range(120):
        problem, trace = solved(BOOTHS[index % 3], "en", index)
        free = WORLD.free_form(problem, trace)
        sentences, _ = read(problem, free.prose)
        checks = check(problem, trace.model_copy(update={"steps": free.steps}))
        for place, verdict in enumerate(checks.steps):
            gone = place + 1 < len(sentences) and sentences[place + 1].takes_back
            verdicts[f"{verdict.support}{', taken back' if gone else ''}"] += 1
            # What takes a seat back cites it: with that premise nothing is consistent.
            if verdict.support == "refuted" and not gone:
                assert sentences[place].takes_back, (free.steps[place], verdict)
    assert verdicts["proved"] > 300
    assert verdicts["refuted, taken back"] > 10


def test_texts_differ_in_order_length_and_wording() -> None:
    texts, dead_ends, skipped, orders = set(), 0, 0, set()
    problem, trace = solved("booth", "en", 3)
    for seed in range(100):
        free = WORLD.free_form(problem, trace.model_copy(update={"id": f"t-{seed}"}))
        texts.add(free.prose)
        orders.add(tuple(word for step in free.steps for word in step.args if word.startswith("(")))
        dead_ends += "INFER" in [a.op for a in free.steps[:3]]
        skipped += len(free.steps) < len(trace.steps)
    assert len(texts) == 100
    assert len(orders) > 3
    assert 0 < dead_ends < 100
    assert 0 < skipped < 100
    assert WORLD.free_form(problem, trace) == WORLD.free_form(problem, trace)


def test_every_sentence_has_eight_wordings_in_both_languages() -> None:
    assert FRAMES_EN.keys() == FRAMES_ZH.keys()
    for frames in (*FRAMES_EN.values(), *FRAMES_ZH.values()):
        assert len(set(frames)) == len(frames) == 8


def test_a_scene_without_a_free_form_is_refused_by_name() -> None:
    problem, trace = solved("hexagon-out", "en", 0)
    with pytest.raises(UserError, match=r"'seating'.*hexagon-out"):
        WORLD.free_form(problem, trace)
