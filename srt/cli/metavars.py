"""What the help calls the value of an option: ``FILE``, ``DIR``, ``N``, a name, or the words to choose from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args, get_origin

_BY_NAME = {
    "address": "ADDRESS",
    "api_key_env": "VARIABLE",
    "arm": "ARM",
    "backend": "NAME",
    "ban": "OPERATION",
    "base_url": "URL",
    "benchmark": "NAME",
    "chat_template": "NAME",
    "data": "PATH",
    "difference": "POINTS",
    "discordance": "SHARE",
    "embeddings": "MODEL",
    "engine": "ray",
    "grammar": "trace",
    "group": "NAME",
    "lang": "zh|en",
    "model": "MODEL",
    "pieces": "KIND",
    "plan": "PLAN",
    "policy": "strict|lenient",
    "project": "NAME",
    "prompt": "full|bare",
    "reference": "ARM",
    "report_to": "wandb",
    "run_name": "NAME",
    "runs": "DIR DIR",
    "separate": "WORD",
    "server_type": "NAME",
    "skip": "CHECK",
    "split": "train|dev|test",
    "stratify": "FIELD",
    "text": "STYLE",
    "title": "TEXT",
    "to": "inspect|lm-eval|vlmevalkit",
    "vote": "majority|checked",
    "wandb_mode": "online|offline",
    "who": "NAME",
    "wordings": "PATH",
}
"""By the name of the parameter, which means the same in every command."""

_BY_TYPE = {int: "N", float: "X", str: "TEXT", Path: "FILE"}


def option_metavar(name: str, annotation: Any, help_text: str) -> str | None:
    """What to call the value of the option ``name``; ``None`` for a flag, which has none.

    A path is a folder if the help of its option begins so: that is how the help of this command line is written.
    """
    kind = _type_in(annotation)
    if kind is Path and help_text.removeprefix("The ").lower().startswith("folder"):
        return "DIR"
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    return None if kind is None else _BY_NAME.get(name, _BY_TYPE[kind])


def argument_metavar(name: str, several: bool) -> str:
    """What to call an argument."""
    return name.upper() + ("..." if several else "")


def _type_in(annotation: Any) -> Any:
    """The type of one value (of ``list[Path] | None``: ``Path``), or a ``Literal``; ``None`` for a flag."""
    if annotation in _BY_TYPE or get_origin(annotation) is Literal:
        return annotation
    return next((one for part in get_args(annotation) if (one := _type_in(part)) is not None), None)
