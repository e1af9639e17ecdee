"""The verdict on each pair of neighbours in a chain, from its readings and the text around it."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Iterator

from srt.language.trace import ClaimCheck, Support, one_line
from srt.maths.syntax.expression import (
    PI,
    Call,
    Expression,
    Quantity,
    Symbol,
    normal_form,
    number,
    substituted,
    symbols,
    walk,
)
from srt.maths.syntax.readings import Readings
from srt.maths.values.comparison import holds
from srt.maths.values.expression_value import Undecided
from srt.maths.values.vectors import NotScalar, components
from srt.maths.words import word_set
from srt.maths.work import spend
from srt.prose.claims.decide import FAILS, Finding, decide
from srt.prose.claims.find import Prose
from srt.prose.claims.links import Link
from srt.prose.claims.lost_powers import flattened
from srt.prose.claims.named_dimension import Named, of_name, of_words, of_words_after
from srt.prose.claims.perturbation import changed
from srt.prose.claims.result_unit import holds_with_units, not_in, unit_verdict
from srt.prose.claims.scope import Scope
from srt.prose.claims.whole_counts import counts_whole

_MOST_READINGS = 9
_WORK_PER_CLAIM = 150
"""Steps to look at what stands around a claim."""
_NEAR = 80
_LETTERS = word_set("m g s L h")
"""Units that are letters of algebra, too."""
_SUPPOSED = "it is supposed, not claimed"
_UNNOTICED = "it holds, but so much is open here that another number in it would not be noticed"


def verdicts(scope: Scope, link: Link, prose: Prose) -> Iterator[ClaimCheck]:
    """The verdicts on the pairs of ``link``'s chain."""
    chain = link.chain
    for place, relation in enumerate(chain.relations):
        left, right = chain.sides[place], chain.sides[place + 1]
        yield _Pair(scope, link, prose, place, place + 1, relation).check(left.start, right.end)
    yield from _across(scope, link, prose)


def _across(scope: Scope, link: Link, prose: Prose) -> Iterator[ClaimCheck]:
    """Closed sides with others between them: ``V = 24·3/3 = Sh = 24`` says that 24·3/3 is 24."""
    last: int | None = None
    for place, side in enumerate(link.sides):
        if place and link.chain.relations[place - 1] != "=":
            last = None
        if side.first is None or link.chain.sides[place].glued:
            last = None
        if side.first is not None and not any(map(symbols, side.trees)) and components(side.first) is None:
            if last is not None and place - last > 1:
                sides = link.chain.sides
                yield _Pair(scope, link, prose, last, place, "=").check(sides[last].start, sides[place].end)
            last = place


class _Pair:
    """The sides ``first`` and ``second`` of ``link`` and the relation that is claimed of them."""

    def __init__(self, scope: Scope, link: Link, prose: Prose, first: int, second: int, relation: str) -> None:
        self.scope, self.link, self.prose = scope, link, prose
        self.first, self.second, self.relation = first, second, relation

    def check(self, start: int, end: int) -> ClaimCheck:
        """The verdict, for characters ``[start, end)`` of the text."""
        spend(_WORK_PER_CLAIM)
        left, right = self.link.sides[self.first], self.link.sides[self.second]
        if left.first is None or right.first is None:
            said = one_line(self.prose.text[start:end].replace("$", ""))
            return ClaimCheck(claim=said, start=start, end=end, support="unchecked", reason="a side cannot be read")
        support, finding = self.verdict(left, right)
        if support == "computed" and not self.would_notice(left, right):
            support, finding = "consistent", Finding("open", _UNNOTICED)
        support, finding = self.with_units(support, finding, left.first, right.first)
        return ClaimCheck(
            claim=self.shown(left.first, right.first),
            start=start,
            end=end,
            support=support,
            reason=finding.reason,
            counterexample=finding.counterexample if support == "refuted" else None,
        )

    def with_units(
        self, support: Support, finding: Finding, left: Expression, right: Expression
    ) -> tuple[Support, Finding]:
        """The support with regard to what the words and the premises say of the unit."""
        if self.relation not in ("=", "≈") or self.left_open(left, right):
            return support, finding
        quantities, sides = self.scope.quantities, self.link.chain.sides
        start, end = sides[self.first].start, sides[self.second].end
        closed = not symbols(left) and not symbols(right)
        if support == "refuted":
            if closed and holds_with_units(left, self.relation, right, quantities, start):
                return "consistent", Finding("open", "it holds with the units that its numbers are stated with")
            return support, finding
        named = self.named()
        if named is not None and (wrong := not_in(named, left, right)):
            return "refuted", Finding("no", wrong, counterexample=wrong)
        found = None
        if closed and support == "computed":
            found = unit_verdict(left, self.relation, right, named, quantities, start, end)
        if found is None and support == "computed" and self.counts_something(left, right):
            return "consistent", Finding("open", "it counts something, and its result is in a unit")
        if found is None:
            return support, finding
        return ("refuted" if found.wrong else "consistent"), Finding("no", found.reason, counterexample=found.reason)

    def named(self) -> Named | None:
        """What a name at the head of the chain, or else the words before it, say that its sides are."""
        first = self.link.sides[0].first
        if isinstance(first, Symbol) and first != PI:
            return of_name(first.name, self.prose.text)
        chain = self.link.chain
        return of_words(self.prose.text, chain.start) or of_words_after(self.prose.text, chain.end)

    def shown(self, left: Expression, right: Expression) -> str:
        return f"{normal_form(left)} {self.relation} {normal_form(right)}"

    def verdict(self, left: Readings, right: Readings) -> tuple[Support, Finding]:
        """The support of the pair with these readings of its sides, and the finding that decides it."""
        common = _together(left, right)
        findings = [self.finding(*pair) for pair in common]
        outcomes = [finding.outcome for finding in findings]
        if set(outcomes) == {"yes"}:
            if self.link.context.assumed and any(map(symbols, common[0])):
                return "unchecked", Finding("open", _SUPPOSED)
            return "computed", findings[0]
        pairs = itertools.chain(
            itertools.product(left.rare, right.trees), itertools.product((tree for _, tree in left.common), right.rare)
        )
        rare = list(itertools.islice(pairs, _MOST_READINGS))
        findings += [self.finding(*pair) for pair in rare]
        for pair, finding in zip((*common, *rare), findings, strict=True):
            if finding.outcome == "yes":
                return "consistent", Finding("open", f"it has other readings; it holds as {self.shown(*pair)}")
        support, reason = self.not_computed(findings, *common[0])
        return support, Finding("no", reason, counterexample=findings[0].counterexample)

    def finding(self, left: Expression, right: Expression) -> Finding:
        """The finding on this reading; with pi as the text takes it, if the claim does not hold otherwise."""
        found = self.decided(left, right)
        if found.outcome == "yes" or PI not in (*walk(left), *walk(right)):
            return found
        for value in self.scope.values_of_pi:
            taken = self.decided(*(substituted(side, {PI.name: number(value)}) for side in (left, right)))
            if taken.outcome == "yes":
                return Finding("open", "it says what pi is taken as") if PI in (left, right) else taken
        return found

    def decided(self, left: Expression, right: Expression) -> Finding:
        """The finding on these two sides alone."""
        try:
            return decide(self.scope, self.link, left, self.relation, right, self.prose, self.first)
        except (NotScalar, Undecided, ArithmeticError, RecursionError):
            return Finding("open", "too large or too deep to decide", sure=False)

    def not_computed(self, findings: list[Finding], left: Expression, right: Expression) -> tuple[Support, str]:
        """The support of a claim under no reading of which it holds, and its reason."""
        if not all(one.outcome == "no" for one in findings):
            told = next(one for one in findings if one.outcome == "open")
            return ("consistent" if told.sure else "unchecked"), told.reason
        if not all(one.sure for one in findings):
            return "consistent", "its names may stand for something else here"
        whole = findings[0].reason.startswith(FAILS)  # ``x = 1 or x = 3``: each value is tried, and complete.
        if why := self.left_open(left, right, whole):
            return "unchecked", why
        for a, b in flattened(self.prose.text, left, right):
            self.scope.patience -= 1
            if self.scope.patience < 0 or holds(a, self.relation, b) == "yes":
                return "unchecked", "its powers may have been flattened"
        return "refuted", findings[0].reason

    def left_open(self, left: Expression, right: Expression, whole: bool = False) -> str | None:
        """Why the text around it keeps the claim from being refuted, if so. ``whole``: no more can belong to it."""
        sides = self.link.chain.sides
        pair = (sides[self.first], sides[self.second])
        if any(side.glued or (side.doubtful and not whole) for side in pair):
            return "it may be the tail of something longer"
        if self.link.context.assumed:
            return _SUPPOSED
        if self.link.context.denied:
            return "the sentence denies or doubts it"
        after = self.prose.text[sides[self.second].end :][:_NEAR]
        if why := counts_whole(left, self.relation, right, after):
            return why
        if any(map(_adds_to_a_letter, (*walk(left), *walk(right)))):
            return "its unit may be an unknown"
        if self.may_be_label(right):
            return "the number on the left may be a label"
        return "the word after it may be a unit" if self.unread_unit(left, right) else None

    def would_notice(self, left: Readings, right: Readings) -> bool:
        """Whether the claim, which holds, would be refuted with other numbers or signs in it.

        What holds under every number is not checked by holding: an equation between names, for one, may as well be a
        condition that they are to meet.
        """
        if not any(map(symbols, (*left.trees, *right.trees))):
            # Two different numbers always differ, unless the context leaves the claim open.
            return not self.left_open(left.common[0][1], right.common[0][1])
        self.scope.patience -= 1
        if self.scope.patience < 0:
            return False
        noticed: dict[str, list[bool]] = {}
        for kind, *sides in changed(left, right):
            support, _ = self.verdict(*sides)
            if support != "computed":
                noticed.setdefault(kind, []).append(support == "refuted")
        return all(sum(found) > len(found) / 2 for found in noticed.values())

    def may_be_label(self, right: Expression) -> bool:
        """``Figure 1 = ...``, ``area of square 1 = 5``, ``cost of 20 m = 20 × 8``: a number after a word."""
        tokens = self.link.chain.sides[self.first].variants[-1]
        before = self.prose.text[: self.link.chain.sides[self.first].start].rstrip(" $")
        return (
            self.first == 0
            and tokens[0].kind == "number"
            and (
                len(tokens) == 1
                or (
                    len(tokens) == 2
                    and tokens[1].kind == "unit"
                    and not any(isinstance(node, Quantity) for node in walk(right))
                )
            )
            and bool(re.search(r"[A-Za-z\u4e00-\u9fff]$", before))
        )

    def counts_something(self, left: Expression, right: Expression) -> bool:
        """``5 boxes × 3 = 15 kg``: one side has a unit, the other only a word that is no unit."""
        measured = [any(isinstance(node, Quantity) for node in walk(side)) for side in (left, right)]
        if measured[0] == measured[1]:
            return False
        side = self.link.chain.sides[self.first if measured[1] else self.second]
        tokens = self.prose.tokens
        low, high = (bisect_left(tokens, place, key=lambda token: token.start) for place in (side.start, side.end))
        counted = any(token.kind == "word" for token in tokens[low:high])
        return counted or (measured[0] and self.unread_unit(left, right))

    def unread_unit(self, left: Expression, right: Expression) -> bool:
        """``1 yard = 3 somethings``: a bare number against a quantity, and a word that is not read after it."""
        if not isinstance(left, Quantity) or symbols(right) or any(isinstance(node, Quantity) for node in walk(right)):
            return False
        after = self.prose.text[self.link.chain.sides[self.second].end :].lstrip(" $~")
        return after[:1].isalpha()


def _adds_to_a_letter(node: Expression) -> bool:
    """``6m - 2``: what looks like a unit stands beside a bare number."""
    if not isinstance(node, Call) or node.head != "add":
        return False
    parts = [part.parts[0] if isinstance(part, Call) and part.head == "neg" else part for part in node.parts]
    letters = [part for part in parts if isinstance(part, Quantity) and part.unit in _LETTERS]
    return bool(letters) and not all(isinstance(part, Quantity) for part in parts)


def _together(left: Readings, right: Readings) -> list[tuple[Expression, Expression]]:
    """The common readings of both sides: a choice that both leave is taken alike in both."""
    pairs = []
    choices = sorted(left.choices | right.choices)
    for count in range(len(choices) + 1):
        for chosen in itertools.combinations(choices, count):
            pair = (left.within(frozenset(chosen)), right.within(frozenset(chosen)))
            if pair not in pairs:
                pairs.append(pair)
    return pairs
