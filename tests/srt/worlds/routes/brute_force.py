"""Walks problems of routes step by step on the complex plane. It shares no code with the solver or the checker.

East is 1, north is 1j, a turn to the left is a product with 1j. Sentences are searched for words, not parsed.
"""

from __future__ import annotations

import re

from srt.io.records import Problem

COMPASS = {"north": 1j, "east": 1, "south": -1j, "west": -1, "北": 1j, "东": 1, "南": -1j, "西": -1}
TURNS = {"left": 1j, "左": 1j, "right": -1j, "右": -1j, "around": -1, "about-turn": -1, "后转": -1, "掉头": -1}
NUMBERS = {
    word: n
    for words in ("one two three four five six seven eight nine ten", "一 两 三 四 五 六 七 八 九 十")
    for n, word in enumerate(words.split(), 1)
}


def right_answers(problem: Problem) -> list[str]:
    """The letters of all right options; without options, the number."""
    *clues, question = problem.question.split("\n")
    visited, facing = walked(clues)
    place = visited[-1]
    if "straight line" in question or "直线" in question:
        length = next(n for n in range(10_000) if n * n >= abs(place) ** 2 - 0.5)
        right = str(length) if round(abs(place) ** 2) == length * length else "no whole number"
        return numbered(problem, right)
    if "ow many steps" in question or "多少步" in question:
        return numbered(problem, str(round(abs(place.real) + abs(place.imag))))
    if "back to the start" in question or "回" in question:
        return [letter for letter, text in problem.choices.items() if retraced(text, place) == visited[::-1]]
    if question.startswith("Where") or "在哪里" in question or "什么位置" in question:
        return [letter for letter, text in problem.choices.items() if sum(pieces(text)) == place]
    return [letter for letter, text in problem.choices.items() if heading(text) == facing]


def walked(clues: list[str]) -> tuple[list[complex], complex]:
    """Every crossing that is visited, in order, and the direction at the end."""
    facing, visited = heading(clues[0]), [0j]
    for clue in clues[1:]:
        text = re.sub(r"^\(\d+\)", "", clue)
        for word, turn in TURNS.items():
            if word in text:
                facing *= turn
                break
        steps = number_in(text)
        for _ in range(steps):
            visited.append(visited[-1] + facing)
    return visited, facing


def number_in(text: str) -> int:
    digits = re.search(r"\d+", text)
    words = [n for word, n in NUMBERS.items() if re.search(rf"\b{word} step|{word}步", text)]
    return int(digits[0]) if digits else (words or [0])[0]


def heading(text: str) -> complex:
    (found,) = (vector for word, vector in COMPASS.items() if word in text)
    return found


def pieces(text: str) -> list[complex]:
    """The legs that an option names, each as a vector."""
    compass = "|".join(COMPASS)
    found = re.findall(rf"(?:(\d+) steps? ({compass}))|(?:({compass}) for (\d+))|(?:({compass})走?(\d+)步)", text)
    parts = [[part for part in match if part] for match in found]
    return [
        int(next(filter(str.isdigit, part))) * COMPASS[next(word for word in part if word in COMPASS)] for part in parts
    ]


def retraced(text: str, place: complex) -> list[complex]:
    """The crossings that somebody visits who follows an option from ``place``."""
    visited = [place]
    for piece in pieces(text):
        for _ in range(round(abs(piece))):
            visited.append(visited[-1] + piece / abs(piece))
    return visited


def numbered(problem: Problem, right: str) -> list[str]:
    if not problem.choices:
        return [right]
    return [letter for letter, text in problem.choices.items() if re.sub(r"\D", "", text) == right]
