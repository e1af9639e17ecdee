"""One cell of a study of decoding: the texts that one model writes for the problems in one way, in a file of its own.

A cell that is there is read, not written again; one that was made otherwise is refused.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import orjson
import torch

from eval.backends.constraints import draw_tokens, token_bytes
from eval.backends.model_folder import ModelFolder
from eval.backends.token_counts import text_of, until_end
from eval.benchmarks.benchmark_registry import chosen_options, find_benchmark
from eval.benchmarks.definition.benchmark import PLAIN, Asking
from eval.decoding.guide import Guide, Verdict
from eval.decoding.guided_rows import Asked, Constrain, Writing, write_guided
from eval.decoding.guided_text import GuidedText
from eval.decoding.model_rows import model_rows
from eval.decoding.text import Text
from research.decoding.controls import Noted
from research.decoding.line_masks import LineMask
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.record_lines import parse_record
from srt.io.records import Problem, Record
from srt.judging.judge import judge
from srt.judging.prefix import without_gold
from srt.language.prompts import PromptStyle, render_prompt


class WrittenText(Record):
    """One text and what the judge says of it, whoever guided it.

    ``output_tokens`` were generated in all, ``kept_tokens`` are in the text. Of ``lines`` that were judged ``refused``
    were not kept; ``log_probabilities`` are theirs (nats a token) where the guide notes them. ``certified`` is ``None``
    where the problem has no certificate.
    """

    problem_id: str
    text: str
    ended: bool
    output_tokens: int
    kept_tokens: int
    lines: int
    refused: int
    log_probabilities: tuple[float, ...] = ()
    right: bool
    proved: bool
    certified: bool | None


class Cell(Record):
    """The ``texts`` of a cell, what made them, and the ``seconds`` that it took."""

    made_by: dict[str, Any]
    seconds: float
    texts: list[WrittenText]


class Lines(GuidedText):
    """A text that a guide watches line by line, with its verdicts."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.verdicts: list[Verdict] = []

    def judged(self, verdict: Verdict) -> None:
        """What the guide says of the draft."""
        self.verdicts.append(verdict)
        super().judged(verdict)


class Writer:
    """The model in ``folder``, which is loaded when it first writes; greedy, with lines drawn again at 0.7.

    ``masked``: greedy over those tokens alone with which a line can be proved (:mod:`.line_masks`).
    """

    def __init__(self, folder: Path, style: PromptStyle, batch_size: int, *, masked: bool = False) -> None:
        self._files, self.masked = ModelFolder(folder, None), masked
        self._style, self._batch_size = style, batch_size

    @property
    def ends(self) -> frozenset[int]:
        """Ids that end a text."""
        return self._files.ends

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the files that decide what the model writes."""
        return self._files.digest()

    def write(
        self, problems: Sequence[Problem], seed: int, guide: Guide, begin: Callable[[Problem], Text]
    ) -> list[WrittenText]:
        """A text for each of ``problems``, in their order; the guide sees no gold answer."""
        writing = Writing(
            begin=begin,
            ends=self.ends,
            temperature=0.0,
            draw=lambda scores, uniforms, temperature: draw_tokens(scores, uniforms, temperature, 1.0),
            decode=lambda ids: text_of(self._files.tokenizer, ids),
            sentences=False,
        )
        rows = model_rows(self._model, min(self._batch_size, len(problems)), self._files.pad)
        found = {
            written.asked.number: self._judged(problems[written.asked.number], written.text)
            for written in write_guided(
                rows, min(self._batch_size, len(problems)), self._asked(problems, seed), writing, guide
            )
        }
        return [found[number] for number in range(len(problems))]

    def _asked(self, problems: Sequence[Problem], seed: int) -> Iterator[Asked]:
        plain, tokenizer = find_benchmark(PLAIN), self._files.tokenizer
        asking = Asking(self._style, False, chosen_options(plain, {}))
        for number, question in enumerate(plain.ask(list(problems), asking)):
            prompt = render_prompt(tokenizer, list(question.messages), 0)
            ids = tokenizer.encode(prompt, add_special_tokens=False)
            own = hashlib.sha256(f"{question.problem.id} {seed}".encode()).hexdigest()
            unseen = without_gold(question.problem)
            constraints = partial(self._masks, unseen) if self.masked else list
            yield Asked(number, unseen, {"input_ids": torch.tensor([ids])}, int(own[:15], 16), constraints)

    def _masks(self, problem: Problem) -> list[Constrain]:
        return [LineMask(problem, self._says, self.ends)]

    @cached_property
    def _says(self) -> list[bytes]:
        return token_bytes(self._files.tokenizer)

    def _judged(self, problem: Problem, text: Text) -> WrittenText:
        ids, ended = until_end(text.ids, self.ends)
        said = text_of(self._files.tokenizer, ids)
        found = judge(problem, said, "stop" if ended else "length")
        verdicts = text.verdicts if isinstance(text, Lines) else []
        return WrittenText(
            problem_id=problem.id,
            text=said,
            ended=ended,
            output_tokens=text.drawn,
            kept_tokens=len(ids) + ended,
            lines=len(verdicts),
            refused=sum(not verdict.kept for verdict in verdicts),
            log_probabilities=tuple(verdict.log_probability for verdict in verdicts if isinstance(verdict, Noted)),
            right=found.right is True,
            proved=found.code == "proved",
            certified=found.certified,
        )

    @cached_property
    def _model(self) -> Any:
        return self._files.load("float32", "eager", "cpu")


def read_or_write(path: Path, made_by: dict[str, Any], write: Callable[[], list[WrittenText]]) -> Cell:
    """The cell at ``path``, which ``write`` makes if it is not there.

    Raises:
        UserError: a cell is there that something else made.
    """
    if path.is_file():
        cell = parse_record(path.read_bytes(), Cell, str(path))
        if cell.made_by != made_by:
            apart = [name for name in made_by if cell.made_by.get(name) != made_by[name]]
            raise UserError(f"{path}: another cell ({', '.join(apart)} differ); give another output")
        return cell
    started = time.perf_counter()
    texts = write()
    cell = Cell(made_by=made_by, seconds=time.perf_counter() - started, texts=texts)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, [orjson.dumps(cell.model_dump(mode="json"))])
    return cell
