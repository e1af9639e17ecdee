"""What people put around a value: sentences, chains of equations and remarks that state it; words that change it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from tests.srt.answers.rewriting.forms import Named


def stated(value: str, again: Sequence[str], rng: random.Random) -> Iterator[Named]:
    """Texts that state ``value``; ``again``: other spellings of it, for chains and remarks."""
    yield "sentence", f"The answer is {value}."
    yield "sentence", f"x = {value}"
    yield "sentence", f"${value}$"
    yield "sentence", f"\\boxed{{{value}}}"
    yield "sentence", f"**{value}**"
    yield "sentence", f"答案是{value}。"
    yield "sentence", f"So the result is {value}"
    yield "wrapped", f"\\({value}\\)"
    yield "wrapped", f"$$ {value} $$"
    yield "wrapped", f"\\[ {value} \\]"
    yield "wrapped", f"\\displaystyle {value}"
    yield "wrapped", f"= {value}"
    yield "wrapped", f"{value}."
    yield "wrapped", f"`{value}`"
    yield "sentence", f"Therefore, x = {value}."
    yield "sentence", f"x 的值为 {value}"
    for other in rng.sample(list(again), min(3, len(again))):
        if _is_formula(other):
            yield "chain", f"{other} = {value}"
            yield "chain", f"AB = {other} = {value}"
            yield "chain", f"{value} = {other}"
            yield "remark", f"{value} (= {other})"
            yield "remark", f"{value} (or {other})"
            yield "remark", f"{value}, i.e. {other}"


def changed(value: str, other: str) -> Iterator[Named]:
    """Texts with ``value`` in them that state another value, or none; ``other`` is another value."""
    yield "two values", f"{value} or {other}"
    yield "two values", f"{value}或{other}"
    yield "two values", f"{value} and {other}"
    yield "two values", f"either {other} or {value}"
    yield "a chain that differs", f"{value} = {other}"
    yield "a chain that differs", f"{other} = {value}"
    yield "a remark that differs", f"{value} (or {other})"
    yield "a remark that differs", f"{value} (= {other})"
    yield "a remark that differs", f"{other} (not {value})"
    yield "a multiple", f"half of {value}"
    yield "a multiple", f"twice {value}"
    yield "a multiple", f"{value} times as much"
    yield "a multiple", f"{value}倍"
    yield "a multiple", f"{value} dozen"
    if other != "1":
        yield "a multiple", f"({value})({other})"
    yield "denied", f"not {value}"
    yield "denied", f"不是{value}"
    yield "a bound", f"less than {value}"
    yield "a bound", f"more than {value}"
    yield "a bound", f"{value} 以上"
    yield "a bound", f"< {value}"
    yield "a power", f"({value})^2"
    yield "a power", f"the square of {value}"
    yield "a power", f"√({value})"
    yield "a power", f"({value})^{{-1}}"
    yield "a sum", f"{value} + {other}"
    yield "a sum", f"{value} more than {other}"
    yield "a range", f"from {value} to {other}"
    yield "another percent", f"({value})%"
    yield "a factor behind", f"{value}(π)"
    yield "a factor behind", f"π({value})"
    yield "a factor behind", f"({value})π"
    yield "a factor behind", f"2({value})"
    yield "a factor behind", f"({value})(1/2)"


def _is_formula(text: str) -> bool:
    """Whether ``text`` has no words in it."""
    return re.search(r"[A-Za-z\u4e00-\u9fff]", re.sub(r"\\[a-z]+|sqrt|pi|cos|sin|(?<=\d)e(?=-?\d)", "", text)) is None
