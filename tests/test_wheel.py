"""The wheel, installed into an empty environment and used from an empty folder."""

from __future__ import annotations

import email
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import srt

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("srt", "train", "eval", "recipes", "configs", "pyproject.toml", "setup.py", "README.md", "LICENSE")

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command of the environment in an empty folder. Its dependencies are those of this environment."""
    pytest.importorskip("pip", reason="the wheel is built and installed by pip")
    folder = tmp_path_factory.mktemp("wheel")
    source, venv, empty = (folder / name for name in ("source", "venv", "empty"))
    source.mkdir()
    empty.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(ROOT / part, source)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]

    def run(*command: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            list(map(str, command)), cwd=empty, env=environment, capture_output=True, text=True, check=False
        )

    built = run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source)
    assert built.returncode == 0, built.stderr
    assert run(sys.executable, "-m", "venv", "--without-pip", venv).returncode == 0
    (wheel,) = folder.glob("*.whl")
    put = run(*pip, "--python", venv / "bin" / "python", "install", "--no-deps", "--no-index", wheel)
    assert put.returncode == 0, put.stderr
    (packages,) = venv.glob("lib/python*/site-packages")
    # A path file adds the folder of the dependencies behind the environment's own, and none of its path files.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    shutil.rmtree(source)
    return lambda name, *arguments: run(venv / "bin" / name, *arguments)


@pytest.mark.long
def test_the_commands_run(installed: Run) -> None:
    assert installed("srt", "--version").stdout.startswith("srt")
    assert "recipe" in installed("srt", "experiment", "demo", "--help").stdout.lower()
    made = installed("srt", "generate", "seating", "-n", "2", "-o", "problems.jsonl")
    assert made.returncode == 0, made.stderr
    assert installed("srt", "solve", "problems.jsonl", "-o", "traces.jsonl").returncode == 0


@pytest.mark.long
def test_recipes_are_found_by_name(installed: Run) -> None:
    wrong = installed("srt", "experiment", "demmo")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "demo-long" in wrong.stderr
    read = (
        "from pathlib import Path; import srt\n"
        "from srt.experiment.experiment_reader import load_experiment\n"
        "from srt.io.bundled_files import find_bundled\n"
        "from srt.teaching.teach_config import load_teach_config\n"
        "from eval.errors.judge_model import load_judge\n"
        "from eval.run.eval_recipe import make_eval_recipe\n"
        "from train.recipe_reader import load_recipe\n"
        "print(load_experiment(Path('demo')).name, load_experiment(Path('recipes/demo-long.yaml')).name)\n"
        "print(load_recipe('llama-3-8b-qlora').model.quantize, make_eval_recipe({}, Path('vllm')).backend)\n"
        "print(load_teach_config(Path('openai')).currency, load_judge(Path('openai')).currency)\n"
        "print(find_bundled(Path('cpu'), 'configs').is_file(), srt.__file__)\n"
    )
    ran = installed("python", "-c", read)
    assert ran.returncode == 0, ran.stderr
    *lines, last = ran.stdout.splitlines()
    assert lines == ["demo demo-long", "nf4 vllm", "USD USD"]
    found, place = last.split(maxsplit=1)
    assert found == "True"
    assert "site-packages" in place
    assert str(ROOT) not in place


@pytest.mark.long
def test_the_prompts_of_teachers_and_judges_are_there(installed: Run) -> None:
    count = (
        "from pathlib import Path; import eval, srt\n"
        "print(sorted(str(f.relative_to(p)) for p in (Path(m.__file__).parent for m in (srt, eval)) "
        "for f in p.rglob('prompts/*/*.md')))\n"
    )
    there = [
        str(file.relative_to(ROOT / package))
        for package in ("srt", "eval")
        for file in (ROOT / package).rglob("prompts/*/*.md")
    ]
    assert installed("python", "-c", count).stdout.strip() == str(sorted(there))


@pytest.mark.long
def test_the_page_of_the_package_is_readme_with_absolute_links(installed: Run) -> None:
    read = "from importlib.metadata import distribution; print(distribution('srt-traces').read_text('METADATA'))"
    metadata = email.message_from_string(installed("python", "-c", read).stdout)
    named = dict(line.split(", ") for line in metadata.get_all("Project-URL", []))
    address = named["Repository"]
    assert all(url.startswith(address) for url in named.values())
    description = metadata.get_payload()
    assert isinstance(description, str)
    own = re.findall(r"\]\(([^)]*)\)", (ROOT / "README.md").read_text("utf-8"))
    assert [link for link in own if not link.startswith("http")]
    for link, relative in zip(re.findall(r"\]\(([^)]*)\)", description), own, strict=True):
        assert link.startswith("https://")
        assert link.endswith(relative)
    assert metadata["Author"] == "SRT contributors"


def test_links_and_pictures_of_a_page_lead_to_the_files_of_its_version() -> None:
    setup = runpy.run_path(str(ROOT / "setup.py"))
    page = "![a picture](docs/a.svg) [a page](docs/b.md#c) [elsewhere](https://example.com/d) [here](#e)"
    at = setup["ADDRESS"]
    assert setup["with_absolute_links"](page) == (
        f"![a picture]({at}/raw/v{srt.__version__}/docs/a.svg) [a page]({at}/blob/v{srt.__version__}/docs/b.md#c) "
        "[elsewhere](https://example.com/d) [here](#e)"
    )
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == srt.__version__
