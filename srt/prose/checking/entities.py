"""Entities that a trace mentions and its problem does not have: points, edges and faces by letter, and numbers.

A false alarm is worse than a miss. Points are checked only if the problem or its solution names points; a letter counts
as a point only inside a run of capitals (``AB``, ``PBC``) or after a word such as "point"; and a step that constructs
something may name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from srt.io.records import Problem
from srt.language.trace import Step, Trace

_LABEL = r"[A-Z](?:_?\{?[0-9]{1,2}\}?|['′’]{1,3})?"
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_RUN = re.compile(rf"(?<![A-Za-z0-9_'′’\\])(?:{_LABEL}){{2,8}}(?![A-Za-z0-9_{{])")
_COMMAND = re.compile(r"\\[A-Za-z]+|<[^<>]{1,40}>")
_TEXT_COMMAND = re.compile(r"\\(?:text|mathrm|textbf|mathbf|operatorname|mbox)\s*\{([^{}]*)\}")
_POINT_WORD = re.compile(rf"(?:\b(?:[Pp]oints?|[Vv]ert(?:ex|ices))\s++|[点點])\s*+({_LABEL})(?![A-Za-z])")
_GEOMETRIC = re.compile(
    r"(?:\b(?:edges?|segments?|lines?|sides?|diagonals?|triangles?|angles?|planes?|faces?|quadrilaterals?|rectangles?"
    r"|squares?|pyramids?|tetrahedr(?:on|a)|prisms?|cubes?|rays?|arcs?|heights?|altitudes?|medians?)"
    r"|[△∠▱⊥∥]"
    r"|线段|直线|射线|平面|棱锥|棱柱|四面体|三角形|四边形|矩形|正方形|长方体|正方体|底边|侧棱|[棱边线面角弧高])"
    r"\s*$"
)
_CONSTRUCTS = re.compile(
    r"\b(?:let|denote|call|name|label|suppose|define|take|choose|pick|draw|drop|construct|extend|mark|place|put|set"
    r"|project|projections?|midpoints?|centroid|cent(?:er|re)s?|circumcent(?:er|re)|foot|feet|intersect\w*|meets?"
    r"|through|reflect\w*|origin|auxiliary|unfold\w*|cut\w*|translate\w*|rotate\w*|symmetric|distances?|as shown)\b"
    r"|设|記|记|令|取|作|延长|過|过|交|垂足|距离|中点|中點|原点|圆心|球心|重心|中心|射影|投影|对称|展开|平移|旋转|如图|补",
    re.IGNORECASE,
)
_NO_POINT = re.compile(
    "SSS|SAS|ASA|AAS|SSA|HL|RHS|LHS|QED|WLOG|GM|GCD|LCM|HCF|AND|OR|NOT|IF|THEN|SO|ALL|NO|YES|OK|TRUE|FALSE|II|III|IV|VI"
    "|VII|VIII|IX|XI|XII|ABS|SIN|COS|TAN|LOG|MAX|MIN|DIY|LED|PVC|USA|UK|US|EU|RMB|CNY|USD|GPS|TV|DVD|ID|IQ|KM|KG|ML|CO2|H2O"
)
"""Words in capitals, congruence theorems, substances: not runs of points."""
_AFTER_NUMBER = re.compile(r"\d\s*$")
"""What follows is a unit in capitals, or a factor."""
_NUMBER = re.compile(r"(?<![\w.\\^{])\d++(?:\.\d++)?+(?![\w.]*\d)")
_READS_MORE_THAN = 20
"""Numbers up to this one may be counted or implied (faces, edges, corners)."""
_COMMON = frozenset(map(str, (30, 45, 60, 75, 90, 100, 105, 120, 135, 150, 180, 270, 360, 540, 720)))
"""Angles, and a hundred per cent: used without being given."""


@dataclass(frozen=True)
class UnknownEntity:
    """Something that step ``step`` (from 1) mentions and the problem does not have."""

    step: int
    name: str
    message: str


def unknown_entities(problem: Problem, trace: Trace) -> tuple[UnknownEntity, ...]:
    """What the steps of a free ``trace`` mention and ``problem``, its solution and earlier steps do not have."""
    sources = [problem.question, problem.solution or "", problem.diagram_description or "", *problem.choices.values()]
    known = _Known(" \n ".join(sources), tuple(problem.choices))
    found = []
    for number, step in enumerate(trace.steps, 1):
        text = " ".join(part for part in (step.assertion, step.claim) if part)
        for name in dict.fromkeys([*known.strange_points(text), *_made_up_numbers(problem, step, known)]):
            what = "a number that stands nowhere" if name[0].isdigit() else "a point that the problem does not have"
            found.append(UnknownEntity(number, name, f"{name} is {what}"))
        known.learn(text)
    return tuple(found)


class _Known:
    """The labels and numbers mentioned so far. ``names_points``: the problem or its solution names points."""

    def __init__(self, text: str, letters: tuple[str, ...]) -> None:
        plain = _plain(text)
        self.names_points = bool(_POINT_WORD.search(plain)) or any(_is_geometric(run) for run in _RUN.findall(plain))
        # Every capital in the sources, except at the start of a word, is known: the widest reading.
        self.labels = _labels_of(plain) | set(letters) | {"O"}
        self.numbers = set(_NUMBER.findall(text)) | set(re.findall(r"\d+(?:\.\d+)?", text))

    def strange_points(self, text: str) -> list[str]:
        """The unknown points of ``text``; none if the problem names no points or the step constructs some."""
        if not self.names_points or _CONSTRUCTS.search(text):
            return []
        plain = _plain(text)
        strange = [label for label in map(_normal, _POINT_WORD.findall(plain)) if not self._has(label)]
        for match in _RUN.finditer(plain):
            before = plain[max(0, match.start() - 40) : match.start()]
            if not _is_geometric(match[0]) or _AFTER_NUMBER.search(before):
                continue
            labels = [_normal(label) for label in re.findall(_LABEL, match[0])]
            unknown = [label for label in labels if not self._has(label)]
            if len(unknown) < len(labels) or _GEOMETRIC.search(before):
                strange += unknown
        return strange

    def learn(self, text: str) -> None:
        """What a step mentions is known to later steps, so that one fault is reported once."""
        self.labels |= _labels_of(_plain(text))
        self.numbers.update(re.findall(r"\d+(?:\.\d+)?", text))

    def _has(self, label: str) -> bool:
        """Whether ``label`` is known; ``C_1`` is where ``C`` is and some other point has the index 1."""
        if label in self.labels:
            return True
        base, mark = label[0], label[1:]
        return bool(mark) and base in self.labels and any(other[1:] == mark for other in self.labels)


def _made_up_numbers(problem: Problem, step: Step, known: _Known) -> Iterator[str]:
    """Numbers that a reading step reads and that are in no text; if there is a picture, they may be in it."""
    if problem.images or step.op != "CORRELATE" or not problem.question.strip() or "=" in (step.assertion or ""):
        return
    for number in _NUMBER.findall(step.assertion or ""):
        if number not in known.numbers and number not in _COMMON and float(number) > _READS_MORE_THAN:
            yield number


def _is_geometric(run: str) -> bool:
    return not _NO_POINT.fullmatch(run) and not _NO_POINT.fullmatch(re.sub(r"[^A-Z]", "", run))


def _labels_of(plain: str) -> set[str]:
    return {_normal(label) for label in re.findall(rf"{_LABEL}(?![a-z])", plain)}


def _plain(text: str) -> str:
    """``text`` without LaTeX commands; what a ``\\text`` says stays."""
    signs = text.translate(_SUBSCRIPTS).replace("\\triangle", "△").replace("\\angle", "∠").replace("AM-GM", " ")
    return _COMMAND.sub(" ", _TEXT_COMMAND.sub(lambda said: f" {said[1]} ", signs)).replace("$", " ")


def _normal(label: str) -> str:
    """``A'``, ``A_1``, ``A_{1}`` and ``A1`` are one label."""
    mark = label[1:].strip("_{}")
    return label[0] + (str(len(mark)) if mark and mark[0] in "'′’" else mark)
