"""What a check of one back end against another found, as it is filed, and which runs of a comparison it covers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from pydantic import Field

from eval.records.run_records import RunManifest
from eval.run.given_predictions import BACKEND as FILE
from srt.io.errors import UserError
from srt.io.record_lines import parse_record
from srt.io.records import Record


class BackendSide(Record):
    """What generates: the back end, its number format as it was asked for, and the address of a server.

    A server does not say its number format: ``dtype`` is then what the user says of it, if anything.
    """

    backend: str
    dtype: str | None = None
    server: str | None = None

    @property
    def words(self) -> str:
        """``vllm in bfloat16``, ``server at http://127.0.0.1:8000/v1``."""
        place = f" at {self.server}" if self.server else ""
        return f"{self.backend}{place}" + (f" in {self.dtype}" if self.dtype else "")

    def same(self, other: BackendSide) -> bool:
        """Whether both are one: of a server, the address decides."""
        own, others = (self.server, other.server) if self.server else (self.dtype, other.dtype)
        return self.backend == other.backend and own == others


def side_of(backend: str, described: Mapping[str, str]) -> BackendSide:
    """The side of a run, by the name of its back end and its ``description``."""
    return BackendSide(backend=backend, dtype=described.get("dtype"), server=described.get("server"))


class LogProbs(Record):
    """Log-probabilities (natural) of the texts' tokens, as the back end gives them, against those of the reference for
    the same tokens: the ``mean`` and the ``largest`` absolute difference over ``tokens`` of ``texts``."""

    texts: int
    tokens: int
    mean: float
    largest: float


class PromptRow(Record):
    """One prompt. Pairs are (reference, back end). ``first_difference`` is the number of characters that both texts
    begin with, ``None`` where they are the same. ``behind``: see :class:`Conformance`."""

    problem_id: str
    texts: tuple[str, str]
    input_tokens: tuple[int, int]
    output_tokens: tuple[int, int]
    ends: tuple[str, str]
    errors: tuple[str | None, str | None] = (None, None)
    first_difference: int | None = None
    recount: int | None = None
    behind: float | None = None


class Conformance(Record):
    """What ``srt backends --check`` files. Counts are of the ``prompts``.

    ``same_prompt_tokens``: both counted as many tokens in the prompt. ``same_texts``: the greedy texts are equal.
    ``right_counts``: the back end's count of output tokens is that of the ids of its text (tokenized again, with the
    end of sequence). ``same_ends``: the same finish reason, of those with the same text. ``failed`` were answered by an
    error. ``behind`` is the most that the reference gives its own best token above the one that the back end wrote, in
    nats, over all tokens of all its texts: texts that part at a tie are rounding and have a small one, another prompt,
    other weights or a fault a large one.
    """

    model: str
    family: str
    reference: BackendSide
    backend: BackendSide
    described: dict[str, dict[str, str]] = Field(default_factory=dict)
    prompts: int
    max_new_tokens: int
    same_prompt_tokens: int
    same_texts: int
    right_counts: int
    same_ends: int
    failed: int
    behind: float | None
    logprobs: LogProbs | None
    seconds: tuple[float, float]
    rows: list[PromptRow]

    @property
    def in_short(self) -> str:
        """The figures in half a sentence."""
        behind = "" if self.behind is None else f", tokens at most {self.behind:.2g} nats behind the best one"
        return f"{self.same_texts} of {self.prompts} greedy texts equal{behind}"


def table_rows(found: Conformance) -> dict[str, object]:
    """The figures for a console."""
    of = f"of {found.prompts}"
    logprobs = found.logprobs
    return {
        "checked": f"{found.backend.words} against {found.reference.words}",
        "prompts of the same length": f"{found.same_prompt_tokens} {of}",
        "same greedy texts": f"{found.same_texts} {of}",
        "right counts of tokens": f"{found.right_counts} {of}",
        "same finish reasons": f"{found.same_ends} of {found.same_texts} with the same text",
        "failed": found.failed,
        "behind the best token": None if found.behind is None else f"at most {found.behind:.3g} nats",
        "log-probabilities apart": "not given"
        if logprobs is None
        else f"{logprobs.mean:.2g} on average, at most {logprobs.largest:.2g}, over {logprobs.tokens} tokens",
    }


def read_conformance(path: Path) -> Conformance:
    """The check in the file ``path``; a :class:`~srt.io.errors.UserError` where there is none."""
    if not path.is_file():
        raise UserError(f"{path}: no such file; srt backends --check MODEL --against BACKEND -o {path} writes it")
    return parse_record(path.read_bytes(), Conformance, str(path))


def backend_notes(manifests: Iterable[RunManifest], checks: Sequence[Conformance]) -> list[str]:
    """A sentence for each two back ends or precisions whose arms are compared: how ``checks`` found them to agree, or
    that none has compared them, neither directly nor through others. Checks count for models of their family."""
    arms: list[tuple[BackendSide, dict[str, None]]] = []
    families = set()
    for manifest in manifests:
        if manifest.backend == FILE:
            continue
        families |= {manifest.model["family"]} if "family" in manifest.model else set()
        side = side_of(manifest.backend, manifest.model)
        known = next((names for one, names in arms if one.same(side)), None)
        if known is None:
            arms.append((side, known := {}))
        known[manifest.arm] = None
    notes = []
    for (first, ours), (second, theirs) in combinations(arms, 2):
        which = f"{', '.join(ours)} ({first.words}) and {', '.join(theirs)} ({second.words})"
        found = _path(first, second, [check for check in checks if not families or families == {check.family}])
        if found is None:
            notes.append(
                f"Back ends that were not compared: {which}. A difference of these arms may be one of the back ends: "
                "check them on one model (srt backends --check), and give the file with --conformance."
            )
        else:
            said = "; ".join(f"{one.backend.words} against {one.reference.words}: {one.in_short}" for one in found)
            notes.append(f"Back ends compared: {which}: {said}.")
    return notes


def _path(one: BackendSide, other: BackendSide, checks: Sequence[Conformance]) -> list[Conformance] | None:
    """The fewest checks that lead from ``one`` to ``other``, or ``None``."""
    reached: list[tuple[BackendSide, list[Conformance]]] = [(one, [])]
    for side, used in reached:  # grows: breadth first
        if side.same(other):
            return used
        for check in checks:
            for near, far in ((check.reference, check.backend), (check.backend, check.reference)):
                if near.same(side) and not any(far.same(seen) for seen, _ in reached):
                    reached.append((far, [*used, check]))
    return None
