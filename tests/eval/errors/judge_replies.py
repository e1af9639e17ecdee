"""A judge for a fake endpoint in a process of its own, which cannot import the package from there."""

from __future__ import annotations

import random
import re
from typing import Any

import orjson


def opine(body: dict[str, Any], rng: random.Random) -> str:
    """Judge by the output alone: ``B`` is right; ``lost`` in it is a gap, ``odd`` gets no usable answer."""
    asked = body["messages"][-1]["content"]
    token = re.findall(r'"token": "([0-9a-f]{10})"', asked)[-1]
    output = re.split("## The model's output|## 模型的输出", asked)[-1]
    output = re.split("## What you write|## 你要写的", output)[0]
    if "odd" in output:
        return orjson.dumps({"token": token, "verdict": "perhaps", "mathspatial": "magic", "hst": "none"}).decode()
    answer = {"token": token, "why": "it says so"}
    if '"verdict"' in asked:
        return orjson.dumps(answer | {"verdict": "right" if "ANSWER: B" in output else "wrong"}).decode()
    lost = "lost" in output
    said = {"mathspatial": "Reasoning gap" if lost else "scale", "hst": "process_deviation" if lost else "none"}
    return orjson.dumps(answer | said).decode()
