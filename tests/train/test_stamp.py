"""The stamp says what a run is made from, and a folder of another run is refused in what differs."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from srt.errors import UserError
from train import stamp
from train.recipe import Recipe
from train.run_folder import claim_folder, find_start, give_up_folder, mark_whole
from train.stamp import changed_surroundings, fingerprint, fingerprint_hash, read_stamp, this_attempt


def copied_model(chosen: Recipe, folder: Path) -> Recipe:
    shutil.copytree(chosen.model.path, folder)
    return chosen.model_copy(update={"model": chosen.model.model_copy(update={"path": str(folder)})})


def differing(one: dict[str, object], other: dict[str, object]) -> set[str]:
    return {key for key in {**one, **other} if one.get(key) != other.get(key)}


def test_what_decides_the_weights_is_in_it(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    plain = recipe()
    keys = fingerprint(plain, 1)
    assert differing(keys, fingerprint(recipe(seed=1, lora={"r": 4}), 1)) >= {"seed", "lora.r"}
    assert differing(keys, fingerprint(plain, 2)) == {"processes", "sharding"}
    # What changes nothing of the weights is not in it.
    quiet = recipe(output="elsewhere", save_steps=3, logging={"steps": 1}, workers=2, hub="me/model", threads=2)
    assert fingerprint(quiet, 1) == keys
    # The same model in another folder is the same; another template, or a changed weight, is not.
    moved = copied_model(plain, tmp_path / "moved")
    assert fingerprint_hash(fingerprint(moved, 1)) == fingerprint_hash(keys)
    template = tmp_path / "moved" / "chat_template.jinja"
    template.write_text(template.read_text() + "{# another #}")
    assert differing(keys, fingerprint(moved, 1)) == {"model (contents)", "template (contents)"}
    # And so is another sequence.
    (tmp_path / "d.jsonl").write_bytes(Path(plain.data).read_bytes().split(b"\n", 1)[1])
    assert differing(keys, fingerprint(recipe(data=str(tmp_path / "d.jsonl")), 1)) == {"data (contents)"}


def test_a_template_inside_the_tokenizer_file_is_found(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    moved = copied_model(recipe(), tmp_path / "moved")
    (tmp_path / "moved" / "chat_template.jinja").unlink()
    assert fingerprint(moved, 1)["template (contents)"] is None
    file = tmp_path / "moved" / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"chat_template": "{{ messages }}"}))
    assert len(fingerprint(moved, 1)["template (contents)"]) == 64


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, "ddp"),
        ({"ACCELERATE_USE_FSDP": "true", "FSDP_VERSION": "2"}, "fsdp2"),
        ({"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_DEEPSPEED_ZERO_STAGE": "3"}, "zero3"),
    ],
)
def test_how_processes_share_the_model(
    environment: dict[str, str], told: str, recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    assert fingerprint(recipe(), 2)["sharding"] == told


def test_an_attempt_tells_what_it_ran_under(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["train/train_srt.py", "--config", "my recipe.yaml"])
    attempt = this_attempt(40)
    assert attempt.from_step == 40
    assert attempt.command.endswith("train/train_srt.py --config 'my recipe.yaml'")
    assert {"torch", "transformers", "trl", "peft", "accelerate"} <= attempt.versions.keys()
    assert attempt.time.endswith("+00:00")
    other = attempt.model_copy(update={"versions": attempt.versions | {"trl": "0.1"}, "devices": ["a GPU"]})
    assert changed_surroundings(attempt, attempt) == []
    told = "; ".join(changed_surroundings(attempt, other))
    assert f"trl ({attempt.versions['trl']} then, 0.1 now)" in told
    assert "devices" in told


def test_the_revision_is_that_of_the_code_and_not_of_a_checkout_around_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> str:
        options = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        command = ["git", *options, *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    for name in ("train", "srt"):
        (tmp_path / name).mkdir()
    code = tmp_path / "train" / "stamp.py"
    code.write_text("code")
    (tmp_path / "srt" / "a.py").write_text("code")
    (tmp_path / "notes.txt").write_text("")
    git("init", "--quiet")
    monkeypatch.setattr(stamp, "__file__", str(code))
    assert this_attempt().code == stamp.Code(revision=None, dirty=None), "git does not know the file"
    git("add", "train", "srt")
    git("commit", "--quiet", "--message", "one")
    revision = git("rev-parse", "HEAD").strip()
    assert this_attempt().code == stamp.Code(revision=revision, dirty=False), "notes beside the code are not code"
    (tmp_path / "srt" / "b.py").write_text("more")
    assert this_attempt().code == stamp.Code(revision=revision, dirty=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert this_attempt().code == stamp.Code(revision=None, dirty=None), "without git nothing is known"


def test_each_start_is_written_down_and_a_changed_version_is_told(tmp_path: Path) -> None:
    first = this_attempt()
    assert claim_folder(tmp_path, {"seed": 0}, first) == []
    (tmp_path / "checkpoint-4").mkdir()
    mark_whole(tmp_path / "checkpoint-4", 1.5)
    assert find_start(tmp_path, {"seed": 0}, resume=True).checkpoint == tmp_path / "checkpoint-4"
    later = this_attempt(4).model_copy(update={"python": "3.99"})
    assert claim_folder(tmp_path, {"seed": 0}, later) == [f"python ({first.python} then, 3.99 now)"]
    assert read_stamp(tmp_path).attempts == [first, later]
    for resume in (False, True):
        with pytest.raises(UserError, match=r"another run; what differs: seed \(0 there, 1 here\)"):
            find_start(tmp_path, {"seed": 1}, resume=resume)


def test_a_failure_before_the_first_checkpoint_leaves_room_for_a_mended_recipe(tmp_path: Path) -> None:
    claim_folder(tmp_path, {"seed": 0}, this_attempt())
    with pytest.raises(UserError, match=r"unfinished, without a checkpoint yet: go on with --resume"):
        find_start(tmp_path, {"seed": 0}, resume=False)
    (tmp_path / "checkpoint-4").mkdir()
    (tmp_path / "wandb").mkdir()
    give_up_folder(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"wandb"}
    assert find_start(tmp_path, {"seed": 1}, resume=False).checkpoint is None
    # With a checkpoint there is something to go on from.
    claim_folder(tmp_path, {"seed": 0}, this_attempt())
    (tmp_path / "checkpoint-4").mkdir()
    mark_whole(tmp_path / "checkpoint-4", 1.5)
    give_up_folder(tmp_path)
    assert read_stamp(tmp_path).decides == {"seed": 0}


def test_a_torn_stamp_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "stamp.json").write_text("{")
    with pytest.raises(UserError, match=r"stamp.json: cannot be read"):
        find_start(tmp_path, {}, resume=True)
