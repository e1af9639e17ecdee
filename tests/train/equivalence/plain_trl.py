"""TRL's own trainer as it comes, on the same sequences: a reference that shares no code with ours.

    python plain_trl.py MODEL SEQUENCES.jsonl SETTINGS.json LOSSES.json

The sequences are taken in the order of the file. What TRL cannot be told by an argument stands below with its reason.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import PIL.Image
import torch
import transformers
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def main(model_path: str, sequences: str, settings_path: str, losses_path: str) -> None:
    settings = json.loads(Path(settings_path).read_text())
    torch.set_num_threads(1)
    sees = hasattr(AutoConfig.from_pretrained(model_path), "vision_config")
    tool = (AutoProcessor if sees else AutoTokenizer).from_pretrained(model_path)
    rows = [row_of(json.loads(line), tool, Path(sequences).parent) for line in Path(sequences).read_text().splitlines()]
    model = load(model_path, settings, AutoModelForImageTextToText if sees else AutoModelForCausalLM)
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    trainer = SFTTrainer(
        model=model,
        args=SFTConfig(
            output_dir=str(Path(losses_path).parent / "trl"),
            max_steps=settings["steps"],
            per_device_train_batch_size=settings["batch_size"],
            learning_rate=settings["learning_rate"],
            lr_scheduler_type="cosine",
            warmup_steps=round(0.05 * settings["steps"]),
            optim="adamw_torch_fused",
            bf16=False,
            activation_checkpointing=False,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            max_length=None,
            train_sampling_strategy="sequential",
        ),
        train_dataset=Dataset.from_list(rows),
        processing_class=tool,
    )
    # TRL rounds the adapters of a 4-bit model to bfloat16, on a CPU in float32 too. Ours stay as they are.
    for name, parameter in trainer.model.named_parameters():
        if parameter.requires_grad:
            parameter.data = before[name]
    trainer.train()
    history = [(row["step"], row["loss"], row["grad_norm"]) for row in trainer.state.log_history if "loss" in row]
    Path(losses_path).write_text(json.dumps(history))


def row_of(sequence: dict[str, Any], tool: Any, folder: Path) -> dict[str, Any]:
    """One sequence as TRL takes it: the rendered prompt, the completion with the end of its turn, and the pictures."""
    turns, pictures = sequence["prompt"], sequence.get("images", [])
    if pictures:
        text = {"type": "text", "text": turns[0]["content"]}
        turns = [{"role": "user", "content": [{"type": "image"}] * len(pictures) + [text]}]
    row = {
        "prompt": tool.apply_chat_template(turns, tokenize=False, add_generation_prompt=True),
        "completion": sequence["completion"][0]["content"] + getattr(tool, "tokenizer", tool).eos_token,
    }
    if hasattr(tool, "image_processor"):
        row["images"] = [PIL.Image.open(folder / picture["path"]).convert("RGB") for picture in pictures]
    return row


def load(path: str, settings: dict[str, Any], auto: Any) -> Any:
    quantization = None
    if settings["method"] == "qlora":
        quantization = transformers.BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.float32,
            llm_int8_skip_modules=["lm_head", "model.visual"],
        )
    model = auto.from_pretrained(
        path, dtype=torch.float32, attn_implementation="eager", quantization_config=quantization
    )
    if sees := hasattr(model.config, "vision_config"):
        model.model.visual.requires_grad_(False)
    if settings["method"] == "full":
        return model
    language = r"model\.language_model" if sees else "model"
    transformers.set_seed(settings["seed"])
    return get_peft_model(
        model,
        LoraConfig(
            **settings["lora"],
            target_modules=language + r"\.layers\.\d+\.(self_attn\.[qkvo]_proj|mlp\.(gate|up|down)_proj)",
            task_type="CAUSAL_LM",
        ),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
