"""docs/first-steps.ipynb runs from top to bottom in a kernel, shows what it says, and needs no PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs" / "first-steps.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The outputs of each code cell."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell("import sys\nprint('torch' in sys.modules)"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT), prepend=":")
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("files")))
        # The limit guards against a hang: the whole takes seconds.
        where = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
        NotebookClient(notebook, timeout=60, kernel_name="python3", resources=where).execute()
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def texts(outputs: Any) -> str:
    return "".join(one.get("text", "") + one.get("data", {}).get("text/html", "") for one in outputs)


def test_every_cell_runs_and_none_loads_torch(executed: list[Any]) -> None:
    assert texts(executed[-1]) == "False\n"
    assert not [one for outputs in executed for one in outputs if one.output_type == "stream" and one.name == "stderr"]


def test_it_shows_a_picture_a_proof_a_fault_and_a_score(executed: list[Any]) -> None:
    shown = [texts(outputs) for outputs in executed]
    assert "data:image/png" in shown[1]
    assert 'class="v proved"' in shown[2]
    assert 'class="v refuted"' not in shown[2]
    assert 'class="v refuted"' in shown[3]
    assert "is refuted and false" in shown[4]
    assert "value=" in str(executed[5][0].data)
    assert "[1.0, 1.0, 0.0]" in shown[7]
    assert "refuted" in shown[7]
    assert "20 traces" in shown[-2]


def test_it_is_kept_without_outputs() -> None:
    cells = [cell for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    assert not [cell for cell in cells if cell.outputs or cell.execution_count]
