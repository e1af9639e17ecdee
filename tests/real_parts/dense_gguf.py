"""A quantized GGUF file with its weights in full: float32 numbers, rounded to bfloat16 as in the folder made from it.

python dense_gguf.py SOURCE.gguf OUTPUT.gguf
"""

from __future__ import annotations

import sys

import numpy as np
from gguf import GGUFReader, GGUFWriter
from gguf.constants import GGUFValueType, LlamaFileType
from gguf.quants import dequantize

OWN = ("GGUF.version", "GGUF.tensor_count", "GGUF.kv_count", "general.architecture", "general.file_type")


def main(source: str, output: str) -> None:
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
