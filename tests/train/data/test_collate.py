from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from train.data.collate import MEMBERS, PackedCollator, PaddedCollator, make_collator
from train.data.examples import IGNORED, Example
from train.data.token_cache import read_examples
from train.models.load_model import load_model
from train.models.model_files import load_processor
from train.recipe import Recipe


def example(*ids: int, prompt: int = 1) -> Example:
    labels = [IGNORED] * prompt + list(ids[prompt:])
    roles = [0] * prompt + [4] * (len(ids) - prompt)
    return Example("p", *(np.array(row, dtype=np.int32) for row in (ids, labels, roles)))


EXAMPLES = [example(11, 12, 13), example(21, 22, prompt=1), example(31, 32, 33, 34, prompt=2)]
ALL = [{MEMBERS: [0, 1, 2]}]


def test_padded() -> None:
    batch = PaddedCollator(EXAMPLES, pad_id=9)(ALL)
    assert batch["input_ids"].tolist() == [[11, 12, 13, 9], [21, 22, 9, 9], [31, 32, 33, 34]]
    assert batch["labels"].tolist() == [[-100, 12, 13, -100], [-100, 22, -100, -100], [-100, -100, 33, 34]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]]
    assert batch["roles"].tolist() == [[0, 4, 4, 0], [0, 4, 0, 0], [0, 0, 4, 4]]


def test_packed() -> None:
    batch = PackedCollator(EXAMPLES)([{MEMBERS: [2, 0, 1]}])
    assert batch["input_ids"].tolist() == [[31, 32, 33, 34, 11, 12, 13, 21, 22]]
    assert batch["labels"].tolist() == [[-100, -100, 33, 34, -100, 12, 13, -100, 22]]
    assert batch["roles"].tolist() == [[0, 0, 4, 4, 0, 4, 4, 0, 4]]
    assert batch["position_ids"].tolist() == [[0, 1, 2, 3, 0, 1, 2, 0, 1]]
    assert batch["cu_seq_lens_q"].tolist() == [0, 4, 7, 9]
    assert batch["cu_seq_lens_q"].dtype == torch.int32
    assert batch["max_length_q"] == 4
    assert "attention_mask" not in batch


def test_a_first_token_is_never_predicted_from_the_sequence_before() -> None:
    with pytest.raises(ValueError, match="label"):
        PackedCollator([*EXAMPLES, example(41, 42, prompt=0)])([{MEMBERS: [0, 3]}])


@pytest.mark.parametrize("arch", ["qwen2_5_vl", "internvl"])
def test_a_micro_batch_of_text_alone_is_given_a_blank_picture(
    arch: str, vision_recipe: Callable[..., Recipe], vision_models: dict[str, object]
) -> None:
    """Else one process would skip its vision tower while another waits for it, and a trained one miss its gradients."""
    recipe = vision_recipe(model={"path": str(vision_models[arch]), "attn": "sdpa"}, trainable={"vision": "full"})
    processor = load_processor(recipe.model.path)
    examples = read_examples(recipe, processor.tokenizer, processor)
    text = next(at for at, one in enumerate(examples) if not one.pictures)
    model = load_model(recipe)
    losses, norms = [], []
    for changes in ({}, {"pack": 4096}):
        collate = make_collator(recipe.model_copy(update=changes), examples, model.config, 0, processor)
        batch = collate([{MEMBERS: [text]}])
        assert len(batch["pixel_values"]) > 0
        assert int((batch["labels"] != IGNORED).sum()) == int((examples[text].labels != IGNORED).sum())
        batch.pop("roles")
        model.zero_grad()
        loss = model(**batch, use_cache=False).loss
        loss.backward()
        losses.append(float(loss.detach()))
        tower = [one.grad for name, one in model.named_parameters() if "vis" in name and one.requires_grad]
        norms += [float(grad.abs().max()) for grad in tower if grad is not None]
        assert all(grad is not None for grad in tower)
        assert tower
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    assert max(norms) == 0
    # And with a picture there is no blank one.
    seen = next(at for at, one in enumerate(examples) if one.pictures)
    assert collate([{MEMBERS: [seen, text]}])["cu_seq_lens_q"].numel() == 3


def test_a_text_model_gets_no_picture(recipe: Callable[..., Recipe]) -> None:
    model = load_model(recipe())
    batch = make_collator(recipe(), EXAMPLES, model.config, 0)(ALL)
    assert sorted(batch) == ["attention_mask", "input_ids", "labels", "roles"]
