from __future__ import annotations

import re
from pathlib import Path

import pytest

from eval.backends.constraints import Constrained, RowSampler
from eval.backends.protocol import GenerationSettings
from eval.backends.trace_grammar import Limits, TraceGrammar, trace_gbnf, trace_regex
from srt.language.text import linearize, parse
from srt.language.trace import Step, Trace

SHORT = Limits(steps=3, premises=2, body=12, answer=4)


def matches(text: str, **how: object) -> bool:
    return re.fullmatch(trace_regex(**how), text) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "CORRELATE (1): right(Robert) = Mary\nCONSTRAIN wlog #1: Robert@S1 & Mary@S2\n"
        "INFER A B #2: options = {C}\nANSWER: C",
        'INFER #2 "Monthly Rose" - h is 4 [claim: h = 4]\nANSWER: 12\\pi',
        "推断 #1 场景 张三: ? = 李四\n答案: A, C",
        "约束 题问 - 高为 4，底面半径为 3\n答案: 12π",
    ],
)
def test_traces_are_of_the_grammar(text: str) -> None:
    parsed = parse(text)
    assert parsed.kind in ("world", "free")
    assert matches(text)
    assert not matches(text, ban=parsed.steps[-1].op)
    steps, answer = text.rsplit("\n", 1)
    assert matches(f"{steps}\n</think>\n\n{answer}", think=True)
    assert not matches(text, think=True)


@pytest.mark.parametrize(
    "text",
    [
        "ANSWER: C",
        "so it is C\nANSWER: C",
        "INFER #1: x = 1",
        "INFER #1:  \nANSWER: C",
        "INFER #1: x = 1\nANSWER: ",
        "INFER #1: x = 1\nANSWER: C\nINFER #2: y",
        "INFER #1: x = 1\nCONSTRAIN #1 - prose\nANSWER: C",
        "INFER #1: x = 1\n答案: C",
        'INFER "Rose": x = 1\nANSWER: C',
        "INFER #0: x = 1\nANSWER: C",
    ],
)
def test_other_texts_are_not(text: str) -> None:
    assert not matches(text)


def test_what_the_toolkit_writes_is_of_the_grammar() -> None:
    steps = [
        Step(op="CORRELATE", args=("(1)",), claim="right(Ana) = Bo"),
        Step(op="INFER", args=("#1",), claim="? = B"),
    ]
    for lang in ("en", "zh"):
        trace = Trace(id="t", problem_id="p", kind="world", lang=lang, steps=steps, answer="A, C")
        assert matches(linearize(trace))


@pytest.mark.parametrize("think", [False, True])
def test_a_random_model_writes_traces_alone(think: bool, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LogitsProcessorList
    from transformers.generation.configuration_utils import GenerationConfig

    from train.models.init_model import init_model

    init_model(
        "llama", iter(["INFER #1: x = 1\nANSWER: C 推断 答案"]), tmp_path, hidden=32, layers=1, heads=2, vocab=300
    )
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    model = AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    prompts = torch.tensor([tokenizer.encode("ab<think>\n"), tokenizer.encode("cd<think>\n")] * 3)
    ends = [tokenizer.eos_token_id]
    regex = trace_regex(ban="CONSTRAIN", think=think, limits=SHORT)
    rows = [[TraceGrammar(tokenizer, regex, ends)] for _ in prompts]
    settings = GenerationSettings(temperature=1.0, max_new_tokens=200)
    output = model.generate(
        input_ids=prompts,
        attention_mask=torch.ones_like(prompts),
        generation_config=GenerationConfig(
            max_new_tokens=200, do_sample=False, eos_token_id=ends, pad_token_id=tokenizer.pad_token_id
        ),
        logits_processor=LogitsProcessorList(
            [Constrained(rows, prompts.shape[1], ends), RowSampler(settings, range(len(prompts)))]
        ),
    )
    kinds = set()
    for ids in output[:, prompts.shape[1] :].tolist():
        assert ends[0] in ids, "the grammar bounds the text, so it ends"
        text = tokenizer.decode(ids[: ids.index(ends[0])], skip_special_tokens=False)
        assert re.fullmatch(regex, text)
        parsed = parse(re.sub(r"\s*</think>\s*", "\n", text).strip())
        kinds.add((parsed.kind, parsed.lang))
        assert all(step.op != "CONSTRAIN" for step in parsed.steps)
        if not think:
            parse(text)
    assert len(kinds) > 1, "a random model should try more than one form"


def test_the_notation_of_llama_cpp() -> None:
    """llguidance reads that notation too: it must be a grammar, and accept what the regular expression accepts."""
    from llguidance import LLMatcher
    from llguidance.gbnf_to_lark import gbnf_to_lark

    assert "INFER" not in trace_gbnf(ban="INFER")
    lark = gbnf_to_lark(trace_gbnf())
    fault = LLMatcher.validate_grammar(LLMatcher.grammar_from_lark(lark))
    assert not fault or fault.startswith("WARNING"), fault
