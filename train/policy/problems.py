"""The problems that a policy learns from, with their prompts as token ids, and the order in which they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from transformers import PreTrainedTokenizerBase

from srt.checking import is_of_a_world
from srt.experiment.problem_sources import WorldProblems
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_lines import parse_record
from srt.io.records import Problem
from srt.language.prompts import THINK_OPENS, prompt_ids, prompt_messages, render_prompt
from srt.pipeline.generate import NewProblems, draw, identities, sampler_of
from srt.rewards import refuse_damaged
from train.objective import Grpo, Problems
from train.policy.pictures import PolicyPictures, Shown
from train.recipe import Recipe

_DRAWN = 64  # at a time


class PromptedProblem(NamedTuple):
    """A problem and its prompt with the pictures ``shown`` in it.

    ``thinks``: the prompt ends in a think block that the text is to close.
    """

    problem: Problem
    prompt: list[int]
    thinks: bool
    shown: Shown = ()


class PolicyPlan(NamedTuple):
    """What the steps of a run learn from.

    ``order`` numbers the problem of each group of samples, from the first step on. A step takes ``micro_batch`` texts
    for each process, ``accumulation`` times.
    """

    steps: int
    processes: int
    micro_batch: int
    accumulation: int
    order: npt.NDArray[np.int64]


def ask(
    recipe: Recipe,
    source: Problems,
    split: str,
    tokenizer: PreTrainedTokenizerBase,
    pictures: PolicyPictures | None = None,
) -> list[PromptedProblem]:
    """The problems of ``source`` with their prompts, which are those of fine-tuning and evaluation.

    With ``pictures`` the prompts show those of the problems, which lie beside their file.

    ``split`` is that of a world, where its specification names none. A prompt that leaves no room for
    ``max_new_tokens`` within ``max_length`` is an error, or with ``too_long: drop`` its problem is left out.

    Raises:
        UserError: the problems cannot be read, drawn or asked, or none is left.
    """
    grpo = _grpo(recipe)
    asked: list[PromptedProblem] = []
    room = recipe.max_length - grpo.max_new_tokens
    shown: Shown = ()
    for problem in find_problems(source, split):
        try:
            if pictures is None:
                ids = prompt_ids(tokenizer, prompt_messages(problem, grpo.prompt), kwargs=recipe.chat_template_kwargs)
            else:
                ids, shown = _with_pictures(recipe, problem, _root(source), tokenizer, pictures)
        except UserError as error:
            raise UserError(f"problem {problem.id}: {error}") from None
        if len(ids) > room and recipe.too_long == "refuse":
            raise UserError(
                f"problem {problem.id}: its prompt has {len(ids)} tokens, and max_length less "
                f"objective.grpo.max_new_tokens leaves {room}; raise max_length, or say too_long: drop"
            )
        if len(ids) <= room:
            ending = tokenizer.decode(ids[-8:])
            asked.append(PromptedProblem(problem, ids, thinks=ending.rstrip().endswith(THINK_OPENS), shown=shown))
    if asked and len(_unpaid(asked)) == len(asked):
        raise UserError(
            f"objective.grpo: {_named(source)}: its problems are of no world and have no answers, so no text can earn "
            "anything; give problems of a world, or with answers"
        )
    if not asked:
        raise UserError(f"objective.grpo: {_named(source)}: no problem is left whose prompt fits into {room} tokens")
    return asked


def _with_pictures(
    recipe: Recipe, problem: Problem, root: Path, tokenizer: PreTrainedTokenizerBase, pictures: PolicyPictures
) -> tuple[list[int], Shown]:
    messages = prompt_messages(problem, _grpo(recipe).prompt, pictures=True)
    text = render_prompt(tokenizer, messages, len(problem.images), recipe.chat_template_kwargs)
    return pictures.place(problem, root, tokenizer.encode(text, add_special_tokens=False))


def _root(source: Problems) -> Path:
    """The folder that paths of pictures are relative to."""
    return Path(source).parent if isinstance(source, str) else Path()


def some_unpaid(asked: Sequence[PromptedProblem]) -> str | None:
    """A warning if no text about some of the problems can earn anything, or ``None``."""
    unpaid = _unpaid(asked)
    if not unpaid:
        return None
    return (
        f"objective.grpo.problems: {len(unpaid)} of its {len(asked)} problems are of no world and have no answer, so "
        f"no text about them can earn anything, and nothing is learned from them; the first is {unpaid[0]!r}"
    )


def _unpaid(asked: Sequence[PromptedProblem]) -> list[str]:
    """The ids of problems that no text can earn a reward for."""
    return [one.problem.id for one in asked if one.problem.answer is None and not is_of_a_world(one.problem)]


def also_learned_from(asked: Sequence[PromptedProblem], held_out: Sequence[PromptedProblem]) -> str | None:
    """A warning if some of ``held_out`` are learned from too, or ``None``.

    Raises:
        UserError: all of them are.
    """
    learned = identities(one.problem for one in asked)
    both = sum(not learned.isdisjoint(identities([one.problem])) for one in held_out)
    if held_out and both == len(held_out):
        raise UserError("objective.grpo.held_out: every one of its problems is learned from too; give others")
    return f"objective.grpo.held_out: {both} of its {len(held_out)} problems are learned from too" if both else None


def find_problems(source: Problems, split: str) -> list[Problem]:
    """The problems of a file, in its order, or those that a world draws: always the same for one specification.

    Raises:
        UserError: the file cannot be read, or the world has no such field or too few problems.
    """
    if isinstance(source, str):
        given = list(read_problems(source).values())
        for problem in given:
            try:
                refuse_damaged(problem)
            except UserError as error:
                raise UserError(f"{source}: {error}") from None
        return given
    split = str(source.spec.get("split", split))
    try:
        sampler = sampler_of(source.world, source.n, split, source.spec)
    except UserError as error:
        raise UserError(f"objective.grpo: {_named(source)}: {error}") from None
    new = NewProblems(Path(_named(source)), source.n, split, ())
    problems: list[Problem] = []
    for start in count(0, _DRAWN):
        for one in draw(sampler, range(start, start + _DRAWN)):
            if new.take(one.content, one.key):
                problems.append(parse_record(one.line, Problem, _named(source)))
            if len(problems) == source.n:
                return problems
    raise AssertionError


def plan_steps(recipe: Recipe, problems: int, processes: int) -> PolicyPlan:
    """The plan of a run on so many ``problems``: each comes once before any comes again, in another order each time.

    Raises:
        UserError: the texts of a step cannot be shared evenly by the processes.
    """
    grpo = _grpo(recipe)
    share, rest = divmod(recipe.batch_size, processes)
    micro = recipe.micro_batch or share
    if rest or share % micro:
        raise UserError(
            f"batch_size: {recipe.batch_size} is not a multiple of processes x micro_batch = {processes} x {micro}"
        )
    groups = recipe.batch_size // grpo.samples
    steps = recipe.steps or max(1, round((recipe.epochs or 1) * problems / groups))
    needed = groups * grpo.updates * -(-steps // grpo.updates)
    passes = [
        np.random.default_rng((recipe.seed, number)).permutation(problems) for number in range(-(-needed // problems))
    ]
    return PolicyPlan(steps, processes, micro, share // micro, np.concatenate(passes)[:needed])


def _grpo(recipe: Recipe) -> Grpo:
    assert recipe.objective.grpo is not None
    return recipe.objective.grpo


def _named(source: Problems) -> str:
    return f"{source.n} of {source.world}" if isinstance(source, WorldProblems) else source
