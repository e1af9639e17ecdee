"""Problems a second on one core, with and without their pictures.

    python -m research.worlds.picture_speed --n 2000 [--world solids]

``picture_to_sampling_time`` compares drawing with sampling, ``picture_to_png_time`` with writing the same pixels as a
PNG, which is a part of it; both are measured in the same run, in processor time.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable

import orjson
import PIL.Image

from srt.worlds.world_registry import world_named


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=2000, help="problems")
    parser.add_argument("--world", choices=("views", "solids"), default="views")
    parser.add_argument("--style", choices=("varied", "patches"), default="varied", help="of views")
    options = parser.parse_args()
    world = world_named(options.world)
    draw = world.extras.figures.picture
    assert draw is not None
    pictured = {"style": options.style} if options.world == "views" else {"pictures": True}
    sample = world.sampler({"split": "train", **pictured})
    problems = [sample(index) for index in range(options.n)]  # imports and caches of the sampler are warm
    sampling = seconds(lambda: [sample(index) for index in range(options.n)])
    pictures: list[bytes] = []
    drawing = seconds(lambda: pictures.extend(filter(None, map(draw, problems))))
    opened = [PIL.Image.open(io.BytesIO(picture)) for picture in pictures]
    for picture in opened:
        picture.load()
    plain = seconds(lambda: [picture.save(io.BytesIO(), "PNG") for picture in opened])
    figures = {
        "problems": options.n,
        "problems_per_second": round(options.n / sampling),
        "problems_with_pictures_per_second": round(options.n / (sampling + drawing)),
        "pictures_per_second": round(options.n / drawing),
        "picture_to_sampling_time": round(drawing / sampling, 2),
        "picture_to_png_time": round(drawing / plain, 2),
        "mean_bytes": round(sum(map(len, pictures)) / len(pictures)),
        "most_bytes": max(map(len, pictures)),
        "most_pixels_wide": max(picture.width for picture in opened),
        "most_pixels_high": max(picture.height for picture in opened),
    }
    print(orjson.dumps(figures).decode())


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
