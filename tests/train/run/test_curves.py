from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from train.run.curves import draw_curves


def row(step: int) -> dict[str, float]:
    roles = {f"{figure}/{name}": 1 / step for figure in ("loss", "accuracy") for name in ("infer", "answer")}
    return {"step": step, "loss": 2 / step, "learning_rate": 1e-3, "grad_norm": 1.0, "tokens_per_second": 9e3, **roles}


@pytest.mark.parametrize("steps", [1, 1500])
def test_a_picture_that_can_be_read(steps: int, tmp_path: Path) -> None:
    draw_curves([row(step) for step in range(1, steps + 1)], tmp_path / "one.png", "runs/a $b$: some steps")
    with Image.open(tmp_path / "one.png") as picture:
        assert min(picture.size) > 700
        assert picture.convert("RGB").getpixel((3, 3)) == (255, 255, 255)
        assert len(picture.convert("RGB").getcolors(1 << 20)) > 50


def test_the_held_out_loss_is_drawn_and_the_step_that_was_kept(tmp_path: Path) -> None:
    rows, evaluations = (
        [row(step) for step in range(1, 9)],
        [{"step": 4, "eval_loss": 0.9}, {"step": 8, "eval_loss": 2}],
    )
    draw_curves(rows, tmp_path / "plain.png", "x")
    draw_curves(rows, tmp_path / "held-out.png", "x", evaluations)
    draw_curves(rows, tmp_path / "kept.png", "x", evaluations, result_step=4)
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 3


def test_a_curve_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        draw_curves([{"step": 1, "loss": 1.0}, {"step": 2, "loss": 0.0}], tmp_path / name, "x")
    assert (tmp_path / "one.png").stat().st_size > 10_000
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes(), "the same figures, other bytes"
