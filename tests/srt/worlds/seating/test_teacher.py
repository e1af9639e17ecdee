"""Every step of every trace follows from what it cites and from nothing less: shown by going through all placements.

The proof here is naive on purpose: it asks ``relations.holds`` of every placement, and in booths of every pair of a
seating and an arrangement, as ``docs/seating.md`` defines a step that does not cite ``scene``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations, product

import pytest

from srt.checking import check as judge
from srt.io.records import Problem
from srt.language.premises import parse_premise
from srt.language.text import linearize
from srt.language.trace import Step, Trace
from srt.worlds.seating.claim_language import (
    Atom,
    Attribute,
    Claim,
    Equal,
    Place,
    RightOptions,
    format_claim,
    names_of,
    parse_claim,
)
from srt.worlds.seating.derivation.exact_teacher import derive, make_trace
from srt.worlds.seating.derivation.solver import right_options, solve
from srt.worlds.seating.mutations.oracle import Oracle
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.seating.relations import holds
from srt.worlds.seating.scenes import SCENES, Scene
from srt.worlds.world import Plan, Refused

READ_LATE = ("read-as-used", "read-as-turns")
PLANS = pytest.mark.parametrize("plan", ["needed", "running", "read-as-used", "read-as-turns"])
ENTITIES = ("e0", "e1", "e2", "e3", "e4", "e5")
World = tuple[int, int]
"""A seating and an arrangement, by number; with ``scene`` they are the same."""


@cache
def placements(scene: Scene) -> list[dict[str, str]]:
    names = ENTITIES[: len(scene.seats)]
    return [dict(zip(names, seats, strict=True)) for seats in permutations(scene.seats)]


@cache
def true_at(scene: Scene, atom: Atom, asked: str | None) -> frozenset[int]:
    """The placements in which ``atom`` holds."""
    claim: Claim = ((atom,),)
    return frozenset(n for n, p in enumerate(placements(scene)) if holds(claim, scene, p, asked))


def true_in(scene: Scene, claim: Claim, asked: str | None, world: World) -> bool:
    """Places are looked up in the seating, relations in the arrangement."""
    return any(
        all(world[not isinstance(atom, (Place, Attribute))] in true_at(scene, atom, asked) for atom in atoms)
        for atoms in claim
    )


@cache
def worlds(scene: Scene, joined: bool) -> list[World]:
    every = range(len(placements(scene)))
    return [(n, n) for n in every] if joined else list(product(every, every))


def follows(scene: Scene, premises: Sequence[Claim], claim: Claim, joined: bool) -> bool:
    """Whether ``claim`` holds wherever ``premises`` do, and they hold somewhere; blanks name the same entities."""
    source = [premise for premise in premises if "?" in names_of(premise)]
    facts = [premise for premise in premises if "?" not in names_of(premise)]
    asks = "?" in names_of(claim)
    if len(source) != asks:
        return False
    if not joined and len(scene.seats) == 6:
        return follows_apart(scene, facts, source, claim)
    possible = [w for w in worlds(scene, joined) if all(true_in(scene, fact, None, w) for fact in facts)]
    if not possible:
        return False
    if not asks:
        return all(true_in(scene, claim, None, w) for w in possible)
    names = ENTITIES[: len(scene.seats)]
    return all(true_in(scene, source[0], name, w) == true_in(scene, claim, name, w) for w in possible for name in names)


def follows_apart(scene: Scene, facts: Sequence[Claim], source: Sequence[Claim], claim: Claim) -> bool:
    """The same without ``scene`` for six entities, where pairs are too many: sets of seatings times arrangements."""
    seatings, arrangements = product_of(scene, facts, None)
    if not seatings or not arrangements:
        return False
    if not source:
        goal = sets(scene, claim, None)
        return seatings <= goal[0] and arrangements <= goal[1]
    for name in ENTITIES:
        first, second = (sets(scene, c, name) for c in (source[0], claim))
        before = (seatings & first[0], arrangements & first[1])
        after = (seatings & second[0], arrangements & second[1])
        if (all(before) or all(after)) and before != after:
            return False
    return True


def product_of(scene: Scene, claims: Sequence[Claim], asked: str | None) -> tuple[frozenset[int], frozenset[int]]:
    every = frozenset(range(len(placements(scene))))
    seatings, arrangements = every, every
    for claim in claims:
        allowed = sets(scene, claim, asked)
        seatings, arrangements = seatings & allowed[0], arrangements & allowed[1]
    return seatings, arrangements


@cache
def sets(scene: Scene, claim: Claim, asked: str | None) -> tuple[frozenset[int], frozenset[int]]:
    """The seatings and the arrangements that ``claim`` allows; it must be one alternative, or of one kind of atom."""
    every = frozenset(range(len(placements(scene))))
    kinds = {isinstance(atom, (Place, Attribute)) for atoms in claim for atom in atoms}
    assert len(claim) == 1 or len(kinds) == 1
    parts = [every, every]
    for kind in kinds:
        parts[not kind] = frozenset().union(
            *(
                every.intersection(
                    *(true_at(scene, a, asked) for a in atoms if isinstance(a, (Place, Attribute)) == kind)
                )
                for atoms in claim
            )
        )
    return parts[0], parts[1]


def wlog_follows(scene: Scene, premises: Sequence[Claim], claim: Claim) -> bool:
    """Whether each placement that the premises leave open has an image under a symmetry in which the claim holds."""
    seats = scene.seats
    for n, placement in enumerate(placements(scene)):
        if not all(true_in(scene, premise, None, (n, n)) for premise in premises):
            continue
        images = [{name: seats[s[seats.index(seat)]] for name, seat in placement.items()} for s in scene.symmetries]
        if not any(holds(claim, scene, image) for image in images):
            return False
    return True


class Prover:
    """The steps of one trace, with entities renamed so that proofs of one kind are made once."""

    def __init__(self, puzzle: Puzzle, steps: Sequence[Step]) -> None:
        self.puzzle = puzzle
        self.steps = steps
        self.claims = [parse_claim(step.claim or "") for step in steps]
        self.renamed = [self._rename(claim) for claim in self.claims]

    def _rename(self, claim: Claim) -> Claim:
        text = format_claim(claim)
        for name, entity in sorted(zip(self.puzzle.names, ENTITIES, strict=False), key=lambda pair: -len(pair[0])):
            text = text.replace(name, entity)
        return parse_claim(text)

    def _are_alike(self, claim: Claim, said: Sequence[Claim]) -> bool:
        """Whether one clue holds where ``claim`` does."""
        if len(said) != 1 or "?" in names_of(claim):
            return False
        one, other = self._rename(claim), self._rename(said[0])
        scene = self.puzzle.scene
        return follows(scene, [one], other, True) and follows(scene, [other], one, True)

    def proved(self, number: int, args: Sequence[str]) -> bool:
        """Whether step ``number`` (from 0) would be proved if it cited ``args``."""
        step, claim = self.steps[number], self.claims[number]
        premises = [parse_premise(word) for word in args]
        cited = [premise.number - 1 for premise in premises if premise.kind == "step"]
        words = {premise.kind for premise in premises}
        assert all(other < number for other in cited)
        if step.op == "CORRELATE":
            clues = {clue.number: clue.claim for clue in self.puzzle.clues}
            read = [clues[p.number] if p.kind == "given" else self.puzzle.question for p in premises]
            return [claim] == read or (format_claim(claim).startswith("cw(") and self._are_alike(claim, read))
        if isinstance(claim[0][0], RightOptions):
            letters = tuple(premise.name for premise in premises if premise.kind == "option")
            filled = {atom.right for c in cited for (atom,) in self.claims[c] if isinstance(atom, Equal)}
            said = {letter: self.puzzle.options[letter] for letter in letters}
            return (
                bool(cited)
                and set(said) == set(self.puzzle.options)
                and claim == ((RightOptions(right_options(said, [str(name) for name in filled])),),)
            )
        if step.op == "CONSTRAIN":
            assert "?" not in names_of(claim)
        else:
            assert "?" in names_of(claim)
        facts = [self.renamed[other] for other in cited]
        if "wlog" in words:
            return wlog_follows(self.puzzle.scene, facts, self.renamed[number])
        return follows(self.puzzle.scene, facts, self.renamed[number], "scene" in words)


def finds_somebody(steps: Sequence[Step], number: int, word: str) -> bool:
    """Whether a lookup of the question cites ``word`` because nothing else that it cites speaks of whom it finds."""

    def spoken_of(words: Sequence[str]) -> set[str]:
        cited = [parse_premise(word).number for word in words if word.startswith("#")]
        return {name for n in cited for name in names_of(parse_claim(steps[n - 1].claim or ""))}

    step = steps[number]
    if step.op != "INFER" or not word.startswith("#") or "scene" not in step.args or (step.claim or "").startswith("?"):
        return False
    rest = spoken_of([other for other in step.args if other != word])
    return bool(set(names_of(parse_claim(step.claim or ""))) & spoken_of([word]) - rest)


def check(puzzle: Puzzle, steps: Sequence[Step], as_used: bool = False) -> None:
    """Every step proved, every premise needed, every step used, words in order; readings first, or ``as_used``."""
    prover = Prover(puzzle, steps)
    used = {parse_premise(word).number for step in steps for word in step.args if word.startswith("#")}
    assert used == set(range(1, len(steps))), "a step that nothing uses"
    order = ["CONSTRAIN", "INFER"] if as_used else ["CORRELATE", "CONSTRAIN", "INFER"]
    ops = [step.op for step in steps if step.op in order]
    assert ops == sorted(ops, key=order.index)
    if as_used:
        for number, step in enumerate(steps, 1):
            if step.op == "CORRELATE":
                first = next(later for later in steps[number:] if later.op != "CORRELATE")
                assert f"#{number}" in first.args, "a reading that is not used at once"
    wlog = [n for n, step in enumerate(steps) if "wlog" in step.args]
    assert all(n == 0 or steps[n - 1].op == "CORRELATE" for n in wlog)
    assert len(wlog) <= (len(puzzle.scene.symmetries) > 1)
    for number, step in enumerate(steps):
        shown = f"{number + 1}: {step.args} {step.claim}"
        assert prover.proved(number, step.args), shown
        for dropped in step.args:
            if dropped != "wlog" and not finds_somebody(steps, number, dropped):
                rest = [word for word in step.args if word != dropped]
                assert not prover.proved(number, rest), f"{dropped} is not needed in {shown}"


RING = Problem(
    id="ring",
    source="test",
    split="test",
    lang="en",
    question="Ring of six facing in, seats N NE SE S SW NW: Quin, Ida, Ann, Una, Gus, Ola.\n"
    "(1) Ann is one clockwise of Quin;\n(2) Ida looks northwest;\n(3) Gus is opposite the place two left of Ola;\n"
    "(4) Ida is opposite the place five left of Ola;\n(5) Ann is two left of Ida;\n(6) Una is one right of Ida.\n"
    "() is south of Una.",
    choices={"A": "Ann", "B": "Ida", "C": "Gus", "D": "None of the above"},
)

BOOTH = Problem(
    id="booth",
    source="test",
    split="test",
    lang="en",
    question="Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
    "() faces the right neighbour of Robert.",
    choices={"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"},
)


def test_the_printed_example() -> None:
    puzzle = read_problem(BOOTH)
    trace = make_trace(BOOTH, puzzle, solve(puzzle))
    assert (trace.id, trace.kind, trace.teacher) == ("t-booth", "world", "seating")
    assert linearize(trace).split("\n") == [
        "CORRELATE (1): right(Robert) = Mary",
        "CORRELATE (2): right(James) = Jason",
        "CORRELATE question: ? = across(right(Robert))",
        "CONSTRAIN wlog #1: Robert@S1 & Mary@S2",
        "CONSTRAIN scene #2 #4: James@N1 & Jason@N2",
        "INFER #1 #3: ? = across(Mary)",
        "INFER scene #4 #6: ?@N1",
        "INFER #5 #7: ? = James",
        "INFER A B C D #8: options = {C}",
        "ANSWER: C",
    ]


@pytest.mark.parametrize(
    ("number", "args", "claim"),
    [
        (5, ("scene", "#2", "#4"), "James@N2 & Jason@N1"),
        (5, ("#2", "#4"), "James@N1 & Jason@N2"),
        (5, ("scene", "#1", "#2", "#4"), "James@N1 & Jason@N2"),
        (4, ("wlog",), "Robert@S1 & Mary@S2"),
        (4, ("scene", "#1"), "Robert@S1 & Mary@S2"),
        (6, ("#1", "#3"), "? = across(Robert)"),
        (7, ("#4", "#6"), "?@N1"),
        (8, ("#5", "#7"), "? = Jason"),
        (9, ("A", "B", "C", "D", "#8"), "options = {B}"),
        (1, ("(2)",), "right(Robert) = Mary"),
    ],
)
def test_a_step_that_does_not_follow_is_caught(number: int, args: tuple[str, ...], claim: str) -> None:
    puzzle = read_problem(BOOTH)
    steps = list(make_trace(BOOTH, puzzle, solve(puzzle)).steps)
    check(puzzle, steps)
    steps[number - 1] = Step(op=steps[number - 1].op, args=args, claim=claim)
    with pytest.raises(AssertionError):
        check(puzzle, steps)


SHELF = "Shelf of three tiers, east on the left: Aster, Broom, Clover, Dahlia, Elder, Fern."
SHELF_CLUES = [
    "Aster is in the west of tier one",
    "Broom is somewhere straight above Aster",
    "a tier lies between Aster and Broom",
    "Clover is left of Broom on the same tier",
    "Dahlia and Broom are stacked",
    "Elder is on tier two",
]


def shelf(question: str, choices: Sequence[str]) -> tuple[str, Trace]:
    clues = [f"({number}) {clue};" for number, clue in enumerate(SHELF_CLUES, 1)]
    problem = Problem(
        id="shelf",
        source="test",
        split="test",
        lang="en",
        question="\n".join([SHELF, *clues, question]),
        choices=dict(zip("ABCD", choices, strict=True)),
    )
    puzzle = read_problem(problem)
    trace = make_trace(problem, puzzle, solve(puzzle))
    check(puzzle, trace.steps)
    return linearize(trace), trace


def test_a_clue_that_names_a_cell_needs_no_step_to_repeat_it() -> None:
    text, _ = shelf("() is diagonally above Aster.", ["Broom", "Clover", "Elder", "Fern"])
    assert "CORRELATE (1): Aster@1W" in text
    assert "CONSTRAIN #1: Aster@1W" not in text


def test_the_last_one_sits_where_nobody_else_does() -> None:
    text, trace = shelf("() is on tier one.", ["Aster", "Fern", "Elder", "Clover"])
    assert "?@1E | ?@1W" in text
    assert any(step.op == "CONSTRAIN" and step.claim == "Fern@1E" and "scene" not in step.args for step in trace.steps)
    assert trace.answer == "A, B"


def test_nobody() -> None:
    text, trace = shelf("() is left of Clover on the same tier.", ["Aster", "Fern", "Elder", "None of the above"])
    assert "? = none" in text
    assert trace.answer == "D"


@PLANS
def test_whom_a_lookup_finds_is_seated_by_what_it_cites(plan: Plan) -> None:
    """Nobody fills the blank, whoever sits across from Cal: so it follows without Eve's seat, and was not proved."""
    problem = Problem(
        id="p",
        source="test",
        split="test",
        lang="en",
        question="Booth: Eve, Dee, Cal, Ann.\n(1) Ann shares a bench with Cal;\n(2) Dee is front-left of Cal.\n"
        "the right neighbour of () faces Cal.",
        choices={"A": "Ann", "B": "Dee", "C": "Eve", "D": "None of the above"},
    )
    puzzle = read_problem(problem)
    solution = solve(puzzle)
    trace = make_trace(problem, puzzle, solution, plan)
    check(puzzle, trace.steps, plan in READ_LATE)
    assert "right(?) = Eve" in {step.claim for step in trace.steps}
    assert trace.answer == "D"
    assert judge(problem, trace).proved
    assert Oracle(problem).judge(trace).faults == ()


@PLANS
def test_by_chance_in_every_scene(chance_puzzles: Callable[[int, int], Iterator[Puzzle]], plan: Plan) -> None:
    seen = set()
    for puzzle in chance_puzzles(2, 7):
        check(puzzle, derive(puzzle, solve(puzzle), plan), plan in READ_LATE)
        seen.add(puzzle.scene)
    assert seen == set(SCENES)


@PLANS
@pytest.mark.slow
def test_by_chance_in_every_scene_at_length(chance_puzzles: Callable[[int, int], Iterator[Puzzle]], plan: Plan) -> None:
    for puzzle in chance_puzzles(100, 11):
        check(puzzle, derive(puzzle, solve(puzzle), plan), plan in READ_LATE)


def test_read_as_used_are_the_steps_of_a_running_plan_in_another_order(
    chance_puzzles: Callable[[int, int], Iterator[Puzzle]],
) -> None:
    for puzzle in chance_puzzles(2, 3):
        both = [derive(puzzle, solve(puzzle), plan) for plan in ("running", "read-as-used")]
        said = [sorted((step.op, step.claim or "") for step in steps) for steps in both]
        assert said[0] == said[1]


def test_of_clues_that_leave_one_way_one_of_somebody_seated_comes_first() -> None:
    """Clue 1 leaves one way too, among the seats that are left; the plan goes on beside those who have a seat."""
    puzzle = read_problem(RING)
    steps = derive(puzzle, solve(puzzle), "read-as-used")
    read = [step.args[0] for step in steps if step.op == "CORRELATE"]
    assert read == ["(2)", "(4)", "(3)", "(5)", "(1)", "question"]


def test_clues_around_a_ring_are_read_as_turns_from_whom_is_seated() -> None:
    """Functions inside one another stay as the clue has them."""
    puzzle = read_problem(RING)
    read = [step.claim for step in derive(puzzle, solve(puzzle), "read-as-turns") if step.op == "CORRELATE"]
    assert read == [
        "faces(Ida) = NW",
        "across(left(Ola, 5)) = Ida",
        "across(left(Ola, 2)) = Gus",
        "cw(Ida, 2) = Ann",
        "cw(Ann, 5) = Quin",
        "? in south(Una)",
    ]


def test_a_running_plan_needs_no_look_ahead(chance_puzzles: Callable[[int, int], Iterator[Puzzle]]) -> None:
    """Whatever is asked, the seats are found by the same steps, each from the one before and one clue."""
    compared = 0
    for puzzle in chance_puzzles(3, 5):
        function = {"booth": "right", "shelf": "up"}.get(puzzle.scene.kind, "cw")
        plans = set()
        for name in puzzle.names:
            asked = replace(puzzle, question=parse_claim(f"? = {function}({name})"))
            try:
                steps = derive(asked, solve(asked), "running")
            except Refused:
                continue
            seats = [step for step in steps if step.op == "CONSTRAIN"]
            compared += 1
            plans.add(tuple((step.args[0], step.claim) for step in seats))
            everybody = parse_claim(seats[-1].claim or "")
            assert len(everybody) == 1
            assert {atom.name for atom in everybody[0] if isinstance(atom, Place)} == set(puzzle.names)
            before = steps.index(seats[0])
            for at, step in enumerate(seats[1:], before + 1):
                assert f"#{at}" in step.args
                assert sum(word.startswith("#") for word in step.args) <= 2
        assert len(plans) <= 1
    assert compared > 100


@PLANS
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_published(published: Callable[..., list[Problem]], lang: str, plan: Plan) -> None:
    check_published(published(lang, "train")[::111], plan)


@PLANS
@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_published_at_length(published: Callable[..., list[Problem]], lang: str, plan: Plan) -> None:
    check_published(published(lang, "train")[::4], plan)


def check_published(problems: Sequence[Problem], plan: Plan) -> None:
    seen, checked = set(), 0
    for problem in problems:
        puzzle = read_problem(problem)
        try:
            solution = solve(puzzle)
        except Refused:
            continue
        trace = make_trace(problem, puzzle, solution, plan)
        check(puzzle, trace.steps, plan in READ_LATE)
        checked += 1
        for step in trace.steps:
            if step.op == "CONSTRAIN" and plan == "needed":
                assert (step.claim or "").count(" | ") < 4, f"{problem.id}: too many alternatives"
        seen.add(puzzle.scene)
    assert len(seen) >= 9
    assert checked > 0.97 * len(problems)
