"""What a text earns in reinforcement learning: :func:`reward` for one text, :func:`less_for_length` within a group.

For a problem of an exact world the reward is ``[proved and right] + 0.5 * prefix``. The prefix is the share of the
exact teacher's steps that the text has proved before its first step that is not proved. Steps count by their claims,
each once, and only those of the teacher: a clue that is not needed, a restatement or a weaker claim is proved, too, and
there is no end of them. A whole proof has the prefix 1, in whatever steps it was found. Steps checked by a program as
rewards: VPR, arXiv 2605.10325.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from srt.answers.extraction import extract
from srt.checking import is_of_a_world
from srt.io.errors import UserError
from srt.io.records import FinishReason, Problem, Record
from srt.judging.judge import judge
from srt.judging.judgement import Code, Judgement
from srt.judging.output_text import open_thought, thought_end
from srt.judging.prefix import SAYS_NOTHING
from srt.judging.refuted_claims import claims_alone, refuted_claims
from srt.language.text import parse_step, step_lang
from srt.language.trace import Trace
from srt.pipeline.build import in_style
from srt.pipeline.solve import solve_one
from srt.worlds.world import ASSERTIONS, CLAIMS, NEEDED
from srt.worlds.world_registry import WORLDS, check_offered, world_of

PREFIX_WEIGHT: Final = 0.5
"""The most that a text can earn without a proof."""
LENGTH_WEIGHT: Final = 0.1


class Reward(Record):
    """What a text earns, and for what.

    ``value``: for a problem of an exact world ``1 [proved and right] + 0.5 prefix``, and 0 for a text that states no
    answer behind its steps; for any other problem 1 if the answer is right and nothing in the text is refuted, else 0.
    ``code`` is the judge's word; ``right`` whether the answer equals gold, ``None`` without gold. ``proved_and_right``:
    a proof, and no gold answer that differs. ``prefix`` (0 to 1): the distinct claims of the exact teacher's steps that
    are proved before the first step that is not, divided by the number of the teacher's; 1 for a whole proof, 0 where
    the teacher solves nothing. ``first_fault``: the character of the text at which the first line begins that keeps it
    from being a proof: a step, or what stands in the place of the answer; the length of the text if nothing does.
    ``None`` where all is proved (without a world: where the reward is 1), 0 where no step was read. ``cut``: the token
    budget ended the text, so a trainer masks the sample and leaves it out of the mean of its group.
    """

    value: float
    code: Code
    right: bool | None
    proved_and_right: bool
    prefix: float
    first_fault: int | None
    cut: bool


def reward(
    problem: Problem,
    text: str,
    finish_reason: FinishReason = "stop",
    *,
    thinking_open: bool = False,
    plan: str = NEEDED,
    style: str = CLAIMS,
) -> Reward:
    """What ``text``, written for ``problem``, earns; no text raises anything. Safe to call from several threads.

    Args:
        problem: its question, and the gold answer, where there is one: a proof needs none.
        text: the output as it was decoded, without the prompt.
        finish_reason: ``length`` if the token budget ended the output.
        thinking_open: the prompt ended with an open think block that ``text`` does not close.
        plan: the plan of the teacher's trace that is trained on, whose steps the prefix counts.
        style: the text style of that trace.

    Raises:
        UserError: no world has such a plan or style, the style has sentences, of which none can be proved, or
            ``problem`` is damaged (:func:`refuse_damaged`).
    """
    judged = judge(problem, text, finish_reason, thinking_open=thinking_open)
    teacher = _teacher(problem.model_dump_json(), plan, style)
    cut = finish_reason == "length"
    if not teacher.of_a_world:
        value = float(judged.right is True and judged.code not in ("refuted", "too_large"))
        # A line that is read as a step keeps the judge from reading the prose around it.
        if value and refuted_claims(problem, claims_alone(text[thought_end(text) :])):
            value = 0.0
        fault = None if value else next((step.start for step in judged.steps if step.check.support == "refuted"), 0)
        return Reward(
            value=value,
            code=judged.code,
            right=judged.right,
            proved_and_right=False,
            prefix=0.0,
            first_fault=fault,
            cut=cut,
        )
    whole = judged.code == "proved" and judged.right is not False
    prefix = 1.0 if whole else _prefix(problem, text, judged, teacher.claims)
    answered = whole or (prefix > 0 and judged.answer is not None and _answers_after_steps(problem, text, judged))
    return Reward(
        value=whole + PREFIX_WEIGHT * prefix if answered else 0.0,
        code=judged.code,
        right=judged.right,
        proved_and_right=whole,
        prefix=prefix,
        first_fault=_first_fault(text, judged),
        cut=cut,
    )


def less_for_length(rewards: Sequence[Reward], lengths: Sequence[int], weight: float = LENGTH_WEIGHT) -> list[float]:
    """The values of one group's rewards, a little less for the longer ones of its proofs.

    A proved and right sample that was not cut loses ``weight * (1 - shortest / length)``, where ``shortest`` is the
    shortest of them; ``lengths`` are in tokens. Of all others nothing is taken. As the loss is below ``weight``, a
    proof of any length earns more than what is not proved.

    Where a trainer divides by the group's deviation, groups of proofs alone learn length at full strength: TRL's
    ``scale_rewards`` is then better ``batch`` or ``none``.
    """
    if not 0 <= weight < 1:
        raise UserError(
            f"weight {weight}: a number from 0 to below 1 was expected; at 1, a proof could earn nothing more"
        )
    proofs = [one.proved_and_right and not one.cut for one in rewards]
    shortest = min((length for length, proof in zip(lengths, proofs, strict=True) if proof), default=0)
    return [
        one.value - weight * (1 - shortest / length) if proof and length else one.value
        for one, length, proof in zip(rewards, lengths, proofs, strict=True)
    ]


def refuse_damaged(problem: Problem) -> None:
    """Raise a :class:`UserError` if ``problem`` comes from an exact world that does not know it any more.

    Its right answer alone would be paid in full, as one to a problem of no world.
    """
    if problem.source in WORLDS and not is_of_a_world(problem):
        raise UserError(
            f"problem {problem.id!r}: its source is the world {problem.source}, which does not know it: something of "
            "its question, choices or meta is missing; write it again with srt generate, or give it another source"
        )


class _Teacher(NamedTuple):
    of_a_world: bool
    claims: frozenset[str] = frozenset()


@lru_cache(maxsize=8192)
def _teacher(problem_json: str, plan: str, style: str) -> _Teacher:
    """The claims of the exact teacher; none where it does not solve the problem, as those of a new scene."""
    check_offered("plan", plan)
    check_offered("text style", style)
    if style == ASSERTIONS:
        raise UserError(
            f"text style {style!r}: no sentence is proved, so there is no reward for it; {CLAIMS!r} has one"
        )
    problem = Problem.model_validate_json(problem_json)
    if not is_of_a_world(problem):
        refuse_damaged(problem)
        return _Teacher(of_a_world=False)
    trace, world = solve_one(problem, plan), world_of(problem)
    if not isinstance(trace, Trace) or world is None:
        return _Teacher(of_a_world=True)
    if style != CLAIMS:
        trace = in_style(trace, problem, style, world)
    return _Teacher(True, frozenset(step.claim for step in trace.steps if step.claim is not None))


def _prefix(problem: Problem, text: str, judged: Judgement, teacher: frozenset[str]) -> float:
    if not teacher:
        return 0.0
    proved = (text[start:end] for start, end in judged.spans[: judged.proved_steps])
    said = {parse_step(line, number, problem.lang)[1].claim for number, line in enumerate(proved, 1)}
    return len(teacher & said) / len(teacher)


def _answers_after_steps(problem: Problem, text: str, judged: Judgement) -> bool:
    """Whether an answer stands behind the steps that were read. What another step says, or a part of one, is none: nor
    is a letter alone, which may be the beginning of a word (``CONSTRAIN``) that was cut off."""
    rest = text[judged.spans[-1][1] : open_thought(text)].split("\n")
    said = "\n".join(line for line in rest if step_lang(line.strip()) is None)
    return len(said.strip()) > 1 and extract(said, problem).status == "ok"


def _first_fault(text: str, judged: Judgement) -> int | None:
    if judged.code == "proved":
        return None
    found, spans = judged.check, judged.spans
    if found is None or not spans:
        return 0
    if judged.proved_steps < len(spans):
        return spans[judged.proved_steps][0]
    if judged.code in ("malformed", "no_answer") or found.answer.support != "proved":
        # The line after the steps: one that is no step, or an answer that does not follow.
        nothing = SAYS_NOTHING.match(text, spans[-1][1])
        return spans[-1][1] if nothing is None else nothing.end()
    idle = judged.padding or min(found.unused)
    return spans[idle - 1][0]
