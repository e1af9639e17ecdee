"""One item in the form in which SolidGeo is published."""

from __future__ import annotations

from typing import Any

CUBE: dict[str, Any] = {
    "question": "item 1: the volume of the cube?\n<ImageHere>",
    "choices": [],
    "image": ["images\\1.jpg"],
    "answer": "$V=8 \\mathrm{~cm}^{3}$",
    "solution": [],
    "answer_type": "single-step",
    "problem_type": ["Measurement of Solid Geometric Forms"],
    "complexity_level": "Level 1",
    "source": "made up",
    "qa_id": 1,
}
