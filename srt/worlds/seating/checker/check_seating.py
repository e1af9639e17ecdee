"""The verdicts on the steps and the answer of a trace of the seating world; ``docs/seating.md`` defines them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from srt.answers.written_form import read_answer
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import Step, StepCheck, Trace, TraceCheck
from srt.worlds.seating.checker.arrangements import Pairs
from srt.worlds.seating.checker.cited_premises import Citations, cite
from srt.worlds.seating.checker.claim_sets import LONGEST_CLAIM, NONE, Meaning
from srt.worlds.seating.checker.entailment import follows, holding, loose_parts, tied_parts, weigh
from srt.worlds.seating.checker.lookup_or_substitution import functions_at_once
from srt.worlds.seating.checker.one_inference import idle_premise, leap
from srt.worlds.seating.checker.reading.problem_text import SeatingProblem, read_seating_problem
from srt.worlds.seating.checker.repetition import Said, said_twice
from srt.worlds.seating.checker.uncited_readings import leading_up

_PROVED = StepCheck(support="proved")
MOST_PREMISES = 24
MOST_ALTERNATIVES = 24
"""A restated trace of the exact teacher cites up to 15 premises; its claims have up to 12 alternatives."""


def check_seating(problem: Problem, trace: Trace) -> TraceCheck | None:
    """Check a world trace of ``problem``; ``None`` if the problem is not of the seating world.

    All is ``unchecked`` where an entity is called ``none``: ``? = none`` would say two things. So it is where a clue is
    not understood, whether or not a step reads it: it may say that everybody turns round.
    """
    read = read_seating_problem(problem)
    if read is None:
        return None
    unread = tuple(f"({number})" for number, clue in enumerate(read.clues, 1) if clue is None)
    if NONE in read.names:
        verdict = _unchecked(f"{NONE!r} cannot be a name: '? = {NONE}' says that nobody fills the blank")
    elif unread:
        verdict = _unchecked(f"no known relation is worded as {unread[0]} is, and it may change the scene")
    else:
        return CheckedSteps(read, trace.steps).verdicts(trace.answer, problem.choices)
    return TraceCheck(steps=(verdict,) * len(trace.steps), answer=verdict, unread=unread)


def _inexact(claim: Meaning, read: Meaning) -> str | None:
    """What a reading that is as true as ``read`` says otherwise than it; the plan of the seats makes both as true."""
    if claim.form.places and not read.form.places:
        return "a reading names no seat, unless the clue does"
    if claim.form.tokens != read.form.tokens:
        return "a reading names the people that the clue names, and no others"
    if max(1, functions_at_once(claim.masked)) != max(1, functions_at_once(read.masked)):
        return "a reading has as many functions inside one another as the clue"
    return None


class CheckedSteps:
    """The steps of a trace, checked in one pass: their claims, which of them were used, the seats that were chosen.

    ``readings`` are the numbers of the steps that read a clue or the question faithfully, ``established`` of those that
    are proved and rest on nothing but such steps: what they say holds in every placement that fits.
    """

    def __init__(self, problem: SeatingProblem, steps: Sequence[Step]) -> None:
        self.problem = problem
        self.language = problem.language
        self.world = problem.language.world
        self.claims: list[Meaning | None] = []
        self.readings: set[int] = set()
        self.established: set[int] = set()
        self.used: set[int] = set()
        self.said = Said(problem.language)
        self.symmetry_left = self.world.plan.turn is not None
        self.fitting = problem.base
        """The placements that fit the clues and the seats chosen by ``wlog`` so far."""
        self._steps = steps
        self._verdicts = tuple([self._step(step) for step in steps])

    def verdicts(self, answer: str, choices: Mapping[str, str]) -> TraceCheck:
        """The verdicts on the steps and on ``answer``, to a problem with these ``choices``."""
        self.used.update(leading_up(self._steps, self.claims, self.readings))
        follows = self._answer(answer, choices, self._verdicts)
        unused = tuple([number for number in range(1, len(self._steps) + 1) if number not in self.used])
        unread = ("question",) if self.problem.question is None else ()
        return TraceCheck(steps=self._verdicts, unused=unused, answer=follows, unread=unread)

    def proved_with(self, number: int, args: tuple[str, ...]) -> bool:
        """Whether step ``number``, which is proved and no reading, would be proved if it cited ``args``."""
        step, claim = self._steps[number - 1], self.claims[number - 1]
        cited = cite(args, self.problem, self.claims[: number - 1], self.readings)
        symmetry_left, self.symmetry_left = self.symmetry_left, "wlog" in step.args  # As it was before this step.
        verdict = self._verdict(step.model_copy(update={"args": args}), claim, cited)
        self.symmetry_left = symmetry_left
        return verdict.support == "proved"

    def _step(self, step: Step) -> StepCheck:
        # Before anything is compiled. A later step that cites it finds no claim there.
        if reason := _oversize(step):
            self.claims.append(None)
            return StepCheck(support="unchecked", fault=Fault.TOO_LARGE, reason=reason)
        claim = self.problem.meaning(step.claim or "")
        cited = cite(step.args, self.problem, self.claims, self.readings)
        self.claims.append(claim)
        self.used |= cited.steps
        verdict = self._verdict(step, claim, cited)
        if verdict.support == "proved" and claim is not None:
            verdict = self._repetition(claim) or verdict
        # Used up even by a choice that is not proved: else a trace could try until one fits.
        self.symmetry_left &= not cited.wlog
        if verdict.support == "proved" and cited.steps <= self.established:
            self.established.add(len(self.claims))
        return verdict

    def _repetition(self, claim: Meaning) -> StepCheck | None:
        """What keeps a step that is proved otherwise from saying something new; what it says is noted."""
        number = len(self.claims)
        reason = None if claim.letters is not None else said_twice(claim.masked, self.language)
        # A reading may say again what a clue says: when it was first read, it could not be used yet.
        if number not in self.readings and (before := self.said.before(claim)):
            reason = f"step {before} says it already"
        if reason is None:
            self.said.add(number, claim)
            return None
        self.readings.discard(number)
        return StepCheck(support="consistent", fault=Fault.REPEATED, reason=reason)

    def _verdict(self, step: Step, claim: Meaning | None, cited: Citations) -> StepCheck:
        if claim is None:
            return _unchecked("this scene has no such claim")
        if claim.letters is not None and self.problem.choices is None:
            return _unchecked("an option is neither somebody of the problem nor 'none of the above'")
        if step.op == "CORRELATE" and cited.reads:
            if cited.unread:
                return _unchecked(f"no known relation is worded as {step.args[0]} is")
            read = cited.meanings[0] if cited.meanings else None
            if read is not None and claim.same(read) and _inexact(claim, read) is None:
                self.readings.add(len(self.claims))
                return _PROVED
        if self._follows_from_established(step, claim, cited):
            return _PROVED
        return self._consequence(step, claim, cited)

    def _follows_from_established(self, step: Step, claim: Meaning, cited: Citations) -> bool:
        """Whether the step is one inference from established steps alone: most are, and this is soon found.

        What is established holds in every placement of ``fitting``, and so does what follows from it. Neither can
        contradict the problem, and :meth:`_consequence` would find nothing else.
        """
        return (
            bool(self.fitting)
            and step.op != "CORRELATE"
            and not cited.wlog
            and cited.steps <= self.established
            and self._first_fault(step, claim, cited) is None
            and follows(cited.meanings, claim, self.problem, scene=cited.scene)
            and self._grain_fault(step, claim, cited) is None
        )

    def _consequence(self, step: Step, claim: Meaning, cited: Citations) -> StepCheck:
        """The verdict on a step that is not a faithful reading of a clue."""
        # The order is that of what a reader must know first: false, then wrongly made, then open, and only what follows
        # is asked whether it is one inference. A refuted step is refuted whatever it cites.
        choices = self.problem.choices
        # With the plan in any case: without it, premises that contradict each other may look as if they could hold.
        tied, tied_holds = weigh(self.world.full, tied_parts, cited.meanings, claim, choices)
        cases: int | Pairs = tied
        holds: int | Pairs | None = tied_holds
        if not cited.scene:
            cases, holds = weigh(self.world.loose_full, loose_parts, cited.meanings, claim, choices)
        if refuted := self._against_problem(claim, tied) or self._against_premises(claim, cited, cases, holds):
            return refuted
        if fault := self._choice_fault(claim, cited, tied, tied_holds) if cited.wlog else None:
            return _consistent(fault)
        if fault := self._first_fault(step, claim, cited) or self._contradiction(cited, tied):
            return _consistent(fault)
        if not cited.wlog:
            if holds is None:
                return _consistent("no cited premise says who fills the blank")
            if open_cases := _without(cases, holds):
                return _consistent("the cited premises leave it open", witness=self._show(open_cases))
        if step.op == "CORRELATE":
            return _consistent(f"it follows from {step.args[0]}, but it is not what {step.args[0]} says")
        if too_coarse := self._grain_fault(step, claim, cited):
            return too_coarse
        # From here on the seats are as chosen: a placement that is the same but turned no longer fits.
        if cited.wlog:
            self.fitting &= claim.tied[0]
        return _PROVED

    def _first_fault(self, step: Step, claim: Meaning, cited: Citations) -> str | None:
        """A fault that does not depend on what the premises entail: a citation, the operation, or a missing option."""
        if cited.faults:
            return cited.faults[0]
        if step.op == "CORRELATE":
            if not cited.reads:
                return "CORRELATE reads one clue, or the question, and cites nothing else"
            return _inexact(claim, cited.meanings[0]) if claim.same(cited.meanings[0]) else None
        if cited.reads and claim.same(cited.meanings[0]):
            return f"a reading is CORRELATE, not {step.op}"
        if step.op != (fit := "INFER" if claim.blank else "CONSTRAIN"):
            return f"the step calls for {fit}, not {step.op}"
        if claim.letters is not None and all(premise.letters is None for premise in cited.meanings):
            missing = sorted(self.problem.letters.difference(cited.letters))
            if missing:
                return f"option {missing[0]} is not cited"
        return None

    def _grain_fault(self, step: Step, claim: Meaning, cited: Citations) -> StepCheck | None:
        """What keeps a step that follows from being one inference."""
        # A step that leaps often has an idle premise, too; the leap is what a writer has to repair.
        if reason := leap(step, claim, cited, self.problem):
            return StepCheck(support="consistent", fault=Fault.LEAP, reason=reason)
        idle = idle_premise(step, claim, cited, self.problem)
        if idle is None:
            return None
        reason = f"it follows without {idle}" if idle else "it holds whatever the premises are"
        return StepCheck(support="consistent", fault=Fault.IDLE_PREMISE, reason=reason)

    def _against_problem(self, claim: Meaning, tied: int) -> StepCheck | None:
        """``refuted`` if nothing that fits the clues and the chosen seats lets the claim hold."""
        question = self.problem.question
        if not self.fitting or (claim.blank and question is None):
            return None
        # Without a question, the claim is not about the blank, and nothing is asked of what it would name.
        if self.fitting & holding(self.world.full, question or claim, tied_parts, claim, self.problem.choices):
            return None
        shown = self.fitting & tied or self.fitting
        reason = "no placement that fits the clues and the chosen seats lets it hold"
        if claim.of_others is not None and not self.fitting & claim.of_others.tied[0]:
            reason = "no placement that fits the clues and the chosen seats lets hold what it says of others"
        elif claim.blank:
            naming = question.tied if question is not None else ()
            reason = f"as the clues place them, the blank is {self._fillers(naming, shown)}"
        return StepCheck(support="refuted", reason=reason, counterexample=self._show(shown))

    def _against_premises(
        self, claim: Meaning, cited: Citations, cases: int | Pairs, holds: int | Pairs | None
    ) -> StepCheck | None:
        """``refuted`` if the cited premises can hold, but not together with the claim."""
        # Where no premise says who fills the blank, the question does: beside a cited ``Ann@S1``, ``?@S1`` is wrong if
        # the question asks for somebody else.
        if holds is None and self.problem.question is not None:
            premises = [*cited.meanings, self.problem.question]
            if cited.scene:
                _, holds = weigh(self.world.full, tied_parts, premises, claim, self.problem.choices)
            else:
                _, holds = weigh(self.world.loose_full, loose_parts, premises, claim, self.problem.choices)
        if holds is None or holds or not cases:
            return None
        reason = "the cited premises rule it out"
        return StepCheck(support="refuted", reason=reason, counterexample=self._show(cases))

    def _choice_fault(self, claim: Meaning, cited: Citations, tied: int, holds: int | None) -> str | None:
        """Why the choice that a ``wlog`` step claims is not free, or ``None``."""
        if self.world.plan.turn is None:
            return "the scene has no symmetry to choose by"
        if not self.symmetry_left:
            return "an earlier step has used the symmetry up"
        if claim.blank or holds is None:
            return "wlog chooses seats, not who fills the blank"
        if fault := cited.faults[0] if cited.faults else self._contradiction(cited, tied):
            return fault
        if tied & ~self.world.up_to_symmetry(holds):
            return "the cited premises leave open what no symmetry turns into the claim"
        return None

    def _contradiction(self, cited: Citations, tied: int) -> str | None:
        if not self.fitting:
            return "the clues of the problem contradict each other"
        # The question itself may suppose what is not so ("next to X on the left" where nobody can be); its reading is
        # no contradiction, but any other claim is.
        question = self.problem.question
        for premise in cited.meanings:
            if premise.of_others is not None and not (question is not None and premise.same(question)):
                tied &= premise.of_others.tied[0]
        if not tied:
            return "the cited premises cannot hold together"
        return None if tied & self.fitting else "the cited premises contradict the problem"

    def _answer(self, text: str, choices: Mapping[str, str], steps: Sequence[StepCheck]) -> StepCheck:
        said = [(n, claim.letters) for n, claim in enumerate(self.claims, 1) if claim and claim.letters is not None]
        read = read_answer(text, "choice_set", choices).answer
        letters = None if read is None else frozenset(read.value)
        saying = [number for number, options in said if options == letters]
        # Of several steps that say so, a proved one counts as used; the others are idle.
        source = next((number for number in saying if steps[number - 1].support == "proved"), next(iter(saying), 0))
        self.used |= {source}
        if letters is None:
            return StepCheck(support="unchecked", fault=Fault.MALFORMED, reason="the answer is no list of the options")
        if self.problem.choices is not None:
            options = Meaning((), blank=True, letters=letters)
            if refuted := self._against_problem(options, self.world.full):
                return refuted
        if saying:
            return _PROVED
        if said:
            number, options_said = said[-1]
            listed = ", ".join(sorted(options_said))
            return StepCheck(support="refuted", reason=f"step {number} says options = {{{listed}}}")
        return _consistent("no step says which options are right")

    def _show(self, cases: int | Pairs) -> str:
        """One of the cases, as text: ``S1 Ann, S2 Bob, N1 Dan, N2 Cal``."""
        if isinstance(cases, int):
            return self._seating(cases)
        # One arrangement serves for both where it can: two are shown only if the case cannot be told by one.
        relations, places = next((q, p) for q, p in cases.blocks.items() if q)
        if places & relations:
            return self._seating(places & relations)
        return f"in place {self._seating(places)}; in relation as {self._seating(relations)}"

    def _seating(self, mask: int) -> str:
        sitters = sorted((seat, entity) for entity, seat in enumerate(self.world.any_of(mask)))
        return ", ".join(f"{self.world.plan.seats[seat]} {self.problem.names[entity]}" for seat, entity in sitters)

    def _fillers(self, naming: Sequence[int], mask: int) -> str:
        one = mask & -mask
        return ", ".join(self.problem.names[n] for n, part in enumerate(naming) if part & one) or "nobody"


def _oversize(step: Step) -> str | None:
    """Why ``step`` is too large to be checked: the cases of its premises and of its claim are multiplied out."""
    if len(step.args) > MOST_PREMISES:
        return f"it cites {len(step.args)} premises; at most {MOST_PREMISES} are checked"
    if (length := len(step.claim or "")) > LONGEST_CLAIM:
        return f"its claim has {length:,} characters; at most {LONGEST_CLAIM:,} are checked"
    if (count := (step.claim or "").count(" | ") + 1) > MOST_ALTERNATIVES:
        return f"its claim has {count} alternatives; at most {MOST_ALTERNATIVES} are checked"
    return None


def _without(cases: int | Pairs, holds: int | Pairs) -> int | Pairs:
    if isinstance(cases, int) and isinstance(holds, int):
        return cases ^ holds
    assert isinstance(cases, Pairs)
    assert isinstance(holds, Pairs)
    return cases ^ holds


def _unchecked(reason: str) -> StepCheck:
    return StepCheck(support="unchecked", reason=reason)


def _consistent(reason: str, witness: str | None = None) -> StepCheck:
    return StepCheck(support="consistent", reason=reason, witness=witness)
