"""Plant duplicates of known kinds into made-up problems, and print what ``srt curate`` makes of them.

    python -m research.teaching.curate_planted --n 2000 --planted 60 [--pictures 1] [--seed 0] [--json]

Three families, counted apart. *Duplicates*: a problem again, its picture or its text altered in a way that leaves it
the same problem. *Others*: altered so that it is another problem (another label, number, view, cube; the same text over
another picture; another question on the same picture). *Originals*: the problems themselves, drawn at random, so that
two of them may be alike by chance. For each kind: the share dropped and the share sent to review. Dropped others and
originals are false drops.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import PIL.Image
import PIL.ImageDraw
import PIL.ImageEnhance
import PIL.ImageOps

from srt.curate import CurationFinding
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Image, Problem

Picture = PIL.Image.Image
Label = tuple[int, int, str]
Drawing = tuple[Picture, list[Label]]

ASKED = {
    "en": [
        "The three views of a solid are shown in the figure. The volume of the solid is ____ .",
        "The solid in the figure is built from identical small cubes. How many cubes are there?",
        "The figure shows the net of a cube. The number on the face opposite to the face marked {a} is ____ .",
        "In the prism of the figure, the edge is {a} cm long and the height is {b} cm. Its surface area is ____ .",
        "Points of the solid in the figure are joined in pairs. The longest edge is {a}; the shortest path is ____ .",
    ],
    "zh": [
        "如图是一个几何体的三视图，根据图中所标的尺寸，这个几何体的体积是____。",
        "如图是由几个相同的小正方体搭成的几何体，搭成这个几何体的小正方体的个数是____。",
        "如图是一个正方体的展开图，与标有数字{a}的面相对的面上的数字是____。",
        "如图，棱柱的底面边长为{a}厘米，高为{b}厘米，则这个棱柱的表面积是____平方厘米。",
        "如图，一只蚂蚁沿几何体的表面从一点爬到另一点，已知最长的棱为{a}，则最短路程是____。",
    ],
}


def main() -> None:
    """Make, curate, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=2000, help="original problems")
    parser.add_argument("--planted", type=int, default=60, help="altered copies of each kind")
    parser.add_argument("--pictures", type=float, default=1.0, help="mean pictures a problem")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kinds = make(Path(folder), args.n, args.planted, args.pictures, random.Random(args.seed))
        # The real command, as a process of its own: its memory is not that of the maker of the problems.
        command = [sys.executable, "-c", "from srt.cli import main; main()", "curate", "p.jsonl", "-o", "kept.jsonl"]
        start = time.perf_counter()
        ran = subprocess.run([*command, "--json"], cwd=folder, check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        summary = json.loads(ran.stdout)
        verdicts = {}
        for name in ("dropped", "review"):
            verdicts |= {
                one.problem_id: name for one in read_records(Path(folder, f"kept.{name}.jsonl"), CurationFinding)
            }
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for problem, kind in kinds.items():
        counts[kind][verdicts.get(problem, "kept")] += 1
    figures = {
        "problems": len(kinds),
        "pairs compared": summary["pairs compared"],
        "seconds": round(seconds, 1),
        "processor seconds": round(used.ru_utime + used.ru_stime, 1),
        "peak MB": used.ru_maxrss // 1024,
        "kinds": {kind: dict(count) for kind, count in sorted(counts.items())},
    }
    if args.json:
        print(json.dumps(figures, indent=1))
        return
    for name, value in figures.items():
        if name != "kinds":
            print(f"{name:22} {value}")
    print(f"\n{'kind':44} {'made':>6} {'dropped':>8} {'review':>8}")
    for kind, count in sorted(counts.items()):
        total = count.total()
        print(f"{kind:44} {total:6} {count['dropped'] / total:8.3f} {count['review'] / total:8.3f}")


def make(folder: Path, n: int, planted: int, pictures: float, rng: random.Random) -> dict[str, str]:
    """Write ``p.jsonl`` with pictures into ``folder``; gives the kind of each problem by its id."""
    kinds: dict[str, str] = {}

    def problems() -> Iterator[Problem]:
        originals: list[tuple[Problem, list[Drawing]]] = []
        for number in range(n):
            count = max(1, round(rng.gauss(pictures, 1))) if pictures > 1 else 1
            drawings = [draw(rng) for _ in range(count)]
            problem = original(f"o{number}", rng).model_copy(
                update={"images": [save(folder, labelled(*drawing)) for drawing in drawings]}
            )
            kinds[problem.id] = "original"
            if len(originals) < 2 * planted:
                originals.append((problem, drawings))
            yield problem
        for kind, alter in (*DUPLICATES.items(), *OTHERS.items()):
            for number, (problem, drawings) in enumerate(rng.sample(originals, min(planted, len(originals)))):
                altered = alter(problem, drawings, folder, rng)
                if altered is not None:
                    altered = altered.model_copy(update={"id": f"{kind} {number}"})
                    kinds[altered.id] = f"{'duplicate' if kind in DUPLICATES else 'other'}: {kind}"
                    yield altered

    write_records(folder / "p.jsonl", problems())
    return kinds


def original(name: str, rng: random.Random) -> Problem:
    """A problem with a made-up question and answer."""
    lang = rng.choice(["en", "zh"])
    question = rng.choice(ASKED[lang]).format(a=rng.randint(2, 9), b=rng.randint(3, 12))
    answer = Answer(kind="number", value=rng.randint(1, 400))
    return Problem.model_validate(
        {
            "id": name,
            "source": "made up",
            "split": "train",
            "lang": lang,
            "question": question,
            "answer": answer.model_dump(),
            "solution": f"= {answer.value}",
        }
    )


def draw(rng: random.Random) -> Drawing:
    """A net, a view, a pile of cubes or a labelled solid, in thin lines, and the labels that belong on it."""
    wide, high = rng.randint(140, 420), rng.randint(120, 320)
    picture = PIL.Image.new("RGB", (wide, high), "white")
    pen = PIL.ImageDraw.Draw(picture)
    kind = rng.choice(["net", "view", "cubes", "solid"])
    side, left, top = rng.randint(18, 36), rng.randint(12, 25), rng.randint(12, 25)
    labels: list[Label] = []
    if kind in ("net", "view"):
        cells, size = {(0, 0)}, rng.randint(7, 12)
        while len(cells) < size:
            x, y = rng.choice(sorted(cells))
            right, down = rng.choice([(0, 1), (1, 0)])
            cells.add((x + right, y + down))
        for x, y in sorted(cells):
            pen.rectangle(
                (left + x * side, top + y * side, left + (x + 1) * side, top + (y + 1) * side), outline="black"
            )
            if kind == "net":
                labels.append((left + x * side + side // 3, top + y * side + side // 4, str(rng.randint(1, 9))))
    elif kind == "cubes":
        for _ in range(rng.randint(3, 6)):
            cube(pen, left + rng.randint(0, 4) * side, top + rng.randint(0, 4) * side, side)
    else:
        corners = [(rng.randint(12, wide - 24), rng.randint(12, high - 24)) for _ in range(rng.randint(4, 7))]
        for number, corner in enumerate(corners):
            for other in corners[:number]:
                if rng.random() < 0.6:
                    pen.line([corner, other], fill="black")
            labels.append((*corner, "ABCDEFG"[number]))
    return picture, labels


def cube(pen: PIL.ImageDraw.ImageDraw, x: int, y: int, side: int) -> None:
    """A cube seen from above right."""
    deep = side // 3
    pen.rectangle((x, y, x + side, y + side), outline="black", fill="white")
    pen.polygon(
        [(x, y), (x + deep, y - deep), (x + side + deep, y - deep), (x + side, y)], outline="black", fill="white"
    )
    pen.polygon(
        [(x + side, y), (x + side + deep, y - deep), (x + side + deep, y + side - deep), (x + side, y + side)],
        outline="black",
        fill="white",
    )


def labelled(picture: Picture, labels: list[Label]) -> Picture:
    """The picture with its labels written on it."""
    copy = picture.copy()
    pen = PIL.ImageDraw.Draw(copy)
    for x, y, text in labels:
        pen.text((x, y), text, fill="black", font_size=14)
    return copy


def save(folder: Path, picture: Picture, quality: int | None = None) -> Image:
    """The picture as a file (PNG, or JPEG of ``quality``) named by its digest."""
    data = io.BytesIO()
    if quality is None:
        picture.save(data, "PNG")
    else:
        picture.convert("RGB").save(data, "JPEG", quality=quality)
    digest = hashlib.sha256(data.getvalue()).hexdigest()
    path = f"pictures/{digest[:2]}/{digest}.{'png' if quality is None else 'jpg'}"
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(data.getvalue())
    return Image(path=path, sha256=digest)


Alter = Callable[[Problem, list[Drawing], Path, random.Random], Problem | None]


def pictures_by(change: Callable[[Picture, random.Random], Picture], quality: int | None = None) -> Alter:
    """Alters every picture."""

    def alter(problem: Problem, drawings: list[Drawing], folder: Path, rng: random.Random) -> Problem:
        images = [save(folder, change(labelled(*drawing), rng), quality) for drawing in drawings]
        return problem.model_copy(update={"images": images})

    return alter


def text_by(change: Callable[[str, random.Random], str]) -> Alter:
    """Alters the question; ``None`` where that changed nothing."""

    def alter(problem: Problem, drawings: list[Drawing], folder: Path, rng: random.Random) -> Problem | None:
        question = change(problem.question, rng)
        return problem.model_copy(update={"question": question}) if question != problem.question else None

    return alter


def scaled(by: float) -> Callable[[Picture, random.Random], Picture]:
    """Resized to ``by`` times its sides."""
    return lambda picture, _: picture.resize(
        (max(8, int(picture.width * by)), max(8, int(picture.height * by))), PIL.Image.Resampling.BICUBIC
    )


def cropped(picture: Picture, rng: random.Random) -> Picture:
    """Some of the empty margin cut away, and some added on the other sides."""
    box = PIL.ImageOps.invert(picture.convert("L")).getbbox() or (0, 0, *picture.size)
    cut = picture.crop((rng.randint(0, box[0]), rng.randint(0, box[1]), *picture.size))
    return PIL.ImageOps.expand(cut, border=(0, 0, rng.randint(0, 12), rng.randint(0, 12)), fill="white")


def reworded(text: str, _: random.Random) -> str:
    """The same question in other words."""
    for old, new in (
        (
            "The three views of a solid are shown in the figure. The volume of the solid is",
            "The figure gives three views of a solid. Find its volume:",
        ),
        ("How many cubes are there?", "Find the number of cubes."),
        ("如图是一个几何体的三视图，根据图中所标的尺寸，", "一个几何体的三视图如图所示，按照图上的尺寸，"),
        ("搭成这个几何体的小正方体的个数是", "那么搭这个几何体共用了小正方体的个数是"),
    ):
        text = text.replace(old, new)
    return text


def another_number(text: str, rng: random.Random) -> str:
    """One digit of the question changed."""
    places = [at for at, character in enumerate(text) if character.isdigit()]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + rng.choice([digit for digit in "23456789" if digit != text[at]]) + text[at + 1 :]


def one_label(
    problem: Problem, drawings: list[Drawing], folder: Path, rng: random.Random, answer: Answer | None
) -> Problem | None:
    """One label of one picture changed so that it is seen; the answer with it, unless ``answer`` is ``None``."""
    marked = [number for number, (_, labels) in enumerate(drawings) if labels]
    if not marked:
        return None
    changed = list(drawings)
    picture, labels = changed[marked[0]]
    at = rng.randrange(len(labels))
    x, y, text = labels[at]
    others = [mark for mark in ("123456789" if text.isdigit() else "ABCDEFG") if mark != text]
    changed[marked[0]] = picture, [*labels[:at], (x, y, rng.choice(others)), *labels[at + 1 :]]
    images = [save(folder, labelled(*drawing)) for drawing in changed]
    if images == problem.images:
        return None  # the label lies outside the picture
    return problem.model_copy(update={"images": images} | ({"answer": answer} if answer else {}))


def one_cube(picture: Picture, rng: random.Random) -> Picture:
    """One more cube in the middle of the picture."""
    copy = picture.copy()
    cube(PIL.ImageDraw.Draw(copy), picture.width // 2 - 10, picture.height // 2 - 10, 20)
    return copy


def lopsided(picture: Picture) -> bool:
    """Whether mirroring changes what is drawn, wherever it stands."""
    drawn = PIL.ImageOps.invert(picture.convert("L"))
    cut = drawn.crop(drawn.getbbox())
    return cut.tobytes() != PIL.ImageOps.mirror(cut).tobytes()


def _answer(rng: random.Random) -> Answer:
    return Answer(kind="number", value=rng.randint(401, 999))


DUPLICATES: dict[str, Alter] = {
    "the same": lambda problem, *_: problem,
    "JPEG, quality 70": pictures_by(lambda picture, _: picture, 70),
    "JPEG, quality 40": pictures_by(lambda picture, _: picture, 40),
    "resized to 200%": pictures_by(scaled(2.0)),
    "resized to 75%": pictures_by(scaled(0.75)),
    "resized to 50%": pictures_by(scaled(0.5)),
    "cropped, padded": pictures_by(cropped),
    "darker": pictures_by(lambda picture, _: PIL.ImageEnhance.Brightness(picture).enhance(0.8)),
    "less contrast": pictures_by(lambda picture, _: PIL.ImageEnhance.Contrast(picture).enhance(0.6)),
    "numbered": text_by(lambda text, rng: f"{rng.randint(1, 40)}. {text}"),
    "punctuation and spaces": text_by(
        lambda text, _: text.replace("，", ", ").replace("。", " .").replace(". ", ".  ").replace("____", "(  )")
    ),
    "reworded": text_by(reworded),
}
OTHERS: dict[str, Alter] = {
    "same text, another picture": lambda problem, drawings, folder, rng: problem.model_copy(
        update={"images": [save(folder, labelled(*draw(rng))) for _ in drawings], "answer": _answer(rng)}
    ),
    "same picture, another question": lambda problem, drawings, folder, rng: problem.model_copy(
        update={
            "question": "图中共有多少条线段？" if problem.lang == "zh" else "Count the segments.",
            "answer": _answer(rng),
        }
    ),
    "another number in the text": lambda problem, drawings, folder, rng: (
        problem.model_copy(update={"question": another_number(problem.question, rng), "answer": _answer(rng)})
        if another_number(problem.question, random.Random(0)) != problem.question
        else None
    ),
    "another label": lambda problem, drawings, folder, rng: one_label(problem, drawings, folder, rng, _answer(rng)),
    "another label, the answer by chance the same": lambda problem, drawings, folder, rng: one_label(
        problem, drawings, folder, rng, None
    ),
    "one more cube": lambda problem, drawings, folder, rng: problem.model_copy(
        update={
            "images": [save(folder, one_cube(labelled(*drawing), rng)) for drawing in drawings],
            "answer": _answer(rng),
        }
    ),
    "mirrored, the answer the same": lambda problem, drawings, folder, rng: (
        pictures_by(lambda picture, _: PIL.ImageOps.mirror(picture))(problem, drawings, folder, rng)
        if any(lopsided(labelled(*drawing)) for drawing in drawings)
        else None
    ),
}


if __name__ == "__main__":
    main()
