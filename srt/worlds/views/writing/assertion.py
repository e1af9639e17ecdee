"""A claim as a sentence for people, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from srt.io.records import Lang
from srt.worlds.views.claim_language import Form, ViewClaim, parse_claim
from srt.worlds.views.writing.question_text import TURN_SEEN, VIEW_NAMES, listed

_SENTENCES: dict[Lang, dict[Form, str]] = {
    "en": {
        "asked": "We are asked for {thing}.",
        "fits": "We look for the solid that has the {views} shown.",
        "sees": "We look for the direction from which the view shown is seen.",
        "completes": "We look for a picture that can be the {view}.",
        "turns": "We look for the solid that is the one shown, turned in space.",
        "layer": "Layer {k}{of} has cubes at {cells}.",
        "turned": "After {turns} layer {k} has cubes at {cells}.",
        "same": "So picture {letter} and the one of the question show the same solid.",
        "binding": "Column {k} of the {view}{of} shows {stacks}.",
        "column": "So column {k} of the {view}{of} is {n} high.",
        "stack": "The stack at {cell}{of} is {n} high.",
        "bound": "The stack at {cell} is at most {n} high.",
        "tallest": "{tallest} is {n} high.",
        "sum": "{Together} {cubes}.",
        "line_least": "{Together} at least {cubes}.",
        "line_most": "{Together} at most {cubes}.",
        "line_ways": "There {are} {n} {ways} to choose the heights of {stacks}.",
        "needed": "At least {n} {stack_word} of height {k} {are} needed.",
        "column_faces": "In column {k} of the {view}, {n} {faces_look} that way.",
        "view_faces": "From the {view}, {n} {faces_look} that way.",
        "quantity": "So {thing} is {n}.",
        "profile": "The columns of the {view} are {heights} high.",
        "footprint": "The top view has squares at {cells}.",
        "found": "The answer is {heights}.",
        "found_cells": "The answer has squares at {cells}.",
        "opposes": "We are asked for the face opposite to face {k}.",
        "folds": "We look for the cube that the net folds to.",
        "unfolds": "We look for the net that folds to the cube.",
        "beside": "In the net{of}, face {n} is at the {edge} edge of face {k}.",
        "beyond": "When the net{of} is folded, face {n} is at the {edge} edge of face {k}.",
        "opposite": "When the net{of} is folded, face {n} is opposite to face {k}.",
        "seen": "The cube{of} shows the faces {k}, {word} and {n} clockwise around a corner.",
        "corner": "When the net{of} is folded, the faces {k}, {word} and {n} are clockwise around a corner.",
        "rejected": "So option {letter} is wrong.",
        "options": "So option {letter} is right.",
    },
    "zh": {
        "asked": "要求的是{thing}。",
        "fits": "要找出{views}与所给相同的几何体。",
        "sees": "要找出所给视图的观察方向。",
        "completes": "要找出可能是{view}的图形。",
        "turns": "要找出由所给几何体在空间中旋转得到的几何体。",
        "layer": "{of}第{k}层在{cells}处有小立方块。",
        "turned": "{turns}之后，第{k}层在{cells}处有小立方块。",
        "same": "所以图{letter}与所给的图表示同一个几何体。",
        "binding": "{of}{view}的第{k}列对应{stacks}。",
        "column": "所以{of}{view}的第{k}列高{n}。",
        "stack": "{of}{cell}处高{n}层。",
        "bound": "{cell}处至多高{n}层。",
        "tallest": "{tallest}为{n}层。",
        "sum": "{stacks}共有{n}个小立方块。",
        "line_least": "{stacks}至少共有{n}个小立方块。",
        "line_most": "{stacks}至多共有{n}个小立方块。",
        "line_ways": "{stacks}的层数共有{n}种取法。",
        "needed": "高{k}层的至少要有{n}摞。",
        "column_faces": "{view}的第{k}列有{n}个面朝这个方向。",
        "view_faces": "{view}方向共有{n}个面。",
        "quantity": "所以{thing}是{n}。",
        "profile": "{view}各列的高依次为{heights}。",
        "footprint": "俯视图在{cells}处有方格。",
        "found": "所求为{heights}。",
        "found_cells": "所求图形在{cells}处有方格。",
        "opposes": "要求的是与面{k}相对的面。",
        "folds": "要找出由展开图折成的正方体。",
        "unfolds": "要找出能折成所给正方体的展开图。",
        "beside": "{of}展开图中，与面{k}的{edge}边相接的是面{n}。",
        "beyond": "{of}展开图折叠后，与面{k}的{edge}边相接的是面{n}。",
        "opposite": "{of}展开图折叠后，面{k}的对面是面{n}。",
        "seen": "{of}正方体上，面{k}、面{word}、面{n}按顺时针方向围着一个顶点。",
        "corner": "{of}展开图折叠后，面{k}、面{word}、面{n}按顺时针方向围着一个顶点。",
        "rejected": "所以选项{letter}不对。",
        "options": "所以选项{letter}正确。",
    },
}
_THINGS: dict[Lang, dict[str, str]] = {
    "en": {
        "count": "the number of cubes",
        "least": "the least number of cubes",
        "most": "the greatest number of cubes",
        "ways": "the number of solids",
        "surface": "the surface area",
        "painted": "the number of painted faces",
        "box": "the number of cubes of the smallest cuboid around it",
        "missing": "the number of cubes that are missing from the cuboid",
        "plan": "the plan",
    },
    "zh": {
        "count": "小立方块的个数",
        "least": "小立方块的最少个数",
        "most": "小立方块的最多个数",
        "ways": "几何体的种数",
        "surface": "表面积",
        "painted": "被涂色的面数",
        "box": "外接长方体的小立方块个数",
        "missing": "还缺的小立方块个数",
        "plan": "标有数字的平面图",
    },
}
_ONE = {"are": "is", "ways": "way", "stack_word": "stack", "faces_look": "face looks"}
_SEVERAL = {"are": "are", "ways": "ways", "stack_word": "stacks", "faces_look": "faces look"}
_OF_NETS: tuple[Form, ...] = ("beside", "beyond", "opposite", "seen", "corner")
_EDGES: dict[Lang, dict[str, str]] = {
    "en": {"up": "upper", "right": "right", "down": "lower", "left": "left"},
    "zh": {"up": "上", "right": "右", "down": "下", "left": "左"},
}


def assertion(text: str, lang: Lang) -> str:
    """The claim ``text`` as a sentence; raises :class:`~srt.worlds.views.claim_language.ClaimSyntaxError`."""
    return sentence(parse_claim(text), lang)


def sentence(claim: ViewClaim, lang: Lang) -> str:
    """``claim`` as a sentence."""
    views = VIEW_NAMES[lang]
    things = {**_THINGS[lang], **{name: f"the {view}" if lang == "en" else view for name, view in views.items()}}
    number, many = claim.numbers[0] if claim.numbers else 0, len(claim.cells) > 1
    solid = {"en": f" of solid {claim.option}", "zh": f"几何体{claim.option}的"}[lang]
    if claim.form in _OF_NETS:
        solid = {"en": f" of picture {claim.option}", "zh": f"图{claim.option}的"}[lang]
    return _SENTENCES[lang][claim.form].format(
        thing=things.get(claim.word, ""),
        view=views.get(claim.word, ""),
        views=listed([views[word] for word in claim.word.split()] if claim.form == "fits" else [], lang),
        of=solid if claim.option else "",
        turns=_turns(claim, lang),
        letter=claim.option,
        k=claim.k,
        word=claim.word,
        edge=_EDGES[lang].get(claim.word, ""),
        **_ONE if number == 1 else _SEVERAL,
        n=number,
        cubes=f"{number} cube{'s' * (number != 1)}",
        cell=claim.cells[0] if claim.cells else "",
        cells=listed(claim.cells, lang),
        stacks=_stacks(claim.cells, lang),
        tallest=_tallest(claim.cells, lang),
        Together=f"Together {_stacks(claim.cells, lang)} have" if many else f"T{_stacks(claim.cells, lang)[1:]} has",
        heights=", ".join(map(str, claim.numbers)) if lang == "en" else "、".join(map(str, claim.numbers)),
    )


def _turns(claim: ViewClaim, lang: Lang) -> str:
    seen = [TURN_SEEN[lang][turn] for turn in claim.word.split()] if claim.form == "turned" else []
    if lang == "zh":
        return "，再".join(f"{view}顺时针转90°" for view in seen)
    return ", then ".join(f"a clockwise quarter turn as seen {view}" for view in seen) + ","


def _tallest(cells: Sequence[str], lang: Lang) -> str:
    stacks = _stacks(cells, lang)
    if lang == "zh":
        return f"{stacks}中最高的" if len(cells) > 1 else stacks
    return f"The tallest of {stacks}" if len(cells) > 1 else f"T{stacks[1:]}"


def _stacks(cells: Sequence[str], lang: Lang) -> str:
    if lang == "zh":
        return listed(cells, lang) + "处"
    return f"the stack{'s' * (len(cells) > 1)} at {listed(cells, lang)}"
