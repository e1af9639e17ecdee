"""A byte-level BPE tokenizer for a new model, trained on texts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast
from transformers.models.qwen2.tokenization_qwen2 import PRETOKENIZE_REGEX

from srt.io.errors import UserError
from srt.worlds.world_registry import check_offered, worlds
from train.models.chat_templates import ChatTemplate
from train.models.new_model import WORDS

QWEN = "qwen"

# Qwen's tokenizer class adds this token if it is missing, and the model would have no embedding for it.
_PAD = "<|endoftext|>"
_LETTER_OR_DIGIT = r"[\p{L}0-9]"
_GENERIC = {
    # One word, one token. The first that matches counts; a space belongs to what follows it.
    WORDS: "|".join(
        (
            r" ?\([0-9]+\)",  # The number of a clue, (2).
            r" ?#[0-9]+",  # That of a step, #4.
            r" ?\p{Han}",  # Chinese characters stand alone: a run of them has no word borders.
            r" ?[\p{L}&&[^\p{Han}]]+[0-9]*",  # A name; also that of a seat, S1.
            r" ?[0-9]+",  # Numbers never join punctuation.
            r" ?[^\s\p{L}0-9]",  # Signs one by one.
            r"\s+(?!\S)|\s",  # Spaces, all but the last if a word follows.
        )
    ),
    # AutoTokenizer gives models of Qwen's types the splitting and the NFC form of Qwen's tokenizer, whatever
    # tokenizer.json says, so their vocabulary must be trained on these. It joins a bracket with the name that follows.
    QWEN: PRETOKENIZE_REGEX,
}


def check_splitting(pieces: str) -> None:
    """Raise a :class:`UserError` if ``pieces`` is neither ``words`` nor a splitting that a world offers."""
    check_offered("pieces", pieces, generic=[WORDS])


def train_tokenizer(
    splitting: str,
    texts: Iterable[str],
    vocab: int,
    template: ChatTemplate,
    max_positions: int,
    separate: Collection[str] = (),
) -> PreTrainedTokenizerFast:
    """A tokenizer trained on ``texts``, with at most ``vocab`` tokens including the special ones of ``template``.

    ``splitting``: ``words``, ``qwen``, or one that a world offers (:class:`srt.worlds.world.Splitting`). Words or signs
    of ``separate`` are tokens without anything around them.

    Raises:
        UserError: no text, or ``vocab`` is too small for the bytes and the special tokens.
    """
    named = [token for _, token in template.named]
    special = [token for token in (_PAD, template.eos, template.bos, *template.control, *named) if token]
    smallest = 256 + len(special) + len(template.visible)
    if vocab < smallest:
        raise UserError(f"vocab: {vocab} is too small; the bytes and special tokens take {smallest}")
    tokenizer = Tokenizer(models.BPE())
    if splitting == QWEN:
        tokenizer.normalizer = normalizers.NFC()
    of_worlds = {name: one.pattern for world in worlds() for name, one in world.extras.splittings.items()}
    pattern = "|".join([*_apart(separate), {**of_worlds, **_GENERIC}[splitting]])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab - len(template.visible),
        special_tokens=special,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    # Trained on nothing, the tokenizer would know bytes only, and nothing would say so.
    texts = iter(texts)
    if (first := next(texts, None)) is None:
        raise UserError("no text to train a tokenizer on")
    pieces = _Pieces(None if splitting in _GENERIC else pattern)
    tokenizer.train_from_iterator(pieces.counted(chain([first], texts)), trainer)
    tokenizer = _with_whole(tokenizer, pieces.frequent(), len(special))
    # After the trained vocabulary, so that the ids of all others do not depend on the template's marks.
    tokenizer.add_tokens([AddedToken(mark, special=False, normalized=False) for mark in template.visible])
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=template.bos,
        eos_token=template.eos,
        pad_token=_PAD,
        extra_special_tokens=list(template.control),
        model_specific_special_tokens=dict(template.named),
        model_max_length=max_positions,
        clean_up_tokenization_spaces=False,
    )
    wrapped.chat_template = template.jinja
    return wrapped


def _apart(separate: Collection[str]) -> Iterator[str]:
    """Patterns for the texts of ``separate`` where they neither begin nor end inside a word or a number.

    The longest comes first. Those that begin with a letter or digit share one look back, which costs time everywhere.
    """
    ordered = sorted(separate, key=len, reverse=True)
    for begins_word, look_back in ((True, f"(?<!{_LETTER_OR_DIGIT})"), (False, "")):
        ends = [
            re.escape(text) + f"(?!{_LETTER_OR_DIGIT})" * text[-1].isalnum()
            for text in ordered
            if text[0].isalnum() == begins_word
        ]
        if ends:
            yield f"{look_back}(?:{'|'.join(ends)})"


class _Pieces:
    """The pieces that a world's splitting matches, such as names, counted while the texts are read.

    Without a ``pattern`` there are none.
    """

    def __init__(self, pattern: str | None) -> None:
        self._counts: Counter[str] = Counter()
        self._texts = 0
        self._split = None if pattern is None else pre_tokenizers.Split(Regex(pattern), "removed", invert=True)

    def counted(self, texts: Iterable[str]) -> Iterator[str]:
        """``texts`` as they are."""
        for text in texts:
            if self._split is not None:
                self._texts += 1
                self._counts.update(piece for piece, _ in self._split.pre_tokenize_str(text))
            yield text

    def frequent(self) -> list[str]:
        """Those that come once in 1,000 texts or more often, the most frequent first.

        Without those that the decoder would take for bytes, such as "José@": it reads a token of such letters as one
        of BPE, where they stand for bytes.
        """
        bytes_ = {letter for letter in pre_tokenizers.ByteLevel.alphabet() if not letter.isascii()}
        return [
            piece
            for piece, count in self._counts.most_common()
            if count * 1000 >= self._texts and bytes_.isdisjoint(piece)
        ]


def _with_whole(tokenizer: Tokenizer, pieces: Sequence[str], special: int) -> Tokenizer:
    """The tokenizer with each of ``pieces`` as one token, in a vocabulary of the same size.

    Where texts have long passages that are always the same, BPE spends its vocabulary on these, and leaves some names
    in parts and others whole. The merges that it made last, which are the rarest, give way. ``special`` tokens and
    bytes stay, even if there are more pieces than merges.
    """
    trained = json.loads(tokenizer.to_str())
    by_id = sorted(trained["model"]["vocab"], key=trained["model"]["vocab"].__getitem__)
    made = len(by_id) - special - len(pre_tokenizers.ByteLevel.alphabet())
    in_parts: list[str] = []
    # A merge that is removed may have been part of another piece, which is then in parts too: again, until none is
    # added.
    while len(missing := _in_parts(tokenizer, pieces)[:made]) > len(in_parts):
        in_parts = missing
        vocab = {token: number for number, token in enumerate(by_id[: len(by_id) - len(in_parts)])}
        merges = [(a, b) for a, b in trained["model"]["merges"] if vocab.keys() >= {a, b, a + b}]
        tokenizer = Tokenizer.from_str(
            json.dumps({**trained, "model": {**trained["model"], "vocab": vocab, "merges": merges}})
        )
    tokenizer.add_tokens(
        [  # No part of a word, unless it ends in a sign ("Ann@").
            AddedToken(piece, single_word=piece[-1].isalnum(), special=False, normalized=False) for piece in in_parts
        ]
    )
    return tokenizer


def _in_parts(tokenizer: Tokenizer, pieces: Sequence[str]) -> list[str]:
    return [piece for piece in pieces if len(tokenizer.encode(piece).ids) > 1]
