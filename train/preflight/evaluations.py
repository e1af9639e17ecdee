"""What the evaluations during a run cost: how many there are, and the memory of generations.

The held-out loss needs less memory than a training step: nothing is stored for a backward pass.
"""

from __future__ import annotations

from typing import Any

from train.data.batches import BatchPlan
from train.data.token_table import TokenizedExamples
from train.loop.generations import choose_problems
from train.models.model_files import read_config
from train.preflight.memory_estimate import MemoryEstimate
from train.recipe import Recipe


def evaluation_figures(recipe: Recipe, held_out: TokenizedExamples, plan: BatchPlan) -> dict[str, Any]:
    """How often the held-out loss is computed and answers are generated. A forward pass takes a third of a step."""
    assert recipe.eval_steps is not None
    times = -(-plan.steps // recipe.eval_steps)
    figures: dict[str, Any] = {
        "evaluations": f"{times}, of {len(held_out)} sequences with {int(held_out.lengths.sum())} tokens"
    }
    if recipe.generations is not None:
        rounds = -(-plan.steps // (recipe.generations.steps or recipe.eval_steps))
        chosen = choose_problems(held_out, recipe.generations.count)
        figures["generations"] = (
            f"{rounds} times {len(chosen)}, of at most {recipe.generations.max_new_tokens} tokens each"
        )
    return figures


def with_generations(
    memory: MemoryEstimate, recipe: Recipe, held_out: TokenizedExamples, processes: int
) -> MemoryEstimate:
    """``memory`` with a higher peak if generating needs more than training.

    Keys and values of all layers are held for each token of the prompts and the texts, beside weights and optimizer;
    the gradients are freed by then.
    """
    if recipe.generations is None:
        return memory
    text = read_config(recipe.model.path).get_text_config()
    heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
    size = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    width = 2 if recipe.model.dtype == "bfloat16" else 4
    chosen = choose_problems(held_out, recipe.generations.count)
    longest = max(len(example.input_ids) - example.trained_tokens for example in chosen)
    rows = -(-len(chosen) // processes)
    cache = 2 * text.num_hidden_layers * heads * size * width * rows * (longest + recipe.generations.max_new_tokens)
    generating = memory.weights + memory.optimizer + memory.communication + memory.overhead + cache
    return memory._replace(peak=max(memory.peak, generating))
