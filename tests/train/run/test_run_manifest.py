"""The manifest says what a run is made from; a folder of another run is refused, and the differences are named."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from srt.io.errors import UserError
from train.recipe import Recipe
from train.run import run_manifest
from train.run.resume import TrainSummary, claim_folder, find_start, mark_complete, release_folder
from train.run.run_manifest import environment_changes, fingerprint, fingerprint_hash, read_manifest, this_attempt


def copied_model(chosen: Recipe, folder: Path) -> Recipe:
    shutil.copytree(chosen.model.path, folder)
    return chosen.model_copy(update={"model": chosen.model.model_copy(update={"path": str(folder)})})


def differing(one: dict[str, object], other: dict[str, object]) -> set[str]:
    return {key for key in {**one, **other} if one.get(key) != other.get(key)}


def test_the_fingerprint_has_what_determines_the_weights(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    plain = recipe()
    keys = fingerprint(plain, 1)
    assert differing(keys, fingerprint(recipe(seed=1, lora={"r": 4}), 1)) >= {"seed", "lora.r"}
    assert differing(keys, fingerprint(plain, 2)) == {"processes", "sharding"}
    # What changes nothing of the weights is not in it.
    quiet = recipe(output="elsewhere", save_steps=3, logging={"steps": 1}, workers=2, hub="me/model", threads=2)
    assert fingerprint(quiet, 1) == keys
    assert fingerprint(recipe(model=plain.model.model_dump() | {"hub_id": "me/model"}), 1) == keys
    # The same model in another folder is the same; another template, or a changed weight, is not.
    moved = copied_model(plain, tmp_path / "moved")
    assert fingerprint_hash(fingerprint(moved, 1)) == fingerprint_hash(keys)
    template = tmp_path / "moved" / "chat_template.jinja"
    template.write_text(template.read_text() + "{# another #}")
    assert differing(keys, fingerprint(moved, 1)) == {"model (contents)", "template (contents)"}
    # And so is another sequence.
    (tmp_path / "d.jsonl").write_bytes(Path(plain.data).read_bytes().split(b"\n", 1)[1])
    assert differing(keys, fingerprint(recipe(data=str(tmp_path / "d.jsonl")), 1)) == {"data (contents)"}


def test_records_of_a_run_before_keys_were_renamed(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    keys = fingerprint(recipe(trainable={"vision": "full"}, loss={"other": 0.5}), 1)
    claim_folder(tmp_path / "run", keys, this_attempt())
    manifest = tmp_path / "run" / run_manifest.MANIFEST
    old = manifest.read_text().replace('"trainable.', '"tune.').replace('"loss.other"', '"loss.between"')
    assert old != manifest.read_text()
    manifest.write_text(old)
    assert read_manifest(tmp_path / "run").fingerprint == keys
    summary = dict.fromkeys(TrainSummary.model_fields, 1) | {"recipe_hash": "h", "losses": [], "eval_history": []}
    row = {"step": 1.0, "loss": 2.0, "loss/between": 3.0, "accuracy/infer": 4.0}
    read = TrainSummary.model_validate(summary | {"history": [row]})
    assert read.history == [{"step": 1.0, "loss": 2.0, "loss/other": 3.0, "accuracy/infer": 4.0}]


def test_a_template_inside_the_tokenizer_file_is_found(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    moved = copied_model(recipe(), tmp_path / "moved")
    (tmp_path / "moved" / "chat_template.jinja").unlink()
    assert fingerprint(moved, 1)["template (contents)"] is None
    file = tmp_path / "moved" / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"chat_template": "{{ messages }}"}))
    assert len(fingerprint(moved, 1)["template (contents)"]) == 64


@pytest.mark.parametrize(
    ("environment", "sharding"),
    [
        ({}, "ddp"),
        ({"ACCELERATE_USE_FSDP": "true", "FSDP_VERSION": "2"}, "fsdp2"),
        ({"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_DEEPSPEED_ZERO_STAGE": "3"}, "zero3"),
    ],
)
def test_how_processes_share_the_model(
    environment: dict[str, str], sharding: str, recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    assert fingerprint(recipe(), 2)["sharding"] == sharding


def test_an_attempt_records_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["train/train_srt.py", "--config", "my recipe.yaml"])
    attempt = this_attempt(40)
    assert attempt.from_step == 40
    assert attempt.command.endswith("train/train_srt.py --config 'my recipe.yaml'")
    assert {"torch", "transformers", "trl", "peft", "accelerate"} <= attempt.versions.keys()
    assert attempt.time.endswith("+00:00")
    other = attempt.model_copy(update={"versions": attempt.versions | {"trl": "0.1"}, "devices": ["a GPU"]})
    assert environment_changes(attempt, attempt) == []
    changes = "; ".join(environment_changes(attempt, other))
    assert f"trl ({attempt.versions['trl']} then, 0.1 now)" in changes
    assert "devices" in changes


def test_the_revision_is_that_of_the_code_and_not_of_a_checkout_around_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> str:
        options = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        command = ["git", *options, *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    for name in ("train", "srt"):
        (tmp_path / name).mkdir()
    code = tmp_path / "train" / "run" / "run_manifest.py"
    code.parent.mkdir()
    code.write_text("code")
    (tmp_path / "srt" / "a.py").write_text("code")
    (tmp_path / "notes.txt").write_text("")
    git("init", "--quiet")
    monkeypatch.setattr(run_manifest, "__file__", str(code))
    assert this_attempt().code == run_manifest.CodeRevision(revision=None, dirty=None), "git does not know the file"
    git("add", "train", "srt")
    git("commit", "--quiet", "--message", "one")
    revision = git("rev-parse", "HEAD").strip()
    assert this_attempt().code == run_manifest.CodeRevision(revision=revision, dirty=False), (
        "notes beside the code are not code"
    )
    (tmp_path / "srt" / "b.py").write_text("more")
    assert this_attempt().code == run_manifest.CodeRevision(revision=revision, dirty=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert this_attempt().code == run_manifest.CodeRevision(revision=None, dirty=None), "without git nothing is known"


def test_each_start_is_recorded_and_a_changed_version_is_reported(tmp_path: Path) -> None:
    first = this_attempt()
    assert claim_folder(tmp_path, {"seed": 0}, first) == []
    (tmp_path / "checkpoint-4").mkdir()
    mark_complete(tmp_path / "checkpoint-4", 1.5)
    assert find_start(tmp_path, {"seed": 0}, resume=True).checkpoint == tmp_path / "checkpoint-4"
    later = this_attempt(4).model_copy(update={"python": "3.99"})
    assert claim_folder(tmp_path, {"seed": 0}, later) == [f"python ({first.python} then, 3.99 now)"]
    assert read_manifest(tmp_path).attempts == [first, later]
    for resume in (False, True):
        with pytest.raises(UserError, match=r"seed \(0 there, 1 here\)"):
            find_start(tmp_path, {"seed": 1}, resume=resume)


def test_a_failure_before_the_first_checkpoint_releases_the_folder(tmp_path: Path) -> None:
    claim_folder(tmp_path, {"seed": 0}, this_attempt())
    with pytest.raises(UserError, match=r"output .*--resume"):
        find_start(tmp_path, {"seed": 0}, resume=False)
    (tmp_path / "checkpoint-4").mkdir()
    (tmp_path / "wandb").mkdir()
    release_folder(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"wandb"}
    assert find_start(tmp_path, {"seed": 1}, resume=False).checkpoint is None
    # With a checkpoint there is something to go on from.
    claim_folder(tmp_path, {"seed": 0}, this_attempt())
    (tmp_path / "checkpoint-4").mkdir()
    mark_complete(tmp_path / "checkpoint-4", 1.5)
    release_folder(tmp_path)
    assert read_manifest(tmp_path).fingerprint == {"seed": 0}


@pytest.mark.parametrize("kept", [None, b"", b"weigh", b"weights and more"])
def test_a_checkpoint_whose_files_have_another_length_is_not_resumed(kept: bytes | None, tmp_path: Path) -> None:
    claim_folder(tmp_path, {"seed": 0}, this_attempt())
    shard = tmp_path / "checkpoint-4" / "optimizer_0" / "shard"
    shard.parent.mkdir(parents=True)
    shard.write_bytes(b"weights")
    mark_complete(tmp_path / "checkpoint-4", 1.5)
    assert find_start(tmp_path, {"seed": 0}, resume=True) == (tmp_path / "checkpoint-4", 1.5)
    shard.unlink()
    if kept is not None:
        shard.write_bytes(kept)
    with pytest.raises(UserError, match=r"checkpoint-4/optimizer_0/shard: .* 7 bytes were written"):
        find_start(tmp_path, {"seed": 0}, resume=True)


def test_a_checkpoint_of_an_earlier_version_has_no_lengths(tmp_path: Path) -> None:
    claim_folder(tmp_path, {"seed": 0}, this_attempt())
    (tmp_path / "checkpoint-4").mkdir()
    (tmp_path / "checkpoint-4" / "whole.json").write_text('{"seconds": 2.5}')
    assert find_start(tmp_path, {"seed": 0}, resume=True).seconds == 2.5


@pytest.mark.parametrize("name", ["manifest.json", "stamp.json"])
def test_a_torn_manifest_is_reported(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("{")
    with pytest.raises(UserError, match=name):
        find_start(tmp_path, {}, resume=True)


def test_a_run_with_a_manifest_under_its_old_name_is_resumed(tmp_path: Path) -> None:
    first = this_attempt()
    old = {"decides": {"seed": 0, "tune.vision": "full"}, "attempts": [first.model_dump(mode="json")]}
    (tmp_path / "stamp.json").write_text(json.dumps(old))
    (tmp_path / "checkpoint-4").mkdir()
    mark_complete(tmp_path / "checkpoint-4", 1.5)
    keys = {"seed": 0, "trainable.vision": "full"}
    assert find_start(tmp_path, keys, resume=True).checkpoint == tmp_path / "checkpoint-4"
    with pytest.raises(UserError, match="seed"):
        find_start(tmp_path, {**keys, "seed": 1}, resume=True)
    claim_folder(tmp_path, keys, this_attempt(4))
    assert {path.name for path in tmp_path.iterdir()} == {"manifest.json", "checkpoint-4"}
    manifest = read_manifest(tmp_path)
    assert manifest.fingerprint == keys
    assert [attempt.from_step for attempt in manifest.attempts] == [0, 4]
