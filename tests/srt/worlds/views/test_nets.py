"""Nets of a cube: counted and folded in several ways, and their problems, traces and pictures."""

from __future__ import annotations

import ast
import random
from itertools import combinations, permutations, product
from pathlib import Path

import pytest

from srt.checking import check
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.text import linearize, parse
from srt.worlds.views.canonical_key import canonical_key, key_of, squares_marked
from srt.worlds.views.checker.folded_nets import FoldedNets
from srt.worlds.views.checker.net_corners import CornerNet
from srt.worlds.views.checker.statements import read_statement
from srt.worlds.views.checker.views_scene import UnreadableFigures
from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.derivation.exact_teacher import make_trace
from srt.worlds.views.faults import net_truth
from srt.worlds.views.faults.planted_faults import PLANTS
from srt.worlds.views.faults.views_subject import views_subject
from srt.worlds.views.kernel.nets import Net, corners, cube_nets, drawn_beside, folded, next_edge, numbered
from srt.worlds.views.kernel.stacks import Heights, canonical, mirrored, places, turns
from srt.worlds.views.reading.figures import CubeFigure, NetFigure, as_meta, figures_of
from srt.worlds.views.reading.problem_reader import read_problem
from srt.worlds.views.sampling import net_folding
from srt.worlds.world import Refused
from tests.srt.worlds.views.conftest import sampled

CROSS: Net = ((0, 1, 0, 0), (2, 3, 4, 5), (0, 6, 0, 0))
TRACE = """CORRELATE question: ? = opposite(1)
CORRELATE net: up(3) = 1
CORRELATE net: down(3) = 6
INFER #2 #3: opposite(1) = 6
INFER #1 #4: ? = 6
ANSWER: 6"""


def hexominoes() -> set[Heights]:
    """All figures of six squares, turned and mirrored ones counted once, found by trying squares of a field."""
    found = set()
    for depth, width in ((1, 6), (2, 5), (2, 4), (2, 3), (3, 4), (3, 3)):
        for taken in combinations(range(depth * width), 6):
            rows = tuple(tuple(int(y * width + x in taken) for x in range(width)) for y in range(depth))
            left, reached = set(places(rows)), [places(rows)[0]]
            for y, x in reached:
                reached += {(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)} & left - set(reached)
            if len(reached) == 6 and all(map(any, rows)) and all(map(any, zip(*rows, strict=True))):
                found.add(canonical(rows))
    return found


def unmoved() -> list[tuple[int, int, int]]:
    """For each symmetry of the cube, how many of its nets, of its faces and of its corners it leaves as they are.

    A net is a spanning tree of the faces, the edges between them that are not cut.
    """
    faces = [(axis, sign) for axis in range(3) for sign in (1, -1)]
    edges = [frozenset(pair) for pair in combinations(faces, 2) if pair[0][0] != pair[1][0]]
    trees = []
    for tree in combinations(edges, 5):
        reached = {faces[0]}
        for _ in range(5):
            reached |= {face for edge in tree if edge & reached for face in edge}
        if len(reached) == 6:
            trees.append(frozenset(tree))
    assert len(trees) == 384
    found = []
    for axes, signs in product(permutations(range(3)), product((1, -1), repeat=3)):
        moved = {(axis, sign): (axes[axis], sign * signs[axis]) for axis, sign in faces}
        corner = [frozenset(zip(range(3), signs_, strict=True)) for signs_ in product((1, -1), repeat=3)]
        found.append(
            (
                sum(frozenset(frozenset(moved[face] for face in edge) for edge in tree) == tree for tree in trees),
                sum(moved[face] == face for face in faces),
                sum(frozenset(moved[face] for face in one) == one for one in corner),
            )
        )
    return found


def test_the_nets_and_the_problems_on_them_counted_in_two_ways() -> None:
    symmetries = unmoved()
    assert len(cube_nets()) == sum(nets for nets, _, _ in symmetries) / 48 == 11
    of_faces, of_corners = set(), set()
    for shape in cube_nets():
        net = numbered(shape, range(1, 7))
        of_faces |= {canonical_key(ViewClaim("opposes"), False, squares_marked(net, (face,))) for face in range(1, 7)}
        of_corners |= {
            canonical_key(ViewClaim("folds"), False, squares_marked(net, c)) for c in corners(folded(net) or {})
        }
    assert len(of_faces) == sum(nets * faces for nets, faces, _ in symmetries) / 48 == 52
    assert len(of_corners) == sum(nets * corners_ for nets, _, corners_ in symmetries) / 48 == 64


def test_three_ways_of_folding_agree_on_all_figures_of_six_squares() -> None:
    assert len(hexominoes()) == 35
    for shape in hexominoes():
        for squares in (*turns(shape), *turns(mirrored(shape))):
            net = numbered(squares, [4, 2, 6, 1, 5, 3])
            beyond, normals = folded(net), net_folding.normals(net)
            assert (beyond is not None) == (normals is not None) == (shape in cube_nets())
            if beyond is None:
                with pytest.raises(UnreadableFigures):
                    CornerNet("net", {"digits": net})
                continue
            third = CornerNet("net", {"digits": net})
            for face, edges in beyond.items():
                behind = {edges[next_edge(edge, 2)]: other for edge, other in edges.items()}
                assert all(third.beyond(face, edge) == other for edge, other in edges.items())
                assert all(third.opposite(a) == net_folding.opposite_face(net, a) == b for a, b in behind.items())
            met = {corner[at:] + corner[:at] for corner in corners(beyond) for at in range(3)}
            assert met == {three for three in permutations(range(1, 7), 3) if net_folding.folds_to(net, *three)}
            assert met == {(a, b, c) for a, b in permutations(range(1, 7), 2) if (c := third.after(a, b))}


def test_the_digits_are_on_the_outside() -> None:
    """Of the cross, 1 comes to the top, 3 to the front and 4 to the right."""
    assert net_folding.folds_to(CROSS, 1, 4, 3)
    assert not net_folding.folds_to(CROSS, 4, 1, 3)


def test_the_methods_share_no_code() -> None:
    path = Path(net_folding.__file__)
    modules = [n.module or "" for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.ImportFrom)]
    assert not any(module.startswith("srt") for module in modules)


def nets(n: int, **fields: object) -> list[Problem]:
    return [problem for problem in sampled(n, kinds=["FPBI"], **fields) if problem.subcategory != "ways"]


@pytest.fixture(scope="module")
def some_nets() -> list[Problem]:
    return nets(30, lang="zh")


def test_one_option_is_right() -> None:
    asked, reasons = set(), set()
    for problem in nets(150, options_share=1.0):
        asked.add(problem.subcategory)
        reasons |= set(problem.meta["distractors"].values())
        figures = {figure.name: figure for figure in figures_of(problem)}
        right = []
        for letter in "ABCD":
            net, cube = figures.get("net", figures.get(letter)), figures.get("cube", figures.get(letter))
            assert isinstance(net, NetFigure)
            if isinstance(cube, CubeFigure):
                is_right = CornerNet("net", {"digits": net.digits}).after(cube.top, cube.right) == cube.front
            else:
                face = int(problem.meta["asked"][-2])
                opposite = CornerNet("net", {"digits": net.digits}).opposite(face)
                is_right = problem.choices[letter] == str(opposite)
            right += [letter] * is_right
        assert problem.answer is not None
        assert problem.answer.value == right
    assert asked == {"opposes", "folds", "unfolds"}
    assert reasons == {"mirror image", "opposite faces side by side", "drawn beside it", "meets it when folded"}


@pytest.mark.long
def test_the_keys_are_those_that_were_counted_and_each_is_of_one_split() -> None:
    splits: dict[str, set[str]] = {}
    for split, many in (("train", 6000), ("dev", 800), ("test", 800)):
        for problem in nets(many, split=split):
            assert problem.group_id == key_of(problem)
            splits.setdefault(problem.group_id, set()).add(split)
    assert all(len(found) == 1 for found in splits.values())
    assert len(splits) == 52 + 2 * 64


@pytest.mark.parametrize("fault", PLANTS, ids=lambda fault: fault.value)
def test_what_is_planted_is_found(fault: Fault, some_nets: list[Problem]) -> None:
    rng = random.Random(fault.value)
    planted = 0
    for problem in some_nets:
        subject = views_subject(problem, make_trace(problem))
        mutant = subject.mutate(fault, rng)
        if mutant is None:
            continue
        verdict, checked = subject.judge(mutant.trace), check(problem, mutant.trace)
        shown = f"{problem.diagram_description}\n{mutant.change}\n{linearize(mutant.trace)}\n{verdict}\n{checked}"
        if fault.family == "truth-changing":
            assert checked.refuted == bool(verdict.false), shown
        assert checked.proved == verdict.proved, shown
        planted += not verdict.proved
    assert planted > 5 or fault in (Fault.CONTRADICTED, Fault.ENTITIES_SWAPPED)  # They need bounds, or cells.


def problem(net: Net = CROSS, asked: str = "opposite to 1 on the cube") -> Problem:
    return Problem(
        id="p",
        source="views",
        split="train",
        lang="en",
        question="A net with the digits 1 to 6 is folded to a cube, with the digits on the outside.\n"
        f"The net is shown.\nWhich digit is {asked}?",
        meta={"figures": as_meta((NetFigure(name="net", digits=net),)), "asked": "? = opposite(1)"},
    )


def test_a_derivation() -> None:
    assert linearize(make_trace(problem())) == TRACE
    assert check(problem(), make_trace(problem())).proved


@pytest.mark.parametrize(
    ("number", "line", "support"),
    [
        (2, "CORRELATE net: up(3) = 4", "refuted"),
        (2, "CORRELATE net: beyond up(3) = 1", "consistent"),
        (2, "CONSTRAIN net: up(3) = 1", "consistent"),
        (2, "CORRELATE question: up(3) = 1", "consistent"),
        (4, "INFER net: opposite(1) = 6", "consistent"),
        (4, "INFER #2: opposite(1) = 6", "consistent"),
        (4, "INFER #2 #3: opposite(6) = 1", "proved"),
        (4, "INFER net #2 #3: opposite(1) = 6", "consistent"),
        (4, "INFER #2 #3: opposite(1) = 5", "refuted"),
        (4, "INFER #2 #3: opposite(2) = 4", "consistent"),
        (4, "INFER #2 #3: corner(3 1) = 6", "refuted"),
        (5, "INFER #4: ? = 6", "consistent"),
        (5, "INFER #1 #4: ? = 5", "refuted"),
    ],
)
def test_verdicts(number: int, line: str, support: str) -> None:
    lines = TRACE.split("\n")
    lines[number - 1] = line
    trace = parse("\n".join(lines)).trace("t", "p")
    assert check(problem(), trace).steps[number - 1].support == support


def true_claims(net: Net) -> list[ViewClaim]:
    beyond = folded(net) or {}
    edges = [(face, edge, other) for face, others in beyond.items() for edge, other in others.items()]
    beside = [(face, edge, other) for face, others in drawn_beside(net).items() for edge, other in others.items()]
    return [
        *(ViewClaim("beside", word=edge, k=face, numbers=(other,)) for face, edge, other in beside),
        *(ViewClaim("beyond", word=edge, k=face, numbers=(other,)) for face, edge, other in edges),
        *{ViewClaim("opposite", k=o, numbers=(beyond[face][next_edge(edge, 2)],)) for face, edge, o in edges},
        *(
            ViewClaim("corner", word=str(o), k=face, numbers=(beyond[face][next_edge(edge)],))
            for face, edge, o in edges
        ),
    ]


def test_two_claims_give_what_the_oracle_says_and_nothing_that_is_false() -> None:
    """Every claim about a net, from every two true claims about it."""
    one = problem(numbered(cube_nets()[0], [4, 2, 6, 1, 5, 3]))
    (figure,) = figures_of(one)
    assert isinstance(figure, NetFigure)
    checker = FoldedNets({"net": figure.model_dump()}, {}, "? = opposite(1)")
    claims = true_claims(figure.digits)
    statements = {claim: read_statement(str(claim)) for claim in claims}
    expected = {claim: set(net_truth.premises(read_problem(one), claim)) for claim in claims}
    proved = 0
    for pair in combinations(claims, 2):
        known = [statement for claim in pair if (statement := statements[claim]) is not None]
        for claim, statement in statements.items():
            assert statement is not None
            value = checker.one_step(statement.left, frozenset(), known)
            assert value in (None, statement.value), (pair, claim, value)
            assert (value is not None) == (frozenset(map(str, pair)) in expected[claim]), (pair, claim)
            proved += value is not None
    assert proved > 100


@pytest.mark.parametrize(
    ("line", "support"),
    [
        ("INFER #1 #2 #5: same A", "proved"),
        ("INFER #1 #2 #5: same B", "refuted"),
        ("INFER #1 #5 #6: same A", "consistent"),
        ("INFER #1 #2 #7: same A", "consistent"),
        ("INFER #2 #5: same A", "consistent"),
        ("INFER A #1 #5: same A", "consistent"),
    ],
)
def test_a_cube_is_the_net_folded_if_one_corner_is_the_same(line: str, support: str) -> None:
    cubes = [CubeFigure(name=n, top=t, right=r, front=f) for n, t, r, f in (("A", 1, 4, 3), ("B", 4, 1, 3))]
    asked = Problem(
        id="p",
        source="views",
        split="train",
        lang="en",
        question="A net with the digits 1 to 6 is folded to a cube, with the digits on the outside.\n"
        "The net is shown, and the options show cubes from the front right and above.\n"
        "Which of the cubes can it be folded to? How the digits are turned does not matter.",
        choices={"A": "picture A", "B": "picture B"},
        meta={"figures": as_meta((NetFigure(name="net", digits=CROSS), *cubes)), "asked": "? folds net"},
    )
    lines = (
        "CORRELATE question: ? folds net",
        "CONSTRAIN A: A.seen(3 1) = 4",
        "CORRELATE net: up(3) = 1",
        "CORRELATE net: right(3) = 4",
        "INFER #3 #4: corner(3 1) = 4",
        "CONSTRAIN B: B.seen(3 1) = 4",
        "CORRELATE B: B.corner(3 1) = 4",
        line,
        "ANSWER: A",
    )
    assert check(asked, parse("\n".join(lines)).trace("t", "p")).steps[7].support == support


def test_what_does_not_fold_is_refused() -> None:
    flat: Net = ((1, 2, 3), (4, 5, 6))
    with pytest.raises(Refused, match="nets of a cube"):
        make_trace(problem(flat))
    checked = check(problem(flat), make_trace(problem()))
    assert {step.support for step in checked.steps} == {"unchecked"}
    assert "do not fold" in (checked.steps[0].reason or "")
    assert not check(problem(asked="on top"), make_trace(problem())).proved


@pytest.mark.parametrize("digit", [True, 1.0, "1", None, 7, [], {}])
def test_a_digit_of_another_kind_is_not_read(digit: object) -> None:
    with pytest.raises(UnreadableFigures, match="cube"):
        FoldedNets({"cube": {"type": "cube", "top": digit, "right": 2, "front": 3}} | {
            letter: {"type": "net", "digits": CROSS} for letter in "AB"
        }, {"A": "", "B": ""}, "? unfolds cube")  # fmt: skip
