"""Worked examples before each question: drawn by a seed, from training problems alone, the same in every back end."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from eval.backends.model_folder import FolderBackend
from eval.backends.server_backend import ServerBackend
from eval.backends.transformers_backend import TransformersBackend
from eval.backends.vllm_engines.vllm_backend import VllmBackend
from eval.records.run_records import read_manifest, settings_apart
from eval.run.eval_recipe import make_eval_recipe
from eval.run.predict import predict
from eval.run.scored_run import asked_questions
from eval.run.shots import draw_shots
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.io.records import Image, Message, Problem, Sequence
from srt.language.prompts import prompt_messages
from srt.llm.config import EndpointConfig
from tests.fake_backend import FakeBackend


def example(number: int, **changes: object) -> Sequence:
    fields: dict[str, object] = {
        "problem_id": f"train-{number}",
        "trace_id": f"t-train-{number}",
        "arm": "srt",
        "lang": "en",
        "prompt": [Message(role="user", content=f"Example {number}?")],
        "completion": [Message(role="assistant", content=f"CORRELATE ({number})\nANSWER: A")],
    }
    return Sequence.model_validate(fields | changes)


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    path = tmp_path / "sequences.jsonl"
    write_records(path, [example(number) for number in range(20)])
    return path


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_the_file(examples: Path, tmp_path: Path) -> None:
    drawn = draw_shots(examples, 3, 0, ())
    assert len({shot.problem_id for shot in drawn}) == 3
    assert drawn == draw_shots(examples, 5, 0, ())[:3]
    assert drawn != draw_shots(examples, 3, 1, ())
    shuffled = [example(number) for number in range(20)]
    random.Random(0).shuffle(shuffled)
    write_records(tmp_path / "shuffled.jsonl", shuffled)
    assert draw_shots(tmp_path / "shuffled.jsonl", 3, 0, ()) == drawn


def test_what_is_refused(examples: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^shots: 21 .*sequences\.jsonl has .* 20 problems$"):
        draw_shots(examples, 21, 0, ())
    chosen = draw_shots(examples, 3, 0, ())[1].problem_id
    with pytest.raises(UserError, match=rf"^shots: .*sequences\.jsonl: problem '{chosen}'"):
        draw_shots(examples, 3, 0, {chosen})
    shown = Image(path="a.png", sha256="0" * 64)
    write_records(tmp_path / "pictures.jsonl", [example(0, images=[shown])])
    with pytest.raises(UserError, match=r"^shots: .*pictures\.jsonl: problem 'train-0' shows pictures"):
        draw_shots(tmp_path / "pictures.jsonl", 1, 0, ())
    for given in ({"shots": 3}, {"shots_from": examples}):
        with pytest.raises(UserError, match="shots, shots_from"):
            make_eval_recipe({"model": "m", "problems": Path("p"), "output": Path("o"), **given})


def test_every_question_follows_the_examples(problems_file: Path, examples: Path, tmp_path: Path) -> None:
    prompts: list[str] = []
    backend = FakeBackend(lambda prompt: prompts.append(prompt) or "ANSWER: B")
    shots = draw_shots(examples, 2, 0, ())
    predict(problems_file, tmp_path / "run", backend, arm="base", style="bare", shots=shots)
    before = [message for shot in shots for message in shot.messages]
    assert [message.role for message in before] == ["user", "assistant"] * 2
    problems = read_problems(problems_file)
    assert prompts == [backend.render([*before, *prompt_messages(problem, "bare")], 0) for problem in problems.values()]
    manifest = read_manifest(tmp_path / "run")
    assert manifest.shots == shots
    assert [question.messages[:-1] for question in asked_questions(manifest, problems)] == [before] * 30
    names = ", ".join(shot.problem_id for shot in shots)
    assert settings_apart(manifest, manifest.model_copy(update={"shots": []})) == [f"shots {names} against none"]
    with pytest.raises(UserError, match=r"holds another run \(shots differ\)"):
        predict(problems_file, tmp_path / "run", backend, arm="base", style="bare", shots=shots[:1])


def test_a_question_that_shows_pictures_is_refused(
    make_problem: Callable[..., Problem], examples: Path, tmp_path: Path
) -> None:
    picture = Image(path="a.png", sha256="0" * 64)
    write_records(tmp_path / "shown.jsonl", [make_problem(1, images=[picture], diagram_description="A ring.")])
    shots = draw_shots(examples, 1, 0, ())
    sees = FakeBackend(lambda prompt: "ANSWER: B", reads_pictures=True)
    with pytest.raises(UserError, match="shots: problem 'made-1' shows pictures"):
        predict(tmp_path / "shown.jsonl", tmp_path / "run", sees, arm="base", shots=shots)
    predict(tmp_path / "shown.jsonl", tmp_path / "run", FakeBackend(lambda prompt: "B"), arm="base", shots=shots)


def test_back_ends_are_given_the_same_turns(examples: Path) -> None:
    """Those of a folder render them with one function; a server is sent them as they are."""
    assert TransformersBackend.render is VllmBackend.render is FolderBackend.render
    turns = [message for shot in draw_shots(examples, 2, 0, ()) for message in shot.messages]
    turns.append(Message(role="user", content="Who?"))
    server = ServerBackend("m", EndpointConfig(base_url=["http://127.0.0.1:9/v1"]))
    assert orjson.loads(server.render(turns, 0))["messages"] == [
        {"role": turn.role, "content": turn.content} for turn in turns
    ]
