"""docs/extending.md and extending-training.md: each worked example is taken from its page, registered, and run.

An example is a Python block under a comment ``<!-- example: NAME -->``. A test takes it with :func:`example`, which
executes the block as a module and returns that, and registers the result with ``monkeypatch``.
"""

from __future__ import annotations

import json
import pickle
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from eval.backends import presets
from eval.backends.backend_registry import BACKENDS
from eval.benchmarks.benchmark_registry import BENCHMARKS, import_benchmark
from eval.benchmarks.run_tables import run_tables
from eval.evaluation import run_evaluation
from eval.run.eval_recipe import make_eval_recipe
from eval.run.predict import predict
from eval.run.scored_run import read_run
from eval.scoring.dimensions import labels_of
from eval.scoring.score import score
from srt.checking import check
from srt.gallery.gallery_page import gallery_command
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Message, Problem, Refusal, Sequence, Span
from srt.language.arms import ARMS, completion_text
from srt.language.prompts import prompt_messages
from srt.language.trace import Step, Trace
from srt.pipeline.build import build_file
from srt.pipeline.check import check_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file, solve_one
from srt.worlds.world import World
from srt.worlds.world_registry import WORLDS, WorldEntry, world_named, world_of
from tests.fake_backend import FakeBackend
from train.models.families.family_registry import MODEL_FAMILIES
from train.models.init_model import init_model, sequence_texts
from train.recipe_reader import make_recipe
from train.run.merge_adapter import merge
from train.train_srt import train

PAGE = "\n".join(
    (Path(__file__).resolve().parents[2] / "docs" / name).read_text(encoding="utf-8")
    for name in ("extending.md", "extending-training.md")
)
EXAMPLES = dict(re.findall(r"<!-- example: ([\w-]+) -->\n```python\n(.*?)\n```", PAGE, re.DOTALL))


def example(name: str, monkeypatch: pytest.MonkeyPatch, import_path: str | None = None) -> ModuleType:
    """The module that the example ``name`` of the page defines; ``import_path`` if another one imports it."""
    module = ModuleType(import_path or f"example_{name.replace('-', '_')}")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # dataclasses look their module up there
    exec(EXAMPLES[name], module.__dict__)  # noqa: S102 (our own page)
    return module


def test_the_page_has_its_sections() -> None:
    headings = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    assert headings == ["A world", "An arm", "A benchmark", "A back end", "A model family"]


@pytest.fixture
def turning(monkeypatch: pytest.MonkeyPatch) -> World:
    """The world of the page, registered by the line that the page gives."""
    entry = re.search(r'add `"turning":\sWorldEntry\("([\w.:]+)",\s+"([\w.:]+)"\)`', PAGE)
    assert entry is not None
    world, checker = entry.groups()
    package = world.rpartition(".")[0]
    example("world-derivation", monkeypatch, f"{package}.derivation")
    example("world", monkeypatch, world.partition(":")[0])
    example("world-checker", monkeypatch, checker.partition(":")[0])
    monkeypatch.setitem(WORLDS, "turning", WorldEntry(world, checker))
    return world_named("turning")


def test_a_world_from_sampling_to_training_sequences(turning: World, tmp_path: Path) -> None:
    problems = tmp_path / "problems.jsonl"
    assert generate_file("turning", 60, "train", problems, {"most": 4}).problems == 60
    by_id = {problem.id: problem for problem in read_records(problems, Problem)}
    assert {world_of(problem) for problem in by_id.values()} == {turning}
    assert all((problem.group_id,) == turning.split_keys(problem) for problem in by_id.values())
    held_out = {turning.sampler({"split": "test", "most": 4})(index).group_id for index in range(20)}
    assert not held_out & {problem.group_id for problem in by_id.values()}
    with pytest.raises(UserError, match=r"turning: most: "):
        turning.sampler({"most": "four"})
    with pytest.raises(UserError, match=r"turning: moast: .*most"):
        generate_file("turning", 60, "train", problems, {"moast": 4})
    sampler = turning.sampler({"most": 4})
    assert pickle.loads(pickle.dumps(sampler))(7) == sampler(7)  # noqa: S301 (our own)

    assert {next(iter(labels_of(problem))) for problem in by_id.values()} == {"turns"}

    texts = set()
    for plan in turning.plans:
        traces = tmp_path / f"{plan}.jsonl"
        solved = solve_file(problems, traces, plan=plan)
        assert (solved.solved, solved.agreed, solved.refused) == (60, 60, {})
        checked = check_file(traces, problems)
        assert (checked.proved, checked.refuted) == (60, 0)
        for arm in ("answer", "cot", "cot-terse", "srt", "srt-drop-CORRELATE"):
            assert build_file(traces, problems, arm, tmp_path / plan / arm)["sequences"] == 60
        for style in turning.styles:
            built = build_file(traces, problems, "srt", tmp_path / plan / style, text=style)
            assert built["sequences"] == 60
            texts.add(Path(built["file"]).read_bytes())
    assert len(texts) == len(turning.plans) * len(turning.styles) == 4
    with pytest.raises(UserError, match=r"unknown plan 'turn-first' \(did you mean 'turns-first'\?\)"):
        solve_file(problems, tmp_path / "none.jsonl", plan="turn-first")


def test_a_false_claim_is_refuted_and_untrue(turning: World) -> None:
    for index in range(40):
        problem = turning.sampler({"most": 4})(index)
        trace = turning.solve(problem)
        truth = turning.truth(problem)
        for number, step in enumerate(trace.steps):
            wrong = step.model_copy(update={"claim": (step.claim or "").replace("= ", "= no")})
            steps = (*trace.steps[:number], wrong, *trace.steps[number + 1 :])
            assert check(problem, trace.model_copy(update={"steps": steps})).refuted
            assert (truth(step.claim or ""), truth(wrong.claim or "")) == ("true", "false")


def test_a_refusal_of_the_worlds_own(turning: World) -> None:
    problem = turning.sampler({})(0)
    lost = problem.model_copy(
        update={"question": re.sub("looks (north|east|south|west)", "looks home", problem.question)}
    )
    refusal = solve_one(lost)
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, "home" in refusal.detail) == ("no_direction", True)


def test_the_world_in_the_gallery(turning: World, tmp_path: Path) -> None:
    told = gallery_command("turning", tmp_path / "page.html", 6, 0)
    assert (told["problems"], told["proved traces"]) == (6, 6)
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "Ann turns a few times by 90 degrees" in page
    assert "data:image/svg+xml" in page


def test_an_arm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ARMS, "srt-uncited", example("arm", monkeypatch).UNCITED)
    step = Step(op="CORRELATE", args=("(1)",), claim="right(Ann) = Bob")
    trace = Trace(id="t", problem_id="p", kind="world", lang="en", steps=(step,), answer="C")
    text, spans = completion_text(trace, "srt-uncited")
    assert text == "CORRELATE: right(Ann) = Bob\nANSWER: C"
    assert [text[span.start : span.end] for span in spans] == ["CORRELATE: right(Ann) = Bob\n", "ANSWER: C"]
    cot = Trace(id="t", problem_id="p", kind="cot", lang="en", text="Bob is.", answer="C")
    with pytest.raises(UserError, match="'srt-uncited'"):
        completion_text(cot, "srt-uncited")


def test_a_benchmark_from_the_users_file_to_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BENCHMARKS, "turns", example("benchmark", monkeypatch).TURNS)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "items.csv").write_text(
        "question,A,B,answer,turn\n"
        "You face north and turn left. Where do you face?,west,east,A,left\n"
        "You face north and turn right. Where do you face?,west,east,B,right\n"
        "You face south and turn right. Where do you face?,west,east,C,right\n",
        "utf-8",
    )
    problems = tmp_path / "turns.jsonl"
    summary = import_benchmark("turns", tmp_path / "data" / "items.csv", problems)
    assert (summary["problems"], summary["refused"]) == (2, {"problem answer_is_no_option": 1})
    predict(problems, tmp_path / "run", FakeBackend(lambda prompt: "ANSWER: A"), arm="m", benchmark="turns")
    score(tmp_path / "run")
    [table] = run_tables({"m": read_run(tmp_path / "run")})
    assert (table.header, table.rows) == (["arm", "left", "right", "overall"], [["m", 1.0, 0.0, 0.5]])


def test_a_back_end_runs_an_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS, "replay", example("backend", monkeypatch).REPLAY)
    gold = Answer(kind="choice_set", value=["B"])
    problem = Problem(
        id="p", source="s", split="test", lang="en", question="Who?", choices={"A": "Ana", "B": "Bo"}, answer=gold
    )
    write_records(tmp_path / "problems.jsonl", [problem])
    prompt = prompt_messages(problem, "full")[-1].content
    (tmp_path / "answers.json").write_text(json.dumps({prompt: "ANSWER: B"}), "utf-8")
    given = {"backend": "replay", "model": str(tmp_path / "answers.json"), "problems": tmp_path / "problems.jsonl"}
    summary = run_evaluation(make_eval_recipe({**given, "output": tmp_path / "run"}))
    assert (summary["accuracy"]["right"], summary["output_tokens"]["mean"]) == (1.0, 2.0)
    with pytest.raises(UserError, match="batch_size"):
        make_eval_recipe({**given, "output": tmp_path / "run", "batch_size": 4})


def test_a_model_family_is_made_trained_and_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    family = example("model-family", monkeypatch).OLMO2
    monkeypatch.setitem(MODEL_FAMILIES, family.model_type, family)
    sequence = Sequence(
        problem_id="p",
        trace_id="t",
        arm="srt",
        lang="en",
        prompt=[Message(role="user", content="Who is right of Ana?")],
        completion=[Message(role="assistant", content="INFER #1: ? = Bo\nANSWER: B")],
        spans=[Span(start=0, end=16, label="INFER"), Span(start=17, end=26, label="ANSWER")],
    )
    write_records(tmp_path / "sequences.jsonl", [sequence] * 4)
    texts = sequence_texts([tmp_path / "sequences.jsonl"])
    init_model("olmo2", texts, tmp_path / "base", hidden=16, layers=2, heads=2, vocab=400)
    recipe = {"data": str(tmp_path / "sequences.jsonl"), "steps": 2, "batch_size": 4, "learning_rate": 0.01}
    recipe |= {"model": {"path": str(tmp_path / "base")}, "max_length": 200, "pack": 800, "lora": {"r": 2}}
    summary = train(make_recipe({**recipe, "output": str(tmp_path / "run"), "threads": 1}))
    # Seven matrices in each of two layers, four of 16 x 16 and three of 16 x 64.
    assert summary.trainable_parameters == 2 * 2 * (4 * (16 + 16) + 3 * (16 + 64))
    merged = merge(tmp_path / "run", tmp_path / "merged")
    assert merged.base_verified


def test_a_generation_preset_is_used_for_its_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    preset = example("generation-preset", monkeypatch).QWEN3
    monkeypatch.setattr(presets, "PRESETS", (*presets.PRESETS, preset))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "qwen3", "max_position_embeddings": 40_960}))
    assert presets.family_of(tmp_path) == "qwen3"
    settings = presets.effective_settings(tmp_path, top_p=0.8)
    assert (settings.temperature, settings.top_p, settings.think_budget) == (0.6, 0.8, 15_360)
