"""A Reviewer for a fake endpoint in a process of its own, which cannot import the package from there."""

from __future__ import annotations

import random
import re
from typing import Any

import orjson


def objects(body: dict[str, Any], rng: random.Random) -> str:
    """Object to every exhibit that does not begin with a reading."""
    asked = body["messages"][-1]["content"]
    token = re.findall(r'"token": "([0-9a-f]{10})"', asked)[-1]
    issue = {"step": 1, "fault": "does_not_follow", "explanation": "so it seems", "suggested_fix": None}
    return orjson.dumps({"token": token, "issues": [] if "1. CORRELATE" in asked else [issue]}).decode()
