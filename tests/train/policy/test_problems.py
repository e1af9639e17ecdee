"""What is asked: the problems, and prompts with the ids that fine-tuning and evaluation make."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.backends.model_folder import FolderBackend
from srt.experiment.problem_sources import WorldProblems
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.language.prompts import prompt_messages
from srt.pipeline.sample import sample_problems
from tests.train.conftest import make_sequence
from tests.train.policy.conftest import Make
from train.data.examples import IGNORED, encode
from train.models.model_files import load_tokenizer
from train.policy.problems import also_learned_from, ask, find_problems, plan_steps, some_unpaid

WORLD = {"world": "seating", "n": 12, "spec": {"scenes": ["booth"], "names": 6}}


@pytest.mark.parametrize("template", ["minimal", "qwen2.5", "r1-distill", "llama3"])
@pytest.mark.parametrize("style", ["full", "bare"])
def test_prompt_ids_are_those_of_sft_and_of_eval(
    template: str, style: str, grpo: Make, models: dict[str, Path], problems: Path
) -> None:
    tokenizer = load_tokenizer(str(models[template]))
    recipe = grpo({"prompt": style}, max_length=2000)
    evaluated = FolderBackend(models[template], None)
    for asked in ask(recipe, str(problems), "train", tokenizer):
        messages = prompt_messages(read_problems(problems)[asked.problem.id], style)  # type: ignore[arg-type]
        learned = encode(make_sequence(0).model_copy(update={"prompt": messages}), tokenizer, False)
        assert asked.prompt == learned.input_ids[learned.labels == IGNORED].tolist()
        text = evaluated.render(messages, 0)
        assert asked.prompt == evaluated.tokenizer.encode(text, add_special_tokens=False)
        assert asked.thinks == (template == "r1-distill")


def test_problems_of_a_world_are_the_same_each_time_and_splits_share_none(grpo: Make) -> None:
    source = grpo({"problems": WORLD}).objective.grpo
    assert source is not None
    drawn = find_problems(source.problems, "train")
    assert len({problem.id for problem in drawn}) == 12
    assert drawn == find_problems(source.problems, "train")
    held_out = find_problems(source.problems, "dev")
    assert not {problem.question for problem in drawn} & {problem.question for problem in held_out}


def test_each_problem_comes_once_before_any_comes_again(grpo: Make) -> None:
    plan = plan_steps(grpo({"updates": 2}, steps=5), 7, 1)
    order = plan.order.tolist()
    assert len(order) == 12  # two groups a step, for three batches of texts
    assert sorted(order[:7]) == list(range(7))
    assert len(set(order[7:])) == 5
    assert plan_steps(grpo(steps=None, epochs=2), 7, 1).steps == 7


def test_a_step_is_shared_evenly(grpo: Make) -> None:
    with pytest.raises(UserError, match=r"batch_size: 8 .*3"):
        plan_steps(grpo(micro_batch=3), 7, 1)


def test_a_prompt_without_room_is_refused_or_left_out(grpo: Make, ending: Path, problems: Path) -> None:
    tokenizer = load_tokenizer(str(ending))
    lengths = sorted(len(one.prompt) for one in ask(grpo(max_length=2000), str(problems), "train", tokenizer))
    tight = grpo(max_length=lengths[-1] + 24 - 1)
    with pytest.raises(UserError, match="max_new_tokens"):
        ask(tight, str(problems), "train", tokenizer)
    left = ask(tight.model_copy(update={"too_long": "drop"}), str(problems), "train", tokenizer)
    assert len(left) == sum(length < lengths[-1] for length in lengths)


def test_held_out_problems_that_are_all_learned_from_are_refused(
    grpo: Make, ending: Path, problems: Path, others: Path
) -> None:
    tokenizer = load_tokenizer(str(ending))
    learned, new = (ask(grpo(max_length=2000), str(path), "train", tokenizer) for path in (problems, others))
    assert also_learned_from(learned, new) is None
    assert also_learned_from(learned, []) is None
    assert "1 of its" in str(also_learned_from(learned, [*new, learned[0]]))
    with pytest.raises(UserError, match=r"objective\.grpo\.held_out"):
        also_learned_from(learned, learned[:1])


def test_a_damaged_problem_of_a_world_is_refused_by_name(grpo: Make, tmp_path: Path) -> None:
    given = sample_problems("views", 2, 1, "train", {"style": "none"})
    write_records(tmp_path / "damaged.jsonl", [given[0], given[1].model_copy(update={"meta": {}})])
    with pytest.raises(UserError, match=rf"damaged\.jsonl: problem {given[1].id!r}: .*views"):
        find_problems(str(tmp_path / "damaged.jsonl"), "train")


def test_what_can_earn_nothing_is_refused(grpo: Make, models: dict[str, Path], problems: Path, tmp_path: Path) -> None:
    bare = [one.model_copy(update={"answer": None}) for one in read_problems(problems).values()]
    write_records(tmp_path / "bare.jsonl", bare)
    tokenizer = load_tokenizer(str(models["minimal"]))
    with pytest.raises(UserError, match=r"bare\.jsonl: .* no text can earn anything"):
        ask(grpo(max_length=2000), str(tmp_path / "bare.jsonl"), "train", tokenizer)
    with pytest.raises(UserError, match=r"objective\.grpo\.text: 'assertions' has sentences"):
        grpo({"text": "assertions"})


def test_a_fault_of_a_spec_names_its_key() -> None:
    source = WorldProblems(world="seating", n=4, spec={"scenes": ["boooth"]})
    with pytest.raises(UserError, match=r"objective\.grpo: 4 of seating: seating: scenes: 'boooth'"):
        find_problems(source, "train")


def test_problems_that_pay_nothing_are_told(grpo: Make, ending: Path, problems: Path, tmp_path: Path) -> None:
    known = list(read_problems(problems).values())
    free = known[0].model_copy(update={"id": "free", "source": "mine", "meta": {}, "answer": None, "options": {}})
    write_records(tmp_path / "some.jsonl", [*known, free])
    write_records(tmp_path / "none.jsonl", [free])
    tokenizer, recipe = load_tokenizer(str(ending)), grpo(max_length=2000)
    assert some_unpaid(ask(recipe, str(problems), "train", tokenizer)) is None
    told = some_unpaid(ask(recipe, str(tmp_path / "some.jsonl"), "train", tokenizer))
    assert told is not None
    assert f"1 of its {len(known) + 1} problems" in told
    assert "'free'" in told
    with pytest.raises(UserError, match="no text can earn"):
        ask(recipe, str(tmp_path / "none.jsonl"), "train", tokenizer)
