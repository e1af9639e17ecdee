"""Answers that the model in training generates to a few held-out problems, with their verdicts, to be looked at.

The problems are the same for every arm and at every step, and the tokens are greedy, so that what changes is the model.
Each process generates and judges its share. Where weights are sharded, all processes take part in every forward pass.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.utils import gather_object
from torch.distributed.fsdp import FSDPModule
from torch.nn.utils.rnn import pad_sequence
from transformers import GenerationConfig, PreTrainedTokenizerBase, ProcessorMixin
from transformers.integrations import is_deepspeed_zero3_enabled

from srt.answers.written_form import canonical_text
from srt.io.append_log import AppendLog
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem, Record
from srt.judging.judge_many import judge_within_limit
from srt.language.prompts import THINK_CLOSES, THINK_OPENS
from train.data.collate import PictureOpener
from train.data.examples import IGNORED, Example
from train.data.token_table import TokenizedExamples
from train.models.attention import AttentionChoice, attention_of, choose_attention, set_attention
from train.recipe import Recipe

FILE = "generations.jsonl"


class JudgedText(Record):
    """A row of ``generations.jsonl``: what the model wrote for a problem after ``step``, and what is to be said of it.

    ``right``: the ``answer`` in ``text`` equals ``gold`` (``None``: the problem has no gold answer). ``verdict`` is
    what ``srt.judge`` says of the whole (:data:`srt.judging.judgement.Code`).
    """

    step: int
    problem_id: str
    text: str
    answer: str | None
    gold: str | None
    right: bool | None
    verdict: str


class HeldOutGenerations:
    """Generates answers to some problems of ``examples``, and writes them to ``generations.jsonl``.

    Rows of the file that were written after step ``from_step``, from which a run is resumed, are removed.

    Raises:
        UserError: the file of problems cannot be read, or lacks one of the problems.
    """

    def __init__(
        self,
        recipe: Recipe,
        examples: TokenizedExamples,
        tokenizer: PreTrainedTokenizerBase,
        processor: ProcessorMixin | None,
        *,
        from_step: int,
        writes: bool,
    ) -> None:
        assert recipe.generations is not None
        self._recipe, self._settings = recipe, recipe.generations
        self._tokenizer = tokenizer
        self._chosen = choose_problems(examples, self._settings.count)
        self._problems = find_problems(recipe, self._chosen)
        has_pictures = any(example.pictures for example in self._chosen)
        self._pictures = PictureOpener(processor) if processor is not None and has_pictures else None
        self._image_token = None if processor is None else processor.image_token_id
        self._file = Path(recipe.output) / FILE
        self._writes = writes
        if writes and self._file.exists():
            write_records(self._file, [row for row in read_records(self._file, JudgedText) if row.step <= from_step])

    def is_due(self, step: int, steps: int) -> bool:
        """Whether to generate at the evaluation after ``step`` of ``steps``."""
        return step % (self._settings.steps or 1) == 0 or step >= steps

    def generate(self, model: Any, accelerator: Accelerator, step: int) -> list[JudgedText]:
        """The judged answers of ``model``, in the order of the problems; every process must call this, and gets all."""
        process, processes = accelerator.process_index, accelerator.num_processes
        own = range(process, len(self._chosen), processes)
        # A process without a problem of its own takes part all the same, as others may need its share of the weights.
        texts = self._generate(model, accelerator, [self._chosen[at] for at in own or range(1)])
        judged = [(at, self._judge(at, text, whole, step)) for at, (text, whole) in zip(own, texts, strict=False)]
        rows = [row for _, row in sorted(gather_object(judged), key=lambda pair: pair[0])]
        if self._writes:
            with AppendLog(self._file) as log:
                log.append(*rows)
        return rows

    def _generate(self, model: Any, accelerator: Accelerator, members: list[Example]) -> list[tuple[str, bool]]:
        """What ``model`` writes for each of ``members``, and whether it came to its end."""
        inputs = self._inputs(members)
        base = model.get_base_model() if hasattr(model, "get_base_model") else model
        ends = ends_of(self._tokenizer, base.generation_config)
        with ready_to_generate(model, base, self._attention(base)):
            output = base.generate(
                **{name: value.to(accelerator.device) for name, value in inputs.items()},
                generation_config=GenerationConfig(
                    max_new_tokens=self._settings.max_new_tokens,
                    do_sample=False,
                    num_beams=1,
                    use_cache=True,
                    eos_token_id=ends,
                    pad_token_id=ends[0],
                ),
                # Each forward pass gathers weights from all: a process whose texts have ended goes on until the last
                # one has.
                synced_gpus=accelerator.num_processes > 1
                and (isinstance(model, FSDPModule) or is_deepspeed_zero3_enabled()),
            )
        texts = []
        for row in output[: len(members), inputs["input_ids"].size(1) :].tolist():
            end = next((at for at, token in enumerate(row) if token in ends), None)
            texts.append((self._tokenizer.decode(row[:end], skip_special_tokens=True), end is not None))
        return texts

    def _attention(self, base: Any) -> AttentionChoice:
        """How to attend with a cache, which attention within packed rows does not have."""
        if self._recipe.pack is None:
            return attention_of(base)
        padded = self._recipe.model_copy(
            update={"pack": None, "model": self._recipe.model.model_copy(update={"attn": "auto"})}
        )
        return choose_attention(padded, base.config)

    def _inputs(self, members: list[Example]) -> dict[str, torch.Tensor]:
        """The prompts of ``members``, padded on the left, and their pictures."""
        features: dict[str, torch.Tensor] = {}
        if self._pictures is not None:
            members, features = self._pictures.open(members)
        prompts = [torch.from_numpy(example.input_ids[example.labels == IGNORED]).long() for example in members]
        # What stands in padding is never attended to.
        ids = pad_sequence(prompts, batch_first=True, padding_value=0, padding_side="left")
        seen = [torch.ones(len(prompt), dtype=torch.long) for prompt in prompts]
        mask = pad_sequence(seen, batch_first=True, padding_value=0, padding_side="left")
        inputs = {"input_ids": ids, "attention_mask": mask, **features}
        if "image_grid_thw" in features:
            inputs["mm_token_type_ids"] = ((ids == self._image_token) & (mask == 1)).int()
        return inputs

    def _judge(self, at: int, text: str, whole: bool, step: int) -> JudgedText:
        problem, example = self._problems[at], self._chosen[at]
        prompt = self._tokenizer.decode(example.input_ids[example.labels == IGNORED][-8:])
        # A token budget that ends within the thoughts leaves drafts and no answer.
        unfinished = not whole and THINK_CLOSES not in text and prompt.rstrip().endswith(THINK_OPENS)
        judged = judge_within_limit(problem, text, "stop" if whole else "length", thinking_open=unfinished)
        return JudgedText(
            step=step,
            problem_id=problem.id,
            text=text,
            answer=judged.answer,
            gold=None if problem.answer is None else canonical_text(problem.answer),
            right=judged.right,
            verdict=judged.code,
        )


def choose_problems(examples: TokenizedExamples, count: int) -> list[Example]:
    """One example of each of at most ``count`` problems; which ones depends on the names of the problems alone."""
    first: dict[str, int] = {}
    for at in range(len(examples)):
        first.setdefault(examples.problem_id(at), at)
    names = sorted(first, key=lambda name: hashlib.blake2b(name.encode(), digest_size=16).digest())
    return [examples[first[name]] for name in names[:count]]


def find_problems(recipe: Recipe, chosen: Sequence[Example]) -> list[Problem]:
    """The problems of the ``chosen`` examples, from ``generations.problems``.

    Raises:
        UserError: the file cannot be read, or lacks one of them.
    """
    assert recipe.generations is not None
    problems = read_problems(recipe.generations.problems)
    if missing := [example.problem_id for example in chosen if example.problem_id not in problems]:
        place = f"generations.problems: {recipe.generations.problems}"
        raise UserError(f"{place}: problem {missing[0]} of {recipe.eval_data} is not in it")
    return [problems[example.problem_id] for example in chosen]


def summary_line(rows: Sequence[JudgedText]) -> str:
    """The line on the console: ``generated 8: 5 right, 4 proved, 0 computed``."""
    right, proved, computed = _counts(rows)
    return f"generated {len(rows)}: {right} right, {proved} proved, {computed} computed"


def shares(rows: Sequence[JudgedText]) -> dict[str, float]:
    """For the log: the shares of right answers, of proved traces, and of computed ones."""
    named = zip(("right", "proved", "computed"), _counts(rows), strict=True)
    return {f"eval_generated/{name}": count / len(rows) for name, count in named}


def _counts(rows: Sequence[JudgedText]) -> tuple[int, int, int]:
    """How many are right, how many proved, how many computed."""
    verdicts = Counter(row.verdict for row in rows)
    return sum(row.right is True for row in rows), verdicts["proved"], verdicts["computed"]


def ends_of(tokenizer: PreTrainedTokenizerBase, defaults: GenerationConfig) -> list[int]:
    """The tokens that end a sequence: that of the training sequences first, then those of the checkpoint."""
    others = defaults.eos_token_id
    others = [others] if isinstance(others, int) else others or []
    return list(dict.fromkeys([tokenizer.eos_token_id, *others]))


@contextmanager
def ready_to_generate(model: Any, base: Any, attention: AttentionChoice) -> Iterator[None]:
    """Attend with ``attention``, without the checkpoint's own sampling settings; afterwards as before.

    ``base`` is ``model``, or the model within its adapters.
    """
    defaults, before = base.generation_config, attention_of(base)
    # What the config given to generate() leaves open, transformers takes from the checkpoint's own.
    base.generation_config = GenerationConfig()
    set_attention(base, attention)
    if isinstance(model, FSDPModule):
        # `base` is called without the outermost module, which gathers what belongs to no layer.
        model.unshard()
    try:
        yield
    finally:
        if isinstance(model, FSDPModule):
            model.reshard()
        set_attention(base, before)
        base.generation_config = defaults
