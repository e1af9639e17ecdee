"""The recipe: the keys of one training run. :mod:`train.recipe_reader` reads it from a YAML file.

Paths are relative to the folder in which the command runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from srt.io.yaml_config import Config
from srt.language.template_kwargs import CheckedKwargs
from train.objective import Objective

Attention = Literal[
    "auto", "eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention", "varlen", "segments"
]
Optimizer = Literal["adamw", "adamw_8bit", "paged_adamw", "paged_adamw_8bit", "adafactor", "muon"]
PartName = Literal["vision", "projector", "language"]
PartPolicy = Literal["frozen", "lora", "full"]


_Path = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f]*$")]  # no path of a file or folder is empty


class ModelSpec(Config):
    """The weights to start from: ``path`` is a folder with a model and its tokenizer, safetensors only.

    ``dtype`` is what the arithmetic is done in. With ``bfloat16``, weights that are trained stay in float32 and are
    cast for each operation (small updates would be rounded away otherwise); weights that are frozen are held in
    bfloat16.

    ``attn`` is how the language model attends; ``auto`` takes the best that there is for the device and for packing
    (:mod:`train.models.attention`). ``quantize: nf4`` holds frozen weights in 4 bits (QLoRA). ``liger`` computes norms,
    SwiGLU and rotary positions of the language model with the kernels of Liger, which store less and are faster by its
    authors' figures; on a GPU they were tried with a small Llama, and not timed against the plain modules.

    ``hub_id`` is the name of these weights on the Hugging Face hub (``Qwen/Qwen2.5-VL-7B-Instruct``), for the model
    card; nothing is downloaded from there.
    """

    path: _Path
    hub_id: str | None = None
    dtype: Literal["float32", "bfloat16"] = "float32"
    attn: Attention = "auto"
    quantize: Literal["nf4"] | None = None
    liger: bool = False

    @model_validator(mode="before")
    @classmethod
    def _is_no_path(cls, values: Any) -> Any:
        if isinstance(values, str):
            raise ValueError(f"the folder is model.path: write model: {{path: {values}}}, or --set model.path={values}")
        return values


class TrainableParts(Config):
    """What is trained of each part of a model.

    ``language`` is by default ``lora`` where there is a ``lora`` block, and ``full`` where there is none. A text model
    has a ``language`` part only, and the other two are not looked at.
    """

    vision: PartPolicy = "frozen"
    projector: PartPolicy = "frozen"
    language: PartPolicy | None = None


class Lora(Config):
    """A low-rank adapter on each part that is ``lora`` in ``trainable``.

    ``targets`` are the last names of the modules of the *language model* that it changes; by default those of the
    architecture (:mod:`train.models.families`, which knows those of the other parts too). ``dora`` learns a
    magnitude besides (Liu et al., "DoRA", 2024).

    ``rslora`` scales by alpha / sqrt(r) instead of alpha / r (Kalajdzievski, 2023). ``init`` starts from the matrices
    themselves: ``pissa`` from their largest singular vectors (Meng et al., 2024; a fast SVD), ``olora`` from their QR
    decomposition (Buyukakyuz, 2024). ``plus_ratio`` trains the B factors at so many times the learning rate (Hayou et
    al., "LoRA+", 2024, who take 16).
    """

    r: int = Field(default=16, ge=1)
    alpha: float = Field(default=32, gt=0)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    targets: tuple[str, ...] | None = Field(default=None, min_length=1)
    dora: bool = False
    rslora: bool = False
    init: Literal["pissa", "olora"] | None = None
    plus_ratio: float | None = Field(default=None, ge=1, allow_inf_nan=False)


class Pictures(Config):
    """Limits of a picture's area in pixels, beyond which it is resized; by default those of the model's processor."""

    min_pixels: int | None = Field(default=None, ge=1)
    max_pixels: int | None = Field(default=None, ge=1)


class LossWeights(Config):
    """What a token counts in the loss, by what it belongs to; ``other`` is every trained token outside a span.

    The loss is sum(w * nll) / sum(w) over the whole batch: the weights shift attention and keep the scale, and weights
    that are all equal give the usual mean.
    """

    correlate: float = Field(default=1.0, ge=0)
    constrain: float = Field(default=1.0, ge=0)
    infer: float = Field(default=1.0, ge=0)
    answer: float = Field(default=1.0, ge=0)
    other: float = Field(default=1.0, ge=0)


Reporter = Literal["wandb", "tensorboard", "trackio"]


class Logging(Config):
    """A line on the console every ``steps`` steps; the same figures go to whatever ``report_to`` names.

    ``wandb_mode: offline`` writes a folder for ``wandb sync``. ``project`` and ``name`` are those of the run in W&B and
    trackio, ``group`` is of W&B. Without a ``project``, ``WANDB_PROJECT`` of the environment counts. The default name
    is that of the output folder; ``srt experiment`` names its runs experiment/arm/seed.
    """

    steps: int = Field(default=10, ge=1)
    report_to: tuple[Reporter, ...] = ()
    wandb_mode: Literal["online", "offline"] = "online"
    project: str = Field(default="srt", min_length=1)
    group: str | None = Field(default=None, min_length=1)
    name: str | None = Field(default=None, min_length=1)

    @field_validator("report_to", mode="before")
    @classmethod
    def _one_or_none(cls, value: Any) -> Any:
        if value in ("none", None):
            return ()
        return (value,) if isinstance(value, str) else value

    @field_validator("report_to")
    @classmethod
    def _each_once(cls, names: tuple[Reporter, ...]) -> tuple[Reporter, ...]:
        return tuple(dict.fromkeys(names))


class EarlyStopping(Config):
    """Stop after ``patience`` evaluations in a row without a better held-out loss.

    A loss is better if it is lower than the best so far by more than ``threshold``.
    """

    patience: int = Field(ge=1)
    threshold: float = Field(default=0.0, ge=0)


class Generations(Config):
    """Answers that the model in training generates, greedily, to ``count`` problems of ``eval_data``.

    ``problems`` is the file with their gold answers. ``steps`` is a multiple of ``eval_steps``, by default as often.
    """

    problems: _Path
    count: int = Field(default=8, ge=1)
    max_new_tokens: int = Field(default=1024, ge=1)
    steps: int | None = Field(default=None, ge=1)


class Stage(Config):
    """A stage of a curriculum: ``items`` sequences of the file ``data``, in whole batches, as often as it has them.

    Their order is that of a run on this file alone.
    """

    name: str = Field(min_length=1)
    data: _Path
    items: int = Field(ge=1)


class MixedFile(Config):
    """One of several files that a run is trained on at once; ``weight`` over the sum of all is its share of sequences.

    Its own order is that of a run on this file alone.
    """

    data: _Path
    weight: float = Field(ge=1e-6, le=1e6)


class Recipe(Config):
    """One training run on ``data``, for so many ``steps`` (optimizer steps) or ``epochs`` (times through the data).

    Or a curriculum: its ``stages`` follow one another under one optimizer and one schedule, and say what the run is
    trained on and how long it is. Or a ``mix`` of several files, for so many ``steps``.

    That its keys do not contradict each other is checked by :mod:`train.recipe_rules`.

    Args:
        objective: what is minimized (:mod:`train.objective`); the keys below speak of the loss on sequences.
        data: a file of :class:`~srt.io.records.Sequence`, as ``srt build`` writes it: JSON Lines or Parquet.
        stages: a curriculum, instead of ``data``, ``steps`` and ``epochs``.
        mix: several files at once, instead of ``data``; ``steps`` say how long, as an epoch has no meaning.
        batch_size: sequences for one optimizer step, over all processes.
        micro_batch: sequences that one process computes at a time, padded to the longest; by default all of its share
            of the batch.
        pack: instead, concatenate the sequences of a batch into rows of at most so many tokens, without padding; no
            token attends to another sequence. A step sees the same sequences as without.
        warmup: the steps in which the learning rate rises, from 1/warmup of it in the first: below 1 a share of the
            run, from 1 on their number.
        decay: with ``scheduler: constant``, the last steps, in which the learning rate falls to 0 in a line: below 1 a
            share of the run, from 1 on their number; none by default. What comes before does not depend on it.
        min_learning_rate: where the learning rate ends that ``scheduler`` or ``decay`` lower.
        optimizer: ``adamw``; ``adamw_8bit`` keeps its moments in 8 bits; ``paged_...`` keep them in memory that a GPU
            may move to the host; these are bitsandbytes'. ``adafactor`` keeps a mean for each row and column. ``muon``
            is for the matrices of the layers; embeddings, head and vectors stay with AdamW at ``learning_rate``.
        muon_learning_rate: that of Muon (0.01 and 0.02 were used for small models from random weights).
        beta1, beta2, eps: of AdamW, and how slowly it forgets past gradients and their size; a ``beta2`` of 0.95 to
            0.98 suits short runs from scratch.
        max_grad_norm: gradients of a larger norm are scaled down to it.
        neftune: alpha of the noise that is added to embeddings in training (Jain et al., "NEFTune", 2023, who take 5).
        max_length: the most tokens a sequence may have, prompt included. Nothing is ever cut.
        too_long: what becomes of a longer one: ``refuse`` (an error), or ``drop``: its problem is left out, with all
            its sequences, and is named in ``dropped.jsonl`` in the output folder.
        other_arms: data of the arms that this one is compared with. A problem that is too long in one of them is left
            out here too, so that all are trained on the same problems in the same batches.
        save_steps: a checkpoint every so many steps; none by default. The last two are kept until the run is done.
        gradient_checkpointing: ``true`` computes the activations of every layer again in the backward pass instead of
            storing them, which takes about a third more time; 2 those of every second layer, 3 of every third, and so
            on, for less memory saved and less time; ``false`` stores them all. No choice changes a loss.
        eval_data: sequences of held-out problems, of the same arm; their loss is logged every ``eval_steps`` steps and
            after the last step.
        early_stopping: end before the last step if the held-out loss no longer falls.
        load_best_model_at_end: the result is the model with the lowest held-out loss, not the last one.
        generations: have held-out problems answered during training, to be looked at.
        workers: processes that open pictures ahead of the training loop, for each training process.
        think: put the steps between ``<think>`` and ``</think>``, for models that open the block themselves.
        chat_template_kwargs: variables of the chat template, such as ``{enable_thinking: false}``; the model is
            evaluated with the same.
        threads: CPU threads of each process; by default what PyTorch takes.
        hub: the name of a model repository to upload the result to; none by default, and nothing leaves the machine.
    """

    model: ModelSpec
    objective: Objective = Field(default=Objective(), exclude_if=lambda given: given == Objective())
    data: _Path | None = None
    stages: tuple[Stage, ...] | None = None
    mix: tuple[MixedFile, ...] | None = None
    output: _Path
    seed: int = Field(default=0, ge=0, lt=2**32)  # NumPy takes no larger one
    steps: int | None = Field(default=None, ge=1)
    epochs: float | None = Field(default=None, gt=0)
    batch_size: int = Field(ge=1)
    micro_batch: int | None = Field(default=None, ge=1)
    learning_rate: float = Field(gt=0)
    min_learning_rate: float = Field(default=0.0, ge=0)
    optimizer: Optimizer = "adamw"
    muon_learning_rate: float | None = Field(default=None, gt=0, lt=1)
    scheduler: Literal["constant", "linear", "cosine"] = "cosine"
    warmup: float = Field(default=0.05, ge=0, strict=True)
    decay: float | None = Field(default=None, gt=0, strict=True)
    weight_decay: float = Field(default=0.0, ge=0)
    beta1: float = Field(default=0.9, ge=0, lt=1)
    beta2: float = Field(default=0.999, gt=0, lt=1)
    eps: float = Field(default=1e-8, gt=0)
    max_grad_norm: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    neftune: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    max_length: int = Field(ge=2)
    too_long: Literal["refuse", "drop"] = "refuse"
    other_arms: tuple[_Path, ...] = ()
    pack: int | None = Field(default=None, ge=2)
    lora: Lora | None = None
    trainable: TrainableParts = TrainableParts()
    pictures: Pictures = Pictures()
    loss: LossWeights = LossWeights()
    workers: int = Field(default=0, ge=0)
    gradient_checkpointing: Annotated[int | bool, AfterValidator(int)] = Field(default=0, ge=0)
    logging: Logging = Logging()
    save_steps: int | None = Field(default=None, ge=1)
    eval_data: _Path | None = None
    eval_steps: int | None = Field(default=None, ge=1)
    early_stopping: EarlyStopping | None = None
    load_best_model_at_end: bool = False
    generations: Generations | None = None
    think: bool = False
    chat_template_kwargs: CheckedKwargs = Field(default={})
    threads: int | None = Field(default=None, ge=1)
    hub: str | None = None

    @field_validator("warmup", "decay")
    @classmethod
    def _whole_steps(cls, given: float | None) -> float | None:
        if given is not None and given > 1 and not given.is_integer():
            raise ValueError("a share below 1, or a whole number of steps, was expected")
        return given

    def warmup_steps(self, steps: int) -> int:
        """The steps of the warmup in a run of so many ``steps``."""
        return _steps_of(self.warmup, steps)

    def decay_steps(self, steps: int) -> int:
        """The steps of the decay in a run of so many ``steps``; a share is one step at least."""
        return 0 if self.decay is None else max(1, _steps_of(self.decay, steps))

    def schedule_fault(self, steps: int) -> str | None:
        """What is wrong with warmup and decay in a run of so many ``steps``."""
        rising, falling = self.warmup_steps(steps), self.decay_steps(steps)
        if not falling or rising + falling <= steps:
            return None
        return f"decay: {falling:g} steps after a warmup of {rising:g} are more than the run has, {steps}"

    @property
    def run_name(self) -> str:
        """What W&B and trackio call the run."""
        return self.logging.name or Path(self.output).resolve().name

    @property
    def data_file(self) -> Path:
        """The one file that the run is trained on; a run with stages or a mix has :meth:`parts`."""
        assert self.data is not None
        return Path(self.data)

    def parts(self) -> list[Recipe]:
        """The run as runs on one file each: those of its stages or its mix, or itself."""
        files = self.stages or self.mix
        if not files:
            return [self]
        return [self.model_copy(update={"data": file.data, "stages": None, "mix": None}) for file in files]

    def on(self, data: str) -> Recipe:
        """The same with ``data`` instead of its own data, and without other arms."""
        return self.model_copy(update={"data": data, "stages": None, "mix": None, "other_arms": ()})

    def policies(self) -> dict[PartName, PartPolicy]:
        """How each part of a model is trained."""
        language: PartPolicy = "lora" if self.lora else "full"
        parts = self.trainable
        return {"vision": parts.vision, "projector": parts.projector, "language": parts.language or language}


def _steps_of(given: float, steps: int) -> int:
    """What a recipe means by ``given``, a share below 1 or a number, in a run of so many ``steps``."""
    return round(given if given >= 1 else given * steps)
