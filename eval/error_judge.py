"""A judge model's labels of wrong predictions, where no machine can say what went wrong first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eval.error_taxonomies import TAXONOMIES, TAXONOMY_NAMES, Labels, TaxonomyName
from eval.judging import JudgeConfig, Spent, ask_each, shown_output
from eval.runs import Run, problems_path
from srt.endpoint.messages import JsonSchema, Role
from srt.language.trace import one_line
from srt.teaching.candidate import Unusable, closed
from srt.teaching.exchange import Answered, Desk, ask_usable, official_solution, problem_fields
from srt.teaching.records import Outcome

if TYPE_CHECKING:
    from eval.error_classes import ErrorRow

NO_CLASS = "none"


@dataclass(frozen=True)
class Judged:
    """The rows with what the judge said of them; ``unusable`` counts why there is nothing to say."""

    rows: list[ErrorRow]
    unusable: Counter[str]
    spent: Spent


@dataclass(frozen=True)
class _Label:
    labels: Labels
    why: str


def ask_about_errors(run: Run, rows: Sequence[ErrorRow], config: JudgeConfig) -> Judged:
    """Ask the judge of ``config`` what went wrong in each of ``rows`` of ``run``; a row without text is not asked.

    It is shown the problem with its gold answer and solution, and the output; it never learns what the machine says.
    Raises as :func:`eval.judging.ask_each` does.
    """
    with_text = [row for row in rows if (made := run.predictions.get(row.id)) is not None and made.text.strip()]

    async def ask(desk: Desk, row: ErrorRow) -> Answered[_Label]:
        problem = run.questions[row.problem_id, row.variant]
        fields: dict[str, str] = {
            **problem_fields(problem),
            "solution": official_solution(problem),
            "output": shown_output(run.predictions[row.id].text),
            **{name: _class_lines(name) for name in TAXONOMY_NAMES},
        }
        return await ask_usable(desk, Role.REVIEWER, problem, "judge_error", fields, SCHEMA, _read)

    heard = ask_each(with_text, ask, config, run.folder, problems_path(run).parent)
    told = [
        row if said is None else row.model_copy(update={"judge": said.labels, "judge_why": said.why})
        for row, said in zip(with_text, heard.values, strict=True)
    ]
    return Judged(told, heard.unusable, heard.spent)


def _read(payload: Mapping[str, Any]) -> _Label:
    words: dict[str, str | None] = {}
    for name in TAXONOMY_NAMES:
        said = payload.get(name)
        word = said.strip().casefold().replace(" ", "_").replace("-", "_") if isinstance(said, str) else None
        if word != NO_CLASS and word not in TAXONOMIES[name].classes:
            raise Unusable(Outcome.MALFORMED, f'"{name}" is none of {", ".join(TAXONOMIES[name].classes)}, {NO_CLASS}')
        words[name] = None if word == NO_CLASS else word
    why = payload.get("why")
    return _Label(Labels.model_validate(words), one_line(why) if isinstance(why, str) else "")


def _class_lines(taxonomy: TaxonomyName) -> str:
    return "\n".join(f"- {word}: {line}" for word, line in TAXONOMIES[taxonomy].classes.items())


SCHEMA = JsonSchema(
    name="error_class",
    definition=closed(
        {
            "token": {"type": "string"},
            "why": {"type": "string"},
            **{name: {"type": "string", "enum": [*TAXONOMIES[name].classes, NO_CLASS]} for name in TAXONOMY_NAMES},
        }
    ),
)
"""What the judge's structured output is asked for; the reason stands before the classes."""
