"""The time that one step of sampling takes besides the model: drawing a token for each row from its logits.

    python -m research.evaluation.sampling_step [--rows 64] [--vocabulary 152064] [--steps 20] [--device cpu]
        [--threads 2]

Logits are normal with a standard deviation of 3, the temperature is 0.6.
"""

from __future__ import annotations

import argparse
import time

import torch

from eval.backends.constraints import RowSampler
from eval.backends.protocol import GenerationSettings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--vocabulary", type=int, default=152_064)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    scores = 3 * torch.randn(options.rows, options.vocabulary, device=options.device)
    for top_p in (1.0, 0.95):
        settings = GenerationSettings(temperature=0.6, top_p=top_p, max_new_tokens=options.steps + 1)
        sampler = RowSampler(settings, range(options.rows))
        copies = timed(lambda: scores.clone(), options.steps)
        whole = timed(lambda sample=sampler: sample(scores, scores.clone()), options.steps)
        wall, cpu = (one - other for one, other in zip(whole, copies, strict=True))
        print(f"top_p {top_p}: {wall:.3f} s, {cpu:.3f} s of the processor, for {options.rows} rows")


def timed(work: object, steps: int) -> tuple[float, float]:
    """Seconds of the clock and of the processor for one call of ``work``, after one that does not count."""
    assert callable(work)
    work()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(steps):
        result = work()
    result[0].sum().item()  # a GPU has answered
    return (time.perf_counter() - wall) / steps, (time.process_time() - cpu) / steps


if __name__ == "__main__":
    main()
