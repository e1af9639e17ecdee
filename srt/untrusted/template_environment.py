"""The environment in which transformers compiles a chat template: its tags, filters and functions."""

from __future__ import annotations

import json
from typing import Any

from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment


def template_environment() -> ImmutableSandboxedEnvironment:
    """As in transformers, with a date that stands still."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
    )
    environment.filters["tojson"] = lambda value, **_: json.dumps(value)
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = lambda _: "1 January 2026"
    return environment


class _Generation(Extension):
    """``{% generation %}`` marks what the assistant says, for training on it alone; the text is the same."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


def _raise_exception(message: str) -> Any:
    raise ValueError(message)
