"""The form of a trace as a grammar, for back ends that can hold a text to it while it is generated.

Every line is a step (an operation word, its premises, a claim or prose), the last is the answer, and nothing follows
it: what :func:`srt.language.text.parse` reads as a world or a free trace, bounded in length so that it ends. It is a
part of that language, not all of it: names are of Latin or Chinese letters, or in quotes with a space in them. The
grammar knows form alone; whether a premise exists and a claim holds is the checker's to say.

Where the prompt has opened a think block, the steps stand inside it, as in training (:mod:`srt.language.prompts`). An
operation that is banned is left out, so that no half of its word is ever begun.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from srt.io.errors import UserError
from srt.io.records import Lang
from srt.language.premises import WORDS
from srt.language.prompts import THINK_CLOSES, THINK_OPENS
from srt.language.text import MARKERS
from srt.language.trace import OPERATIONS, Operation

if TYPE_CHECKING:
    import torch

    from eval.backends.protocol import GenerationSettings

_HAN = "\u4e00-\u9fff"
_SOLID = f"[!-~{_HAN}]"
"""What a claim, an assertion and an answer begin with: no white space of any kind."""
_ANY = f"[ -~°-ÿ\u0370-\u03ff\u2018-\u201d\u2190-\u22ff\u3001-\u301f{_HAN}\uff01-\uff5e]"
"""What goes on in them: Latin, Greek, mathematical signs, Chinese with its punctuation; no line break."""
_NUMBER = "[1-9][0-9]{0,2}"
_NAME = {"en": ("[A-Za-z]", "[A-Za-z'-]"), "zh": (f"[A-Za-z{_HAN}]", f"[A-Za-z{_HAN}]")}
"""What a name begins with, and what goes on in it."""
_QUOTED = f'"[A-Za-z{_HAN}]{{1,20}}( [A-Za-z0-9{_HAN}]{{1,20}}){{1,3}}"'


@dataclass(frozen=True)
class Limits:
    """How long a trace may be: steps, premises of a step, characters of a claim or an assertion, and of the answer."""

    steps: int = 60
    premises: int = 12
    body: int = 300
    answer: int = 100


def trace_regex(
    *, ban: Operation | None = None, think: bool = False, line: bool = False, limits: Limits | None = None
) -> str:
    """One regular expression for the whole text of a trace, in either language; the caller anchors both its ends.

    ``line``: for one line of it, a step with its line break or an answer without.

    It keeps to what the dialects of Rust, xgrammar and Python share: groups, classes, bounded repetition. ``think``:
    the prompt has opened a think block. What is generated begins after the prompt's last line break, or with one.
    """
    bounds = limits or Limits()
    texts = [_text(lang, separator, ban, think, line, bounds) for lang in MARKERS for separator in (": ", " - ")]
    opening = "\n?" if think else ""
    return f"{opening}({'|'.join(texts)})"


def trace_gbnf(*, ban: Operation | None = None, line: bool = False) -> str:
    """The same, without its bounds, in the notation of llama.cpp."""
    rules = ["root ::= " + " | ".join(f"{lang}{kind}" for lang in MARKERS for kind in ("w", "f"))]
    for lang in MARKERS:
        answer = f'"{MARKERS[lang]["ANSWER"]}: " solid any*'
        for kind, separator in (("w", ": "), ("f", " - ")):
            step = f'{lang}op (" " {lang}premise)* "{separator}" solid any* "\\n"'
            rules.append(f"{lang}{kind} ::= " + (f"{step} | {answer}" if line else f'({step})+ {answer} "\\n"?'))
        words = " | ".join(f'"{word}"' for word in _operations(lang, ban))
        rules.append(f"{lang}op ::= {words}")
        begins, goes_on = _NAME[lang]
        rules.append(f'{lang}premise ::= "(" number ")" | "#" number | {begins}{goes_on}* | quoted')
    rules += [
        "number ::= [1-9] [0-9]? [0-9]?",
        f'quoted ::= "\\"" [A-Za-z{_HAN}]+ (" " [A-Za-z0-9{_HAN}]+)+ "\\""',
        f"solid ::= {_SOLID}",
        f"any ::= {_ANY}",
    ]
    return "\n".join(rules) + "\n"


def follows_grammar(text: str, *, ban: Operation | None = None, cut: bool = False, line: bool = False) -> bool:
    """Whether a server that was sent one of these grammars can have written ``text``; white space around it is free.

    Their bounds are not looked at: a server that ignores a grammar writes no trace at all. Of a text that was ``cut``,
    the last line need only begin as one does. ``line``: ``text`` is one line (and its break), a step or an answer.
    """
    *steps, last = (text.lstrip() if cut else text.strip()).split("\n")
    for lang in MARKERS:
        answer, words = MARKERS[lang]["ANSWER"], _operations(lang, ban)
        for separator in (": ", " - "):
            step = re.compile(_step_pattern(lang, separator, words))
            if not all(step.fullmatch(one) for one in steps):
                continue
            answered = re.fullmatch(f"{answer}: {_SOLID}{_ANY}*", last) and (steps or line)
            if answered or (line and step.fullmatch(last)):
                return True
            if cut and any(last.startswith(word) or word.startswith(last) for word in (*words, answer)):
                return True
    return False


def make_trace_grammar(
    tokenizer: Any, settings: GenerationSettings, prompt: str, ends: Collection[int]
) -> TraceGrammar:
    """The constraint of one row of a transformers model, for ``prompt``; ``ends`` are the ids that end a sequence."""
    think = prompt.rstrip().endswith(THINK_OPENS)
    return TraceGrammar(tokenizer, trace_regex(ban=settings.ban, think=think), ends)


class TraceGrammar:
    """For one row, forbids every token after which the text could no longer be completed to a full match of ``regex``.

    A :class:`~eval.backends.constraints.Constraint`: it has a state, so it is of one row and of one text.

    Raises:
        UserError: llguidance is not installed, or cannot use the tokenizer.
    """

    def __init__(self, tokenizer: Any, regex: str, ends: Collection[int]) -> None:
        self._ends = sorted(ends)
        self._matcher = _matcher(tokenizer, regex, tuple(self._ends)).deep_copy()
        self._read = 0

    def __call__(self, generated: Sequence[int], scores: torch.Tensor) -> None:
        """Set what is forbidden after the ids ``generated`` to ``-inf`` in ``scores`` [vocabulary], in place."""
        import torch

        if not self._matcher.is_stopped():
            self._matcher.consume_tokens(list(generated[self._read :]))
            self._read = len(generated)
        allowed = torch.zeros(scores.shape[0], dtype=torch.bool)
        if self._matcher.is_stopped():  # nothing can follow: it ends by itself, without an end of sequence
            allowed[self._ends] = True
        else:
            # A bit for each token, the lowest first.
            bits = torch.frombuffer(bytearray(self._matcher.compute_bitmask()), dtype=torch.uint8)
            each = (bits[:, None] >> torch.arange(8, dtype=torch.uint8)) & 1
            # Either may be longer: masks are filled up to whole words, embeddings to a round number.
            width = min(each.numel(), len(allowed))
            allowed[:width] = each.flatten()[:width].bool()
        if self._matcher.is_error():
            raise RuntimeError(f"the grammar of a trace: {self._matcher.get_error()}")
        scores.masked_fill_(~allowed.to(scores.device), float("-inf"))


_MADE: dict[tuple[int, str, tuple[int, ...]], tuple[Any, Any]] = {}
"""Matchers in their first state, by tokenizer, grammar and ends; each with its tokenizer, which it keeps alive so that
Python does not reuse its id."""


def _matcher(tokenizer: Any, regex: str, ends: tuple[int, ...]) -> Any:
    key = (id(tokenizer), regex, ends)
    if key not in _MADE:
        try:
            import llguidance
            import llguidance.hf
        except ImportError:
            raise UserError("grammar: the package llguidance is missing: pip install llguidance") from None
        try:
            vocabulary = llguidance.hf.from_tokenizer(tokenizer, eos_token=list(ends))
        except ValueError as error:
            raise UserError(f"grammar: llguidance cannot use this tokenizer: {' '.join(str(error).split())}") from None
        matcher = llguidance.LLMatcher(vocabulary, llguidance.LLMatcher.grammar_from_regex(regex))
        if matcher.is_error():
            raise UserError(f"grammar: llguidance refuses it: {' '.join(matcher.get_error().split())}")
        _MADE[key] = (tokenizer, matcher)
    return _MADE[key][1]


def _text(lang: Lang, separator: str, ban: Operation | None, think: bool, line: bool, bounds: Limits) -> str:
    words = "|".join(_operations(lang, ban))
    reserved = "|".join(WORDS[lang].values())
    begins, goes_on = _NAME[lang]
    premise = rf"(\({_NUMBER}\)|#{_NUMBER}|{reserved}|{begins}{goes_on}{{0,20}}|{_QUOTED})"
    step = rf"({words})( {premise}){{0,{bounds.premises}}}{separator}{_SOLID}{_ANY}{{0,{bounds.body}}}"
    bridge = f"\n{THINK_CLOSES}\n\n" if think else "\n"
    answer = f"{MARKERS[lang]['ANSWER']}: {_SOLID}{_ANY}{{0,{bounds.answer}}}"
    if line:
        return f"{step}\n|{answer}"
    return f"{step}(\n{step}){{0,{bounds.steps - 1}}}{bridge}{answer}"


def _step_pattern(lang: Lang, separator: str, words: Sequence[str]) -> str:
    """A step of any length. Premises are matched once, not tried in all ways: a hostile text has many."""
    begins, goes_on = _NAME[lang]
    quoted = f'"[A-Za-z{_HAN}]+(?: [A-Za-z0-9{_HAN}]+)+"'
    premise = rf"(?:\({_NUMBER}\)|#{_NUMBER}|{begins}{goes_on}*|{quoted})"
    return rf"(?:{'|'.join(words)})(?> {premise})*{separator}{_SOLID}{_ANY}*"


def _operations(lang: Lang, ban: Operation | None) -> list[str]:
    return [MARKERS[lang][operation] for operation in OPERATIONS if operation != ban]
