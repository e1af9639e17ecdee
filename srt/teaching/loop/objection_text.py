"""What the Checker reads about a candidate: the machine's verdicts on its steps, and the issues, each with who says so.

A machine that has proved something, one that has computed it, and one that goes by a rule of thumb have three names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, get_args

from srt.io.records import Lang
from srt.language.faults import Fault
from srt.language.trace import Support, TraceCheck, TraceKind
from srt.llm.prompt_templates import NONE
from srt.teaching.case_store.case_records import Issue

HEURISTIC: Final = frozenset(
    {Fault.HALLUCINATED_ENTITY, Fault.MISLABELLED, Fault.ANSWER_CITED, Fault.ANOTHER_LANGUAGE, Fault.DANGLING_REFERENCE}
)
"""What the machine finds in prose by rules of thumb. The checker of an exact world proves all that it says."""

_PROVED: dict[Lang, str] = {"en": "machine (proved)", "zh": "机器（已证明）"}
_COMPUTED: dict[Lang, str] = {"en": "machine (computed)", "zh": "机器（已计算）"}
_BY_RULE: dict[Lang, str] = {"en": "machine (heuristic)", "zh": "机器（经验规则）"}
_REVIEWER: dict[Lang, str] = {"en": "reviewer", "zh": "审查者"}
_STEP: dict[Lang, str] = {"en": "step {}", "zh": "第 {} 步"}
_WHOLE: dict[Lang, str] = {"en": "the whole", "zh": "整个推理"}
_COMMA: dict[Lang, str] = {"en": ", ", "zh": "，"}
_FIX: dict[Lang, str] = {"en": " Suggested: {}", "zh": " 建议：{}"}


def issue_lines(issues: Iterable[Issue], kind: TraceKind, lang: Lang) -> str:
    """``issues`` of a trace of ``kind``, one a line: its origin, step and class, and the reason."""
    return "\n".join(f"- {_issue(issue, kind, lang)}" for issue in issues)


def verdict_lines(checks: TraceCheck, lang: Lang) -> str:
    """The verdicts on the steps of a trace, by verdict."""
    lines = []
    for support in get_args(Support):
        numbers = [f"#{number}" for number, step in enumerate(checks.steps, 1) if step.support == support]
        if numbers:
            lines.append(f"- {support}: {' '.join(numbers)}")
    return "\n".join(lines) or NONE[lang]


def _issue(issue: Issue, kind: TraceKind, lang: Lang) -> str:
    by = _REVIEWER
    if issue.by == "machine":
        # If findings by a rule of thumb were called "proved", the Checker would give up a right step.
        by = _PROVED if kind == "world" else _BY_RULE if issue.fault in HEURISTIC else _COMPUTED
    where = _WHOLE[lang] if issue.step is None else _STEP[lang].format(issue.step)
    fix = _FIX[lang].format(issue.suggested_fix) if issue.suggested_fix else ""
    return _COMMA[lang].join([by[lang], where, f"{issue.fault}: {issue.explanation}{fix}"])
