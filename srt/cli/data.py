"""Commands that make and read problems: ``import``, ``generate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from srt.cli.output import JsonFlag, StrictFlag, print_summary
from srt.errors import UserError


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""

    @app.command("import")
    def import_(
        source: Annotated[
            str, typer.Argument(help="The corpus: mathspatial, solidgeo or space2025; or another benchmark.")
        ],
        path: Annotated[
            Path, typer.Argument(help="A published file, or the folder that holds them; else a mapping (YAML).")
        ],
        out: Annotated[Path, typer.Option("-o", "--out", help="Where the problems go (JSONL); refusals go beside it.")],
        lang: Annotated[str | None, typer.Option("--lang", help="zh (default) or en; mathspatial has both.")] = None,
        traces: Annotated[
            Path | None, typer.Option("--traces", help="Where mathspatial's published traces go (JSONL).")
        ] = None,
        strict: StrictFlag = False,
        as_json: JsonFlag = False,
    ) -> None:
        """Read a published corpus from disk, or a benchmark of your own files (docs/benchmarks.md).

        Example: srt import mathspatial MathSpatial/corpus -o problems.jsonl --lang en
        """
        from srt.corpora import CORPORA, import_file

        if source in CORPORA:
            summary = import_file(source, path, out, lang=lang, traces=traces)
        else:
            from eval.benchmarks import BENCHMARKS
            from eval.benchmarks.importing import import_benchmark

            if source not in BENCHMARKS:
                known, others = (", ".join(sorted(names)) for names in (CORPORA, set(BENCHMARKS) - set(CORPORA)))
                raise UserError(f"unknown corpus {source!r}: the corpora are {known}; other benchmarks are {others}")
            if traces is not None:
                raise UserError(f"{source}: --traces is for mathspatial")
            summary = import_benchmark(source, path, out, lang=lang)
        print_summary(summary, as_json)
        if strict and summary.get("refused"):
            raise typer.Exit(1)

    @app.command()
    def generate(
        world: Annotated[str, typer.Argument(help="The world: seating.")],
        out: Annotated[Path, typer.Option("-o", "--out", help="Where the problems go (JSONL).")],
        n: Annotated[int, typer.Option("-n", min=1, help="How many problems.")] = 1000,
        split: Annotated[
            str, typer.Option("--split", help="train, dev or test: no problem stands in two splits.")
        ] = "train",
        spec: Annotated[
            Path | None, typer.Option("--spec", help="YAML: scenes, relations, names, style, language.")
        ] = None,
        wordings: Annotated[
            Path | None, typer.Option("--wordings", help="Speak as SpaCE2025 does, from your copy (or SRT_SPACE2025).")
        ] = None,
        exclude: Annotated[Path | None, typer.Option("--exclude", help="Problems that must not come up again.")] = None,
        as_json: JsonFlag = False,
    ) -> None:
        """Make problems of an exact world, each with a proven answer.

        Example: srt generate seating -n 1000 --split train -o problems.jsonl
        """
        from srt.generate import generate_command

        print_summary(generate_command(world, n, split, out, spec, wordings, exclude), as_json)
