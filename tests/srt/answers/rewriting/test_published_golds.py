"""Every gold answer of the published data equals itself, as it is printed and as its record is written."""

from __future__ import annotations

from collections.abc import Iterable

import orjson
import pytest

from srt.answers.equality import CONTRADICTION, LENIENT, SAME_VALUE, STRICT, TRAINING, equal
from srt.answers.written_form import canonical_text
from srt.corpora import read_corpus
from srt.corpora.gold_answers import printed_answer, read_gold
from srt.io.records import Answer
from tests.published_copies import copy_in

POLICIES = (STRICT, SAME_VALUE, TRAINING, LENIENT, CONTRADICTION)
PRINTED = [  # as the corpora print them, MathSpatial's nets among them
    "$40.00", "€12.50", "£7", "¥30", "30元", "12,500", "{2, 5}", "$\\{2, 5\\}$", "{A, C}", "A-C-B-D", "B<A<C", "ACBD",
    "四分之三", "三又二分之一", "5 ms^{-1}", "60°", "36°52'", "$6(\\sqrt{2}+1)$", "27^{1/3}", "5*10^(-2)", "“国”", "国",
    "x = ±3", "(1) 12; (2) 20", "①③", "[1, 3)", "(2, -1, 3)", "1:64", "35%", "2r^2h", "Yes", "否", "圆锥", "3½",
    "1 m 20 cm", "5 kN", "2 miles", "3 tonnes", "12 thousand",
]  # fmt: skip


def differing(gold: Answer, texts: Iterable[str], question: str) -> list[str]:
    return [
        text for text in texts for policy in POLICIES if not equal(gold, text, question=question, policy=policy).equal
    ]


@pytest.mark.parametrize("printed", PRINTED)
def test_forms_that_data_sets_print(printed: str) -> None:
    gold = read_gold(printed, {}, choice=False).answer
    assert gold is not None
    assert differing(gold, (printed, canonical_text(gold)), "") == []


def test_solidgeo() -> None:
    rows = orjson.loads((copy_in("SRT_SOLIDGEO") / "SolidGeo.json").read_bytes())
    tried = 0
    for row in rows.values():
        gold = read_gold(row["answer"], {}, choice=False, question=row["question"]).answer
        if gold is not None:
            tried += 1
            assert differing(gold, (printed_answer(row["answer"]), canonical_text(gold)), row["question"]) == []
    assert tried > 0.95 * len(rows)


def test_space2025() -> None:
    folder = copy_in("SRT_SPACE2025")
    tried = 0
    for problem in read_corpus("space2025", folder):
        if problem.answer is not None:
            tried += 1
            text = canonical_text(problem.answer)
            assert equal(problem.answer, text, question=problem.question, choices=problem.choices).equal, problem.id
    assert tried > 4_000
