"""Curation over shards against that of one machine: the bytes and the summary, whatever happens on the way."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines import Killed, in_any_order, killed_after, whole
from input_faults import assert_faults_are_named
from problem_maker import LONG, OTHER, Maker

from srt.curate import CurationOptions, Thresholds, curate_file
from srt.curate.shingles import buckets, minhash_pairs, signature
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Image, Problem
from srt.pipeline.record_stage import LineCounts
from srt.scale.pair_search import first_pairs, pairs_in_buckets
from srt.scale.shard_folder import ShardFolder, whole_parts
from srt.scale.sharded_curation import curate_shards

BYTES = 3000
KINDS = {"part": "", "dropped": ".dropped", "review": ".review"}
WORDS = "cube edge face solid layer volume corner shelf view plan front side row stack block net".split()  # noqa: SIM905
STEPS = ["problems", "pictures", "candidates", "texts", "pairs", "curate"]


def chains(count: int, seed: int) -> list[str]:
    """Texts in chains, scattered: each is the one before it with a word changed, so that the ends are not alike."""
    rng = random.Random(seed)
    texts = []
    for _ in range(count):
        words = rng.choices(WORDS, k=40)
        for _ in range(8):
            texts.append(" ".join(words))
            words[rng.randrange(len(words))] = rng.choice(WORDS)
    rng.shuffle(texts)
    return texts


def made_up(folder: Path, count: int, seed: int) -> list[Problem]:
    """Problems of all kinds in any order: chains of texts, copies, groups, pictures, some of which are damaged."""
    rng, maker = random.Random(seed), Maker(folder)
    pictures = [maker.picture(n, dark=dark) for n in (1, 2, 3) for dark in (False, True)]
    pictures += [maker.picture(1, blank=True), Image(path="gone.png", sha256="0" * 64)]
    (folder / "copy.png").write_bytes((folder / pictures[2].path).read_bytes())
    pictures.append(pictures[2].model_copy(update={"path": "copy.png"}))
    texts = [f"{text}?" for text in chains(count // 8, seed)]
    texts += [rng.choice(texts).replace("cube", "Cube") for _ in range(count // 8)]
    texts += [rng.choice([LONG, OTHER, LONG[:60] + OTHER, f"{OTHER}{n % 7}"]) for n in range(count // 2)]
    made = []
    for text in texts:
        chinese = text.startswith((LONG, OTHER))
        fields: dict[str, Any] = {
            "lang": "zh" if chinese else "en",
            "split": rng.choice(["train", "train", "dev", "test"]),
            "solution": rng.choice(["故答案为7。", "故答案为7。", "故答案为9。", None]),
            "answer": rng.choice([*[Answer(kind="number", value=7)] * 5, Answer(kind="number", value=8), None]),
            "group_id": rng.choice([None] * 9 + [f"g{rng.randrange(count // 8)}"]),
            "category": rng.choice([None, "nets", "views. of"]),
        }
        images = rng.choices(pictures, k=rng.choice([0, 1, 1, 1, 2])) if chinese else []
        made.append(maker.problem(f"p{len(made)}", text, *images, **fields))
    made += [maker.problem(f"s{n}", text, maker.picture(4)) for n, text in enumerate((LONG, LONG[:60] + OTHER[:20]))]
    rng.shuffle(made)
    return made


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Problems, and a test set that shares texts and pictures with them."""
    root = tmp_path_factory.mktemp("curation")
    made = made_up(root / "data", 160, 1)
    write_records(root / "data" / "p.jsonl", made)
    write_records(
        root / "data" / "bench.jsonl",
        [
            one.model_copy(update={"split": split})
            for one, split in zip(made[::9], ["test", "train"] * 99, strict=False)
        ],
    )
    return root


def as_shards(problems: Path, folder: Path) -> Path:
    """The folder of an earlier stage, with the pictures of its problems."""
    shards = ShardFolder(folder)
    with shards.hold({"stage": "test", "inputs": []}):
        made = list(read_records(problems, Problem))
        numbers = range(0, len(made), 17)
        for number, start in enumerate(numbers):
            write_records(shards.part(number), made[start : start + 17])
            shards.finish(number, LineCounts(), [shards.part(number)])
        shards.conclude({"stage": "test"}, len(numbers), LineCounts())
    for picture in problems.parent.glob("*.png"):
        shutil.copy(picture, folder)
    return folder


def same(folder: Path, kept: Path) -> bool:
    return all(
        whole(folder, kind) == kept.with_suffix(f"{word}{kept.suffix}").read_bytes() for kind, word in KINDS.items()
    )


SKIPS: list[list[str]] = [[], ["exact"], ["near"], ["pictures"], ["pictures", "near"], ["groups", "solution"]]


@pytest.mark.long
@pytest.mark.parametrize("skip", SKIPS, ids="-".join)
def test_the_files_are_those_of_one_machine(
    skip: list[str], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = CurationOptions(skip=frozenset(skip), thresholds=Thresholds(text_review=0.7))
    monkeypatch.chdir(data if skip else data / "data")  # findings name a picture by its path as it was given
    problems, bench = (Path("data" if skip else "", name) for name in ("p.jsonl", "bench.jsonl"))
    if "pictures" in skip:  # a picture that is gone cannot be copied beside those that are kept
        made = [one for one in read_records(problems, Problem) if all(image.path != "gone.png" for image in one.images)]
        problems = problems.with_name("readable.jsonl")
        write_records(problems, made)
    (tmp_path / "one").mkdir()
    approved = tmp_path / "ids.txt"
    approved.write_text("".join(f"{one.id}\n" for one in list(read_records(problems, Problem))[:30]))
    given: dict[str, Any] = {"against": [bench], "options": options, "approved": approved}
    one = curate_file(problems, tmp_path / "one" / "problems.jsonl", **given)
    report = tmp_path / "report.json"
    many = curate_shards(problems, tmp_path / "many", in_any_order, **given, report=report, shard_bytes=BYTES, size=16)
    assert many | {"files": 0} == one | {"files": 0}
    assert same(tmp_path / "many", tmp_path / "one" / "problems.jsonl")
    pictures = [sorted(file.name for file in (tmp_path / name).rglob("*.png")) for name in ("one", "many")]
    assert pictures[0] == pictures[1] != []
    assert len(whole_parts(tmp_path / "many")) > 10
    if not skip:
        every = {"unreadable_picture", "no_solution", "exact_duplicate", "near_duplicate", "same_pictures"}
        every |= {"duplicate_with_another_answer", "variant_in_another_split", "answer_differs"}
        assert every | {"duplicate_in_another_file"} <= {name.split()[1] for name in one["found"]}


@pytest.mark.long
def test_pictures_that_many_problems_have(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their texts are compared, each with the first ones alone."""
    for module in ("curate.picture_groups", "curate.duplicates", "scale.pair_search"):
        monkeypatch.setattr(f"srt.{module}.MOST_CANDIDATES", 4)
    (tmp_path / "one").mkdir()
    problems, against = data / "data" / "p.jsonl", [data / "data" / "bench.jsonl"]
    one = curate_file(problems, tmp_path / "one" / "problems.jsonl", against=against)
    many = curate_shards(problems, tmp_path / "many", in_any_order, against=against, shard_bytes=BYTES, size=16)
    assert many | {"files": 0} == one | {"files": 0}
    assert same(tmp_path / "many", tmp_path / "one" / "problems.jsonl")


@pytest.mark.long
def test_folders_in_and_parquet_out(data: Path, tmp_path: Path) -> None:
    """Of an earlier stage, and as the test set, in both forms."""
    alone = curate_file(data / "data" / "p.jsonl", tmp_path / "k.jsonl", against=[data / "data" / "bench.jsonl"])
    bench = as_shards(data / "data" / "bench.jsonl", tmp_path / "bench")
    folders = [as_shards(data / "data" / "p.jsonl", tmp_path / f"all{suffix}") for suffix in ("", ".parquet")]
    for source in folders:
        for suffix in ("", ".parquet"):
            out = tmp_path / f"{source.name}-out{suffix}"
            many = curate_shards(source, out, in_any_order, against=[bench], size=50)
            assert {key: many[key] for key in ("kept", "found", "category", "pairs compared")} == {
                key: alone[key] for key in ("kept", "found", "category", "pairs compared")
            }
            kept = [one.id for part in whole_parts(out) for one in read_records(part, Problem)]
            assert kept == [one.id for one in read_records(tmp_path / "k.jsonl", Problem)]
            assert len(whole_parts(out)) == len(whole_parts(source))


@pytest.mark.long
@pytest.mark.parametrize("step", STEPS)
def test_a_killed_curation_goes_on(step: str, data: Path, tmp_path: Path) -> None:
    problems, bench = data / "data" / "p.jsonl", data / "data" / "bench.jsonl"
    (tmp_path / "one").mkdir()
    one = curate_file(problems, tmp_path / "one" / "problems.jsonl", against=[bench])
    given: dict[str, Any] = {"against": [bench], "shard_bytes": BYTES, "size": 16}
    out = tmp_path / "out"
    with pytest.raises(Killed):
        curate_shards(problems, out, killed_after(1, step), **given)
    with pytest.raises(UserError, match=r"has no manifest\.json"):
        whole_parts(out)
    before = {file: file.stat().st_mtime_ns for file in (out / ".work").glob("*-00*.npy")}
    before |= {file: file.stat().st_mtime_ns for file in out.glob("part-*")}
    assert before
    asked: dict[str, list[int]] = {}

    def note(what: str, work: Callable[[int], None], numbers: Sequence[int]) -> None:
        if what == "curate":
            assert {file: file.stat().st_mtime_ns for file in before} == before
        asked.setdefault(what, []).extend(numbers)
        in_any_order(what, work, numbers)

    assert curate_shards(problems, out, note, **given) | {"files": 0} == one | {"files": 0}
    for number, name in enumerate(STEPS):
        assert (0 in asked[name]) == (number > STEPS.index(step)), name
    assert same(out, tmp_path / "one" / "problems.jsonl")
    again = curate_shards(problems, out, killed_after(0), **given)
    assert again | {"files": 0} == one | {"files": 0}, "it has ended"


@pytest.mark.parametrize("most", [3, 200])
def test_the_join_finds_the_pairs_of_one_machine(most: int) -> None:
    texts = [*chains(12, 7), *["the very same text of many problems"] * 10]
    expected = list(minhash_pairs(map(signature, texts), 0.85, most))
    rows = [(bucket, at) for at, text in enumerate(texts) for bucket in buckets(signature(text), 0.85)]
    random.Random(0).shuffle(rows)
    every = np.array(rows, [("bucket", "<u8"), ("at", "<u8")])
    halves = [pairs_in_buckets(every[every["bucket"] % 2 == half], most) for half in (0, 1)]
    found = first_pairs(np.concatenate([first_pairs(half, most) for half in halves]), most)
    assert list(zip(found["earlier"].tolist(), found["later"].tolist(), strict=True)) == expected
    assert len(expected) > 100 or most == 3


@pytest.mark.long
def test_faults(data: Path, tmp_path: Path) -> None:
    whole_file = data / "data" / "p.jsonl"
    given: dict[str, Any] = {"shard_bytes": BYTES}
    assert_faults_are_named(lambda file, out: curate_shards(file, out, in_any_order, **given), whole_file, tmp_path)
    problems = tmp_path / "p.jsonl"
    lines = whole_file.read_bytes().splitlines(keepends=True)
    problems.write_bytes(b"".join([*lines[:99], lines[99].replace(b'"lang":"', b'"lang":"x')]))
    with pytest.raises(UserError, match=r"p\.jsonl:100: not a problem: lang: "):
        curate_shards(problems, tmp_path / "o1", in_any_order, **given)
    (tmp_path / "bench.jsonl").write_bytes(b"{}")
    with pytest.raises(UserError, match=r"bench\.jsonl:1: "):
        curate_shards(whole_file, tmp_path / "o2", in_any_order, against=[tmp_path / "bench.jsonl"])
    (tmp_path / "ids.txt").write_text("p1\nnobody\n")
    with pytest.raises(UserError, match="'nobody' is the id of no problem"):
        curate_shards(whole_file, tmp_path / "o3", in_any_order, approved=tmp_path / "ids.txt")
    with pytest.raises(UserError, match="every problem would be a duplicate"):
        curate_shards(whole_file, tmp_path / "o4", in_any_order, against=[whole_file])
    curate_shards(whole_file, tmp_path / "o5", in_any_order, **given)
    with pytest.raises(UserError, match=r"o5: .*not the same: size"):
        curate_shards(whole_file, tmp_path / "o5", in_any_order, size=7, **given)
    with pytest.raises(UserError, match=r"o5: .*not the same: settings"):
        curate_shards(
            whole_file, tmp_path / "o5", in_any_order, options=CurationOptions(skip=frozenset(["near"])), **given
        )


def test_an_id_that_two_shards_have(data: Path, tmp_path: Path) -> None:
    made = list(read_records(data / "data" / "p.jsonl", Problem))
    write_records(tmp_path / "p.jsonl", [*made, made[5].model_copy(update={"question": "Another one?"})])
    source = as_shards(tmp_path / "p.jsonl", tmp_path / "all")
    with pytest.raises(UserError, match=rf"part-000..\.jsonl:\d+: id: '{made[5].id}' is at .*part-00000\.jsonl:6 "):
        curate_shards(source, tmp_path / "out", in_any_order)


def test_a_damaged_shard(data: Path, tmp_path: Path) -> None:
    source = as_shards(data / "data" / "p.jsonl", tmp_path / "all")
    part = [*whole_parts(source)][3]
    lines = part.read_bytes().splitlines(keepends=True)
    part.write_bytes(b"".join([lines[0], lines[1].replace(b'"', b"'", 2), *lines[2:]]))
    with pytest.raises(UserError, match=r"part-00003\.jsonl:2: ") as said:
        curate_shards(source, tmp_path / "out", in_any_order)
    assert "\n" not in str(said.value)
