"""A byte-level BPE tokenizer for a new model, trained on texts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast
from transformers.models.qwen2.tokenization_qwen2 import PRETOKENIZE_REGEX

from srt.io.errors import UserError
from train.models.chat_templates import ChatTemplate

Splitting = Literal["words", "phrases", "options", "placements", "seats", "letters", "qwen"]

# Qwen's tokenizer class adds this token if it is missing, and the model would have no embedding for it.
_PAD = "<|endoftext|>"
# One word, one token: a clue number `(2)`, a step number `#4`, a seat `S1`, a name. A Chinese character is separate (a
# run of them has no word borders), numbers never join punctuation, and a space belongs to what follows it.
_WORDS = r" ?\([0-9]+\)| ?#[0-9]+| ?\p{Han}| ?[\p{L}&&[^\p{Han}]]+[0-9]*| ?[0-9]+| ?[^\s\p{L}0-9]|\s+(?!\S)|\s"
# What varies between problems is separate: a name, a name at its seat, a step number; everything between two of them
# may become one token (" is left of "). Sequences are about a third shorter, which saves time on a CPU, and who sits
# where is one lookup instead of two.
_PHRASES = r"(?:\p{Lu}\p{Ll}+|\?)@[A-Z0-9]+|\p{Lu}\p{Ll}+|#[0-9]+"
# The same, and the letter of an option with the name after it ("B Ann"): which option a name is, is one lookup then,
# where a letter in the token before has first to be carried over to the name.
_OPTION = r"(?<!\p{L})\p{Lu} \p{Lu}\p{Ll}+"
_OPTIONS = rf"{_OPTION}|{_PHRASES}"
# The same, and a name with its seat in prose too ("Ann is at S1"), so that no arm has who sits where for less.
_PLACEMENTS = rf"(?:\p{{Lu}}\p{{Ll}}+|whoever) is at \p{{Lu}}[A-Z0-9]*|{_OPTIONS}"
# As options, but a seat is a token after its name, in traces ("Ann@", "S1") and in prose ("Ann is at ", "S1"): whoever
# counts on from a seat needs the seat, whoever sits there. The name has one token wherever a seat follows and another
# elsewhere, so that whoever looks its seat up finds it by that token alone.
_SEATED = r"(?:\p{Lu}\p{Ll}+|whoever|\?)(?:@| is at |位于)"
_SEAT = r"(?:(?<=@)|(?<= is at )|(?<=位于))[A-Z0-9]+"
_SEATS = rf"{_SEATED}|{_SEAT}|{_OPTION}|\p{{Lu}}\p{{Ll}}+|#[0-9]+"
# The same, and a letter without a name is a token: to go through the options is then one lookup a token, which of "B"
# and "B Ann" comes next, in traces ("A B Ann C D") and in prose ("A no, B Ann yes", "A不符合、B 小刚符合").
_LETTER = r"(?<=[ ：、])\p{Lu}(?=[ :\p{Han}])"
_LETTERS = rf"{_SEATED}|{_SEAT}|{_OPTION}|{_LETTER}|\p{{Lu}}\p{{Ll}}+|#[0-9]+"
# AutoTokenizer gives models of Qwen's types the splitting and the NFC form of Qwen's tokenizer, whatever tokenizer.json
# says, so their vocabulary must be trained on these. It joins a bracket with the name that follows.
_SPLIT: dict[Splitting, str] = {
    "words": _WORDS,
    "phrases": _PHRASES,
    "options": _OPTIONS,
    "placements": _PLACEMENTS,
    "seats": _SEATS,
    "letters": _LETTERS,
    "qwen": PRETOKENIZE_REGEX,
}


def train_tokenizer(
    splitting: Splitting,
    texts: Iterable[str],
    vocab: int,
    template: ChatTemplate,
    max_positions: int,
    separate: Collection[str] = (),
) -> PreTrainedTokenizerFast:
    """A tokenizer trained on ``texts``, with at most ``vocab`` tokens including the special ones of ``template``.

    Words or signs of ``separate`` are tokens without anything around them, as names are.

    Raises:
        UserError: no text, or ``vocab`` is too small for the bytes and the special tokens.
    """
    named = [token for _, token in template.named]
    special = [token for token in (_PAD, template.eos, template.bos, *template.control, *named) if token]
    smallest = 256 + len(special) + len(template.visible)
    if vocab < smallest:
        raise UserError(f"vocab: {vocab} is too small; the bytes and special tokens take {smallest}")
    tokenizer = Tokenizer(models.BPE())
    if splitting == "qwen":
        tokenizer.normalizer = normalizers.NFC()
    pattern = "|".join([*_apart(separate), _SPLIT[splitting]])
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
    texts = iter(texts)
    if (first := next(texts, None)) is None:
        raise UserError("no text to train a tokenizer on")
    pieces = _Pieces(pattern if splitting not in ("words", "qwen") else None)
    tokenizer.train_from_iterator(pieces.counted(chain([first], texts)), trainer)
    tokenizer = _with_whole(tokenizer, pieces.frequent(), len(special))
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
    for begins_word, look_back in ((True, r"(?<![\p{L}0-9])"), (False, "")):
        ends = [
            re.escape(text) + r"(?![\p{L}0-9])" * text[-1].isalnum()
            for text in ordered
            if text[0].isalnum() == begins_word
        ]
        if ends:
            yield f"{look_back}(?:{'|'.join(ends)})"


class _Pieces:
    """The pieces between phrases, counted while the texts are read: names, placements, options with their letters.

    ``pattern`` matches them; there are none without it.
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
        [  # No part of a word, unless it ends where a seat begins ("Ann@").
            AddedToken(piece, single_word=piece[-1].isalnum(), special=False, normalized=False) for piece in in_parts
        ]
    )
    return tokenizer


def _in_parts(tokenizer: Tokenizer, pieces: Sequence[str]) -> list[str]:
    return [piece for piece in pieces if len(tokenizer.encode(piece).ids) > 1]
