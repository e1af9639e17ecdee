"""Make a small model of a real architecture, with random weights and a new tokenizer.

For machines that reach no model hub, for tests, and for experiments whose base must know nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import torch

from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Sequence
from train.models.chat_templates import find_chat_template
from train.models.families.family_registry import find_family
from train.models.init_tokenizer import QWEN, WORDS, check_splitting, train_tokenizer
from train.models.model_files import apply_umask


def init_model(
    arch: str,
    texts: Iterable[str],
    output: str | Path,
    *,
    hidden: int = 128,
    layers: int = 4,
    heads: int = 4,
    vocab: int = 1024,
    seed: int = 0,
    chat_template: str | None = None,
    max_positions: int = 4096,
    pieces: str = WORDS,
    separate: Collection[str] = (),
    initializer_range: float = 0.02,
    untied_head: bool = False,
) -> int:
    """Write a model and its tokenizer into the folder ``output`` and return its number of parameters.

    Args:
        arch: the ``model_type`` of one of the families in :mod:`train.models.families.family_registry`.
        texts: what the byte-level BPE tokenizer is trained on.
        hidden: width, a multiple of ``2 * heads``; the feed-forward layers are four times as wide.
        vocab: largest size of the vocabulary, including the 256 bytes and the special tokens.
        seed: of the weights; the same arguments give the same files.
        chat_template: one of :data:`train.models.chat_templates.CHAT_TEMPLATES`; by default that of the family. A
            vision model can only have its own.
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

    Raises:
        UserError: an unknown ``arch`` or ``chat_template``, no text, ``output`` is a file, a width that the heads do
            not divide, a vocabulary too small for the bytes, a chat template of another kind of model, what is no text
            in ``separate``, or other ``pieces`` than words, or something ``separate``, with an architecture whose
            tokenizer class splits words in its own way.
    """
    family = find_family(arch)
    check_splitting(pieces)
    if pieces != WORDS and family.tokenizer_splits_as_qwen:
        raise UserError(f"pieces: {arch} always splits text as Qwen's tokenizer does, not into {pieces!r}; use llama")
    if separate and family.tokenizer_splits_as_qwen:
        raise UserError(f"separate: {arch} always splits text as Qwen's tokenizer does; use llama")
    if isinstance(separate, str) or not all(isinstance(text, str) and text for text in separate):
        raise UserError(f"separate: {separate!r} must be a list of texts, of at least one character each, in quotes")
    if hidden < 1 or heads < 1 or hidden % (2 * heads):
        raise UserError(f"hidden: {hidden} must be a multiple of twice the number of heads ({heads})")
    if layers < 1:
        raise UserError(f"layers: {layers} must be at least 1")
    own = family.chat_template
    template = own if chat_template is None else find_chat_template(chat_template)
    if own.shows_pictures and template != own:
        raise UserError(f"chat_template: {arch} has its own, {own.name}, not {chat_template}")
    if template.shows_pictures and not own.shows_pictures:
        raise UserError(f"chat_template: {chat_template} shows pictures, but {arch} reads only text")
    existing = next(path for path in (Path(output), *Path(output).absolute().parents) if path.exists())
    if not existing.is_dir():
        raise UserError(f"{output}: a folder was expected, but {existing} is a file")
    splitting = QWEN if family.tokenizer_splits_as_qwen else pieces
    tokenizer = train_tokenizer(splitting, texts, vocab, template, max_positions, separate)
    shape = {
        "vocab_size": len(tokenizer),
        "hidden_size": hidden,
        "intermediate_size": 4 * hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "max_position_embeddings": max_positions,
        "tie_word_embeddings": not untied_head,
        "initializer_range": initializer_range,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    # The caller's random state is as before afterwards.
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model, processor = family.small_model(shape, tokenizer)
    Path(output).mkdir(parents=True, exist_ok=True)
    model.save_pretrained(output)
    processor.save_pretrained(output)
    apply_umask(Path(output))
    return int(model.num_parameters())


def sequence_texts(paths: Iterable[str | Path]) -> Iterator[str]:
    """The texts, prompts included, of files of :class:`~srt.io.records.Sequence`, or of all ``*.jsonl`` in a folder.

    Raises:
        UserError: no such file, a folder without one, or a line that is not a sequence.
    """
    for path in map(Path, paths):
        files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
        if not files:
            raise UserError(f"{path}: no .jsonl file in this folder")
        for file in files:
            for sequence in read_records(file, Sequence):
                yield from (message.content for message in [*sequence.prompt, *sequence.completion])
