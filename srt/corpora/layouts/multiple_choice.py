"""Multiple choice under columns of other names (their cards on the hub): where options are, and what the answer is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Fields, Layout
from srt.corpora.layouts.named_columns import named_columns, right_and_wrong, turned

_FROM_0 = "the answer is a place, counted from 0"
_FROM_1 = "the answer is a place, counted from 1"


def _mc1(row: Mapping[str, Any]) -> Fields:
    targets = row["mc1_targets"]
    lists = [targets.get(name) for name in ("choices", "labels")] if isinstance(targets, Mapping) else []
    lengths = {len(one) if isinstance(one, list) else -1 for one in lists}
    if len(lengths) != 1 or -1 in lengths:
        raise ItemRefused("unreadable", "mc1_targets: choices and as many labels were expected")
    right = [text for text, label in zip(targets["choices"], targets["labels"], strict=True) if label == 1]
    if len(right) != 1:
        raise ItemRefused("no_answer", f"mc1_targets: {len(right)} options are labelled 1, and one is right")
    choices = turned(targets["choices"], str(row["question"]))
    answer = chr(ord("A") + choices.index(right[0]))
    return {"question": row["question"], "choices": choices, "answer": answer, "single_choice": True}


MULTIPLE_CHOICE: tuple[Layout, ...] = (
    named_columns(
        "ScienceQA", f"{_FROM_0}; a hint goes before its question", question="question", choices="choices",
        answer="answer", counted_from=0, context="hint", also=("lecture", "solution"), picture="image",
        solution="solution", category="subject",
    ),
    named_columns(
        "MMLU-Pro", "up to ten options; the answer is a letter", question="question", choices="options",
        answer="answer", also=("answer_index", "question_id"), category="category", ident="question_id",
    ),
    named_columns(
        "HellaSwag", f"which ending follows; {_FROM_0}", question="ctx", choices="endings", answer="label",
        counted_from=0, category="activity_label", ident="ind",
    ),
    named_columns(
        "AQuA-RAT", "options with their letters", question="question", choices="options", answer="correct",
        also=("rationale",), solution="rationale",
    ),
    named_columns(
        "MathQA", "options with their letters in one cell", question="Problem", choices="options", answer="correct",
        also=("Rationale",), solution="Rationale", category="category",
    ),
    named_columns(
        "RACE", "the article goes before the question", question="question", choices="options", answer="answer",
        context="article", also=("article",), ident="example_id",
    ),
    named_columns(
        "LogiQA", f"the context goes before the question; {_FROM_0}", question="query", choices="options",
        answer="correct_option", counted_from=0, context="context", also=("context",),
    ),
    named_columns(
        "PIQA", _FROM_0, question="goal", choices=("sol1", "sol2"), answer="label", counted_from=0,
    ),
    named_columns(
        "WinoGrande", _FROM_1, question="sentence", choices=("option1", "option2"), answer="answer", counted_from=1,
    ),
    named_columns(
        "Social IQa", f"the context goes before the question; {_FROM_1}", question="question",
        choices=("answerA", "answerB", "answerC"), answer="label", counted_from=1, context="context", also=("context",),
    ),
    named_columns(
        "SEED-Bench", "options in columns", question="question",
        choices=("choice_a", "choice_b", "choice_c", "choice_d"), answer="answer", picture="image", ident="question_id",
    ),
    right_and_wrong(
        "SciQ", question="question", right="correct_answer", wrong=("distractor1", "distractor2", "distractor3"),
        solution="support",
    ),
    right_and_wrong(
        "GPQA", question="Question", right="Correct Answer",
        wrong=("Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"), solution="Explanation",
        category="Subdomain", ident="Record ID",
    ),
    Layout(
        name="TruthfulQA",
        about="the options of mc1, whose first is right, in an order that a hash of the question gives",
        columns=frozenset({"question", "mc1_targets"}),
        read=_mc1,
    ),
)  # fmt: skip
