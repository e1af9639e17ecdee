"""Each command on a disk that runs full or breaks, and killed, at many moments: one line, and nothing is lost or left.

After the fault the same command is run again on a sound disk. What it writes then equals what an unbroken run writes,
and no temporary file is left.
"""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import PIL.Image
import pytest

from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from tests.fault_injector import KILL, SYNC, WRITE, Injector, Moment, can_inject, injector
from tests.srt.teaching import cubes

pytestmark = pytest.mark.skipif(bool(can_inject()), reason=can_inject())

CHEAP = {
    "generate": "generate seating -n 8 -o new/p.jsonl --workers 1",
    "solve": "solve problems.jsonl -o new/t.jsonl --workers 1",
    "build": "build traces.jsonl --problems problems.jsonl -o new/d --arm srt",
}
PLAIN = CHEAP | {
    "generate on two processes": "generate seating -n 40 -o new/p.jsonl --workers 2",
    "generate with pictures": "generate views -n 4 -o new/p.jsonl --workers 1",
    "generate Parquet": "generate seating -n 20 -o new/p.parquet --workers 1",
    "solve on two processes": "solve problems.jsonl -o new/t.jsonl --workers 2",
    "check": "check traces.jsonl --problems problems.jsonl -o new/c.jsonl",
    "mutate": "mutate traces.jsonl --problems problems.jsonl -o new/m.jsonl -n 20 --workers 1",
    "split": "split problems.jsonl --parts train=0.5,test=0.5 -o new/parts",
    "curate": "curate problems.jsonl -o new/kept.jsonl",
    "import": "import plain own.csv -o new/p.jsonl",
    "gallery": "gallery seating -n 3 -o new/page.html",
    "build Parquet": "build traces.jsonl --problems problems.jsonl -o new/d.parquet --arm srt",
}
MADE = {
    "init-model": "init-model llama --data data -o model --hidden 32 --layers 1 --heads 2 --vocab 400",
    "train": "train train.yaml --resume",
    "train an adapter": "train lora.yaml --resume",
    "merge": "merge adapter -o merged",
    "eval": "eval --model model --problems problems.jsonl -o run --max-new-tokens 8 --batch-size 2",
    "eval another": "eval --model trained --problems problems.jsonl -o run2 --max-new-tokens 8 --batch-size 2",
    "score": "score run",
    "errors": "errors run",
    "compare": "compare run run2 -o report",
    "export to Inspect": "export run --to inspect -o exported",
    "export to lm-eval": "export run --to lm-eval -o exported",
    "export to VLMEvalKit": "export run --to vlmevalkit -o exported",
}
"""Each works on what those before it have written."""
TAUGHT = {
    "teach": "teach problems.jsonl -o taught --config c.yaml",
    "build what was taught": "build taught/traces.jsonl --problems taught/problems.jsonl --arm srt -o data",
}
EXPERIMENT = """
name: small
output: runs/small
arms: [answer, srt]
seeds: [0]
train_problems:
  - {world: seating, n: 6, spec: {scenes: [booth], names: 6}}
test_problems:
  - {world: seating, n: 2, spec: {scenes: [booth], names: 6}}
prompt: bare
model: {arch: llama, options: {hidden: 32, layers: 1, heads: 2, vocab: 400}}
train: {steps: 2, save_steps: 1, batch_size: 2, learning_rate: 0.01, max_length: 800, threads: 1, logging: {steps: 1}}
evaluate: {max_new_tokens: 8, batch_size: 2, threads: 1}
"""
RECIPE = """
model: {path: model, attn: eager}
data: data/sequences.jsonl
steps: 2
save_steps: 1
batch_size: 2
learning_rate: 0.01
max_length: 800
threads: 1
logging: {steps: 1}
"""
TIMES = re.compile(rb'"(seconds|tokens_per_second)": ?[0-9.e-]+')
OF_THIS_RUN = re.compile(
    # Times and starts of a training, times of change of files, what takes room for a while, and what a reply that was
    # lost with the disk may have cost, which the report of the teaching adds up.
    r"taught/report\.(json|html)|(manifest|train|finished|whole)\.json|README\.md|curves\.png|.*\.lock|.*\.reserve|.*sqlite.*|cache/.*"
)
"""Files that no two unbroken runs write alike: that they are there is all that is compared."""


def spread(count: int, most: int) -> list[int]:
    """Up to ``most`` numbers from 1 to ``count``, the first and the last among them."""
    return sorted({1 + round(i * (count - 1) / max(most - 1, 1)) for i in range(most)}) if count else []


def moments(writes: int, syncs: int, most: int) -> Iterator[Moment]:
    for kind, count, failure in [(WRITE, writes, errno.ENOSPC), (SYNC, syncs, errno.EIO), (SYNC, syncs, KILL)]:
        for number in spread(count, most):
            yield Moment(kind, number, failure)
    for number in spread(writes, most - 1):
        yield Moment(WRITE, number, KILL)


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every file with what can be compared of it, every folder."""
    found: dict[str, bytes | None] = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        compared = path.is_file() and not OF_THIS_RUN.fullmatch(path.name) and not OF_THIS_RUN.fullmatch(name)
        if not name.startswith("cache/"):
            found[name] = TIMES.sub(b"", path.read_bytes()) if compared else None
    return found


def differences(got: dict[str, bytes | None], wanted: dict[str, bytes | None]) -> list[str]:
    return [name for name in {*got, *wanted} if got.get(name, b"absent") != wanted.get(name, b"absent")]


def try_moments(srt: Injector, command: str, inputs: Path, scratch: Path, most: int) -> tuple[Path, int]:
    """Try a command at ``most`` moments of each kind; gives the folder of an unbroken run, and how many were tried."""

    def fresh(name: str) -> Path:
        folder = scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(inputs, folder, symlinks=True)
        (folder / "new").mkdir(exist_ok=True)
        return folder

    folder, tried = fresh("tried"), 0
    unbroken = srt.run(command.split(), folder)
    assert unbroken.status == 0, unbroken.err
    wanted = contents(folder)
    whole = scratch / "whole"
    shutil.rmtree(whole, ignore_errors=True)
    folder.rename(whole)
    for moment in moments(unbroken.writes, unbroken.syncs, most):
        folder, tried, of = fresh("tried"), tried + 1, f"{command}, {moment}"
        ended = srt.run(command.split(), folder, moment)
        if moment.failure == KILL:
            assert ended.status in (-9, 128 + 9), (of, ended)  # the second: of a training, in a process of its own
        elif ended.status == 0:  # of a fault that costs nothing: SQLite keeps its log if the last checkpoint fails
            assert not differences(contents(folder), wanted), of
        else:
            lines = [line for line in ended.err.splitlines() if line.startswith(("srt: ", "error: "))]
            assert ended.status == 2, (of, ended.err)
            assert len(lines) == 1, (of, ended.err)
            assert "Traceback" not in ended.err, (of, ended.err)
        again = srt.run(command.split(), folder)
        assert again.status == 0, (of, again.err)
        assert not differences(contents(folder), wanted), of
    return whole, tried


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    generate_file("seating", 4, "train", folder / "problems.jsonl", {"scenes": ["booth"], "names": 6})
    solve_file(folder / "problems.jsonl", folder / "traces.jsonl")
    PIL.Image.new("RGB", (40, 30), "red").save(folder / "red.png")
    own = "id,question,answer,picture\n1,What is 1 + 1?,2,red.png\n2,What is 1 + 2?,3,\n3,What is 1 + 3?,,\n"
    (folder / "own.csv").write_text(own)
    return folder


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Injector]:
    with injector(tmp_path_factory.mktemp("faults") / "core", ["srt"]) as one:
        yield one


def test_three_commands(core: Injector, inputs: Path, tmp_path: Path) -> None:
    for command in CHEAP.values():
        try_moments(core, command, inputs, tmp_path, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAIN)
def test_commands_of_the_core(name: str, core: Injector, inputs: Path, tmp_path: Path) -> None:
    _, tried = try_moments(core, PLAIN[name], inputs, tmp_path, 8)
    print(f"{name}: {tried} moments")


@pytest.mark.slow
def test_commands_of_training_and_evaluation(
    inputs: Path, core: Injector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", "cache")
    made = tmp_path / "made"
    shutil.copytree(inputs, made)
    build = "build traces.jsonl --problems problems.jsonl -o data --arm srt --prompt bare"
    assert core.run(build.split(), made).status == 0
    (made / "train.yaml").write_text(RECIPE + "output: trained\n")
    (made / "lora.yaml").write_text(RECIPE + "output: adapter\nlora: {r: 2}\n")
    with injector(tmp_path / "faults", ["srt", "eval", "train"]) as one:
        for name, command in MADE.items():
            (tmp_path / name).mkdir()
            # Its output, whole, is an input of the next.
            made, tried = try_moments(one, command, made, tmp_path / name, 4)
            print(f"{name}: {tried} moments")


@pytest.mark.slow
def test_teaching(core: Injector, tmp_path: Path, fake_endpoint: ModuleType) -> None:
    made = tmp_path / "made"
    made.mkdir()
    cubes.problems(made / "problems.jsonl", 8)
    with fake_endpoint.fake_process(responder=f"{Path(cubes.__file__ or '')}:respond") as url:
        cubes.config(made / "c.yaml", url, in_flight=1)
        for name, command in TAUGHT.items():
            (tmp_path / name).mkdir()
            made, tried = try_moments(core, command, made, tmp_path / name, 8)
            print(f"{name}: {tried} moments")


@pytest.mark.slow
def test_an_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", "cache")
    made = tmp_path / "made"
    made.mkdir()
    (made / "small.yaml").write_text(EXPERIMENT)
    with injector(tmp_path / "faults", ["srt", "eval", "train"]) as one:
        _, tried = try_moments(one, "experiment small.yaml", made, tmp_path, 2)
    print(f"experiment: {tried} moments")
