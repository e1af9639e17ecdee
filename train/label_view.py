"""What a model is trained on, for eyes: the tokens of an example, each in the colour of what it belongs to."""

from __future__ import annotations

from itertools import groupby

from rich.text import Text
from transformers import PreTrainedTokenizerBase

from train.examples import Example, Role

STYLES = {
    Role.PROMPT: "dim",
    Role.BETWEEN: "bold",
    Role.CORRELATE: "black on cyan",
    Role.CONSTRAIN: "black on yellow",
    Role.INFER: "black on green",
    Role.ANSWER: "black on magenta",
}
_NAMES = {Role.PROMPT: "prompt, not trained on", Role.BETWEEN: "between"}


def legend(coloured: bool) -> Text:
    """Which look says what."""
    line = Text()
    for role, style in STYLES.items():
        name = _NAMES.get(role, role.name)
        line.append(name if coloured else _marked(role, name), style if coloured else "")
        line.append("  ")
    return line


def label_view(example: Example, tokenizer: PreTrainedTokenizerBase, picture_token: int | None, coloured: bool) -> Text:
    """The tokens of ``example`` as text, the trained ones marked by their role.

    A run of ``picture_token`` is shown as ``[picture: 320 tokens]``, the last token (end of sequence) by its name.
    Without colours what is trained on stands in braces: ``{INFER ...}``.
    """
    view = Text()
    tokens = list(zip(example.input_ids.tolist(), example.roles.tolist(), strict=True))
    for (role, picture), run in groupby(tokens, key=lambda token: (Role(token[1]), token[0] == picture_token)):
        ids = [token for token, _ in run]
        text = f"[picture: {len(ids)} tokens]" if picture else _decoded(tokenizer, ids)
        view.append(text if coloured else _marked(role, text), STYLES[role] if coloured else "")
    return view


def _decoded(tokenizer: PreTrainedTokenizerBase, ids: list[int]) -> str:
    text = str(tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))
    # A corpus may hold control characters: no terminal sees them.
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def _marked(role: Role, text: str) -> str:
    if role == Role.PROMPT:
        return text
    return f"{{{text}}}" if role == Role.BETWEEN else f"{{{role.name} {text}}}"
