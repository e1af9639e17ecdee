"""Reviewers for a fake endpoint in a process of its own, which cannot import the package from there."""

from __future__ import annotations

import hashlib
import random
import re
from typing import Any

import orjson

RATES = {"sharp": 80, "dull": 30}
"""Per cent of the exhibits that each model objects to."""


def objects_to(model: str, reasoning: str) -> bool:
    """Whether ``model`` objects to the reasoning that it is shown: always the same, at its rate."""
    digest = hashlib.sha256(f"{model}\n{reasoning.strip()}".encode()).digest()
    return digest[0] * 100 < RATES[model] * 256


def objects(body: dict[str, Any], rng: random.Random) -> str:
    """The review of a model."""
    asked = body["messages"][-1]["content"]
    token = re.findall(r'"token": "([0-9a-f]{10})"', asked)[-1]
    shown = re.split(r"## The reasoning to audit|## 要审查的推理", asked)[1].split("\n## ")[0]
    issue = {"step": 1, "fault": "does_not_follow", "explanation": "so it seems", "suggested_fix": None}
    issues = [issue] if objects_to(body["model"], shown) else []
    return orjson.dumps({"token": token, "analysis": "", "issues": issues}).decode()
