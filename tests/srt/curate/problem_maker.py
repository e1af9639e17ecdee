"""Makes problems with pictures, and curates them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import PIL.Image
import PIL.ImageDraw
import PIL.ImageEnhance

from srt.curate import CurationFinding, curate_file
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Image, Problem

LONG = (
    "如图是由若干个相同的小正方体搭成的几何体的三视图，根据图中所标的数据可以求得这个几何体的体积等于多少立方厘米，"
    "已知每一层都摆放得整整齐齐并且没有空洞，请写出详细的计算过程，再把求得的结果填写在答题卡的横线上"
)
OTHER = "一只蚂蚁沿着图中圆柱的侧面从下底面的一点爬到上底面与它相对的另一点，求它所走的最短路程，结果保留根号"


class Maker:
    """Makes problems with pictures in ``folder``, and curates them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def picture(self, shape: int, *, dark: bool = False, blank: bool = False) -> Image:
        drawn = PIL.Image.new("RGB", (200, 160), "white")
        pen = PIL.ImageDraw.Draw(drawn)
        for number in range(0 if blank else 5):
            x, y = 20 + 30 * ((shape * (number + 1)) % 5), 20 + 24 * ((shape + number * number) % 5)
            pen.rectangle((x, y, x + 26 + shape, y + 20), outline="black", width=2)
        if dark:
            drawn = PIL.ImageEnhance.Brightness(drawn).enhance(0.85)
        path = self.folder / f"{shape}{'d' * dark}{'b' * blank}.png"
        drawn.save(path)
        return Image(path=path.name, sha256=hashlib.sha256(path.read_bytes()).hexdigest())

    def problem(self, name: str, question: str, *images: Image, **fields: Any) -> Problem:
        rest: dict[str, Any] = {"split": "train", "answer": Answer(kind="number", value=7), "solution": "故答案为7。"}
        rest["lang"] = "zh"
        return Problem(id=name, source="made up", question=question, images=list(images), **(rest | fields))

    def write(self, *problems: Problem, name: str = "p.jsonl") -> Path:
        write_records(self.folder / name, problems)
        return self.folder / name

    def curate(self, *problems: Problem, **options: Any) -> dict[str, Any]:
        """The summary, and under ``said`` what was found: ``(problem, verdict, reason, other)``."""
        out = self.folder / "kept.jsonl"
        summary = curate_file(self.write(*problems), out, **options)
        kept = list(read_records(out, Problem))
        dropped = list(read_records(self.folder / "kept.dropped.jsonl", CurationFinding))
        review = list(read_records(self.folder / "kept.review.jsonl", CurationFinding))
        names = [{one.id for one in kept}, {one.problem_id for one in dropped}, {one.problem_id for one in review}]
        assert set.union(*names) == {one.id for one in problems}
        assert sum(map(len, names)) == len(problems), "each problem is in one file"
        assert [summary[key] for key in ("kept", "dropped", "review")] == list(map(len, names))
        assert all(one in problems for one in kept)
        said = [(one.problem_id, one.verdict, one.reason, one.other_id) for one in (*dropped, *review)]
        return summary | {"said": said, "records": [*dropped, *review]}
