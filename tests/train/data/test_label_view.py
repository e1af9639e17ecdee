from __future__ import annotations

from collections.abc import Callable

from train.data.label_view import STYLES, label_view, legend
from train.data.token_cache import read_examples
from train.models.model_files import load_processor
from train.recipe import Recipe


def test_every_trained_token_is_marked(vision_recipe: Callable[..., Recipe]) -> None:
    chosen = vision_recipe()
    processor = load_processor(chosen.model.path)
    example = read_examples(chosen, processor.tokenizer, processor)[2]
    plain = label_view(example, processor.tokenizer, processor.image_token_id, False).plain
    for picture in example.pictures:
        assert f"[picture: {picture.tokens} tokens]" in plain
    assert "{CORRELATE CORRELATE (1): right(" in plain
    assert plain.endswith("{<|im_end|>}")
    assert processor.tokenizer.convert_ids_to_tokens(processor.image_token_id) not in plain
    coloured = label_view(example, processor.tokenizer, processor.image_token_id, True)
    assert {str(span.style) for span in coloured.spans} >= {"dim", STYLES[2], STYLES[4], STYLES[5], "bold"}
    assert "{" not in coloured.plain.replace("{", "", 0).partition("CORRELATE")[2][:3]


def test_legend() -> None:
    assert "prompt, not trained on" in legend(True).plain
    assert "{INFER INFER}" in legend(False).plain
