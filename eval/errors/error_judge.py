"""A judge model's labels of wrong predictions, where no machine can say what went wrong first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval.errors.error_taxonomies import TAXONOMIES, Labels
from eval.errors.judge_model import JudgeConfig, JudgeReplies, ask_about, judge_schema, read_reason, read_word
from eval.records.run_records import Run
from eval.records.run_rows import RowId
from srt.llm.fence import Own
from srt.llm.prompt_templates import official_solution

NO_CLASS = "none"
_WORDS: dict[str, list[str]] = {name: [*taxonomy.classes, NO_CLASS] for name, taxonomy in TAXONOMIES.items()}
_CLASSES: dict[str, str] = {
    name: Own("\n".join(f"- {word}: {line}" for word, line in taxonomy.classes.items()))
    for name, taxonomy in TAXONOMIES.items()
}
SCHEMA = judge_schema("error_class", _WORDS)


@dataclass(frozen=True)
class JudgeLabel:
    """The judge's classes of one wrong prediction, and its reason."""

    labels: Labels
    why: str


def ask_about_errors(run: Run, wrong: Sequence[RowId], config: JudgeConfig) -> JudgeReplies[JudgeLabel]:
    """Ask the judge of ``config`` what went wrong in each of the predictions ``wrong`` of ``run`` that has a text.

    It is shown the problem with its gold answer and solution, and the output, but not what the machine found.
    Raises as :func:`eval.errors.judge_model.ask_about` does.
    """
    return ask_about(
        run, wrong, config, "judge_error", lambda it: {"solution": official_solution(it), **_CLASSES}, SCHEMA, _read
    )


def _read(reply: Mapping[str, Any], output: str) -> JudgeLabel:
    words = {name: read_word(reply, name, known) for name, known in _WORDS.items()}
    labels = Labels.model_validate({name: None if word == NO_CLASS else word for name, word in words.items()})
    return JudgeLabel(labels, read_reason(reply))
