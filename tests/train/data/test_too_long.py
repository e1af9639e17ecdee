"""Sequences that are too long: refused, or left out by problem, for all arms alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from srt.cli import make_app
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Message, Sequence
from train.data.batches import plan_batches
from train.data.token_cache import read_examples
from train.data.token_table import DroppedProblem, TokenizedExamples
from train.models.model_files import load_tokenizer_and_processor
from train.recipe import Recipe
from train.recipe_reader import make_recipe
from train.run.resume import DROPPED
from train.train_srt import train


@pytest.fixture
def arms(data: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two arms on the same problems, of which p3 and p7 are too long in the first, and p7 and p9 in the second.

    p7 has a second sequence, which is short.
    """
    sequences = [s for s in read_records(data, Sequence) if len(s.completion[0].content) < 80][:30]

    def write(name: str, long: set[int]) -> Path:
        made = []
        for number, sequence in enumerate(sequences):
            content = "so " * 100 * (number in long) + sequence.completion[0].content
            completion = [Message(role="assistant", content=content)]
            changes = {"problem_id": f"p{number}", "completion": completion, "spans": []}
            made.append(sequence.model_copy(update=changes))
        short = made[0].model_copy(update={"problem_id": "p7"})
        (tmp_path / name).mkdir()
        write_records(tmp_path / name / "sequences.jsonl", [*made, short])
        return tmp_path / name / "sequences.jsonl"

    return write("srt", {3, 7}), write("cot", {7, 9})


def read(recipe: Recipe) -> TokenizedExamples:
    return read_examples(recipe, *load_tokenizer_and_processor(recipe.model.path))


def problems(examples: TokenizedExamples) -> list[str]:
    return [example.problem_id for example in examples]


def test_they_are_refused_unless_the_recipe_says_otherwise(
    recipe: Callable[..., Recipe], arms: tuple[Path, Path]
) -> None:
    with pytest.raises(UserError, match=r"max_length: 2 of 31 sequences .* problem p[37]\).* \(too_long: drop\)"):
        read(recipe(data=str(arms[0])))


def test_a_problem_is_left_out_with_all_its_sequences(recipe: Callable[..., Recipe], arms: tuple[Path, Path]) -> None:
    examples = read(recipe(data=str(arms[0]), too_long="drop"))
    assert problems(examples) == [f"p{number}" for number in range(30) if number not in (3, 7)]
    assert [(one.problem_id, one.sequences, one.data) for one in examples.dropped] == [
        ("p3", 1, str(arms[0])),
        ("p7", 2, str(arms[0])),
    ]
    assert all(one.tokens > 200 for one in examples.dropped)
    assert len(read(recipe(data=str(arms[0]), too_long="drop", max_length=2000))) == 31
    with pytest.raises(UserError, match=r"every problem has a sequence of more than 10 tokens"):
        read(recipe(data=str(arms[0]), too_long="drop", max_length=10))


def test_arms_that_know_of_one_another_see_the_same_problems_in_the_same_steps(
    recipe: Callable[..., Recipe], arms: tuple[Path, Path]
) -> None:
    steps = []
    for data, other in (arms, arms[::-1]):
        chosen = recipe(data=str(data), too_long="drop", other_arms=[str(other)], steps=9)
        examples = read(chosen)
        assert {one.problem_id for one in examples.dropped} == {"p3", "p7", "p9"}
        plan = plan_batches(chosen, examples, 1)
        steps.append([sorted(examples.problem_id(at) for at in micro) for micro in plan.micro_batches])
    assert steps[0] == steps[1]


def test_a_run_names_what_it_leaves_out(
    recipe: Callable[..., Recipe], arms: tuple[Path, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    chosen = recipe(data=str(arms[0]), too_long="drop", other_arms=[str(arms[1])], steps=2)
    summary = train(chosen)
    output = Path(chosen.output)
    said = "3 problems (4 sequences) with more than 200 tokens"
    assert f"left out: {said}; {output / DROPPED} names them" in capfd.readouterr().out
    assert [one.problem_id for one in read_records(output / DROPPED, DroppedProblem)] == ["p3", "p7", "p9"]
    assert (summary.examples, summary.dropped_problems, summary.dropped_sequences) == (27, 3, 4)
    assert json.loads((output / "train.json").read_bytes())["dropped_problems"] == 3
    card = (output / "README.md").read_text("utf-8")
    assert f"27 sequences (27 of arm `srt`) of 27 problems. {said} were left out (`{DROPPED}` names them)." in card
    assert train(chosen) == summary
    with pytest.raises(UserError, match=r"holds another run.* other_arms \(contents\)"):
        train(recipe(data=str(arms[0]), too_long="drop", steps=2))


def test_preflight_says_it(recipe: Callable[..., Recipe], arms: tuple[Path, Path], tmp_path: Path) -> None:
    values = recipe(data=str(arms[0]), too_long="drop", other_arms=[str(arms[1])]).model_dump(mode="json")
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    command = ["preflight", str(tmp_path / "recipe.yaml"), "--no-step"]
    result = CliRunner().invoke(make_app(), [*command, "--json"])
    found = json.loads(result.stdout)
    assert found["data"]["left out"] == "3 problems (4 sequences) with more than 200 tokens"
    # Without the answer in a span each sequence has a fault; none of them is of its length.
    assert all("max_length" not in fault for fault in found["faults"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"other_arms": ["a"]}, "other_arms: only decide what is left out; say too_long: drop"),
        ({"other_arms": [""], "too_long": "drop"}, "other_arms"),
        ({"too_long": "cut"}, "too_long"),
    ],
)
def test_keys(changes: dict[str, Any], said: str, recipe: Callable[..., Recipe]) -> None:
    with pytest.raises(UserError, match=said):
        make_recipe(recipe().model_dump(mode="json") | changes)


def test_a_missing_arm_is_a_fault(recipe: Callable[..., Recipe]) -> None:
    with pytest.raises(UserError, match=r"^other_arms: no such file: none\.jsonl"):
        train(recipe(too_long="drop", other_arms=["none.jsonl"]))
