"""Curation on a cluster: the join finds the pairs of one machine, and the files are those of one machine."""

from __future__ import annotations

import random
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from problem_maker import LONG, Maker

from srt.curate import curate_file
from srt.curate.shingles import minhash_pairs, signature
from srt.io.jsonl import write_records
from srt.io.records import Answer, Problem
from srt.scale.ray_curation import bucket_rows, curate_on_ray, first_pairs, pairs_in_bucket

WORDS = "cube edge face solid layer volume corner shelf view plan front side row stack block net".split()  # noqa: SIM905


def chains(count: int) -> list[str]:
    """Texts in chains, scattered: each is the one before it with a word changed, so that the ends are not alike."""
    rng = random.Random(7)
    texts = []
    for _ in range(count):
        words = rng.choices(WORDS, k=40)
        for _ in range(8):
            texts.append(" ".join(words))
            words[rng.randrange(len(words))] = rng.choice(WORDS)
    rng.shuffle(texts)
    return texts


def grouped(rows: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The groups, as Ray Data gives them: in any order, and the rows of each in any order."""
    found: dict[Any, list[int]] = defaultdict(list)
    for number in np.random.default_rng(0).permutation(len(rows[key])):
        found[rows[key][number]].append(number)
    return [{name: column[numbers] for name, column in rows.items()} for numbers in found.values()]


def joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@pytest.mark.parametrize("most", [3, 200])
def test_the_join_finds_the_pairs_of_one_machine(most: int) -> None:
    texts = [*chains(12), *["the very same text of many problems"] * 10]
    expected = list(minhash_pairs(map(signature, texts), 0.85, most))
    rows = bucket_rows({"text": np.array(texts), "at": np.arange(len(texts))}, least=0.85)
    shared = joined(list(map(partial(pairs_in_bucket, most=most), grouped(rows, "bucket"))))
    paired = joined(list(map(partial(first_pairs, most=most), grouped(shared, "later"))))
    found = sorted(zip(paired["later"].tolist(), paired["earlier"].tolist(), strict=True))
    assert [(earlier, later) for later, earlier in found] == expected
    assert len(expected) > 100 or most == 3


@pytest.mark.slow
def test_the_files_are_those_of_one_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the pictures are found from the working folder of the command
    pytest.importorskip("ray")
    import ray

    rest: dict[str, Any] = {"source": "own", "lang": "en", "solution": "So it is 7."}
    made = [
        Problem(
            id=f"p{number}",
            question=f"{text}?",
            split="test" if number % 7 == 0 else "train",
            answer=Answer(kind="number", value=7 if number % 5 else 8),
            **rest,
        )
        for number, text in enumerate(chains(30))
    ]
    maker = Maker(tmp_path / "pictures")
    pictured = [maker.problem(f"d{n}", LONG, maker.picture(1 + n % 2, dark=n > 3)) for n in range(6)]
    gone = maker.problem("gone", LONG, maker.picture(5).model_copy(update={"path": "gone.png"}))
    problems, bench = Path("pictures/p.jsonl"), Path("bench.jsonl")
    write_records(problems, [*made[:200], made[3].model_copy(update={"id": "again"}), *pictured, gone])
    write_records(bench, made[200:])
    one = curate_file(problems, Path("one.jsonl"), against=[bench])
    for reason in ("drop exact_duplicate", "drop near_duplicate", "review near_duplicate", "drop unreadable_picture"):
        assert one["found"].get(reason), reason
    ray.init(num_cpus=2, object_store_memory=100 * 2**20, include_dashboard=False, log_to_driver=False)
    try:
        for blocks in (2, 7):
            context = ray.data.DataContext.get_current()
            context.read_op_min_num_blocks = context.default_hash_shuffle_parallelism = blocks
            out = Path(f"ray{blocks}.jsonl")
            summary = curate_on_ray(problems, out, None, against=[bench])
            assert summary | {"files": one["files"]} == one
            for suffix in (".jsonl", ".dropped.jsonl", ".review.jsonl"):
                assert out.with_suffix(suffix).read_bytes() == Path(f"one{suffix}").read_bytes()
    finally:
        ray.shutdown()
