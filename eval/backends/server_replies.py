"""What a server's reply is worth: how the text ended, what it says, whether it is what was asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from eval.backends.protocol import GenerationSettings
from eval.backends.trace_grammar import follows_grammar
from eval.decoding.served_lines import DrawnLine, LinesDrawn
from srt.language.prompts import THINK_CLOSES, THINK_OPENS
from srt.llm.finish_reasons import finish_reason
from srt.llm.llm_errors import RequestRejected
from srt.llm.request import Reply

_BEYOND = 8  # tokens that a server may count beside those it was asked for: the end of the text, tags of a template


class NotBelieved(Exception):
    """The server does not do what it was asked, or says what nobody understands: no reply of it can be used."""


def ended(reply: Reply) -> tuple[Literal["stop", "length", "error"], str | None]:
    """How ``reply`` ended, and why it is no answer where it is none.

    Raises:
        NotBelieved: its finish reason is not known.
    """
    if reply.refusal is not None:
        return "error", " ".join(f"refused: {reply.refusal}".split())
    meaning = finish_reason(reply.finish_reason)
    if meaning is None:
        word = reply.finish_reason[:80]
        raise NotBelieved(
            f"finish_reason {word!r} is not known: say in the recipe what it means, as in "
            f"finish_reasons: {{{word}: stop}} (stop, length or error)"
        )
    return meaning, f"finish_reason: {reply.finish_reason}" if meaning == "error" else None


def written_text(reply: Reply, opens_thought: bool) -> tuple[str, str]:
    """The text of ``reply`` as the model wrote it, and the end of the prompt before it, as far as that is known.

    A server that sends the thought apart has cut the text at its tags: they are put back. Where all of the text came as
    a thought, and ended by itself, nobody knows of a tag: the parser may have taken the answer for a thought.
    """
    prompt = reply.prompt or THINK_OPENS * opens_thought
    if reply.reasoning is None:
        return reply.text, prompt
    if reply.text:
        return f"{THINK_OPENS}\n{reply.reasoning}\n{THINK_CLOSES}\n\n{reply.text}", ""
    if reply.finish_reason == "stop":
        return reply.reasoning, prompt
    return f"{THINK_OPENS}\n{reply.reasoning}\n", ""


def require_counts(reply: Reply, most: int) -> None:
    """Look whether ``reply`` has counts of tokens that can be, of which the output was to be at most ``most``.

    Raises:
        RequestRejected: it has none.
        NotBelieved: the server wrote more than it was asked for.
    """
    written = reply.text or reply.reasoning
    if not reply.output_tokens and (written or not reply.input_tokens):
        raise RequestRejected("its reply has no usage: without the server's own counts there are no token figures")
    if written and not reply.counted:
        raise RequestRejected(
            f"its usage counts {reply.output_tokens} tokens for a text of {len(reply.text)} characters: these are no "
            "counts of tokens"
        )
    if not reply.input_tokens:
        raise RequestRejected("its usage has no count of the prompt's tokens (usage.prompt_tokens)")
    # Some services count thoughts beside the tokens that they were asked for.
    if (wrote := reply.output_tokens - (reply.reasoning_tokens or 0)) > most + _BEYOND:
        raise NotBelieved(
            f"max_new_tokens: the server was asked for at most {most} tokens, and its reply has {wrote} without "
            "thoughts; it ignores max_tokens, or counts what it did not write"
        )


def require_grammar(reply: Reply, settings: GenerationSettings) -> None:
    """Raise an :class:`NotBelieved` where ``reply`` shows that the server ignores the grammar that it was sent."""
    if settings.grammar is not None:
        # A parser may have taken the trace for a thought.
        text = reply.text or reply.reasoning or ""
        if not follows_grammar(text, ban=settings.ban, cut=reply.finish_reason == "length"):
            raise _ignored(text)


def require_lines(lines: Iterable[DrawnLine], settings: GenerationSettings) -> None:
    """The same for ``lines`` of which each was asked for by the grammar of one line."""
    if settings.grammar is not None:
        for line in lines:
            whole = line.text + "\n" * (line.end == "break")
            if not follows_grammar(whole, ban=settings.ban, cut=line.end != "stop", line=True):
                raise _ignored(line.text)


def lines_of(reply: Reply) -> LinesDrawn:
    """The lines in ``reply``. A count that is missing is that of the reply, which asked for one then."""
    lines = [
        DrawnLine(
            text=choice.text,
            end="cut" if choice.finish_reason == "length" else "break" if choice.broken_by == "\n" else "stop",
            tokens=max(1, reply.output_tokens if choice.tokens is None else choice.tokens),
        )
        for choice in reply.choices
    ]
    return LinesDrawn(lines, reply.output_tokens, all(choice.tokens is not None for choice in reply.choices))


def _ignored(text: str) -> NotBelieved:
    return NotBelieved(
        f"grammar: the server ignores the grammar that it was sent; it wrote {' '.join(text.split())[:60]!r}. Set "
        "server_type to what it is, or take a server that knows grammars"
    )
