"""The examples of a data file, encoded once: later runs, and every process of a run, map the file of the first.

Two files in the folder of the cache belong together: ``KEY.arrow`` (:mod:`train.data.token_table`) and ``KEY.json``,
which is written last and holds the size and SHA-256 of the first. The key is a hash of everything that the tokens
depend on. Tokens without a fitting ``KEY.json`` (of a killed process, or damaged) count for nothing and are made again.
The folder may be removed at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import datasets
import pyarrow as pa
import tokenizers
import transformers
from pydantic import ValidationError
from transformers import PreTrainedTokenizerBase, ProcessorMixin

import srt
import train
from srt.io.atomic_files import temporary_file, write_atomically
from srt.io.errors import UserError, cannot_read
from srt.io.folder_lock import FolderHeld, hold_folder, make_folder
from srt.io.locations import sha256_of
from srt.io.progress import notice, progress_bar
from srt.io.records import Record
from train.data.encode_file import EncodedLines, Encoder, Progress, encode_file
from train.data.image_tokens import PictureTokens
from train.data.line_checks import record_of
from train.data.pairs import TokenizedPairs
from train.data.token_table import SCHEMA, TokenizedExamples
from train.data.too_long import fit_lengths
from train.models.model_files import read_config
from train.recipe import Recipe

_ELSEWHERE = "(this is the cache of tokens; to have it elsewhere, set HF_DATASETS_CACHE)"


class TokensMade(Record):
    """``KEY.json``: the ``size`` in bytes and the ``sha256`` of the tokens, and what they were ``made_from``."""

    size: int
    sha256: str
    made_from: dict[str, str]


def read_examples(
    recipe: Recipe, tokenizer: PreTrainedTokenizerBase, processor: ProcessorMixin | None = None
) -> TokenizedExamples:
    """The examples that ``recipe`` trains on, in the order of its files, without those that ``too_long`` leaves out.

    With ``objective: dpo`` they are pairs. A vision model needs its ``processor``, in which the limits of
    ``recipe.pictures`` are set.

    Raises:
        UserError: as :func:`read_tokens`, a sequence is longer than ``recipe.max_length`` (all are counted), or with
            ``too_long: drop`` nothing is left.
    """
    examples = TokenizedExamples.joined(
        [
            fit_lengths(part, read_tokens(part, tokenizer, processor), read_other_arms(part, tokenizer, processor))
            for part in recipe.parts()
        ]
    )
    return examples if recipe.objective.dpo is None else TokenizedPairs(examples)


def read_other_arms(
    recipe: Recipe, tokenizer: PreTrainedTokenizerBase, processor: ProcessorMixin | None
) -> Iterator[tuple[str, TokenizedExamples]]:
    """The files of ``recipe.other_arms``, each with its examples; raises as :func:`read_tokens`."""
    for path in recipe.other_arms:
        yield path, read_tokens(recipe.on(path), tokenizer, processor)


def read_tokens(
    recipe: Recipe, tokenizer: PreTrainedTokenizerBase, processor: ProcessorMixin | None
) -> TokenizedExamples:
    """All examples of ``recipe.data``, in the order of the file: from the cache, or encoded now and put there.

    The first process of each machine encodes, and the others wait.

    Raises:
        UserError: the file is missing, empty or has an invalid line, a picture cannot be read, a text model is given
            pictures, the tokenizer has no chat template or end-of-sequence token, or the cache cannot be written.
    """
    encoder = make_encoder(recipe, tokenizer, processor)
    cached = CachedTokens.of(recipe, encoder)
    if os.environ.get("LOCAL_RANK", "0") == "0":
        examples = _open_or_make(cached, recipe.data_file, encoder)
    else:
        # Should the first process fail, the launcher ends this one.
        while (found := cached.open(encoder.root)) is None:
            time.sleep(0.5)
        examples = found
    if not len(examples):
        raise UserError(f"{recipe.data}: no sequence to train on, the file is empty")
    return examples


def make_encoder(recipe: Recipe, tokenizer: PreTrainedTokenizerBase, processor: ProcessorMixin | None) -> Encoder:
    """What encodes the sequences of ``recipe``; sets the limits of its pictures in ``processor``."""
    pictures = None if processor is None else PictureTokens(processor, recipe.pictures)
    rows = getattr(read_config(recipe.model.path).get_text_config(), "vocab_size", None)
    root, kwargs = recipe.data_file.parent, recipe.chat_template_kwargs
    return Encoder(tokenizer, recipe.think, pictures, root, rows, kwargs, record_of(recipe))


class CachedTokens(NamedTuple):
    """The place of some tokens in the cache, and what they are made from."""

    folder: Path
    made_from: dict[str, str]

    @classmethod
    def of(cls, recipe: Recipe, encoder: Encoder) -> CachedTokens:
        """Where the tokens of ``recipe.data`` by ``encoder`` are, or will be.

        Raises:
            UserError: the data file cannot be read.
        """
        try:
            data = sha256_of(recipe.data_file)
        except OSError as error:
            raise cannot_read(recipe.data_file, error) from None
        made_from = {
            "data": data,
            **_encoder_hashes(encoder),
            "record": encoder.record.__name__,
            "think": str(recipe.think),
            "rows": str(encoder.rows),
            "chat_template_kwargs": json.dumps(recipe.chat_template_kwargs, sort_keys=True),
            "code": _code_hash(),
            "tokenizers": tokenizers.__version__,
            "transformers": transformers.__version__,
        }
        return cls(_cache_folder(), made_from)

    @property
    def key(self) -> str:
        """The names of the files, without their endings."""
        return hashlib.sha256(json.dumps(self.made_from, sort_keys=True).encode()).hexdigest()[:24]

    def open(self, root: Path) -> TokenizedExamples | None:
        """The examples, with pictures in ``root``; ``None`` if they are not there, or not as they were made.

        They also count as not there if a picture is not, or has another size: encoding again then says what is wrong.
        """
        tokens = self.folder / f"{self.key}.arrow"
        try:
            made = TokensMade.model_validate_json((self.folder / f"{self.key}.json").read_bytes())
            if tokens.stat().st_size != made.size or sha256_of(tokens) != made.sha256:
                return None
            examples = map_tokens(tokens, root)
        except (OSError, ValidationError):
            return None
        return examples if pictures_are_there(examples, root) else None

    def make(self, encoded: Iterable[EncodedLines], root: Path) -> TokenizedExamples:
        """Write the examples of ``encoded`` to disk and map them. They stay in the cache if no line had a fault.

        Raises:
            UserError: the folder cannot be written to.
        """
        sound = True
        try:
            with temporary_file(self.folder / f"{self.key}.arrow") as (part, _):
                with pa.OSFile(str(part), "wb") as file, pa.ipc.new_stream(file, SCHEMA) as stream:
                    for lines in encoded:
                        stream.write_batch(lines.examples)
                        sound = sound and not lines.faults
                examples = map_tokens(part, root)  # what is mapped stays readable after its file is moved or removed
                if sound:
                    self._publish(part)
                return examples
        except OSError as error:
            raise UserError(f"{self.folder}: cannot be written: {error.strerror or error} {_ELSEWHERE}") from None

    def _publish(self, part: Path) -> None:
        """Move the complete file ``part`` to its place."""
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        made = TokensMade(size=part.stat().st_size, sha256=sha256_of(part), made_from=self.made_from)
        os.replace(part, self.folder / f"{self.key}.arrow")
        write_atomically(self.folder / f"{self.key}.json", [made.model_dump_json(indent=1).encode() + b"\n"])


def map_tokens(path: Path, root: Path) -> TokenizedExamples:
    """The examples in the file ``path``, memory-mapped; their pictures are in ``root``."""
    with pa.memory_map(str(path)) as mapped, pa.ipc.open_stream(mapped) as stream:
        return TokenizedExamples(stream.read_all(), root)


def pictures_are_there(examples: TokenizedExamples, root: Path) -> bool:
    """Whether each picture of ``examples`` is a file of the size that it had when it was measured."""
    files = {(picture["path"], picture["file_size"]) for picture in examples.pictures()}

    def there(some: list[tuple[str, int]]) -> bool:
        with suppress(OSError):
            return all(os.stat(root / path).st_size == size for path, size in some)
        return False

    remaining = iter(files)
    parts = iter(lambda: list(islice(remaining, 1000)), [])
    with ThreadPoolExecutor() as pool:  # a file server answers several at once
        return all(pool.map(there, parts))


def _cache_folder() -> Path:
    folder = Path(datasets.config.HF_DATASETS_CACHE) / "srt-tokens"
    try:
        make_folder(folder)
    except UserError as error:
        raise UserError(f"{error} {_ELSEWHERE}") from None
    return folder


def _open_or_make(cached: CachedTokens, data: Path, encoder: Encoder) -> TokenizedExamples:
    lock = partial(hold_folder, cached.folder, name=f"{cached.key}.lock")
    try:
        with lock():
            # With the lock: another process may have made it since this one looked.
            return cached.open(encoder.root) or _make(cached, data, encoder)
    except FolderHeld:
        notice(f"waiting for another process to tokenize {data}")
        with lock(wait=True):
            return cached.open(encoder.root) or _make(cached, data, encoder)


def _make(cached: CachedTokens, data: Path, encoder: Encoder) -> TokenizedExamples:
    show: Progress = partial(progress_bar, lines_from=1000)
    with closing(encode_file(data, encoder, show, f"tokenizing {data.name}")) as encoded:
        return cached.make(_up_to_a_fault(encoded), encoder.root)


def _up_to_a_fault(encoded: Iterable[EncodedLines]) -> Iterator[EncodedLines]:
    for lines in encoded:
        if lines.faults:
            _, error = lines.faults[0]
            raise error
        yield lines


def _encoder_hashes(encoder: Encoder) -> dict[str, str]:
    """Hashes of everything in tokenizer and processor, as they were loaded and changed."""
    backend = json.loads(encoder.tokenizer.backend_tokenizer.to_str())
    # The last call of the tokenizer leaves these in it; we never pad nor truncate.
    backend |= {"padding": None, "truncation": None}
    tokenizer = [backend, encoder.tokenizer.chat_template, encoder.tokenizer.eos_token_id]
    pictures = None if encoder.pictures is None else encoder.pictures.settings
    return {
        name: hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
        for name, value in {"tokenizer": tokenizer, "processor": pictures}.items()
    }


def _code_hash() -> str:
    """SHA-256 of the sources that decide how a sequence is encoded."""
    srt_folder, train_folder = Path(srt.__file__).parent, Path(train.__file__).parent
    digest = hashlib.sha256()
    for folder in (srt_folder / "language", srt_folder / "images", srt_folder / "io", train_folder / "data"):
        for file in sorted(folder.glob("*.py")):
            digest.update(f"{file.name} {sha256_of(file)} ".encode())
    return digest.hexdigest()
