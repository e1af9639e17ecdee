"""Sequences in Parquet: the same as in JSON Lines, for ``srt train``, for ``datasets`` and for TRL without our code."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from srt.io.errors import RecordError, UserError
from srt.io.record_reader import count_lines, read_records
from srt.io.record_writer import open_records
from srt.io.records import Sequence
from train.recipe import Recipe
from train.train_srt import train


def in_parquet(jsonl: Path, *, pictures: bool) -> Path:
    path = jsonl.with_suffix(".parquet")
    with open_records({path: Sequence}, pictures=pictures) as (write,):
        write(jsonl.read_bytes())
    return path


@pytest.fixture(scope="module")
def parquet(data: Path) -> Path:
    return in_parquet(data, pictures=False)


@pytest.fixture(scope="module")
def vision_parquet(vision_data: Path) -> Path:
    return in_parquet(vision_data, pictures=True)


def test_what_is_written_is_read(
    data: Path, parquet: Path, vision_data: Path, vision_parquet: Path, tmp_path: Path
) -> None:
    for lines, rows in ((data, parquet), (vision_data, vision_parquet)):
        sequences = list(read_records(lines, Sequence))
        assert list(read_records(rows, Sequence)) == sequences
        assert count_lines(rows) == count_lines(lines) == len(sequences)


def test_datasets_reads_messages_and_pictures(data: Path, parquet: Path, vision_parquet: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    def loaded(path: Path) -> Any:
        return load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(tmp_path))

    first = next(read_records(data, Sequence))
    row = loaded(parquet)[0]
    assert "images" not in row
    assert row["completion"] == [{"role": "assistant", "content": first.completion[0].content}]
    shown = loaded(vision_parquet)
    assert [len(one["images"]) for one in shown] == [len(one.images) for one in read_records(vision_parquet, Sequence)]
    assert shown[0]["images"][0].size[0] >= 30


def test_a_picture_has_the_hash_of_its_bytes(vision_data: Path, vision_parquet: Path) -> None:
    for sequence in read_records(vision_parquet, Sequence):
        for image in sequence.images:
            assert hashlib.sha256((vision_data.parent / image.path).read_bytes()).hexdigest() == image.sha256


def test_faults_name_file_and_row(tmp_path: Path, data: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "wrong.parquet"
    rows = [one.model_dump(mode="json", exclude={"images"}) for one in read_records(data, Sequence)][:3]
    rows[2]["lang"] = "fr"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    with pytest.raises(RecordError, match=r"wrong\.parquet: row 3: .*lang: .*'en' or 'zh'"):
        list(read_records(path, Sequence))
    path.write_text("no Parquet")
    for read in (count_lines, lambda file: list(read_records(file, Sequence))):
        with pytest.raises(UserError, match=r"wrong\.parquet: not a Parquet file"):
            read(path)
        with pytest.raises(UserError, match="no such file"):
            read(tmp_path / "none.parquet")


def test_training_on_either_gives_the_same_loss(
    recipe: Callable[..., Recipe], data: Path, parquet: Path, tmp_path: Path
) -> None:
    losses = [
        train(recipe(data=str(path), output=str(tmp_path / path.suffix[1:]), steps=2, logging={"steps": 1})).losses
        for path in (data, parquet)
    ]
    assert losses[0] == losses[1]
    assert len(losses[0]) == 2


BY_TRL_ALONE = """
import json, sys
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

model, data, folder = sys.argv[1:]
dataset = load_dataset("parquet", data_files=data, split="train", cache_dir=folder)
settings = SFTConfig(
    output_dir=folder, max_steps=6, learning_rate=0.01, per_device_train_batch_size=4, logging_steps=1, max_length=None,
    report_to="none", save_strategy="no", use_cpu=True, bf16=False, disable_tqdm=True,
)
trainer = SFTTrainer(model, train_dataset=dataset, args=settings)
trainer.train()
assert not [name for name in sys.modules if name.split(".")[0] in ("srt", "train")]
print(json.dumps([row["loss"] for row in trainer.state.log_history if "loss" in row]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("vision", [False, True])
def test_trl_trains_on_it_without_our_code(
    vision: bool,
    models: dict[str, Path],
    vision_models: dict[str, Path],
    parquet: Path,
    vision_parquet: Path,
    tmp_path: Path,
) -> None:
    start = (vision_models["qwen2_5_vl"], vision_parquet) if vision else (models["minimal"], parquet)
    command = [sys.executable, "-P", "-c", BY_TRL_ALONE, *map(str, start), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stderr[-3000:]
    losses = json.loads(run.stdout.splitlines()[-1])
    assert len(losses) == 6
    assert losses[-1] < losses[0] - 0.2
