"""Commands on problems: ``import``, ``generate``, ``gallery``, ``split`` and ``curate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from srt.cli import completions
from srt.cli.config_options import ConfigCommand
from srt.cli.output import (
    AddressOption,
    EngineOption,
    JsonFlag,
    ProblemsArgument,
    StrictFlag,
    WorkersOption,
    on_ray,
    out_option,
    print_summary,
)
from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.io.locations import location
from srt.io.progress import say
from srt.io.yaml_config import parse_config


def import_(
    source: Annotated[
        str,
        typer.Argument(
            help="The corpus: mathspatial, solidgeo or space2025; or another benchmark.",
            autocompletion=completions.corpora,
        ),
    ],
    path: Annotated[
        Path, typer.Argument(help="The published file, or the folder that holds the files; or a mapping (YAML).")
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="The problems file to write (JSONL), with refusals beside it.")
    ],
    lang: Annotated[str | None, typer.Option("--lang", help="zh (default) or en; mathspatial has both.")] = None,
    traces: Annotated[
        Path | None, typer.Option("--traces", help="Write mathspatial's published traces to this file (JSONL).")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option("--columns", help="Which columns of your file are which fields.", metavar="FIELD=COLUMN,..."),
    ] = None,
    strict: StrictFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Read a published corpus, a benchmark, or your own problems.

    plain knows the layouts of GSM8K, MATH, MMLU, ARC, MMMU and more (docs/own-data.md), and shows what it read.

    Example: srt import plain mine.csv -o problems.jsonl --columns question="Problem text",answer=Gold
    """
    from eval.benchmarks.benchmark_registry import BENCHMARKS
    from eval.benchmarks.import_card import import_card

    summary = import_any(source, path, out, lang=lang, traces=traces, columns=columns)
    card = import_card(out, BENCHMARKS.get(source), Path(summary["refusals"]) if "refusals" in summary else None)
    if not as_json:
        say("\n".join(card.lines()))
    print_summary({**summary, **card.figures, **({"card": card.as_data()} if as_json else {})}, as_json)
    if strict and summary.get("refused"):
        raise typer.Exit(1)


def import_any(
    source: str,
    path: Path,
    out: Path,
    *,
    lang: str | None = None,
    traces: Path | None = None,
    columns: str | None = None,
) -> dict[str, Any]:
    """Read the corpus or the benchmark ``source`` into the file of problems ``out``; returns the counts.

    ``columns`` is ``FIELD=COLUMN,...``, for files of the user's own.

    Raises:
        UserError: there is neither of that name, and what the readers raise.
    """
    from srt.corpora import CORPORA, import_file

    if source in CORPORA and not columns:
        return import_file(source, path, out, lang=lang, traces=traces)
    from eval.benchmarks.benchmark_registry import import_benchmark
    from eval.benchmarks.external.column_names import parse_columns

    check_corpus(source)
    if traces is not None:
        raise UserError(f"{source}: --traces is for mathspatial")
    return import_benchmark(source, path, out, lang=lang, columns=parse_columns(columns) if columns else {})


def check_corpus(source: str) -> None:
    """Raise a :class:`UserError` if :func:`import_any` knows neither a corpus nor a benchmark ``source``."""
    from eval.benchmarks.benchmark_registry import BENCHMARKS
    from srt.corpora import CORPORA

    if source not in CORPORA and source not in BENCHMARKS:
        known, others = (", ".join(sorted(names)) for names in (CORPORA, set(BENCHMARKS) - set(CORPORA)))
        meant = did_you_mean(source, {*CORPORA, *BENCHMARKS})
        raise UserError(f"unknown corpus {source!r}{meant}: the corpora are {known}; other benchmarks are {others}")


def generate(
    world: Annotated[
        str, typer.Argument(help="The world (problems with a built-in solver).", autocompletion=completions.worlds)
    ],
    out: Annotated[
        Path, out_option("The problems file to write (.jsonl or .parquet); with --engine ray, a folder or URL.")
    ],
    n: Annotated[int, typer.Option("-n", min=1, help="Number of problems.")] = 1000,
    split: Annotated[str, typer.Option("--split", help="train, dev or test; no problem is in two splits.")] = "train",
    spec: Annotated[
        Path | None, typer.Option("--spec", help="A YAML file of sampling settings; each world has its own.")
    ] = None,
    wordings: Annotated[
        Path | None,
        typer.Option("--wordings", help="Use SpaCE2025's wordings, from your copy (default: SRT_SPACE2025)."),
    ] = None,
    exclude: Annotated[
        list[Path] | None,
        typer.Option(
            "--exclude", parser=location, help="A file of problems that must not be generated again; may be repeated."
        ),
    ] = None,
    workers: WorkersOption = None,
    engine: EngineOption = None,
    address: AddressOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Sample problems of a world, each with a proven answer.

    Example: srt generate seating -n 1000 --split train -o problems.jsonl
    """
    from srt.io.worker_processes import cores_at_hand
    from srt.pipeline.generate import generate_command, read_fields

    if on_ray(engine, address, (out, *(exclude or ())), ("--workers", workers)):
        from srt.scale.ray_engine import ray_cluster
        from srt.scale.sharded_generate import generate_shards

        fields = read_fields(world, spec, wordings, out)
        with ray_cluster(address) as run:
            made = generate_shards(world, n, split, out, fields, run, exclude or ())
        print_summary(made.model_dump(mode="json"), as_json)
        return
    print_summary(
        generate_command(world, n, split, out, spec, wordings, exclude or (), workers or cores_at_hand()), as_json
    )


def gallery(
    world: Annotated[
        str, typer.Argument(help="The world (problems with a built-in solver).", autocompletion=completions.worlds)
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The page to write (HTML).")] = Path("gallery.html"),
    n: Annotated[int, typer.Option("-n", "--n", min=1, max=1000, help="Number of problems.")] = 24,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the draw.")] = 0,
    lang: Annotated[str | None, typer.Option("--lang", help="en or zh (default: the world's own default).")] = None,
    spec: Annotated[
        Path | None, typer.Option("--spec", help="A YAML file of sampling settings; each world has its own.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write a page of sampled problems: pictures, traces, verdicts.

    Example: srt gallery seating -n 24 -o gallery.html
    """
    from srt.gallery.gallery_page import gallery_command

    print_summary(gallery_command(world, out, n, seed, lang, spec), as_json)


def split(
    problems: Annotated[Path, typer.Argument(help="A file of problems (JSONL or Parquet).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for one file per part, such as train.jsonl.")],
    parts: Annotated[
        str, typer.Option("--parts", help="The parts and their shares.", metavar="NAME=SHARE,...")
    ] = "train=0.8,dev=0.1,test=0.1",
    stratify: Annotated[
        str | None,
        typer.Option("--stratify", help="A field (such as category) with the same label shares in all parts."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the draw.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Divide a file of problems into parts.

    Variants of one problem stay together: those with the same group_id, which import reads from the column group.

    Example: srt split problems.jsonl --parts train=0.9,test=0.1 --stratify category -o parts
    """
    from srt.pipeline.split import split_file

    shares: dict[str, float] = {}
    for part in parts.split(","):
        name, equals, share = (text.strip() for text in part.partition("="))
        try:
            value = float(share)
        except ValueError:
            value = -1.0
        if not equals or not name.isidentifier() or value <= 0 or name in shares:
            raise UserError(f"--parts {parts}: NAME=SHARE,... was expected, as in train=0.9,test=0.1")
        shares[name] = value
    print_summary(split_file(problems, out, shares, stratify=stratify, seed=seed), as_json)


def _curate(
    given: dict[str, Any],
    problems: ProblemsArgument,
    out: Annotated[Path, out_option("The problems to keep (JSONL); the others are written beside it.")],
    against: Annotated[
        list[Path] | None,
        typer.Option("--against", parser=location, help="Also compare with this file (a test set); repeatable."),
    ] = None,
    approved: Annotated[
        Path | None, typer.Option("--approved", help="A file of ids, one per line, that people approved after review.")
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", help="pictures, solution, exact, near, groups, views or answers; repeatable."),
    ] = None,
    embeddings: Annotated[
        str | None, typer.Option("--embeddings", help="Compare texts with this embedding model instead of MinHash.")
    ] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", help="Address of the embedding server.")] = None,
    api_key_env: Annotated[
        str | None,
        typer.Option("--api-key-env", help="Environment variable that holds the API key (default: OPENAI_API_KEY)."),
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", help="Write the summary to this file (JSON).")] = None,
    workers: WorkersOption = None,
    engine: EngineOption = None,
    address: AddressOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Find duplicates, leaks and wrong solutions; delete nothing.

    Also finds missing solutions and views whose sizes contradict each other.

    Example: srt curate problems.jsonl -o kept.jsonl --against parts/test.jsonl --report report.json
    """
    from srt.curate import CHECKS, CurationOptions, Embeddings, Thresholds, curate_file
    from srt.io.worker_processes import cores_at_hand

    for name in skip or ():
        if name not in CHECKS:
            raise UserError(f"--skip: {', '.join(CHECKS)} are the checks, not {name!r}{did_you_mean(name, CHECKS)}")
    thresholds = parse_config(Thresholds, {key: value for key, value in given.items() if value is not None}, "curate")
    if thresholds.text_review > thresholds.text_drop or thresholds.picture_review > thresholds.picture_drop:
        raise UserError("--text-review and --picture-review cannot be above --text-drop and --picture-drop")
    if embeddings is not None and not embeddings.strip():
        raise UserError("--embeddings: the name of a model was expected, not an empty one")
    if base_url and not embeddings:
        raise UserError("--base-url: name the model with --embeddings too")
    options = CurationOptions.model_validate(
        {
            "skip": frozenset(skip or ()),
            "thresholds": thresholds,
            "embeddings": Embeddings.model_validate(
                {"model": embeddings, "base_url": base_url} | ({"api_key_env": api_key_env} if api_key_env else {})
            )
            if embeddings
            else None,
        }
    )
    files: dict[str, Any] = {"against": against or (), "approved": approved, "report": report, "options": options}
    if on_ray(engine, address, (problems, out, *(against or ())), ("--workers", workers), ("--embeddings", embeddings)):
        from srt.scale.ray_engine import ray_cluster
        from srt.scale.sharded_curation import curate_shards

        with ray_cluster(address) as run:
            summary = curate_shards(problems, out, run, **files)
    else:
        summary = curate_file(problems, out, workers=workers or cores_at_hand(), **files)
    if not as_json:
        summary["notes"] = len(summary["notes"])
        summary["category"] = {
            name: f"{row['problems']} problems, {row['dropped']} dropped, {row['review']} to review"
            for name, row in summary["category"].items()
        }
    print_summary(summary, as_json)


curate = ConfigCommand("srt.curate.curation_records:Thresholds", _curate)
