"""Forms of a gold answer that are equal to it are accepted under every policy, near ones that differ under none.

The generator of the forms (:mod:`.generator`) shares no code with the equality. The small run is a part of the quick
tests, the large one takes other seeds. Their classes are in ``docs/answers.md``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

from srt.answers.equality import LENIENT, SAME_VALUE, STRICT, TRAINING, equal
from srt.corpora.gold_answers import read_gold
from tests.srt.answers.rewriting.forms import MOST
from tests.srt.answers.rewriting.generator import KINDS, generated

POLICIES = {"strict": STRICT, "same value": SAME_VALUE, "training": TRAINING, "lenient": LENIENT}
SMALL = range(len(KINDS))
LARGE = range(200_000, 200_000 + 200 * len(KINDS))


def disagreements(seeds: Iterable[int]) -> list[str]:
    """Forms that a policy takes for what they are not, each with gold, the class and the policy."""
    found = []
    for seed in seeds:
        case = generated(seed)
        gold = read_gold(case.gold, {}, choice=False, question=case.question).answer
        assert gold is not None, (seed, case.gold)
        for forms, wanted in ((case.equal, True), (case.near, False)):
            for name, text in forms:
                for policy_name, policy in POLICIES.items():
                    if equal(gold, text, question=case.question, policy=policy).equal != wanted:
                        sign = "=" if wanted else "is not"
                        where = f"seed {seed}, {case.kind}, {name}, {policy_name}"
                        found.append(f"{where}: {case.gold!r} {sign} {text!r}")
                        break
    return found


def test_small() -> None:
    assert disagreements(SMALL) == []


@pytest.mark.slow
def test_large() -> None:
    assert disagreements(LARGE) == []


def test_each_kind_has_forms_of_both_sorts() -> None:
    for seed in range(len(KINDS)):
        case = generated(seed)
        assert 5 <= len(case.equal) <= MOST, case.kind
        assert 5 <= len(case.near) <= MOST, case.kind
        assert not {text for _, text in case.equal} & {text for _, text in case.near}
        assert generated(seed) == case


def test_the_generator_shares_no_code_with_the_equality() -> None:
    files = [path for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("test_")]
    assert len(files) > 5
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not [name for name in names if name.split(".")[0] == "srt"], path.name
