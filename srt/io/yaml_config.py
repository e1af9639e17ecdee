"""The one reader of YAML configs: recipes of training, experiments, evaluations, teachers and judges, specifications.

A file may build on another (``extends: base.yaml``, relative to the file that says so); what it sets itself wins, key
by key. Whatever is wrong with a file is one line that names it: a fault of YAML, a key that occurs twice, or all the
keys and values that its model refuses, an unknown key with the nearest one that exists.
"""

from __future__ import annotations

import copy
import re
import reprlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeVar, Union, get_args, get_origin

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from srt.io.bundled_files import find_bundled
from srt.io.did_you_mean import nearest, suggested
from srt.io.errors import UserError, cannot_read, fault_in_words

C = TypeVar("C", bound="Config")

_UNKNOWN_KEY = "unknown_key"
LARGEST_BYTES = 1_000_000
MOST_VALUES = 20_000
"""Keys and values that a file may come to, aliases and merges written out: each of them can multiply all below it."""
_DEEPEST = 50
"""Levels of nesting that a file may have; deeper ones exhaust Python's stack somewhere or other."""
_LONGEST_NUMBER = 100
"""Digits and signs of a number or a date: reading ``1:59:59:...`` (base 60) takes time quadratic in them."""


class ConfigFaults(UserError):
    """Every fault of one config. ``str()`` is one line; ``faults`` has one for each, without ``place`` (the file)."""

    def __init__(self, place: str, faults: Sequence[str]) -> None:
        super().__init__(f"{place}: {'; '.join(faults)}")
        self.place = place
        self.faults = list(faults)


class Config(BaseModel):
    """Base of all configs: immutable; refuses keys it does not know, naming the nearest one, and NaN and infinity.

    ``true`` is no number: ``neftune: true`` would else be a noise of 1.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _is_a_number(cls, value: Any, info: ValidationInfo) -> Any:
        """``true`` is none. A whole number of more than 64 bits is none that can be written to a manifest."""
        if isinstance(value, int) and info.field_name is not None:
            kinds = set(_kinds(cls.model_fields[info.field_name].annotation))
            if isinstance(value, bool) and kinds & {int, float} and not kinds & {bool, Any}:
                raise PydanticCustomError("float_type", "Input should be a valid number")
            if int in kinds and not -(2**63) <= value < 2**63:
                raise PydanticCustomError("too_long", "a whole number of at most 64 bits was expected")
        return value

    @model_validator(mode="wrap")
    @classmethod
    def _suggest_keys(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            found = error.errors(include_url=False)
        # Reworded here, where the model of each block is known; its inner blocks have reworded their own already.
        details: list[InitErrorDetails] = []
        for fault in found:
            kind, message, context = fault["type"], fault["msg"], fault.get("ctx", {})
            if kind == "extra_forbidden" and len(fault["loc"]) == 1:
                key = str(fault["loc"][0])
                near = _in_a_block(key, cls) or nearest(key, cls.model_fields)
                kind, context = _UNKNOWN_KEY, {"near": near}
                message = f"no such key, {suggested(near, cls.model_fields)}"
            reworded = PydanticCustomError(kind, "{message}", {**context, "message": message})
            details.append(InitErrorDetails(type=reworded, loc=fault["loc"], input=fault["input"]))
        raise ValidationError.from_exception_data(cls.__name__, details)


def _kinds(annotation: Any) -> Iterable[Any]:
    """The types that an annotation allows: those of a union, without what annotates them."""
    parts = get_args(annotation)
    if get_origin(annotation) is Annotated:
        yield from _kinds(parts[0])
    elif get_origin(annotation) in (Union, UnionType):
        for part in parts:
            yield from _kinds(part)
    elif get_origin(annotation) is Literal:
        yield from map(type, parts)
    else:
        yield annotation


@dataclass(frozen=True)
class Flag:
    """The option of a command that sets a key, written beside the key so that file and flags cannot differ.

    Keys without one are set in the file alone.

    Args:
        group: the heading under which help lists it.
        help: one line.
        names: as they are typed; by default the key, as in ``--max-new-tokens``.
    """

    group: str
    help: str
    names: tuple[str, ...] = ()


def read_config(model: type[C], path: str | Path, *, bundled: str | None = None, relative: Collection[str] = ()) -> C:
    """The config in the file ``path``; the arguments and what is raised are those of :func:`read_yaml`.

    Raises:
        ConfigFaults: also for keys and values that ``model`` refuses, all of them at once.
    """
    return parse_config(model, read_yaml(path, bundled=bundled, relative=relative), str(path))


def parse_config(model: type[C], values: Mapping[str, Any], place: str) -> C:
    """The config that ``values`` spell out; ``place`` begins the message of the :class:`ConfigFaults`."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ConfigFaults(place, [fault.line for fault in find_faults(error)]) from None


def one_by_name(given: Any, names: Sequence[str], example: str) -> Any:
    """One of several blocks, ``name`` or ``{name: {options}}``, as ``{name: options}``; what is read already stays.

    Raises:
        ValueError: anything else; ``example`` shows what was expected.
    """
    if isinstance(given, BaseModel):
        return given
    blocks = {given: None} if isinstance(given, str) else given
    if not isinstance(blocks, dict) or len(blocks) != 1 or not set(names) >= blocks.keys():
        raise ValueError(f"one of {', '.join(names)} was expected, as in {example}")
    return {name: {} if options is None else options for name, options in blocks.items()}


class KeyFault(NamedTuple):
    """One fault: the ``key`` (its names from the top; empty for the config as a whole) and the ``line`` to print.

    ``near`` is the existing key that an unknown one resembles, or that has its name in a block (``model.attn``).
    """

    key: tuple[str | int, ...]
    line: str
    near: str | None


def find_faults(error: ValidationError) -> list[KeyFault]:
    """What pydantic found, in its order."""
    faults = []
    for fault in error.errors(include_url=False):
        # Tags of unions are in parentheses: they are not in the file.
        key = tuple(part for part in fault["loc"] if not str(part).startswith("("))
        unknown = fault["type"] == _UNKNOWN_KEY
        near = fault["ctx"]["near"] if unknown else None
        message = str(fault["msg"]) if unknown else fault_in_words(fault)
        name = ".".join(map(str, key))
        faults.append(KeyFault(key, " ".join((f"{name}: {message}" if name else message).split()), near))
    return faults


def read_yaml(
    path: str | Path,
    changes: Iterable[str] = (),
    *,
    bundled: str | None = None,
    renamed: Mapping[str, str] = MappingProxyType({}),
    relative: Collection[str] = (),
) -> dict[str, Any]:
    """The mapping in the file ``path``, over that of the file it extends; an empty file is an empty mapping.

    Args:
        path: the file.
        changes: ``key=value`` each, as on the command line (``model.path=m``, ``lora=null``), the value in YAML; they
            win over the file.
        bundled: the folder (``recipes/train``) of files that come with the toolkit, where ``path`` is looked for if
            there is no such file (:func:`srt.io.bundled_files.find_bundled`).
        renamed: keys by their old name (``loss.between``), with the new one, which is what is returned.
        relative: top-level keys that hold a path relative to the file that says so; it is returned with that folder.

    Raises:
        UserError: a file that is missing, cannot be read, is not YAML or not a mapping, has a key twice or both the old
            and the new name of one, a circle of ``extends``, or a change that is not ``key=value``.
    """
    path = Path(path) if bundled is None else find_bundled(Path(path), bundled)
    values = _read(path, (), renamed, relative, bundled or "recipes")
    for change in changes:
        values = merged(values, with_new_names(_parse_change(change), renamed, f"--set {change}"))
    return values


def extended_file(path: Path, base: str, folder: str) -> Path:
    """The file that ``path`` extends: relative to it, or else the one that comes with the toolkit under that name.

    So a recipe that was copied into another folder still finds what it builds on. Names are those in ``folder``
    (``recipes/train``), and paths as in the documentation (``recipes/demo.yaml``, ``train/base.yaml``).
    """
    beside = path.parent / base
    try:
        if beside.exists():
            return beside
        within = "recipes" if len(Path(base).parts) > 1 else folder
        return found if (found := find_bundled(Path(base), within)).is_file() else beside
    except UserError as error:
        raise UserError(f"{path}: extends: {error}") from None


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with what ``over`` says in its place, within mappings too."""
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        # A list replaces the list: if lists were joined, no recipe could take an item out.
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def with_new_names(values: Mapping[str, Any], renamed: Mapping[str, str], place: str) -> dict[str, Any]:
    """``values`` with each key of ``renamed`` (``loss.between``) under its new name.

    Raises:
        UserError: both names are there; ``place`` begins the message.
    """
    result = copy.deepcopy(dict(values))
    for old, new in renamed.items():
        *parents, old_name = old.split(".")
        place_of: Any = result
        for parent in parents:
            place_of = place_of.get(parent) if isinstance(place_of, dict) else None
        if isinstance(place_of, dict) and old_name in place_of:
            new_name = new.rpartition(".")[2]
            if new_name in place_of:
                raise UserError(f"{place}: {new}: is also given under its old name {old}; remove {old}")
            place_of[new_name] = place_of.pop(old_name)
    return result


def _in_a_block(name: str, model: type[Config]) -> str | None:
    """The first key of that ``name`` in a block of ``model``, with the block (``model.attn``)."""
    for block, field in model.model_fields.items():
        for kind in (field.annotation, *get_args(field.annotation)):  # the second for a block that may be null
            if isinstance(kind, type) and issubclass(kind, Config) and name in kind.model_fields:
                return f"{block}.{name}"
    return None


def _read(
    path: Path, seen: tuple[Path, ...], renamed: Mapping[str, str], relative: Collection[str], folder: str
) -> dict[str, Any]:
    real = path.resolve()
    if real in seen:
        raise UserError(f"{path}: extends: the file extends itself, by way of {' -> '.join(p.name for p in seen)}")
    try:
        with open(path, "rb") as file:
            # One more than is allowed: the size of a pipe is not known before.
            data = file.read(LARGEST_BYTES + 1)
        if len(data) > LARGEST_BYTES:
            raise UserError(f"{path}: not a config: it has more than {LARGEST_BYTES:,} bytes")
        values = yaml.load(data.decode("utf-8"), _Loader)
    except OSError as error:
        raise cannot_read(path, error, f" (extended by {seen[-1]})" if seen else "") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not YAML: this is not a text in UTF-8") from None
    # ValueError: a date such as 2024-13-45.
    except (yaml.YAMLError, ValueError) as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None) or error
        line = f" line {mark.line + 1}:" if mark is not None else ""
        raise UserError(f"{path}: not YAML:{line} {' '.join(str(problem).split())}") from None
    values = {} if values is None else values
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise UserError(f"{path}: a mapping of keys to values was expected, not {reprlib.repr(values)}")
    values = with_new_names(values, renamed, str(path))
    for key in relative:
        if isinstance(values.get(key), str):
            values[key] = str(path.parent / values[key])
    base = values.pop("extends", None)
    if base is None:
        return values
    if not isinstance(base, str):
        raise UserError(f"{path}: extends: one path was expected, not {reprlib.repr(base)}")
    return merged(_read(extended_file(path, base, folder), (*seen, real), renamed, relative, folder), values)


def _parse_change(change: str) -> dict[str, Any]:
    key, equals, text = change.partition("=")
    if not equals or not all(key.split(".")):
        raise UserError(f"--set {change}: KEY=VALUE was expected, as in --set data=data/cot/sequences.jsonl")
    try:
        value = yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError):
        raise UserError(f"--set {change}: the value is not YAML; quote it") from None
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)


class _Loader(yaml.SafeLoader):
    """YAML's safe loader, but it refuses a key that occurs twice (the last would win silently), and what has no end.

    Aliases are shared, not copied, while the file is read; who walks over the values, or merges them, copies them. So
    what a file comes to when they are written out is counted before anything is made of it (:data:`MOST_VALUES`).

    ``1e-3`` is a number, as in YAML 1.2; PyYAML's rules take it for a text.
    """

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        # What is being composed: an alias of one of these is a circle, which would be followed for ever.
        self._open: list[yaml.Node | None] = []
        # All values so far, and those of each anchor, with what the aliases in them come to.
        self._values = 0
        self._values_of: dict[str, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        mark: yaml.error.Mark = event.start_mark
        self._open.append(parent)
        if isinstance(event, yaml.AliasEvent):
            node = self.anchors.get(event.anchor)
            if node is not None and any(node is open_node for open_node in self._open):
                raise yaml.composer.ComposerError(None, None, f"*{event.anchor} contains itself", mark)
        if len(self._open) > _DEEPEST:
            raise yaml.composer.ComposerError(None, None, f"nested deeper than {_DEEPEST} levels", mark)
        before = self._values
        self._values += self._values_of.get(str(event.anchor), 0) if isinstance(event, yaml.AliasEvent) else 1
        composed = super().compose_node(parent, index)
        self._open.pop()
        if self._values > MOST_VALUES:
            fault = f"more than {MOST_VALUES:,} keys and values, aliases and merges written out"
            raise yaml.composer.ComposerError(None, None, fault, mark)
        if event.anchor is not None and not isinstance(event, yaml.AliasEvent):
            self._values_of[event.anchor] = self._values - before
        if isinstance(composed, yaml.ScalarNode) and composed.tag in _NUMBERS and len(composed.value) > _LONGEST_NUMBER:
            fault = f"a number or a date of more than {_LONGEST_NUMBER} digits"
            raise yaml.composer.ComposerError(None, None, fault, mark)
        return composed

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} occurs twice", key.start_mark)
                seen.add((key.tag, key.value))
        return super().construct_mapping(node, deep)


_NUMBERS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "timestamp"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(?:\.[0-9]*)?[eE][-+]?[0-9]+\Z"), list("-+0123456789")
)
