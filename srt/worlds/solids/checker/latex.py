"""The checker's own reading of values in LaTeX: a row of factors, or one fraction, then a unit."""

from __future__ import annotations

import re

from srt.worlds.solids.checker.values import UNIT_WORDS

_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|[0-9]+(?:\.[0-9]+)?|[{}^~ ]|[^\\0-9{}^~ ]+")
_SPACES = ("~", " ", "\\,", "\\;", "\\:", "\\!", "\\ ", "\\quad", "\\qquad")
_UNIT_OPENS = ("\\mathrm", "\\text", "\\rm")
_GOES_ON = tuple("0123456789π√/^*+-()$\\")
"""Beside a value, these are part of it."""
_MOST = 100
"""Characters of a value."""


def without_latex(text: str) -> str:
    """The text with the values and units between ``$`` or ``\\(`` and ``\\)`` as they are written without it."""
    if "$" not in text and "\\" not in text:
        return text
    done, rest = "", text
    while rest:
        opens = min((at for mark in ("$", "\\(") if (at := rest.find(mark)) >= 0), default=-1)
        if opens < 0:
            break
        mark = "$" if rest[opens] == "$" else "\\)"
        begin = opens + (1 if mark == "$" else 2)
        end = rest.find(mark, begin)
        said = _said(rest[begin:end]) if begin < end <= begin + _MOST else None
        before, behind = (done + rest[:opens])[-1:], rest[end + len(mark) :][:2]
        if before in _GOES_ON or behind[:1] in _GOES_ON or (behind[:1] == "." and behind[1:].isdecimal()):
            said = None
        if said is None:  # The caller knows no such sign, and does not read the sentence.
            return text
        done, rest = done + rest[:opens] + said, rest[end + len(mark) :]
    return done + rest


def _said(body: str) -> str | None:
    """One value with its unit, either of which may be missing; ``None`` for anything else."""
    tokens = [token for token in _TOKEN.findall(body) if token not in _SPACES]
    number, tokens = _number(tokens)
    if number is None:
        return None
    unit, tokens = _unit(tokens)
    if unit is None or tokens or not (number or unit):
        return None
    return f"{number} {unit}".strip() if unit != "°" else f"{number}°"


def _number(tokens: list[str]) -> tuple[str | None, list[str]]:
    if not tokens or tokens[0] not in ("\\frac", "\\dfrac", "\\tfrac"):
        return _product(tokens)
    above, rest = _braced(tokens[1:])
    below, rest = _braced(rest)
    if not above or not below or "√" in below or "." in above + below:
        return None, rest
    if rest[:1] == ["\\pi"]:  # A half of π: the circle number is above.
        return (f"{above}π/{below}" if (above + below).isdecimal() else None), rest[1:]
    return f"{above}/({below})" if "π" in below else f"{above}/{below}", rest


def _braced(tokens: list[str]) -> tuple[str | None, list[str]]:
    """The product between braces."""
    if tokens[:1] != ["{"]:
        return None, tokens
    inside, rest = _product(tokens[1:])
    return (inside, rest[1:]) if rest[:1] == ["}"] else (None, rest)


def _product(tokens: list[str]) -> tuple[str | None, list[str]]:
    """A number, a root and the circle number, each once at most, and in this order."""
    number = root = circle = ""
    if tokens and tokens[0][0].isdecimal():
        number, *tokens = tokens
    if tokens[:1] == ["\\sqrt"]:
        braced = tokens[1:2] == ["{"]
        inside, tokens = _braced(tokens[1:]) if braced else ("".join(tokens[1:2]), tokens[2:])
        if not inside or not inside.isdecimal() or (not braced and len(inside) > 1):  # Else the root of one digit.
            return None, tokens
        root = f"√{inside}"
    if tokens[:1] == ["\\pi"]:
        circle, tokens = "π", tokens[1:]
    return number + root + circle, tokens


def _unit(tokens: list[str]) -> tuple[str | None, list[str]]:
    """The unit that comes next, empty where there is none."""
    if tokens[:2] == ["^", "\\circ"] or tokens[:4] == ["^", "{", "\\circ", "}"]:
        return "°", tokens[2 if tokens[1] == "\\circ" else 4 :]
    if len(tokens) < 4 or tokens[0] not in _UNIT_OPENS or tokens[1] != "{" or tokens[3] != "}":
        return "", tokens
    unit, rest = tokens[2], tokens[4:]
    if rest[:1] == ["^"]:
        power, rest = (
            (rest[2], rest[4:]) if rest[1:2] == ["{"] and rest[3:4] == ["}"] else ("".join(rest[1:2]), rest[2:])
        )
        unit = f"{unit}^{power}"
    return (unit if unit in UNIT_WORDS else None), rest
