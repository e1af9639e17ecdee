"""A reader for a fake endpoint in a process of its own, which cannot import the package from there."""

from __future__ import annotations

import random
import re
from typing import Any

import orjson


def read(body: dict[str, Any], rng: random.Random) -> str:
    """Read ``I settle on the one named second`` as B; ``dream`` gets an answer that no words state.

    No usable reply where anything of the gold answer is in the request (its words are in no output of the test), or a
    picture, from which the problem could be solved.
    """
    asked = body["messages"][-1]["content"]
    if not isinstance(asked, str):
        return "here is a picture"
    token = re.findall(r'"token": "([0-9a-f]{10})"', asked)[-1]
    output = re.split("## The model's output|## 模型的输出", asked)[-1]
    if b"goldmark" in orjson.dumps(body):
        return "the gold answer is here"
    found = {"token": token, "quote": "", "answer": "", "reading": "none"}
    if quoted := re.search(r"settle\s+on\s+the one named\s+\w+", output):
        letter = "B" if "second" in quoted[0] else "C"
        # As models copy: other spaces, other quotation marks.
        found |= {"quote": f"“{' '.join(quoted[0].split())}”", "answer": letter, "reading": "stated"}
    elif "dream" in output:
        found |= {"quote": "so it must be B", "answer": "B", "reading": "stated"}
    return orjson.dumps(found).decode()
