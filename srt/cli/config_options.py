"""Commands whose options are the keys of a config: each key with a :class:`~srt.io.yaml_config.Flag` is an option."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
from pydantic import BaseModel

from srt.io.errors import UserError
from srt.io.yaml_config import Config, Flag


@dataclass(frozen=True)
class ConfigCommand:
    """A command with the options of ``config``, and the parameters of ``function`` after its first.

    ``config`` is an import path (``package.module:Class``), because the package behind it is loaded only when the
    command is run. ``function`` is called with the keys as a mapping, ``None`` for those that were not given; its
    docstring is the help. ``complete`` says, by key, what a shell offers for a value that is begun.
    """

    config: str
    function: Callable[..., None]
    complete: Mapping[str, Callable[[], list[str]]] = field(default_factory=dict)

    def with_options(self) -> Callable[..., None]:
        """The function that typer makes the command from."""
        keys = _options_of(resolve_name(self.config), self.complete)
        hints = get_type_hints(self.function, include_extras=True)
        own = [
            parameter.replace(annotation=hints[parameter.name])
            for parameter in list(inspect.signature(self.function).parameters.values())[1:]
        ]

        def command(**values: object) -> None:
            self.function({name: values.pop(name) for name in keys}, **values)

        parameters = [
            *(
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
                for name, kind in keys.items()
            ),
            *(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own),
        ]
        command.__doc__ = self.function.__doc__
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return command


def pairs(given: Iterable[str], option: str, example: str) -> dict[str, str]:
    """The ``KEY=VALUE`` of an ``option`` that may be repeated, by key; raises a :class:`UserError` without ``=``."""
    chosen = {}
    for pair in given:
        name, equals, chosen[name] = pair.partition("=")
        if not equals:
            raise UserError(f"{option} {pair}: KEY=VALUE was expected, as in {example}")
    return chosen


def _options_of(config: type[Config], complete: Mapping[str, Callable[[], list[str]]]) -> dict[str, Any]:
    """The annotation of the option of each key that has a flag."""
    options = {}
    # Pydantic lists inherited keys first; help should begin with those that the config is about.
    for name in sorted(config.model_fields, key=lambda name: name not in config.__annotations__):
        key = config.model_fields[name]
        flag = next((one for one in key.metadata if isinstance(one, Flag)), None)
        if flag is not None:
            kind = _kind(key.annotation)
            names = flag.names or ("--" + name.replace("_", "-"),)
            option = typer.Option(
                *names,
                help=_with_default(flag.help, key.default),
                metavar="KEY=VALUE" if get_origin(key.annotation) is dict else None,
                rich_help_panel=flag.group,
                autocompletion=complete.get(name),
            )
            options[name] = Annotated[kind | None, option]
    return options


def _with_default(text: str, default: object) -> str:
    """The help of an option with the number that it has by default; what a word means there, the text itself says."""
    if isinstance(default, bool) or not isinstance(default, int | float):
        return text
    return f"{text.removesuffix('.')} (default: {default})."


def _kind(annotation: Any) -> Any:
    """The type of an option for a key of this type.

    The config checks values (choices, limits); the command line only has to read them.
    """
    if get_origin(annotation) in (Union, types.UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        return _kind(next((kind for kind in kinds if get_origin(kind) is list), kinds[0]))
    # A block of keys is given by one name, which means it with its defaults.
    if get_origin(annotation) is Literal or (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return str
    return list[str] if get_origin(annotation) is dict else annotation
