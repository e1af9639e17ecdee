"""``srt eval --engine ray``: Ray's own stages on a cluster of two nodes, around a stand-in for vLLM's engine.

The GPUs of the cluster are numbers: no part of this has run on one.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForImageTextToText

from eval.backends.protocol import GenerationSettings, Request
from eval.backends.transformers_backend import TransformersBackend
from eval.backends.vllm_engines.ray_replicas import RayReplicas
from eval.evaluation import make_backend
from eval.run.eval_recipe import make_eval_recipe
from eval.run.predict import predict
from srt.images.normalise import shown_picture
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Image, Message, Prediction, Problem
from train.models.init_model import init_model

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
from async_stand_in import FAULT, write_module
from vllm_stand_in import RECORD, stand_in

pytest.importorskip("ray")

STORE = 80 * 2**20
GOOD = {"output": "run", "problems": "p.jsonl", "engine": "ray"}


@pytest.fixture
def replicas(model: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RayReplicas]:
    """``replicas(gpus, **options)``: the back end where Ray says that it has so many GPUs."""
    import ray

    for name, module in stand_in({}, lambda ids, params: (ids, "stop")).items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("eval.backends.vllm_engines.ray_replicas.ray_cluster", lambda *_, **__: nullcontext())

    def make(gpus: int, **options: Any) -> RayReplicas:
        monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 2.0, **({"GPU": float(gpus)} if gpus else {})})
        return RayReplicas(model, **options)

    return make


def test_a_recipe(model: Path, replicas: Callable[..., RayReplicas]) -> None:
    replicas(4)
    backend = make_backend(make_eval_recipe({**GOOD, "model": str(model), "tensor_parallel": 2}))
    assert isinstance(backend, RayReplicas)
    assert backend.name == "vllm"
    assert backend.description["engine"].endswith(", 2 replicas")
    for change, named in (
        ({"backend": "transformers"}, "engine: only the back end vllm reads this; this run uses transformers"),
        ({"engine": None, "backend": "vllm", "replicas": 2}, "replicas: goes with engine: ray"),
        ({"engine": None, "address": "auto"}, "address: goes with engine: ray; address: only the back end vllm"),
        ({"engine": "slurm"}, "engine: .*'ray'"),
    ):
        with pytest.raises(UserError, match=named):
            make_eval_recipe({**GOOD, "model": "m", **change})


def test_too_few_gpus_are_refused(replicas: Callable[..., RayReplicas]) -> None:
    with pytest.raises(UserError, match=r"has 0 GPUs, and replicas: 1 of vLLM on 1 GPUs each need 1"):
        replicas(0)
    with pytest.raises(UserError, match=r"has 3 GPUs, and replicas: 2 of vLLM on 2 GPUs each need 4"):
        replicas(3, replicas=2, tensor_parallel=2)
    with pytest.raises(UserError, match=r"has 3 GPUs, and replicas: 1 of vLLM on 4 GPUs each need 4"):
        replicas(3, tensor_parallel=4)


def test_rays_processor_takes_the_configuration(replicas: Callable[..., RayReplicas], model: Path) -> None:
    from ray.data.llm import vLLMEngineProcessorConfig

    backend = replicas(8, tensor_parallel=2, gpu_memory=0.5)
    settings = GenerationSettings(max_new_tokens=20, temperature=0.5, grammar="trace")
    requests = [Request("abc", seed=7), Request("abcd", seed=2**59 + 1)]
    backend.plan(requests, settings)
    config = backend._config(1000, 0, settings)
    assert isinstance(config, vLLMEngineProcessorConfig)
    assert config.model_source == str(model)
    assert config.concurrency == (4, 4)
    assert (config.batch_size, config.max_concurrent_batches) == (32, 8), "250 rows are a replica's share"
    assert backend._config(10**6, 0, settings).max_concurrent_batches == 32, "1024 rows keep an engine full"
    assert backend._config(6, 0, settings).batch_size == 2, "six rows are not all for one of four"
    known = RECORD["fields"]["EngineArgs"]
    assert config.engine_kwargs.keys() - {"task_type"} <= known.keys(), "Ray takes task_type for itself"
    assert config.engine_kwargs["tensor_parallel_size"] == 2
    assert config.engine_kwargs["gpu_memory_utilization"] == 0.5
    row = backend._row(1, requests[1], settings)
    assert row["tokenized_prompt"] == backend._ids(requests[1])
    assert row["sampling_params"].keys() <= RECORD["fields"]["SamplingParams"].keys()
    assert row["sampling_params"]["seed"] == 2**59 + 1
    assert "CONSTRAIN" in row["sampling_params"]["structured_outputs"]["regex"]


def test_a_key_is_that_of_one_engine(replicas: Callable[..., RayReplicas], model: Path) -> None:
    from eval.backends.vllm_engines.vllm_backend import VllmBackend

    one, many = VllmBackend(model), replicas(8, tensor_parallel=4)
    assert (one.name, one.fingerprint) == (many.name, many.fingerprint), "either goes on with a run of the other"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("asked") / "log.jsonl"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, log: Path) -> Iterator[Any]:
    """A head without GPUs and two nodes of one each; their processes find the stand-in as vllm."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("vllm")
        patch.setenv("PYTHONPATH", write_module(folder))
        patch.setenv("STAND_IN_LOG", str(log))
        patch.setenv("STAND_IN_SECONDS", "0.02")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.syspath_prepend(str(folder))
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": STORE})
        for _ in range(2):
            made.add_node(num_cpus=1, num_gpus=1, object_store_memory=STORE)
        yield made
        made.shutdown()
        for name in [name for name in sys.modules if name.partition(".")[0] == "vllm"]:
            del sys.modules[name]


def asked_of(log: Path, after: int = 0) -> list[dict[str, Any]]:
    """The requests that engines got, without the first bytes of their log."""
    notes = [json.loads(line) for line in log.read_bytes()[after:].splitlines()] if log.exists() else []
    return [note for note in notes if "prompt" in note]


@pytest.mark.slow
def test_the_texts_of_the_transformers_back_end(cluster: Any, model: Path, tmp_path: Path, log: Path) -> None:
    problems = tmp_path / "problems.jsonl"
    made = [problem(number) for number in range(40)]
    write_records(problems, made)
    settings = GenerationSettings(max_new_tokens=12)
    backend = RayReplicas(model, address=cluster.address)
    summary = predict(problems, tmp_path / "ray", backend, arm="a", style="bare", settings=settings)
    predict(problems, tmp_path / "one", TransformersBackend(model), arm="a", style="bare", settings=settings)
    rows, expected = (predictions(tmp_path / name) for name in ("ray", "one"))
    assert summary.generated == 40
    assert rows.keys() == expected.keys() == {one.id for one in made}
    short = {name for name, row in rows.items() if row.finish_reason != "error"}
    for name in short:
        ours, theirs = (row.model_dump(exclude={"key", "seconds"}) for row in (rows[name], expected[name]))
        assert ours == theirs
    assert {rows[name].finish_reason for name in short} == {"stop", "length"}
    (refused,) = rows.keys() - short
    assert "ValueError: The decoder prompt" in str(rows[refused].error)
    assert "\n" not in str(rows[refused].error)
    assert len(asked_of(log)) == 39, "nothing was asked twice"


@pytest.mark.slow
def test_a_killed_run_goes_on(cluster: Any, model: Path, tmp_path: Path, log: Path) -> None:
    problems, run = tmp_path / "problems.jsonl", tmp_path / "run"
    made = [problem(number) for number in range(8, 208)]
    write_records(problems, made)
    command = [sys.executable, "-m", "srt", "eval", "--engine", "ray", "--address", cluster.address]
    command += ["--model", str(model), "--problems", str(problems), "-o", str(run), "--prompt", "bare"]
    command += ["--max-new-tokens", "8"]
    first = subprocess.Popen(command)
    while first.poll() is None and not (written := whole_lines(run / "predictions.jsonl")):
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL, "it was killed before the end"
    time.sleep(2)  # what was in flight still comes into the log of the engines
    before = log.stat().st_size
    subprocess.run(command, check=True)
    rows = whole_lines(run / "predictions.jsonl")
    assert rows[: len(written)] == written
    ids = [json.loads(row)["problem_id"] for row in rows]
    assert len(ids) == len(set(ids)) == 200
    again = {tuple(note["prompt"]) for note in asked_of(log, before)}
    assert len(again) == len(asked_of(log, before)) <= 200 - len(written), "nothing that was written was asked again"
    assert {json.loads(row)["finish_reason"] for row in rows} <= {"stop", "length"}


@pytest.mark.slow
def test_pictures_and_an_adapter(cluster: Any, pictures: tuple[Path, list[Image]], tmp_path: Path, log: Path) -> None:
    base, tuned, (root, images) = tmp_path / "base", tmp_path / "tuned", pictures
    init_model("qwen2_5_vl", ["Who is left of Ana?"], base, hidden=32, layers=2, heads=2, vocab=400, seed=2)
    targets = r"model\.language_model\.layers\.\d+\.self_attn\.[qv]_proj"
    network = AutoModelForImageTextToText.from_pretrained(base)
    get_peft_model(network, LoraConfig(r=4, target_modules=targets)).save_pretrained(tuned)
    backend = RayReplicas(base, tuned, address=cluster.address)
    gone = images[3].model_copy(update={"path": "gone.png"})
    shown = [(), tuple(images[:1]), tuple(images[1:3]), (gone,)]
    asked = [Message(role="user", content="ab")]
    requests = [Request(backend.render(asked, len(each)), each, root) for each in shown]
    settings = GenerationSettings(max_new_tokens=4)
    backend.plan(requests, settings)
    before = log.stat().st_size if log.exists() else 0
    rows = dict(backend.generate_batches([[request] for request in requests], settings))
    assert [rows[number][0].image_tokens for number in range(4)] == [0, 1, 2, 0], "vLLM makes more of each placeholder"
    assert [rows[number][0].finish_reason == "error" for number in range(4)] == [False, True, True, True]
    assert "gone.png" in str(rows[3][0].error)
    assert "3 of 4 tokens" in str(rows[2][0].error), "the stand-in stops early where there are pictures"
    notes = asked_of(log, before)
    sizes = [list(shown_picture(root, image).size) for image in images[:3]]
    assert sorted(note["pictures"] for note in notes) == sorted([[], sizes[:1], sizes[1:]])
    assert {note["lora"] for note in notes} == {str(tuned)}


@pytest.mark.slow
def test_an_engine_that_does_not_start(cluster: Any, model: Path, log: Path) -> None:
    fault = log.with_name(FAULT)
    fault.write_text("not enough memory for one row")
    backend = RayReplicas(model, address=cluster.address)
    settings = GenerationSettings(max_new_tokens=4)
    backend.plan([Request("ab")], settings)
    try:
        with pytest.raises(UserError, match=r"vLLM failed in Ray: .*not enough memory for one row; the same command"):
            list(backend.generate_batches([[Request("ab")]], settings))
    finally:
        fault.unlink()


def whole_lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().splitlines(True) if line.endswith(b"\n")] if path.exists() else []


def problem(number: int) -> Problem:
    question = f"INFER {number}: who is left of Ana?" + " CONSTRAIN" * (70 if number == 7 else number % 5)
    return Problem(id=f"p{number}", source="made-up", split="test", lang="en", question=question, answer=None)


def predictions(folder: Path) -> dict[str, Prediction]:
    return {row.problem_id: row for row in read_records(folder / "predictions.jsonl", Prediction)}
