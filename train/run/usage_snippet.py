"""The Python snippet of a model card: loads the model and answers one question. It needs no part of this toolkit."""

from __future__ import annotations

import json

from srt.io.records import Problem
from srt.language.prompts import prompt_messages
from srt.language.template_kwargs import NO_KWARGS, TemplateKwargs

QUESTION = Problem(
    id="example",
    source="example",
    split="test",
    lang="en",
    question="A row of seats, from left to right: Ana, Bo, Cleo. Who sits in the middle?",
    choices={"A": "Ana", "B": "Bo", "C": "Cleo"},
)
"""What the snippet asks. It is our own: the data that a model was trained on may not be published."""

PICTURE = "picture.png"
"""The picture that the snippet of a vision model shows, which its reader supplies."""


def usage_snippet(folder: str, base: str | None, *, reads_pictures: bool, kwargs: TemplateKwargs = NO_KWARGS) -> str:
    """Python source that prints a reply of the model in ``folder``, or of the adapter there over the model ``base``.

    Both are folders, or names on the hub. A model that reads pictures is shown ``picture.png``.
    ``kwargs`` are the variables of the chat template that it was trained with.
    """
    model_class = "AutoModelForImageTextToText" if reads_pictures else "AutoModelForCausalLM"
    reader_class = "AutoProcessor" if reads_pictures else "AutoTokenizer"
    reader = "processor" if reads_pictures else "tokenizer"
    (message,) = prompt_messages(QUESTION, "full")
    paragraphs = message.content.splitlines(keepends=True)
    question = "\n".join(["question = (", *(f"    {json.dumps(line, ensure_ascii=False)}" for line in paragraphs), ")"])
    content = "question"
    if reads_pictures:
        content = f'[{{"type": "image", "path": "{PICTURE}"}}, {{"type": "text", "text": question}}]'
    lines = [
        *(["from peft import PeftModel"] if base is not None else []),
        f"from transformers import {model_class}, {reader_class}",
        "",
        f'folder = "{folder}"',
        f"{reader} = {reader_class}.from_pretrained(folder)",
        f'model = {model_class}.from_pretrained({"folder" if base is None else json.dumps(base)}, dtype="auto")',
        *(["model = PeftModel.from_pretrained(model, folder)"] if base is not None else []),
        question,
        f'messages = [{{"role": "user", "content": {content}}}]',
        f"inputs = {reader}.apply_chat_template(",
        '    messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"'
        + "".join(f", {name}={value!r}" for name, value in kwargs.items()),
        ").to(model.device)",
        "tokens = model.generate(**inputs, max_new_tokens=1024, do_sample=False)",
        f'print({reader}.decode(tokens[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True))',
    ]
    return "\n".join(lines)
