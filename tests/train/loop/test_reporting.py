"""What W&B, TensorBoard and trackio are sent."""

from __future__ import annotations

import importlib.util
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

from srt.io.errors import UserError
from tests.wandb_offline import read_offline_run
from train.loop.generations import JudgedText
from train.loop.reporting import project_of, reporting
from train.preflight.before_launch import reporting_faults
from train.recipe import Logging, Recipe
from train.train_srt import train


def test_wandb_offline_and_tensorboard_get_figures_and_tables_and_nobody_calls_out(
    recipe: Callable[..., Recipe], held_out: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "CI"):
        monkeypatch.delenv(name, raising=False)
    calls: list[Any] = []
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            calls.append(address)
            raise OSError("no network here")
        connect(self, address)

    def guarded_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host not in (None, "127.0.0.1", "::1", "localhost"):
            calls.append(host)
            raise OSError("no network here")
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    logging = {
        "steps": 1,
        "report_to": ["wandb", "tensorboard"],
        "wandb_mode": "offline",
        "group": "arms",
        "name": "booths/srt/0",
    }
    chosen = recipe(steps=2, logging=logging, save_steps=1, eval_steps=2, **held_out)
    train(chosen)
    assert calls == []
    offline = read_offline_run(Path(chosen.output), lambda rows: len(rows) >= 4)
    rows = offline.rows
    named = (offline.run.project, offline.run.run_group, offline.run.display_name, offline.run.job_type)
    assert named == ("srt", "arms", "booths/srt/0", "train")
    (evaluation,) = [row for row in rows if "eval/loss" in row]
    assert {"eval/loss/infer", "eval/accuracy/answer", "eval/generated/right"} <= evaluation.keys()
    shown = offline.tables["generations"]
    assert shown["columns"] == list(JudgedText.model_fields)
    assert [row[0] for row in shown["data"]] == [2] * 5
    rows = [row for row in rows if "train/loss" in row]
    assert [row["train/global_step"] for row in rows] == [1, 2]
    figures = {"train/loss/infer", "train/accuracy/infer", "train/entropy/answer", "train/tokens_per_second"}
    assert figures | {"train/padding", "train/memory_gib", "train/minutes_left"} <= rows[1].keys()

    events = tensorboard_events(Path(chosen.output) / "tensorboard")
    assert [step for step, values in events if "train/loss" in values] == [1, 2]
    assert dict(events)[2]
    tags = {tag for _, values in events for tag in values}
    assert {"train/loss/infer", "eval/loss", "eval/loss/infer", "eval/generated/proved"} <= tags
    (text,) = [values["generations/text_summary"] for _, values in events if "generations/text_summary" in values]
    assert text.count("\n") == 6
    assert text.startswith("| step | problem_id | text | answer | gold | right | verdict |\n|---|")


def tensorboard_events(folder: Path) -> list[tuple[int, dict[str, Any]]]:
    """The events in a folder of TensorBoard: records with a length and two checksums around them."""
    from tensorboardX.proto.event_pb2 import Event

    events = []
    for file in sorted(folder.iterdir()):
        log, at = file.read_bytes(), 0
        while at < len(log):
            size = int.from_bytes(log[at : at + 8], "little")
            event = Event.FromString(log[at + 12 : at + 12 + size])
            at += 12 + size + 4
            values = {
                value.tag: value.tensor.string_val[0].decode() if value.tensor.string_val else value.simple_value
                for value in event.summary.value
            }
            events.append((event.step, values))
    return events


ROW = JudgedText(
    step=4, problem_id="p", text="INFER #1:\n a | b", answer="A", gold="B", right=False, verdict="not proved"
)


def test_a_tool_that_is_not_installed_is_named(recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "trackio" else find(name))
    chosen = recipe(logging={"report_to": ["tensorboard", "trackio"]})
    assert [fault.partition(",")[0] for fault in reporting_faults(chosen)] == [
        "logging.report_to: trackio needs the package trackio"
    ]
    with pytest.raises(UserError, match=r"trackio.*pip install trackio"):
        train(chosen)
    assert not Path(chosen.output).exists()


def test_trackio_gets_figures_and_the_table(recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch) -> None:
    class Trackio(ModuleType):
        Table = staticmethod(lambda dataframe: dataframe.to_dict("records"))
        logged: ClassVar[list[dict[str, Any]]] = []
        log = staticmethod(logged.append)

    monkeypatch.setitem(sys.modules, "trackio", Trackio("trackio"))
    monkeypatch.setattr("transformers.integrations.integration_utils.is_trackio_available", lambda: True)
    with reporting(recipe(logging={"report_to": "trackio"}), "now", 0) as (target,):
        assert type(target.callback).__name__ == "TrackioCallback"
        target.show(4, [ROW])
    assert Trackio.logged == [{"generations": [ROW.model_dump()], "train/global_step": 4}]


def test_wandb_without_a_login_is_one_line(recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch) -> None:
    import wandb

    def refuse(**_: Any) -> None:
        raise wandb.errors.UsageError("No API key configured.\nUse `wandb login` to log in.")

    monkeypatch.setattr(wandb, "init", refuse)
    message = r"logging.report_to: wandb: No API key .*wandb_mode: offline"
    with pytest.raises(UserError, match=message), reporting(recipe(logging={"report_to": "wandb"}), "now", 0):
        pass


def test_attempts_of_a_run_report_to_one_run(recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch) -> None:
    import wandb

    begun: list[dict[str, Any]] = []
    monkeypatch.setattr(wandb, "init", lambda **options: begun.append(options))
    chosen = recipe(logging={"report_to": "wandb", "project": "booths", "group": "srt"})
    named = recipe(logging={"report_to": "wandb", "name": "booths/srt/0"})
    with reporting(named, "sunday", 0):
        pass
    assert begun.pop()["name"] == "booths/srt/0"
    for first_start in ("monday", "monday", "tuesday"):
        with reporting(chosen, first_start, 0):
            pass
    ids = [options["id"] for options in begun]
    assert ids[0] == ids[1] != ids[2]
    assert {(o["project"], o["group"], o["name"], o["resume"]) for o in begun} == {("booths", "srt", "run", "allow")}


@pytest.mark.parametrize(
    ("own", "variable", "project"), [(None, "theirs", None), ("mine", "theirs", "mine"), (None, "", "srt")]
)
def test_whose_project_it_is(
    own: str | None, variable: str, project: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``None``: W&B takes that of the environment."""
    monkeypatch.setenv("WANDB_PROJECT", variable)
    assert project_of(Logging() if own is None else Logging(project=own)) == project
