"""How the command line finds and shows its commands: a module is imported when one of its commands is run.

Help is plain text (no boxes, nothing cut off). The commands are listed by stage, and values are called ``FILE``,
``DIR``, ``N``, ``NAME``, not by their types in Python.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any, get_type_hints

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from srt.cli.command_table import ALIASES, COMMANDS, STAGES
from srt.cli.metavars import argument_metavar, option_metavar
from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError


def add_commands(app: typer.Typer) -> None:
    """Add all commands to ``app`` (of the class :class:`LazyGroup`), by name and summary."""
    for name, command in COMMANDS.items():
        app.command(name, help=command.summary)(_not_loaded)


def load_command(name: str) -> Any:
    """The command ``name`` with its options, as typer's class of commands; its module is imported now."""
    from srt.cli.config_options import ConfigCommand  # with pydantic, which the list of commands does without

    module, _, attribute = COMMANDS[name].function.rpartition(".")
    function = getattr(import_module(f"srt.cli.{module}"), attribute)
    if isinstance(function, ConfigCommand):
        function = function.with_options()
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(name, cls=_PlainCommand)(function)
    command = typer.main.get_command(app)
    types = get_type_hints(function)
    for parameter in command.params:
        name = str(parameter.name)
        if parameter.metavar is None and parameter.param_type_name == "option":
            parameter.metavar = option_metavar(name, types.get(name), getattr(parameter, "help", None) or "")
        elif parameter.metavar is None:
            parameter.metavar = argument_metavar(name, parameter.nargs == -1)
    return command


class LazyGroup(TyperGroup):
    """The group of all commands, which holds their names and summaries; one that is run is loaded first."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Load the command that ``args`` begin with.

        Raises:
            UserError: there is none of that name.
        """
        name = ALIASES.get(args[0], args[0])
        if name in COMMANDS:
            return name, load_command(name), args[1:]
        if ctx.resilient_parsing or name.startswith("-"):
            return super().resolve_command(ctx, args)
        raise UserError(f"no such command {name!r}{did_you_mean(name, COMMANDS)}; srt --help lists them")

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of the commands by stage."""
        width = max(map(len, COMMANDS))
        for stage, commands in STAGES.items():
            with formatter.section(stage):
                formatter.write_dl([(name.ljust(width), command.summary) for name, command in commands.items()])


class _PlainCommand(TyperCommand):
    """A command whose help names no type; it says which option was probably meant, and what Ctrl-C has left."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            # By its name: typer brings its own copy of click, or, in older versions, uses the package.
            if type(error).__name__ != "NoSuchOption":
                raise
            option, known = str(getattr(error, "option_name", "")), [name for p in self.params for name in p.opts]
            raise UserError(
                f"no such option {option!r}{did_you_mean(option, known)}; srt {self.name} --help lists them"
            ) from None

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            from srt.io.progress import notice

            kept = str(stop) or COMMANDS[str(self.name)].after_ctrl_c
            notice(f"srt: interrupted: {kept}")
            raise typer.Exit(130) from None

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        return ["[OPTIONS]", *(str(p.metavar) if p.required else f"[{p.metavar}]" for p in arguments)]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what the command does, and each example on one line, however long: so it can be copied."""
        for paragraph in inspect.cleandoc(self.help or "").split("\n\n"):
            text = " ".join(paragraph.split())
            formatter.write_paragraph()
            with formatter.indentation():
                if text.startswith("Example: "):
                    formatter.write(f"{'':>{formatter.current_indent}}{text}\n")
                else:
                    formatter.write_text(text)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then options under the headings that they name, those without one last."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                if parameter.param_type_name == "option":
                    rows.setdefault(getattr(parameter, "rich_help_panel", None) or "Options", []).append(record)
                else:
                    rows.setdefault("Arguments", []).append((str(parameter.metavar), record[1]))
        rows["Options"] = rows.pop("Options", [])
        for heading, records in rows.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def _not_loaded() -> None:
    """Stand for a command until it is run."""
