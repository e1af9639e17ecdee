"""``srt build``: from checked traces to the sequences that are trained on, one arm at a time.

A trace that cannot be trained on is refused by name and counted; the others are built.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, assert_never

from srt.answers.equality import TRAINING, equal_to_gold
from srt.answers.written_form import canonical_text
from srt.checking import check
from srt.images.store import CannotCopy, PictureFolder
from srt.io.errors import UserError
from srt.io.folder_lock import new_folder
from srt.io.locations import Location
from srt.io.output_paths import keep_apart
from srt.io.problem_files import ProblemLines, TraceLine
from srt.io.record_lines import dump, parse_record
from srt.io.record_reader import count_lines
from srt.io.record_writer import open_records
from srt.io.records import Message, Problem, Record, Sequence, Span
from srt.language.arm import Arm
from srt.language.arms import arm_named, builder_of, completion_text, steps_without
from srt.language.premises import parse_premise
from srt.language.prompts import PromptStyle, prompt_messages, style_named
from srt.language.trace import Trace
from srt.pipeline.kept_traces import Keep, keep_named, left_out
from srt.pipeline.record_stage import KILLED, LineCounts, StageOutput, run_stage
from srt.pipeline.row_pictures import shown_beside
from srt.trainers.dataset_info import add_to_dataset_info, read_dataset_info
from srt.trainers.format_registry import OURS, format_named
from srt.worlds.world import ASSERTIONS, CLAIMS, Refused, World
from srt.worlds.world_registry import check_offered, world_of

TraceRefusalReason = Literal[
    "unknown_problem",
    "disagrees_with_gold",
    "undecided",
    "refuted",
    "not_proved",
    "padded",
    "no_description",
    "picture",
    "arm",
    "format",
    "process_killed",
]


class TraceRefusal(Record):
    """A trace that no sequence was built from, and why.

    ``undecided``: its answer was compared with gold, and no machine can tell whether they mean the same. ``refuted``,
    ``not_proved`` and ``padded``: the verdict of the checker, where such traces are not kept
    (:mod:`srt.pipeline.kept_traces`). ``no_description``: only its problem's pictures say what the problem is, and the
    arm has none. ``picture``: one of them cannot be read, or is not the recorded one. ``arm``: the arm, or the text
    style, has no text for such a trace. ``format``: the trainer would read the sequence as something else.
    """

    trace_id: str
    problem_id: str
    reason: TraceRefusalReason
    detail: str


def build_file(
    traces: Path,
    problems: Path,
    arm: str,
    out: Path,
    *,
    prompt: str = "full",
    text: str = CLAIMS,
    pictures: bool = False,
    keep: str = "auto",
    format: str = OURS,
    workers: int = 1,
    keep_going: bool = False,
) -> dict[str, Any]:
    """Write the sequences of ``traces`` in ``arm``; returns the file, the arm and the count.

    ``out`` is a folder for ``sequences.jsonl``, or a file ``*.parquet`` (:mod:`srt.io.parquet_files`). ``format`` is
    that of a trainer (:mod:`srt.trainers.format_registry`); those of others have files named by the arm. With
    ``pictures``, those of the problems that are not in or below the file's folder are copied there
    (:mod:`srt.images.store`): the paths of a file of sequences are relative to its own folder. Traces that are refused
    are named in a file beside it (``sequences.refusals.jsonl``) and counted by reason; ``keep`` says which verdicts of
    the checker make it one (:mod:`srt.pipeline.kept_traces`). ``workers`` processes share the work; the output does not
    depend on them. With ``keep_going`` a trace that kills its process is refused; without, it ends the stage.

    Raises:
        UserError: an unknown arm, style, ``keep`` or ``format``, an arm that trains on nothing, an unreadable or empty
            file, a problem id that is not unique, or no trace that can be trained on.
    """
    if out.suffix == ".jsonl":
        raise UserError(
            f"{out}: a folder for sequences.jsonl was expected, such as {out.with_suffix('')}, or a .parquet"
        )
    written = format_named(format)
    path = written.file(out, arm)
    refusals = path.with_name(f"{path.stem}.refusals.jsonl")
    for file in (path, refusals):
        keep_apart(file, traces, problems)
    if written.llama_factory is not None:
        read_dataset_info(path.parent)  # a fault in it must not come after the work
    job = BuildLine.of(arm, prompt, text, keep, problems.parent, path if pictures else None, format)
    files: dict[Path, type[Record]] = {path: written.model, refusals: TraceRefusal}
    with new_folder(path.parent), open_records(files, pictures=pictures) as (sequences, refused):
        copies = PictureFolder(path)
        before = copies.count() if pictures else 0
        counted = run_stage(
            job,
            ProblemLines(problems).beside(traces, Trace),
            count_lines(traces),
            f"build {arm}",
            out=sequences,
            refused=refused,
            workers=workers,
            killed=_killed if keep_going else None,
        )
        require_built(counted, traces)
    summary: dict[str, Any] = {"file": str(path), "arm": arm, "sequences": counted.counts["sequences"]}
    if written.llama_factory is not None:
        info = add_to_dataset_info(path, written.llama_factory, pictures=pictures)
        summary["dataset_info"] = f"{info}: {path.stem}"
    if pictures:
        summary |= {"pictures": counted.counts["pictures"], "pictures_copied": copies.count() - before}
    if of_reason := counted.group("refused"):
        summary |= {"refused": of_reason, "refusals": str(refusals)}
    return summary


def require_built(counted: LineCounts, traces: Location) -> None:
    """Raise a :class:`UserError` if no sequence was built."""
    if counted.counts["sequences"]:
        return
    of_reason = Counter(counted.group("refused"))
    if not of_reason:
        raise UserError(f"{traces}: no traces in this file")
    [(most, count), *_] = of_reason.most_common(1)
    why = f"{count} of {counted.read} are refused as the first one: {counted.examples[most][0]}"
    raise UserError(f"{traces}: no trace in this file can be trained on; {why}")


@dataclass(frozen=True)
class BuildLine:
    """Builds the sequence of a trace, or refuses it; counts ``sequences`` and ``pictures``.

    With the file of sequences ``shown_in``, the pictures of the problems, which lie in ``root``, are referred to from
    there, and copied beside it where that is needed. The sequence is written as a row of ``format``.
    """

    arm: str
    prompt: PromptStyle
    text: str
    keep: Keep
    root: Path
    shown_in: Path | None
    format: str = OURS

    @classmethod
    def of(
        cls, arm: str, prompt: str, text: str, keep: str, root: Path, shown_in: Path | None, format: str = OURS
    ) -> BuildLine:
        """The builder of these names. Raises a :class:`UserError`: an unknown one, or an arm that trains on nothing."""
        builder_of(arm)
        style = style_named(prompt)
        check_offered("text style", text)
        return cls(arm, style, text, keep_named(keep), root, shown_in, format)

    def __call__(self, line: TraceLine, made: StageOutput) -> None:
        """Raises a :class:`RecordError`: the line is not a trace, or that of its problem not a problem."""
        trace = parse_record(line.trace, Trace, line.place)
        problem = line.problem and parse_record(line.problem.data, Problem, line.problem.place)
        built = _build_one(trace, problem, self.arm, self.prompt, self.text, self.shown_in is not None, self.keep)
        if isinstance(built, Sequence) and self.shown_in is not None and built.images:
            try:
                images = shown_beside(self.shown_in, self.root, built.images)
                built = built.model_copy(update={"images": images})
            except CannotCopy:
                raise
            except UserError as error:
                built = _refused(trace, "picture", f"problem {trace.problem_id}: images: {error}")
        row: Record = built
        if isinstance(built, Sequence) and problem is not None:
            paths = None if self.shown_in is None else [image.path for image in built.images]
            try:
                row = format_named(self.format).row(built, problem, paths)
            except UserError as error:
                built = _refused(trace, "format", str(error))
        if isinstance(built, TraceRefusal):
            _refuse(built, made)
            return
        made.lines += dump(row)
        made.counts["sequences"] += 1
        made.counts["pictures"] += len(built.images)


def _refuse(refusal: TraceRefusal, made: StageOutput) -> None:
    made.refuse(refusal, refusal.reason)
    made.example(refusal.reason, f"trace {refusal.trace_id}: {refusal.detail}")


def _killed(line: TraceLine, made: StageOutput) -> None:
    trace = parse_record(line.trace, Trace, line.place)
    _refuse(_refused(trace, "process_killed", f"{line.place}: {KILLED}"), made)


def build(
    traces: Iterable[Trace],
    problems: Mapping[str, Problem],
    arm: str,
    *,
    prompt: PromptStyle = "full",
    text: str = CLAIMS,
    pictures: bool = False,
    keep: Keep = "auto",
) -> Iterator[Sequence | TraceRefusal]:
    """The sequence of each trace, or why there is none, in the order of the traces.

    Every arm keeps the same problems in the same order. With ``pictures`` a sequence has those of its problem, at their
    paths relative to the file of problems, for a vision model; without, it has none, and the prompt has the problem's
    ``diagram_description``. ``keep``: the traces whose verdict is good enough (:mod:`srt.pipeline.kept_traces`).
    """
    for trace in traces:
        yield _build_one(trace, problems.get(trace.problem_id), arm, prompt, text, pictures, keep)


def _build_one(
    trace: Trace, problem: Problem | None, arm: str, prompt: PromptStyle, text: str, pictures: bool, keep: Keep
) -> Sequence | TraceRefusal:
    if problem is None:
        return _refused(trace, "unknown_problem", f"its problem {trace.problem_id!r} is not in the problems file")
    if problem.answer is not None:
        verdict = equal_to_gold(problem, trace.answer, TRAINING).verdict
        compared = f"its answer is {trace.answer!r}, the gold answer is {canonical_text(problem.answer)!r}"
        if verdict == "differs":
            return _refused(trace, "disagrees_with_gold", compared)
        if verdict == "undecided":
            return _refused(trace, "undecided", f"{compared}: no machine can tell whether they mean the same")
    if problem.images and not pictures and not problem.diagram_description:
        return _refused(
            trace,
            "no_description",
            f"problem {problem.id} has pictures and no diagram_description: build with --pictures for a vision model, "
            "or describe them for a text model",
        )
    if (why := left_out(problem, trace, keep)) is not None:
        return _refused(trace, *why)
    try:
        written = _for_arm(trace, problem, arm_named(arm), text)
        completion, spans = completion_text(written, arm)
    except (UserError, Refused) as error:
        return _refused(trace, "arm", str(error).removeprefix(f"trace {trace.id}: "))
    if _last_step_answers(trace, problem, arm_named(arm), text):
        spans = _answer_from_the_last_step_on(completion, spans, written)
    return Sequence(
        problem_id=problem.id,
        trace_id=trace.id,
        arm=arm,
        lang=trace.lang,
        prompt=prompt_messages(problem, prompt, pictures),
        completion=[Message(role="assistant", content=completion)],
        images=problem.images if pictures else [],
        spans=list(spans),
    )


def _last_step_answers(trace: Trace, problem: Problem, arm: Arm, text: str) -> bool:
    """Whether ``arm`` has a line that works the letters out in this style; prose of a teacher, or terse, has none."""
    if trace.kind != "world" or arm.input not in ("prose", "steps") or arm.without == "INFER":
        return False
    world = world_of(problem)
    cited = (parse_premise(word).kind for step in trace.steps[-1:] for word in step.args)
    return world is not None and world.styles[text].last_step_answers and "option" in cited


def _answer_from_the_last_step_on(completion: str, spans: tuple[Span, ...], written: Trace) -> tuple[Span, ...]:
    """``spans`` with the line of the last step as part of the answer, in traces and in prose alike.

    The letters are found there, and what follows repeats them: a weight of the answer in the loss is for both. An arm
    that leaves the step out has no such line.
    """
    *others, answer = spans
    start = completion.rfind("\n", 0, answer.start - 1) + 1
    if written.steps and not completion[start : answer.start].rstrip().endswith(f": {written.steps[-1].claim}"):
        return spans
    return (*(span for span in others if span.end <= start), answer.model_copy(update={"start": start}))


def _refused(trace: Trace, reason: TraceRefusalReason, detail: str) -> TraceRefusal:
    return TraceRefusal(trace_id=trace.id, problem_id=trace.problem_id, reason=reason, detail=detail)


def _for_arm(trace: Trace, problem: Problem, arm: Arm, text: str) -> Trace:
    """The trace in the words that ``arm`` is written in: prose of the same derivation, or its steps in a text style."""
    if trace.kind != "world" and arm.without is not None:
        raise UserError(f"a {trace.kind} trace has no steps of {arm.without} that its prose could leave out")
    if trace.kind != "world" or arm.input == "any" or (arm.input == "steps" and text == CLAIMS):
        return trace
    world = world_of(problem)
    if world is None:
        wanted = {"steps": f"text in the style {text!r}", "free steps": "free form"}.get(
            arm.input, "prose of its derivation"
        )
        raise UserError(f"no exact world knows its problem, so there is no {wanted}")
    check_offered("text style", text, [world])
    match arm.input:
        case "prose" | "terse prose":
            said = trace if arm.without is None else steps_without(arm.without, trace)
            prose = world.explain(problem, said, terse=arm.input == "terse prose", style=text)
            return trace.model_copy(update={"kind": "cot", "steps": (), "text": prose})
        case "free prose":
            free = world.free_form(problem, trace)
            return trace.model_copy(update={"kind": "cot", "steps": (), "text": free.prose})
        case "free steps":
            return trace.model_copy(update={"steps": world.free_form(problem, trace).steps})
        case "steps":
            return in_style(trace, problem, text, world)
        case _:
            assert_never(arm.input)


def in_style(trace: Trace, problem: Problem, text: str, world: World) -> Trace:
    """The steps of ``trace``, of a problem of ``world``, in the text style ``text``, which must not be ``claims``."""
    if text == ASSERTIONS:
        return _in_sentences(trace, world)
    # Never train on a step that is not proved: a trace that a fine cut breaks is cut less finely.
    cut = trace
    for cut in world.respell(problem, trace, text):
        if check(problem, cut).proved:
            return cut
    return trace if check(problem, trace).proved else cut


def _in_sentences(trace: Trace, world: World) -> Trace:
    steps = []
    for number, step in enumerate(trace.steps, 1):
        try:
            sentence = world.assertion(step.claim or "", trace.lang)
        except ValueError as error:
            raise UserError(f"steps.{number}: claim: {error}") from None
        steps.append(step.model_copy(update={"claim": sentence}))
    return trace.model_copy(update={"steps": tuple(steps)})
