"""Show what a model is trained on: the tokens of an example, each in the colour of its role."""

from __future__ import annotations

from itertools import groupby

from rich.text import Text
from transformers import PreTrainedTokenizerBase

from srt.io.errors import printable
from train.data.examples import Example, Role

STYLES = {
    Role.PROMPT: "dim",
    Role.OTHER: "bold",
    Role.CORRELATE: "black on cyan",
    Role.CONSTRAIN: "black on yellow",
    Role.INFER: "black on green",
    Role.ANSWER: "black on magenta",
}
_NAMES = {Role.PROMPT: "prompt, not trained on", Role.OTHER: "other"}


def legend(coloured: bool) -> Text:
    """The style of each role."""
    line = Text()
    for role, style in STYLES.items():
        name = _NAMES.get(role, role.name)
        line.append(name if coloured else _marked(role, name), style if coloured else "")
        line.append("  ")
    return line


def label_view(example: Example, tokenizer: PreTrainedTokenizerBase, picture_token: int | None, coloured: bool) -> Text:
    """The tokens of ``example`` as text, with the trained ones marked by role.

    A run of ``picture_token`` is shown as ``[picture: 320 tokens]``, the end-of-sequence token by its name. Without
    colours, what is trained on is in braces: ``{INFER ...}``.
    """
    view = Text()
    tokens = list(zip(example.input_ids.tolist(), example.roles.tolist(), strict=True))
    for (role, picture), run in groupby(tokens, key=lambda token: (Role(token[1]), token[0] == picture_token)):
        ids = [token for token, _ in run]
        text = f"[picture: {len(ids)} tokens]"
        if not picture:
            decoded = str(tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))
            # A corpus may contain control characters, which must not reach the terminal.
            text = printable(decoded)
        view.append(text if coloured else _marked(role, text), STYLES[role] if coloured else "")
    return view


def _marked(role: Role, text: str) -> str:
    if role == Role.PROMPT:
        return text
    return f"{{{text}}}" if role == Role.OTHER else f"{{{role.name} {text}}}"
