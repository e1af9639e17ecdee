"""``srt build``: from checked traces to the sequences that are trained on, one arm at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast, get_args

from srt.answers import canonical_text, read_answer, same
from srt.errors import UserError
from srt.jsonl import keep_apart, read_records, write_records
from srt.language.arms import PROSE_ARMS, check_arm, completion_text
from srt.language.trace import Trace
from srt.picture_folder import PictureFolder
from srt.pictures import read_picture
from srt.problems import read_problems
from srt.prompts import PromptStyle, prompt_messages
from srt.records import Answer, Message, Problem, Sequence
from srt.worlds import world_of

TextStyle = Literal["claims", "restated", "assertions"]


PROMPT_STYLES = get_args(PromptStyle)
TEXT_STYLES = get_args(TextStyle)


def build_file(
    traces: Path,
    problems: Path,
    arm: str,
    out: Path,
    *,
    prompt: str = "full",
    text: str = "claims",
    pictures: bool = False,
) -> dict[str, Any]:
    """Write the sequences of ``traces`` in ``arm`` to ``out/sequences.jsonl``; gives the file, the arm and the count.

    With ``pictures``, those of the problems that do not lie in or below ``out`` are copied there
    (:mod:`srt.picture_folder`): the paths of a file of sequences are relative to its own folder.

    Raises:
        UserError: an unknown arm, an empty file, a problem that stands twice, a trace of a problem that ``problems``
            does not hold, or with another answer than that problem's gold answer; a picture that is not fit to be read
            or not the recorded one, or a problem that only its pictures tell where there are none.
    """
    check_arm(arm)
    if prompt not in PROMPT_STYLES:
        raise UserError(f"unknown prompt style {prompt!r}: the styles are {', '.join(PROMPT_STYLES)}")
    if text not in TEXT_STYLES:
        raise UserError(f"unknown text style {text!r}: the styles are {', '.join(TEXT_STYLES)}")
    path = out / "sequences.jsonl"
    keep_apart(path, traces, problems)
    by_id = read_problems(problems)
    made = build(
        read_records(traces, Trace),
        by_id,
        arm,
        prompt=cast("PromptStyle", prompt),
        text=cast("TextStyle", text),
        pictures=pictures,
    )
    sequences = list(made)
    if not sequences:
        raise UserError(f"{traces}: no traces in this file")
    _check_pictures(sequences, problems.parent)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{out}: a folder was expected, this is a file") from None
    summary = {"file": str(path), "arm": arm, "sequences": len(sequences)}
    if pictures:
        folder = PictureFolder(path)
        sequences = [_with_pictures(sequence, folder, problems.parent) for sequence in sequences]
        summary |= {"pictures": sum(len(s.images) for s in sequences), "pictures_copied": folder.copied}
    write_records(path, sequences)
    return summary


def build(
    traces: Iterable[Trace],
    problems: Mapping[str, Problem],
    arm: str,
    *,
    prompt: PromptStyle = "full",
    text: TextStyle = "claims",
    pictures: bool = False,
) -> Iterator[Sequence]:
    """The sequence of each trace, in the order of the traces: every arm keeps the same problems in the same order.

    With ``pictures`` a sequence has those of its problem, at their paths relative to the file of problems, for a vision
    model; without, it has none, and the prompt has the problem's ``diagram_description``.

    Raises:
        UserError: a trace whose problem is not in ``problems``, or whose answer is not that problem's gold answer; a
            problem that has pictures and no description, without ``pictures``.
    """
    for trace in traces:
        problem = problems.get(trace.problem_id)
        if problem is None:
            raise UserError(f"trace {trace.id}: its problem {trace.problem_id!r} is not in the problems file")
        if problem.answer is not None and not _gives(trace.answer, problem, problem.answer):
            raise UserError(
                f"trace {trace.id}: its answer is {trace.answer!r}, but the gold answer of problem {problem.id} is "
                f"{canonical_text(problem.answer)!r}: a wrong trace is not trained on"
            )
        if problem.images and not pictures and not problem.diagram_description:
            raise UserError(
                f"trace {trace.id}: problem {problem.id} has pictures and no diagram_description: a text model would "
                "not know what they show; build with pictures (--pictures) for a vision model, or leave it out"
            )
        completion, spans = completion_text(_for_arm(trace, problem, arm, text), arm)
        yield Sequence(
            problem_id=problem.id,
            trace_id=trace.id,
            arm=arm,
            lang=trace.lang,
            prompt=prompt_messages(problem, prompt, pictures),
            completion=[Message(role="assistant", content=completion)],
            images=problem.images if pictures else [],
            spans=list(spans),
        )


def _check_pictures(sequences: Iterable[Sequence], root: Path) -> None:
    """Read every picture once: nothing is written before all of them are known to be those that the problems name."""
    seen = set()
    for sequence in sequences:
        for image in sequence.images:
            if (image.path, image.sha256) not in seen:
                seen.add((image.path, image.sha256))
                try:
                    read_picture(root, image)
                except UserError as error:
                    raise UserError(f"problem {sequence.problem_id}: images: {error}") from None


def _with_pictures(sequence: Sequence, folder: PictureFolder, root: Path) -> Sequence:
    """``sequence`` with the paths of its pictures relative to the file that it goes to."""
    images = [folder.refer(root, image.path) for image in sequence.images]
    return sequence.model_copy(update={"images": images})


def _gives(text: str, problem: Problem, gold: Answer) -> bool:
    """Whether ``text`` is the answer ``gold``; one of several parts cannot be read back, and is compared as text."""
    if gold.kind == "parts":
        return text == canonical_text(gold)
    given = read_answer(text, gold.kind, problem.choices).answer
    return given is not None and same(gold, given)


def _for_arm(trace: Trace, problem: Problem, arm: str, text: TextStyle) -> Trace:
    """The trace in the words that ``arm`` is written in: prose of the same derivation, or its steps in a text style."""
    if trace.kind != "world" or arm == "answer":
        return trace
    world = world_of(problem)
    if arm in PROSE_ARMS:
        if world is None:
            raise UserError(
                f"trace {trace.id}: no exact world knows its problem, so there is no prose of its derivation"
            )
        told = world.explain(problem, trace, arm == "cot-terse")
        return trace.model_copy(update={"kind": "cot", "steps": (), "text": told})
    if text == "claims":
        return trace
    if world is None:
        raise UserError(f"trace {trace.id}: no exact world knows its problem, so it has no text in the style {text!r}")
    if text == "restated":
        return world.restate(trace)
    told_steps = tuple(
        step.model_copy(update={"claim": world.assertion(step.claim or "", trace.lang)}) for step in trace.steps
    )
    return trace.model_copy(update={"steps": told_steps})
