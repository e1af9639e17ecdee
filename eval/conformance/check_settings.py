"""The settings of ``srt backends --check``: the options of the command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from eval.backends.protocol import Dtype, ServerType
from srt.io.yaml_config import Config, Flag

PROMPTS = 32


class CheckSettings(Config):
    """One check: the ``model`` folder, with an adapter if there is one, in transformers and ``against`` a back end.

    ``dtype`` is the number format of the back end: it is set in transformers and vLLM, and of a server it is what the
    user says. ``served`` is the model's name at a server, by default the only one there. ``problems``: the first
    ``prompts`` of a file, by default of two worlds in two languages.
    """

    model: Annotated[Path, Flag("Check", "Folder of the model.", ("--check",))]
    against: Annotated[Literal["vllm", "server", "transformers"], Flag("Check", "vllm, server or transformers.")]
    output: Annotated[Path, Flag("Check", "The file to write (JSON), for srt compare.", ("-o", "--out"))]
    adapter: Annotated[Path | None, Flag("Check", "Folder of a LoRA adapter.")] = None
    dtype: Annotated[Dtype | None, Flag("Check", "Number format of the back end; of a server: as you know it.")] = None
    reference_dtype: Annotated[Dtype, Flag("Check", "Number format of transformers, the reference (float32).")] = (
        "float32"
    )
    problems: Annotated[Path | None, Flag("Questions", "A file of problems (default: sampled ones).")] = None
    prompts: Annotated[int, Flag("Questions", "Number of prompts.")] = Field(default=PROMPTS, ge=1)
    max_new_tokens: Annotated[int, Flag("Questions", "Token budget of a text.")] = Field(default=48, ge=1)
    served: Annotated[str | None, Flag("Server", "The model's name there (default: the folder's).")] = None
    base_url: Annotated[str | None, Flag("Server", "Its address, e.g. http://127.0.0.1:8000/v1.")] = None
    api_key_env: Annotated[str | None, Flag("Server", "Environment variable that holds the API key.")] = None
    in_flight: Annotated[int | None, Flag("Server", "Concurrent requests.")] = Field(default=None, ge=1)
    timeout_s: float | None = Field(default=None, gt=0)
    server_type: Annotated[ServerType | None, Flag("Server", "vllm, sglang or llama.cpp.")] = None
    gpu_memory: Annotated[float | None, Flag("vLLM", "Share of the GPU's memory to use.")] = Field(
        default=None, gt=0, le=1
    )
    enforce_eager: Annotated[bool, Flag("vLLM", "No compilation, no CUDA graphs.", ("--enforce-eager",))] = False

    @model_validator(mode="after")
    def _fits_together(self) -> CheckSettings:
        if self.against == "server" and self.base_url is None:
            raise ValueError("base_url: missing, the server's address, as in http://127.0.0.1:8000/v1")
        if self.against != "server" and self.base_url is not None:
            raise ValueError(f"base_url: goes with --against server, not {self.against}")
        return self
