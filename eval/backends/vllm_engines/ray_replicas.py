"""Replicas of vLLM on the GPUs of a Ray cluster, by ``ray.data.llm``: prompts and answers are rows of a data set.

Requests, keys, ids and counts are those of the back end vllm, whose run this can begin, go on with or end. Ray Data
deals the rows out in small batches, and works elsewhere on those of a machine that is lost. Answers come back, and are
written, as each batch ends. Written against the sources of Ray 2.60 and vLLM 0.33, and tested with Ray's own stages
around a stand-in for vLLM; it has never run on a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from eval.backends.model_folder import one_line
from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.backends.vllm_engines.ray_rows import answer, with_pictures
from eval.backends.vllm_engines.vllm_backend import QUEUE, VllmBackend
from srt.io.errors import UserError
from srt.language.template_kwargs import TemplateKwargs
from srt.scale.ray_engine import last_line, ray_cluster

ROWS = 32
"""Rows of a batch, at most: what is written at once."""


class RayReplicas(VllmBackend):
    """The back end vllm with ``replicas`` of the model on the Ray cluster at ``address``.

    Without ``replicas`` there are as many as the cluster has GPUs for, each on ``tensor_parallel`` of them. All
    machines must see the model, the adapter and the pictures under the same paths, and have vLLM.

    Raises:
        UserError: as :class:`VllmBackend` does; there is no cluster, or it has too few GPUs.
    """

    def __init__(
        self,
        model: str | Path,
        adapter: str | Path | None = None,
        *,
        address: str | None = None,
        replicas: int | None = None,
        tensor_parallel: int = 1,
        gpu_memory: float = 0.9,
        vision_adapter: bool = False,
        chat_template_kwargs: TemplateKwargs | None = None,
    ) -> None:
        super().__init__(
            model,
            adapter,
            tensor_parallel=tensor_parallel,
            gpu_memory=gpu_memory,
            vision_adapter=vision_adapter,
            chat_template_kwargs=chat_template_kwargs,
        )
        import ray

        self._address = address
        with ray_cluster(address, store_bytes=None):
            gpus = int(ray.cluster_resources().get("GPU", 0))
        self._replicas = replicas or gpus // tensor_parallel
        needed = max(self._replicas, 1) * tensor_parallel
        if gpus < needed:
            each = f"{max(self._replicas, 1)} of vLLM on {tensor_parallel} GPUs each need {needed}"
            raise UserError(f"--engine ray: the Ray cluster has {gpus} GPUs, and replicas: {each}")

    @cached_property
    def description(self) -> dict[str, str]:
        """That of the back end vllm, with the replicas."""
        import ray

        return {
            **super().description,
            "engine": f"ray {ray.__version__}, {self._replicas} replicas",
            "tried": "never on a GPU: written against the sources of Ray 2.60 and vLLM 0.33, tested with a stand-in",
        }

    def generate_batches(
        self, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> Iterator[tuple[int, list[Generation]]]:
        """Yield the answers of each batch of rows as it ends; ``seconds`` is the time that vLLM had the request."""
        rows = []
        for number, (request,) in enumerate(batches):
            try:
                rows.append(self._row(number, request, settings))
            except UserError as error:
                yield number, [_failed(error)]
        if not rows:
            return
        import ray
        from ray.data.llm import build_processor
        from ray.exceptions import RayError

        pictures = max(len(request.images) for (request,) in batches)
        with ray_cluster(self._address, store_bytes=None):
            config = self._config(len(rows), pictures, settings)
            processor = build_processor(
                config,
                preprocess=with_pictures if pictures else None,
                postprocess=partial(answer, image_token=self._image_token),
            )
            asked = ray.data.from_items(rows, override_num_blocks=-(-len(rows) // config.batch_size))
            try:
                for row in processor(asked).iter_rows():
                    number = int(row["number"])
                    yield number, [self._answered(row, batches[number][0], settings)]
            except RayError as error:
                where = self._files.folder
                raise UserError(f"{where}: vLLM failed in Ray: {last_line(error)}; the same command goes on") from error

    def _config(self, rows: int, pictures: int, settings: GenerationSettings) -> Any:
        """The configuration of Ray's processor: prompts come as ids, and answers are taken as ids."""
        from ray.data.llm import vLLMEngineProcessorConfig

        options = self._engine_options(pictures, settings)
        # No replica may take more than its share: of a small run, the first that is ready would take all.
        share = -(-rows // self._replicas)
        return vLLMEngineProcessorConfig(
            model_source=options.pop("model"),
            engine_kwargs=options,
            concurrency=(self._replicas, self._replicas),
            batch_size=min(ROWS, share),
            max_concurrent_batches=-(-min(QUEUE, share) // ROWS),
            max_tasks_in_flight_per_actor=-(-min(QUEUE, share) // ROWS),
            should_continue_on_error=True,  # one prompt that vLLM refuses is one error
            log_engine_metrics=False,
            chat_template_stage=False,
            tokenize_stage=False,
            detokenize_stage=False,
        )

    def _row(self, number: int, request: Request, settings: GenerationSettings) -> dict[str, Any]:
        """What Ray's vLLM stage reads; the other columns are ours, and pass through it."""
        if fault := self._too_long(self._prompts(settings).length(request), settings):
            raise UserError(fault)
        row = {
            "number": number,
            "tokenized_prompt": self._ids(request),
            "sampling_params": self._sampling(request, settings),
            "root": str(request.root.absolute()),
            "images": [image.model_dump_json() for image in request.images],
        }
        # A row with another model than that of the processor is one with an adapter, whose name is its folder.
        return row if self._files.adapter is None else {**row, "model": str(self._files.adapter.absolute())}

    def _answered(self, row: dict[str, Any], request: Request, settings: GenerationSettings) -> Generation:
        if row["__inference_error__"]:
            return _failed(UserError(row["__inference_error__"]))
        ids = [int(token) for token in row["ids"]]
        one = self._generation(ids, request.prompt, int(row["input_tokens"]), int(row["image_tokens"]))
        # The rows have no finish_reason: where no end of sequence was written, the length is what ended it.
        ended = self._ended(one, ids, one.finish_reason, settings)
        return replace(ended, seconds=float(row["seconds"]))


def _failed(error: UserError) -> Generation:
    return Generation("", 0, 0, "error", 0.0, error=one_line(error))
