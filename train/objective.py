"""What a run minimizes: the recipe key ``objective``, with the settings that only this objective has.

``sft`` (the default) is the loss on sequences, and has none. Everything else of a recipe means the same for each: its
model, adapters and optimizer, how long it is, and how many sequences a step takes (``batch_size``).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from srt.experiment.problem_sources import WorldProblems
from srt.io.yaml_config import Config, one_by_name
from srt.language.prompts import PromptStyle
from srt.worlds.world import ASSERTIONS, CLAIMS, NEEDED
from srt.worlds.world_registry import PlanName, TextStyleName

Credit = Literal["trace", "first_fault"]
Problems = Annotated[
    Annotated[str, Field(min_length=1), Tag("(file)")] | Annotated[WorldProblems, Tag("(world)")],
    Discriminator(lambda given: "(world)" if isinstance(given, dict | WorldProblems) else "(file)"),
]


class Dpo(Config):
    """Direct preference optimization (Rafailov et al., 2023) on the pairs in ``data``, as ``srt pairs`` writes them.

    ``beta`` is the weight of staying near the initial model; ``sft`` that of the likelihood of the chosen text.
    """

    beta: float = Field(default=0.1, gt=0)
    sft: float = Field(default=0.0, ge=0)


class Vllm(Config):
    """Sampling by vLLM, through TRL: in the training processes, or by the ``server`` (a URL) of ``trl vllm-serve``.

    ``memory`` is its share of each GPU within the training processes. It was not tried.
    """

    server: str | None = None
    memory: float = Field(default=0.3, gt=0, lt=1)


class Grpo(Config):
    """Group relative policy optimization (Shao et al., 2024): the model learns from the verdicts on its own texts.

    ``batch_size`` of the recipe counts sampled texts: each step takes ``batch_size / samples`` problems, and compares
    the texts to a problem with each other. Texts that ``max_new_tokens`` has cut teach nothing.

    Args:
        problems: those to learn from: a file, or so many of an exact world, drawn when the run starts.
        held_out: problems that are answered greedily every ``eval_steps`` steps; none of them is learned from.
        prompt: how a problem is asked (:func:`srt.language.prompts.prompt_messages`), as in evaluation.
        samples: texts to a problem.
        temperature: that of the samples; all tokens can be drawn.
        max_new_tokens: the most tokens of a text.
        kl: the weight of staying near the initial model; 0 keeps no copy of it.
        clip: how far the probability of a token may move in one batch of texts, as a share of it. It acts where a batch
            is learned from in several ``updates``.
        updates: optimizer steps for each batch of texts, which is so many times ``batch_size``.
        plan, text: the plan and the text style of the exact teacher's traces, as the model has learned them. A text
            earns half a point for the share of that teacher's steps that it proves (:mod:`srt.rewards`).
        length: what a proof loses at most for being longer than the shortest proof of its group.
        vllm: sample with vLLM instead of transformers.
        credit: ``trace`` gives all tokens of a text its advantage. ``first_fault`` gives a negative one only to those
            from the first step on that is not proved.
    """

    problems: Problems
    held_out: Problems | None = None
    prompt: PromptStyle = "full"
    samples: int = Field(default=8, ge=2)
    temperature: float = Field(default=1.0, gt=0)
    max_new_tokens: int = Field(default=1024, ge=1)
    kl: float = Field(default=0.0, ge=0)
    clip: float = Field(default=0.2, gt=0)
    updates: int = Field(default=1, ge=1)
    credit: Credit = "trace"
    plan: PlanName = NEEDED
    text: TextStyleName = CLAIMS
    length: float = Field(default=0.0, ge=0, lt=1)
    vllm: Vllm | None = None

    @field_validator("text")
    @classmethod
    def _is_paid(cls, style: str) -> str:
        if style == ASSERTIONS:
            raise ValueError(f"{style!r} has sentences, of which none can be proved, so there is no reward for it")
        return style


class Objective(Config):
    """One objective, as ``sft`` or ``{grpo: {problems: problems.jsonl}}``."""

    dpo: Dpo | None = Field(default=None, exclude_if=lambda given: given is None)
    grpo: Grpo | None = Field(default=None, exclude_if=lambda given: given is None)

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, given: Any) -> Any:
        if given == {}:  # sft, as it is written down
            return given
        chosen = one_by_name(given, ["sft", *cls.model_fields], "objective: dpo")
        return {} if chosen == {"sft": {}} else chosen

    @property
    def name(self) -> str:
        """``sft``, ``dpo`` or ``grpo``."""
        return next((name for name in type(self).model_fields if getattr(self, name) is not None), "sft")
