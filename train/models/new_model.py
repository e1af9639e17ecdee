"""The keys of a small model with random weights: options of ``srt init-model``, ``model.options`` of an experiment."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from srt.io.yaml_config import Config, Flag

WORDS = "words"


class NewModel(Config):
    """What a new model is like.

    Args:
        hidden: width, a multiple of ``2 * heads``; the feed-forward layers are four times as wide.
        layers: number of layers.
        heads: attention heads.
        vocab: largest size of the vocabulary, including the 256 bytes and the special tokens.
        pieces: what may become one token: ``words``, or a splitting that a world offers
            (:attr:`srt.worlds.world.Extras.splittings`), and whatever stands between two of its pieces. The pieces
            themselves are one token wherever the vocabulary has room for them.
        separate: words and signs that are never part of a longer token, unless of such a piece. With ``left``
            and ``third`` among them, a phrase is read by the words that tell it from others ("is the third one on the
            left side of"), and need not be learned as a whole.
        initializer_range: standard deviation of the random weights. At a width of 128 the usual 0.02 costs hundreds of
            steps before anything is learned; 0.08 does not.
        untied_head: whether the output head has separate weights instead of those of the embeddings. An InternVL
            always has separate ones.
        chat_template: one of :data:`train.models.chat_templates.CHAT_TEMPLATES`; by default that of the family. A
            vision model can only have its own.
        max_positions: the longest sequence.
    """

    hidden: Annotated[int, Flag("Options", "Hidden size.")] = 128
    layers: Annotated[int, Flag("Options", "Number of layers.")] = 4
    heads: Annotated[int, Flag("Options", "Attention heads.")] = 4
    vocab: Annotated[int, Flag("Options", "Maximum vocabulary size.")] = 1024
    pieces: Annotated[
        str, Flag("Options", "What may be one token: words (default), or longer pieces that a world offers.")
    ] = WORDS
    separate: Annotated[list[str], Flag("Options", "A word that no longer token may contain; may be repeated.")] = (
        Field(default_factory=list)
    )
    initializer_range: Annotated[float, Flag("Options", "Standard deviation of the random weights.")] = 0.02
    untied_head: Annotated[bool, Flag("Options", "Give the output head weights separate from the embeddings.")] = False
    chat_template: Annotated[
        str | None,
        Flag("Options", "minimal, qwen2.5, qwen3, r1-distill, llama3, gemma4; vision models have their own."),
    ] = None
    max_positions: int = 4096
