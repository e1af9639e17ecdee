"""The verdicts on the steps and the answer of a trace of the views world; ``docs/views.md`` defines them."""

from __future__ import annotations

from collections.abc import Sequence

from srt.answers.equality import is_conclusion
from srt.answers.written_form import read_answer
from srt.io.records import Answer, Problem
from srt.language.faults import Fault
from srt.language.premises import Premise, parse_premise
from srt.language.trace import Step, StepCheck, Trace, TraceCheck
from srt.worlds.views.checker.fitting_solids import FittingSolids
from srt.worlds.views.checker.folded_nets import ASKED as ASKED_OF_NETS
from srt.worlds.views.checker.folded_nets import FoldedNets
from srt.worlds.views.checker.question_sentences import read_question
from srt.worlds.views.checker.statements import Left, ViewStatement, operation_of, read_statement
from srt.worlds.views.checker.turned_solids import ASKED as ASKED_OF_TURNS
from srt.worlds.views.checker.turned_solids import TurnedSolids
from srt.worlds.views.checker.views_scene import UnreadableFigures, ViewsScene, figures_by_name

_PROVED = StepCheck(support="proved")
MOST_PREMISES = 24
_READ = ("asked", "shows", "stack", "layer", "need", "faces", "beside", "seen")
"""What is read from figures and the question alone, without earlier steps."""


def check_views(problem: Problem, trace: Trace) -> TraceCheck | None:
    """Check a world trace of ``problem``; ``None`` if the problem is not of the views world."""
    if problem.source != "views" or "figures" not in problem.meta:
        return None
    try:
        text = read_question(problem.question)
        _require_own_pictures(problem)
        read: FittingSolids | TurnedSolids | FoldedNets
        if text is not None and text.asked.startswith(ASKED_OF_NETS):
            read = FoldedNets(figures_by_name(problem), problem.choices, text.asked)
        elif text is not None and text.asked == ASKED_OF_TURNS:
            read = TurnedSolids(figures_by_name(problem), tuple(problem.choices))
        else:
            read = FittingSolids(ViewsScene(problem))
    except UnreadableFigures as error:
        verdict = _unchecked(f"the problem cannot be read: {error}")
        return TraceCheck(steps=(verdict,) * len(trace.steps), answer=verdict, unread=("question",))
    return _Pass(read).check(problem, trace)


def _require_own_pictures(problem: Problem) -> None:
    """Raise :class:`UnreadableFigures` where an option that is a picture says something else than that it is its own.

    The steps speak of the pictures by their letters: a letter that stands for another picture would mislead them.
    """
    pictures = figures_by_name(problem).keys() & problem.choices.keys()
    for letter in sorted(pictures):
        if problem.choices[letter] not in (f"picture {letter}", f"图{letter}"):
            raise UnreadableFigures(f"option {letter} is a picture, and its text is {problem.choices[letter]!r}")


class _Pass:
    """One pass over a trace: the claims so far, which of them are proved, and the steps that were used."""

    def __init__(self, read: FittingSolids | TurnedSolids | FoldedNets) -> None:
        self.fitting = read
        self.claims: list[ViewStatement | None] = []
        self.sound: list[bool] = []
        self.used: set[int] = set()
        self.said: dict[ViewStatement, int] = {}
        """The step that proves each claim."""

    def check(self, problem: Problem, trace: Trace) -> TraceCheck:
        steps = []
        for step in trace.steps:
            verdict = self._step(step)
            steps.append(verdict)
            self.sound.append(verdict.support == "proved")
        answer = self._answer(problem, trace.answer)
        unused = tuple([number for number in range(1, len(steps) + 1) if number not in self.used])
        return TraceCheck(steps=tuple(steps), unused=unused, answer=answer)

    def _step(self, step: Step) -> StepCheck:
        claim = read_statement(step.claim or "")
        number = len(self.claims) + 1
        self.claims.append(claim)
        premises = [parse_premise(word) for word in step.args]
        earlier = [premise.number for premise in premises if premise.kind == "step"]
        self.used |= {cited for cited in earlier if cited < number}
        if claim is None:
            return _unchecked("this world has no such claim")
        if len(premises) > MOST_PREMISES:
            reason = f"it cites {len(premises)} premises; at most {MOST_PREMISES} are checked"
            return StepCheck(support="unchecked", fault=Fault.TOO_LARGE, reason=reason)
        fault = self._citation_fault(premises, number)
        cited = [] if fault else [self.claims[at - 1] for at in earlier]
        words = [str(premise) for premise in premises if premise.kind != "step"]
        known = [one for one in cited if one is not None]
        value = None if fault else self._value(claim, words, known)
        if value is not None and value == claim.value and step.op == operation_of(claim.left):
            if not self.fitting.exist:
                return _consistent("the figures contradict each other")
            if all(self.sound[at - 1] for at in earlier) or self.fitting.can_hold(claim):
                return self._new(claim, number)
        return self._not_proved(step, claim, fault, words, known, value)

    def _new(self, claim: ViewStatement, number: int) -> StepCheck:
        """The verdict on step ``number``, which follows: proved, unless a proved step before says the same."""
        # Over an edge of a cube is one face, whether it is drawn there or found.
        fact = claim._replace(left=claim.left._replace(what="beside")) if claim.left.what == "beyond" else claim
        if (before := self.said.setdefault(fact, number)) == number:
            return _PROVED
        return StepCheck(support="consistent", fault=Fault.REPEATED, reason=f"step {before} says it already")

    def _value(self, claim: ViewStatement, words: Sequence[str], known: Sequence[ViewStatement]) -> object:
        """What one inference from just these premises gives."""
        if (len(words) > 1 and len(set(words)) < len(words)) or (len(known) > 1 and len(set(known)) < len(known)):
            return None
        return self.fitting.one_step(claim.left, frozenset(words), known)

    def _not_proved(
        self,
        step: Step,
        claim: ViewStatement,
        fault: str | None,
        words: Sequence[str],
        known: Sequence[ViewStatement],
        value: object,
    ) -> StepCheck:
        """Why a step is not proved: it contradicts the problem or its premises, is mislabelled, or does not follow."""
        possible = self.fitting.can_hold(claim)
        if not possible and self.fitting.exist:
            shown = self.fitting.only
            return StepCheck(
                support="refuted",
                reason="no solid that fits the figures lets it hold",
                counterexample=None if shown is None else ", ".join(f"{c} {h}" for c, h in sorted(shown.items()) if h),
            )
        if fault:
            return _consistent(fault)
        if value is not None and value != claim.value:
            if claim.left.what == "bound" and isinstance(value, int):
                tighter = value < _int(claim.value)
                return _consistent(f"its line gives {'a tighter' if tighter else 'only the'} bound, {value}")
            return StepCheck(support="refuted", reason=f"the cited premises give {_text(value)}")
        right = operation_of(claim.left)
        if step.op != right:
            return _consistent(f"the step calls for {right}, not {step.op}")
        if (idle := self._idle(claim, words, known)) is not None:
            reason = f"it follows without {idle}"
            return StepCheck(support="consistent", fault=Fault.IDLE_PREMISE, reason=reason)
        if not known and claim.left.what not in _READ:
            reason = "it is not one inference from a figure, an option or the question"
            return StepCheck(support="consistent", fault=Fault.LEAP, reason=reason)
        return _consistent("it does not follow from the cited premises in one inference")

    def _idle(self, claim: ViewStatement, words: Sequence[str], known: Sequence[ViewStatement]) -> str | None:
        """A premise without which the claim follows."""
        for at, word in enumerate(words):
            if self._value(claim, [*words[:at], *words[at + 1 :]], known) == claim.value:
                return word
        for at in range(len(known)):
            if self._value(claim, words, [*known[:at], *known[at + 1 :]]) == claim.value:
                return "one of the cited steps"
        return None

    def _citation_fault(self, premises: Sequence[Premise], number: int) -> str | None:
        for premise in premises:
            if premise.kind == "step":
                if premise.number >= number:
                    return f"it cites #{premise.number}, which does not stand before it"
                if self.claims[premise.number - 1] is None:
                    return f"it cites #{premise.number}, which cannot be read"
            elif premise.kind == "option":
                if premise.name not in self.fitting.letters:
                    return f"it cites option {premise.name}, which does not exist"
            elif premise.kind == "entity":
                if premise.name not in self.fitting.shown:
                    return f"it cites {premise.name}, a figure that is not shown"
            elif premise.kind != "question":
                return f"it cites {premise}, which this world does not have"
        return None

    def _answer(self, problem: Problem, text: str) -> StepCheck:
        """The answer is what a step says of the options, or of the blank where there are none."""
        what = "options" if self.fitting.letters else "found"
        claims = {n: claim for n, claim in enumerate(self.claims, 1) if claim is not None and claim.left.what == what}
        concluded = {n: answer for n, claim in claims.items() if (answer := _concluded(claim))}
        agrees = {n: is_conclusion(text, answer, problem) for n, answer in concluded.items()}
        saying = [n for n, agreed in agrees.items() if agreed]
        source = next((n for n in saying if self.sound[n - 1]), next(iter(saying), 0))
        self.used |= {source}
        claim = claims.get(source) or (None if concluded else self._stated(problem, text))
        if claim is not None and self.fitting.exist and not self.fitting.can_hold(claim):
            return StepCheck(support="refuted", reason="no solid that fits the figures gives this answer")
        if saying:
            return _PROVED
        if False in agrees.values():
            last = max(concluded)
            return StepCheck(support="refuted", reason=f"step {last} says {_text(claims[last].value)}")
        if claim is None:
            return StepCheck(support="unchecked", fault=Fault.MALFORMED, reason="the answer cannot be read")
        return _consistent("no step says the answer")

    def _stated(self, problem: Problem, text: str) -> ViewStatement | None:
        """The claim that ``text`` makes as an answer; ``None`` where it cannot be read."""
        read = read_answer(text, "choice_set" if self.fitting.letters else "number", problem.choices).answer
        if read is None:
            return None
        letters = ", ".join(read.value) if read.kind == "choice_set" else ""
        return ViewStatement(Left("options"), letters) if letters else ViewStatement(Left("found"), read.value)


def _concluded(claim: ViewStatement) -> Answer | None:
    """What a claim answers; ``None`` for a view, which no answer in words is."""
    if isinstance(claim.value, int):
        return Answer(kind="number", value=claim.value)
    return Answer(kind="choice_set", value=[claim.value]) if isinstance(claim.value, str) else None


def _int(value: object) -> int:
    return value if isinstance(value, int) else -1


def _text(value: object) -> str:
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(value)) + "}"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _unchecked(reason: str) -> StepCheck:
    return StepCheck(support="unchecked", reason=reason)


def _consistent(reason: str) -> StepCheck:
    return StepCheck(support="consistent", reason=reason)
