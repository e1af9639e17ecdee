"""What is done to a row before and after Ray's vLLM stage, in processes that import neither torch nor transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from srt.images.normalise import shown_picture
from srt.io.errors import UserError
from srt.io.records import Image


def with_pictures(row: dict[str, Any]) -> dict[str, Any]:
    """The pictures of ``row``, opened where its prompt is prepared; a row with an error passes by all stages."""
    images = [Image.model_validate_json(image) for image in row["images"]]
    try:
        pictures = [shown_picture(Path(row["root"]), image) for image in images]
    except UserError as error:
        return {"multimodal_data": None, "__inference_error__": str(error)}
    return {"multimodal_data": {"image": pictures} if pictures else None, "__inference_error__": ""}


def answer(row: dict[str, Any], image_token: int | None) -> dict[str, Any]:
    """What is brought back of a row."""
    given = list(row["prompt_token_ids"])
    return {
        "number": row["number"],
        "ids": row["generated_tokens"],
        "input_tokens": len(given),
        "image_tokens": given.count(image_token),
        "seconds": row["time_taken_llm"],
    }
