"""Tokens of each arm for the same items, by one tokenizer.

    python -m research.training.tokens_by_arm PROBLEMS.jsonl [PROBLEMS.jsonl ...]

The tokenizer is a byte-level BPE trained on the texts of all arms and languages given, so that no arm is favoured: an
English word, a seat, a step number, a bracket or a Chinese character is one token. Published tokenizers cut the same
text differently: compare arms within a table, not tables.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from transformers import AutoTokenizer

from srt.io.record_reader import read_records
from srt.io.records import Problem, Sequence
from srt.language.trace import Trace
from srt.pipeline.build import build
from srt.pipeline.solve import solve_one
from train.models.init_model import init_model

ARMS = ("srt", "srt-unlabelled", "cot", "cot-terse", "answer")
VOCABULARY = 8192


def main(paths: list[Path]) -> None:
    texts: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        problems = {problem.id: problem for problem in read_records(path, Problem)}
        traces = [made for made in map(solve_one, problems.values()) if isinstance(made, Trace)]
        for arm in ARMS:
            for sequence in build(traces, problems, arm):
                if isinstance(sequence, Sequence):
                    texts.setdefault((sequence.lang, arm), []).append(sequence.completion[0].content)
    with tempfile.TemporaryDirectory() as folder:
        everything = (text for arm_texts in texts.values() for text in arm_texts)
        init_model("llama", everything, folder, hidden=16, layers=1, heads=1, vocab=VOCABULARY)
        tokenizer = AutoTokenizer.from_pretrained(folder)
    print("| language | arm | items | mean tokens | p50 | p90 | mean words or characters |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for (lang, arm), arm_texts in sorted(texts.items()):
        counts = sorted(len(ids) for ids in tokenizer(arm_texts, add_special_tokens=False)["input_ids"])
        size = statistics.mean(len(text.split()) if lang == "en" else len(text) for text in arm_texts)
        p50, p90 = counts[len(counts) // 2], counts[int(len(counts) * 0.9)]
        print(f"| {lang} | {arm} | {len(counts)} | {statistics.mean(counts):.1f} | {p50} | {p90} | {size:.1f} |")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
