"""The scene that a text introduces, and the entities that it names.

A header is known by the phrases that settle the geometry (how many sit where, which way they face, where the compass
points), in their order. What stands between these phrases may say nothing else: each sentence of a published header is
known by its digest (:mod:`.published_sentences`), so a sentence that is added ("later all six turned round") makes the
text no scene of ours. Our own headers are known whole.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from srt.io.records import Lang
from srt.worlds.seating.checker.plans import Compass, Kind
from srt.worlds.seating.checker.reading.published_sentences import SENTENCES


class Header(NamedTuple):
    """A way to introduce a scene: what its text holds, in small letters, and the pattern with the group ``names``."""

    holds: str
    pattern: re.Pattern[str]
    kind: Kind
    compass: Compass
    published: bool


def recognise(lang: Lang, text: str) -> tuple[Kind, Compass, tuple[str, ...]] | None:
    """The scene that ``text`` introduces and the names that it lists; ``None`` if it is not a known scene."""
    if len(text) > _MAX_LENGTH:
        return None
    lowered = text.lower()
    for header in _headers(lang):
        if header.holds in lowered and (match := header.pattern.fullmatch(text)):
            if header.published and not set(sentence_digests(text, match.span("names"))) <= SENTENCES[lang]:
                return None
            names = match["names"].strip()
            parts = _LIST_EN.split(names.removesuffix(",")) if lang == "en" else names.split("、")
            return header.kind, header.compass, tuple(part.strip() for part in parts)
    return None


def sentence_digests(text: str, names: tuple[int, int]) -> list[str]:
    """A digest for each sentence of a header, whose names stand at ``names``; capitals and spacing do not matter."""
    without_names = text[: names[0]] + "{}" + text[names[1] :]
    sentences = re.findall(r"[^.:。：]+[.:。：]?", "".join(without_names.lower().split()))
    return [hashlib.sha256(sentence.encode()).hexdigest()[:16] for sentence in sentences]


_MAX_LENGTH = 4000
_LIST_EN = re.compile(r", and |, | and ")
_NAMES = r"(?:(?!\. )[^;:：；。])+?"
"""A list of names is not broken by the end of a sentence."""


@cache
def _headers(lang: Lang) -> tuple[Header, ...]:
    if lang == "en":
        return (*_published_en(), *_own_en())
    return (*_published_zh(), *_own_zh())


def _header(kind: Kind, compass: Compass, *pieces: str) -> Header:
    """A header of these pieces with anything between them; ``{names}`` stands for the names."""
    first, *others = (re.escape(piece).replace(re.escape("{names}"), f"(?P<names>{_NAMES})") for piece in pieces)
    # Atomic groups: a text that repeats the phrases cannot make the search take long.
    whole = first + "".join(f"(?>.*?{other})" for other in others)
    longest = max((part for piece in pieces for part in piece.split("{names}")), key=len)
    return Header(longest.lower(), re.compile(whole, re.DOTALL | re.IGNORECASE), kind, compass, bool(others))


def _published_en() -> Iterator[Header]:
    known = "It is known that:"
    booth = ("{names} - Four people", "four-person booth", "two people sitting on each side, facing each other.")
    yield _header("booth", "", *booth[:2], f"{booth[2]} {known}")
    yield _header("booth", "EW", *booth, "on the east side are facing west", "on the west side are facing east.", known)
    yield _header(
        "booth", "NS", *booth, "on the south side are facing north", "on the north side are facing south.", known
    )
    shown: tuple[tuple[Compass, str], ...] = (
        ("", "approximately one meter. "),
        ("EW", " due east, due west, northwest, northeast, southwest, and southeast. "),
        ("NS", " due south, due north, northwest, northeast, southwest, and southeast. "),
    )
    for compass, last in shown:
        statues = ("{names}—", "these six statues", "circle")
        vertices = ("vertices of a regular hexagon", last + known)
        yield _header("hexagon-out", compass, *statues, "each facing away from the center", *vertices)
        yield _header("hexagon-in", compass, *statues, "each facing toward the center", *vertices)
        priests = ("{names}—", "these six Taoist priests", "circle", "perfect hexagon")
        yield _header(
            "hexagon-out", compass, *priests, "facing outward, with their backs toward the center", last + known
        )
        yield _header("hexagon-in", compass, *priests, "facing inward, looking toward", last + known)
    yield _header(
        "shelf",
        "",
        "{names}—",
        "these six pots of flowers",
        "three-tiered",
        "numbered from bottom to top",
        "two sections",
        "the eastern pot being on the left and the western pot being on the right",
        known,
    )


def _published_zh() -> Iterator[Header]:
    known = "已知："
    booth = ("{names}四人来到", "四人卡座", "每排卡座上坐两人。面对面而坐。")
    yield _header("booth", "", *booth[:2], booth[2] + known)
    yield _header("booth", "EW", *booth, "东边的两人面朝西", "西边的两人面朝东。" + known)
    yield _header("booth", "NS", *booth, "南边的两人面朝北", "北边的两人面朝南。" + known)
    shown: tuple[tuple[Compass, str], ...] = (
        ("", "大约为一米。"),
        ("EW", "正东、正西、西北、东北、西南、东南。"),
        ("NS", "正南、正北、西北、东北、西南、东南。"),
    )
    for compass, last in shown:
        statues = ("{names}六座神像", "围成一个圆圈")
        vertices = ("正六边形的六个顶点", last + known)
        yield _header("hexagon-out", compass, *statues, "都背对神坛中心", *vertices)
        yield _header("hexagon-in", compass, *statues, "都正对神坛中心", *vertices)
        priests = ("{names}六位道士", "围成一个圆圈", "正六边形")
        yield _header("hexagon-out", compass, *priests, "面朝外背对圆心", last + known)
        yield _header("hexagon-in", compass, *priests, "面朝内正对圆心", last + known)
    yield _header(
        "shelf", "", "{names}六盆花", "三层花架", "从下至上", "每层两格", "东侧花盆为左，西侧花盆为右。", known
    )


def _own_en() -> Iterator[Header]:
    yield _header("booth", "", "Booth: {names}.")
    yield _header("booth", "NS", "Booth, benches on the north and south sides: {names}.")
    yield _header("booth", "EW", "Booth, benches on the east and west sides: {names}.")
    booth = "{names} share a booth: two benches face each other across a table, with two seats on each."
    yield _header("booth", "", booth)
    yield _header("booth", "NS", f"{booth} One bench is on the north side of the table, the other on the south side.")
    yield _header("booth", "EW", f"{booth} One bench is on the east side of the table, the other on the west side.")
    ways: tuple[tuple[Kind, str, str], ...] = (
        ("hexagon-out", "out", "away from its centre"),
        ("hexagon-in", "in", "its centre"),
    )
    for kind, way, facing in ways:
        ring = f"Ring of six facing {way}"
        yield _header(kind, "", ring + ": {names}.")
        yield _header(kind, "NS", ring + ", seats N NE SE S SW NW: {names}.")
        yield _header(kind, "EW", ring + ", seats NE E SE SW W NW: {names}.")
        stand = "{names} stand at the six corners of a regular hexagon, all facing " + facing + "."
        lie = f"{stand} The corners lie to the "
        yield _header(kind, "", stand)
        yield _header(kind, "NS", lie + "north, northeast, southeast, south, southwest and northwest of the centre.")
        yield _header(kind, "EW", lie + "northeast, east, southeast, southwest, west and northwest of the centre.")
    yield _header("shelf", "", "Shelf of three tiers, east on the left: {names}.")
    yield _header(
        "shelf",
        "",
        "{names} stand on a shelf with three tiers, numbered from the bottom, and two places on each tier. "
        "To the viewer, east is on the left and west is on the right.",
    )


def _own_zh() -> Iterator[Header]:
    yield _header("booth", "", "卡座：{names}。")
    yield _header("booth", "NS", "卡座，南北两排：{names}。")
    yield _header("booth", "EW", "卡座，东西两排：{names}。")
    booth = "{names}同坐一个卡座：两排座位隔桌相对，每排两座。"
    yield _header("booth", "", booth)
    yield _header("booth", "NS", booth + "一排在桌子北侧，另一排在南侧。")
    yield _header("booth", "EW", booth + "一排在桌子东侧，另一排在西侧。")
    ways: tuple[tuple[Kind, str, str], ...] = (
        ("hexagon-out", "外", "背对"),
        ("hexagon-in", "内", "面向"),
    )
    for kind, way, facing in ways:
        ring = f"六人环坐，面朝{way}"
        yield _header(kind, "", ring + "：{names}。")
        yield _header(kind, "NS", ring + "，座位为北、东北、东南、南、西南、西北：{names}。")
        yield _header(kind, "EW", ring + "，座位为东北、东、东南、西南、西、西北：{names}。")
        stand = "{names}站在正六边形的六个顶点上，都" + facing + "中心。"
        yield _header(kind, "", stand)
        yield _header(kind, "NS", stand + "六个顶点分别在中心的北、东北、东南、南、西南、西北方。")
        yield _header(kind, "EW", stand + "六个顶点分别在中心的东北、东、东南、西南、西、西北方。")
    yield _header("shelf", "", "三层花架，左东右西：{names}。")
    yield _header("shelf", "", "{names}摆在一个三层的架子上，从下往上数，每层两格。从观者看，东在左，西在右。")
