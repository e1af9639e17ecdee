"""The eight classes by which a Reviewer names what is wrong with a trace, and the class of every other fault.

The prompts, the schema of a review and ``srt agreement`` all take them from here. A model cannot tell the many ways of
planting a fault apart, and need not: what it is asked is *what* is wrong with the step, in words defined once.
"""

from __future__ import annotations

from collections.abc import Mapping

from srt.io.records import Lang
from srt.language.faults import Fault
from srt.language.trace import TraceKind
from srt.worlds.world_registry import fault_classes

_IN_CHINESE: Mapping[Fault, str] = {
    Fault.MISREAD: "对题目、线索、选项或图的说法与其内容不符，或把不对应的部分对应起来",
    Fault.HALLUCINATED_ENTITY: "使用了题目和标准解答都没有、也没有哪一步作出的点、棱、面、人物、数字或条件",
    Fault.FALSE_CLAIM: "所说的内容是错的：计算、公式、单位、定理或投影规则有误；或与标准解答矛盾",
    Fault.DOES_NOT_FOLLOW: (
        "内容也许正确，但不能由依据推出（依据指所引用的内容；成段的文字中指前面的内容）：缺少依据，引用了不存在的"
        "或不相干的依据，或者跳过了中间的步骤"
    ),
    Fault.MISLABELLED: "操作名称与这一步实际所做的不符",
    Fault.ANSWER_CITED: "以答案或标准解答为依据，或提到了它们",
    Fault.UNUSED_STEP: "重复了别的步骤，或后面都用不到它",
    Fault.WRONG_ANSWER: "最终答案在意思上不同于给定的答案，或不同于推理所得到的答案",
}
"""The classes and their definitions, in the order in which the prompt asks for them: the first that fits. The English
ones are :attr:`Fault.explanation`."""

_NOT_IN: Mapping[TraceKind, frozenset[Fault]] = {
    "free": frozenset(),
    "cot": frozenset({Fault.MISLABELLED}),
    # A claim of a world has no words in which it could speak of the answer.
    "world": frozenset({Fault.ANSWER_CITED}),
}

# The finer faults, which machines find and mutations plant, by the class in which a Reviewer would name them.
_NAMED_BY: Mapping[Fault, tuple[Fault, ...]] = {
    Fault.MISREAD: (Fault.MISQUOTED_CLUE,),
    Fault.FALSE_CLAIM: (
        Fault.ANOTHER_ENTITY,
        Fault.ANOTHER_RELATION,
        Fault.ANOTHER_NUMBER,
        Fault.CONTRADICTED,
        Fault.ENTITIES_SWAPPED,
        Fault.CONTRADICTS_SOLUTION,
        Fault.UNNAMED_FORMULA,
    ),
    Fault.DOES_NOT_FOLLOW: (
        Fault.STEP_DROPPED,
        Fault.NUMBERS_KEPT,
        Fault.ORDER_BROKEN,
        Fault.PREMISE_REPLACED,
        Fault.PREMISE_LEFT_OUT,
        Fault.DANGLING_REFERENCE,
        Fault.LEAP,
        Fault.GUESSED,
        Fault.STEP_SKIPPED,
        Fault.IDLE_PREMISE,
        Fault.UNSUPPORTED_NUMBER,
    ),
    Fault.UNUSED_STEP: (Fault.REPEATED,),
    Fault.WRONG_ANSWER: (Fault.WRONG_OPTIONS, Fault.WRONG_CONCLUSION),
}
_CLASS_OF: Mapping[str, Fault] = {
    **{fault: fault for fault in _IN_CHINESE},
    **{fault: named for named, faults in _NAMED_BY.items() for fault in faults},
}


def review_classes(kind: TraceKind) -> tuple[Fault, ...]:
    """The classes that a Reviewer of a trace of ``kind`` may name."""
    return tuple(fault for fault in _IN_CHINESE if fault not in _NOT_IN[kind])


def class_lines(kind: TraceKind, lang: Lang) -> str:
    """The classes with their definitions, one a line, as the prompt shows them."""
    said = {fault: _IN_CHINESE[fault] if lang == "zh" else fault.explanation for fault in review_classes(kind)}
    return "\n".join(f"- {fault.value}: {definition}" for fault, definition in said.items())


def review_class(fault: str) -> Fault | None:
    """The class by which a Reviewer names ``fault``; ``None`` for what only a machine finds (its form, its size)."""
    known = fault_classes().get(fault)
    return known.reviewed_as if known and known.reviewed_as else _CLASS_OF.get(fault)


def names_it(said: str, planted: str, in_reading: bool) -> bool:
    """Whether a Reviewer who says ``said`` names the ``planted`` fault.

    What is false in a CORRELATE step is misread as well.
    """
    right = review_class(planted)
    return review_class(said) is right or (in_reading and right is Fault.FALSE_CLAIM and said == Fault.MISREAD)
