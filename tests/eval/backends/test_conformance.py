"""One model behind two back ends: what counts as the same, and what a comparison of runs says of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.conformance.check_backend import check_backend
from eval.conformance.check_settings import CheckSettings
from eval.conformance.conformance_records import BackendSide, Conformance, backend_notes, read_conformance
from eval.records.run_records import RunManifest, read_manifest
from eval.report.compare import compare
from eval.report.headline import answer
from srt.io.errors import UserError
from tests.fake_endpoint import Faults, fake_process


def settings(model: Path, problems: Path, out: Path, **changes: Any) -> CheckSettings:
    given = {"model": model, "problems": problems, "prompts": 4, "max_new_tokens": 12, "output": out / "check.json"}
    return CheckSettings.model_validate(given | changes)


def test_a_model_agrees_with_itself(r1: Path, problems_file: Path, tmp_path: Path) -> None:
    found = check_backend(settings(r1, problems_file, tmp_path, against="transformers", dtype="float32"))
    counts = (found.same_prompt_tokens, found.same_texts, found.right_counts, found.same_ends)
    assert counts == (4, 4, 4, 4)
    assert found.failed == 0
    assert found.behind == 0
    assert found.logprobs is not None
    assert found.logprobs.largest == 0
    assert read_conformance(tmp_path / "check.json") == found


def test_other_weights_are_far_behind(r1: Path, problems_file: Path, tmp_path: Path) -> None:
    """A server that writes something else, in its own tokens, without log-probabilities."""
    with fake_process(responder=f"{__file__}:hello", faults=Faults(refuses={"logprobs": "Unsupported: logprobs"}),
                      folder=tmp_path) as url:  # fmt: skip
        found = check_backend(settings(r1, problems_file, tmp_path, against="server", base_url=url, served="any"))
    assert (found.same_texts, found.failed) == (0, 0)
    assert found.same_prompt_tokens == 0
    assert found.logprobs is None
    assert found.behind is not None
    assert found.behind > 1
    assert found.backend.server == url
    assert "logprobs" in found.described["backend"]["left_out"]


def hello(body: dict[str, Any], rng: random.Random) -> str:
    return "Hello, hello"


def test_settings_that_do_not_fit(r1: Path, problems_file: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="base_url"):
        settings(r1, problems_file, tmp_path, against="server")
    with pytest.raises(ValueError, match="base_url"):
        settings(r1, problems_file, tmp_path, against="vllm", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(UserError, match=r"none\.json"):
        read_conformance(tmp_path / "none.json")


def test_what_is_checked_is_not_written_over(r1: Path, problems_file: Path, tmp_path: Path) -> None:
    before = problems_file.read_bytes(), (r1 / "config.json").read_bytes()
    for output in (problems_file, r1 / "config.json", r1 / "new.json"):
        with pytest.raises(UserError, match=output.name):
            check_backend(settings(r1, problems_file, tmp_path, against="transformers", output=output))
    assert (problems_file.read_bytes(), (r1 / "config.json").read_bytes()) == before
    assert not (r1 / "new.json").exists()


def check(reference: BackendSide, backend: BackendSide, family: str = "qwen2") -> Conformance:
    counts = {"same_prompt_tokens": 8, "same_texts": 7, "right_counts": 8, "same_ends": 7, "failed": 0}
    return Conformance(
        model="m", family=family, reference=reference, backend=backend, prompts=8, max_new_tokens=8, behind=0.01,
        logprobs=None, seconds=(1.0, 1.0), rows=[], **counts,
    )  # fmt: skip


REFERENCE = BackendSide(backend="transformers", dtype="float32")
VLLM = BackendSide(backend="vllm", dtype="bfloat16")
SERVER = BackendSide(backend="server", dtype="bfloat16", server="http://here/v1")


@pytest.fixture
def two(make_run: Callable[..., Path]) -> list[Path]:
    """Runs of two arms: one of vLLM, one of a server, whose number format is not known."""
    runs = [make_run("base", lambda number: "ANSWER: B"), make_run("srt", lambda number: "ANSWER: B")]
    for run, facts in zip(
        runs,
        (
            {"backend": "vllm", "model": {"model": "m", "family": "qwen2", "dtype": "bfloat16"}},
            {"backend": "server", "model": {"model": "m", "server": "http://here/v1"}},
        ),
        strict=True,
    ):
        manifest = orjson.loads((run / "run.json").read_bytes()) | facts
        (run / "run.json").write_bytes(orjson.dumps(manifest))
    return runs


@pytest.mark.parametrize(
    ("checks", "covered"),
    [
        ([], False),
        ([check(VLLM, SERVER)], True),
        ([check(REFERENCE, VLLM), check(REFERENCE, SERVER)], True),
        ([check(REFERENCE, VLLM)], False),
        ([check(REFERENCE, VLLM, "llama"), check(REFERENCE, SERVER, "llama")], False),
        ([check(REFERENCE, VLLM), check(REFERENCE, BackendSide(backend="server", server="http://there/v1"))], False),
        ([check(REFERENCE, BackendSide(backend="vllm", dtype="float16")), check(REFERENCE, SERVER)], False),
    ],
)
def test_which_checks_cover_two_arms(two: list[Path], checks: list[Conformance], covered: bool) -> None:
    manifests: list[RunManifest] = [read_manifest(run) for run in two]
    [note] = backend_notes(manifests, checks)
    assert note.startswith("Back ends compared: " if covered else "Back ends that were not compared: ")
    assert "base (vllm in bfloat16) and srt (server at http://here/v1)" in note
    assert backend_notes(manifests[:1] * 2, checks) == []


@pytest.mark.usefixtures("blank_plots")
def test_a_comparison_warns(two: list[Path], tmp_path: Path) -> None:
    unchecked = compare(two, tmp_path / "unchecked")
    assert "not compared" in answer(unchecked)
    assert "--conformance" in (tmp_path / "unchecked" / "report.md").read_text()
    assert "--conformance" in (tmp_path / "unchecked" / "report.html").read_text()
    file = tmp_path / "check.json"
    file.write_bytes(orjson.dumps(check(VLLM, SERVER).model_dump(mode="json")))
    checked = compare(two, tmp_path / "checked", conformance=[file])
    assert "7 of 8 greedy texts equal" in answer(checked)
    assert "not compared" not in answer(checked)
