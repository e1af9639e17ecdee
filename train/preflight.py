"""Every fault before a GPU is paid for, all at once; then what the run will be, and one real step.

Nothing is written but into a temporary folder. What cannot be looked at because of another fault is left out, not
guessed: a recipe with a misspelt key still has its data, its model and its launch looked at.
"""

from __future__ import annotations

import logging
import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import PreTrainedTokenizerBase, ProcessorMixin

from srt.errors import UserError
from train.activations import Load
from train.batches import BatchPlan, plan_batches
from train.data_checks import Data, Faults, compare_prompts, encode_all, open_all, read_sequences, too_long
from train.disk_space import disk_fault
from train.examples import IGNORED, Example, Role
from train.hub import hub_faults
from train.launch_file import Launch, launch_faults, read_launch
from train.load_model import load_architecture, load_processor, load_tokenizer, model_faults
from train.memory import Cluster, Memory, MemoryModel
from train.memory_plan import told, ways_out
from train.micro_batches import heaviest
from train.pictures import PictureTokens
from train.recipe import Recipe, examine_recipe
from train.run_folder import find_start, finished
from train.stamp import fingerprint
from train.trial_step import Trial, no_room, try_step

Progress = Callable[[str, int], Any]  # what is done, and of how many; gives a context that gives ``advance``


class Report:
    """What preflight found.

    Attributes:
        faults: a line each; a run with one of them will not work.
        notes: a line each, worth knowing.
        figures: what is printed as a table, by section.
        shown: examples to look at the labels of.
        ways: what would fit, a line each, where memory would not do.
        memory: the estimate, and ``trial`` what one step took; ``None`` where it did not come to that.
    """

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.notes: list[str] = []
        self.figures: dict[str, dict[str, Any]] = {}
        self.shown: list[Example] = []
        self.ways: list[str] = []
        self.memory: Memory | None = None
        self.trial: Trial | None = None
        self.tokenizer: PreTrainedTokenizerBase | None = None
        self.picture_token: int | None = None


def preflight(
    path: Path,
    changes: Iterable[str],
    launch_path: Path | None,
    *,
    gpu_bytes: float | None,
    step: bool,
    progress: Progress,
) -> Report:
    """Look at the recipe ``path`` and all that it names, under the accelerate file ``launch_path``.

    ``gpu_bytes`` is the memory of a GPU, for a machine without one. ``step``: take one real step at the end, if there
    is no fault.

    Raises:
        UserError: the recipe is no file or not YAML, so there is nothing to look at.
    """
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    # Libraries' notes on kernels and coming versions are no faults of the recipe.
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    warnings.simplefilter("ignore", FutureWarning)
    report = Report()
    read = examine_recipe(path, changes)
    recipe = read.recipe
    report.faults += [f"{path}: {fault}" for fault in read.faults]
    launch = _launch(report, launch_path)
    data_there = read.knows("data") and _is_file(report, recipe.data)
    model_there = read.knows("model.path") and _is_model(report, recipe, bool(read.faults))
    tokenizer, processor = _readers(report, recipe) if model_there else (None, None)
    data = None
    if data_there and tokenizer is not None and read.knows("pictures", "think"):
        data = _look_at_data(report, recipe, tokenizer, processor, progress, read.knows("max_length"))
    elif data_there:
        faults = Faults()
        read_sequences(Path(recipe.data), faults)
        report.faults += faults.lines()
    if launch is not None:
        report.faults += [f"{launch_path}: {fault}" for fault in launch_faults(launch, recipe, None)]
    if recipe.hub is not None:
        report.faults += hub_faults(recipe.hub)
    if report.faults or data is None or tokenizer is None:
        return report
    _look_at_run(report, recipe, data.whole, tokenizer, processor, launch, launch_path, gpu_bytes, step)
    return report


def _look_at_run(
    report: Report,
    recipe: Recipe,
    examples: list[Example],
    tokenizer: PreTrainedTokenizerBase,
    processor: ProcessorMixin | None,
    launch: Launch | None,
    launch_path: Path | None,
    gpu_bytes: float | None,
    step: bool,
) -> None:
    """What keys and records are sound for: batches, output folder, disk, memory, one step."""
    cluster = launch.cluster if launch is not None else Cluster()
    steps = recipe.steps or math.ceil((recipe.epochs or 0) * len(examples) / recipe.batch_size)
    try:
        plan = plan_batches(recipe, examples, steps, cluster.processes)
    except UserError as error:
        report.faults.append(str(error))
        return
    if launch is not None:
        found = [f"{launch_path}: {fault}" for fault in launch_faults(launch, recipe, plan.accumulation)]
        report.faults += [fault for fault in found if fault not in report.faults]
    report.figures["run"] = _run_figures(recipe, examples, plan, steps)
    model = MemoryModel(recipe)
    _look_at_output(report, recipe, cluster)
    if fault := disk_fault(recipe, model.counts):
        report.faults.append(fault)
    members, load = heaviest(plan, examples, recipe, processor)
    memory = model.estimate(load, cluster, plan.accumulation)
    _look_at_memory(report, recipe, memory, load, plan, cluster, _gpu_bytes(gpu_bytes))
    if step and not report.faults:
        alone = model.estimate(load, Cluster(), 1)
        if why := no_room(alone, load, model.counts.head[0]):
            report.notes.append(f"the step was not tried on this machine: {why}")
            return
        try:
            trial = try_step(recipe, tokenizer, processor, examples, members, load)
        except UserError as error:
            report.faults.append(f"one step: {error}")
            return
        report.trial = trial
        report.figures["one step on this device"] = _trial_figures(trial)
        if not math.isfinite(trial.loss):
            report.faults.append(f"one step: the loss is {trial.loss}; look at model.dtype and at the model's weights")


def _launch(report: Report, path: Path | None) -> Launch | None:
    if path is None:
        return None
    try:
        return read_launch(path)
    except UserError as error:
        report.faults.append(str(error))
        return None


def _is_file(report: Report, path: str) -> bool:
    if Path(path).is_file():
        return True
    report.faults.append(f"data: no such file: {path}; srt build makes one")
    return False


def _is_model(report: Report, recipe: Recipe, faulty: bool) -> bool:
    """Whether a configuration can be read. What is wrong with the keys is told of a sound recipe only: not twice."""
    folder = Path(recipe.model.path)
    if not folder.is_dir():
        report.faults.append(f"model.path: no such folder: {folder} (a model from a hub must be downloaded first)")
        return False
    faults = model_faults(recipe)
    report.faults += [fault for fault in faults if not faulty or fault.startswith("model.path")]
    try:
        load_architecture(recipe.model.path)
    except UserError:
        return False
    return True


def _readers(report: Report, recipe: Recipe) -> tuple[PreTrainedTokenizerBase | None, ProcessorMixin | None]:
    try:
        if not load_architecture(recipe.model.path).reads_pictures:
            return load_tokenizer(recipe.model.path), None
        processor = load_processor(recipe.model.path)
        return processor.tokenizer, processor
    except UserError as error:
        report.faults.append(str(error))
        return None, None


def _look_at_data(
    report: Report,
    recipe: Recipe,
    tokenizer: PreTrainedTokenizerBase,
    processor: ProcessorMixin | None,
    progress: Progress,
    knows_length: bool,
) -> Data | None:
    faults = Faults()
    root = Path(recipe.data).parent
    sequences = read_sequences(Path(recipe.data), faults)
    try:
        pictures = None if processor is None else PictureTokens(processor, recipe.pictures)
    except UserError as error:
        report.faults += [*faults.lines(), str(error)]
        return None
    with progress("sequences", len(sequences)) as advance:
        data = encode_all(recipe, _counted(sequences, advance), tokenizer, pictures, faults)
    if pictures is not None:
        named = {(image.path, image.sha256) for sequence in sequences for image in sequence.images}
        with progress("pictures", len(named)) as advance:
            open_all(data, root, faults, advance)
    compared = compare_prompts(data, tokenizer, processor, root, faults)
    report.faults += faults.lines()
    if knows_length and (fault := too_long(recipe, data)):
        report.faults.append(f"{recipe.data}: {fault}")
    report.tokenizer, report.picture_token = tokenizer, pictures.image_token_id if pictures is not None else None
    if data.whole:
        report.figures["data"] = {**_data_figures(data.whole, processor), "prompts made as evaluation does": compared}
        report.shown = _to_show(data.whole)
    return data


def _counted(items: Iterable[Any], advance: Callable[[int], None]) -> Iterable[Any]:
    for item in items:
        yield item
        advance(1)


def _to_show(examples: list[Example]) -> list[Example]:
    """The shortest, a middle one and the longest."""
    ordered = sorted(examples, key=lambda example: len(example.input_ids))
    return [ordered[at] for at in sorted({0, len(ordered) // 2, len(ordered) - 1})]


def _data_figures(examples: list[Example], processor: Any) -> dict[str, Any]:
    lengths = sorted(len(example.input_ids) for example in examples)
    roles: Counter[int] = Counter()
    for example in examples:
        roles.update(example.roles.tolist())
    trained = sum(int((example.labels != IGNORED).sum()) for example in examples)
    figures: dict[str, Any] = {
        "sequences": len(examples),
        "tokens": sum(lengths),
        "tokens a sequence": f"{lengths[0]} to {lengths[-1]}, median {lengths[len(lengths) // 2]}",
        "trained tokens": f"{trained} ({trained / sum(lengths):.1%})",
        **{f"tokens of {role.name}": roles[role] for role in Role if role != Role.PROMPT},
    }
    pictures = [picture for example in examples for picture in example.pictures]
    if pictures:
        in_pictures = sum(picture.tokens for picture in pictures)
        figures["pictures"] = f"{len(pictures)}, {in_pictures} tokens ({in_pictures / sum(lengths):.1%})"
        figures["pictures resized"] = _resized(pictures, processor)
    return figures


def _resized(pictures: list[Any], processor: Any) -> str:
    """How many pictures lie outside the processor's limits of area, and by how much their sides change at most."""
    size = dict(processor.image_processor.size)
    if "longest_edge" not in size:
        counts = [picture.tokens for picture in pictures]
        return f"each is cut into tiles of one size ({min(counts)} to {max(counts)} tokens)"
    areas = [picture.width * picture.height for picture in pictures]
    least, most = size["shortest_edge"], size["longest_edge"]
    smaller, larger = [area for area in areas if area > most], [area for area in areas if area < least]
    parts = []
    if smaller:
        parts.append(f"{len(smaller)} made smaller, sides to {math.sqrt(most / max(smaller)):.0%} at least")
    if larger:
        parts.append(f"{len(larger)} made larger, sides to {math.sqrt(least / min(larger)):.0%} at most")
    return "; ".join(parts) or "none, but to whole patches"


def _run_figures(recipe: Recipe, examples: list[Example], plan: BatchPlan, steps: int) -> dict[str, Any]:
    lengths = [len(example.input_ids) for example in examples]
    real = sum(lengths[at] for micro in plan.micro_batches for at in micro)
    if recipe.pack is not None:
        room = recipe.pack * len(plan.micro_batches)
        share = {"rows of pack filled": f"{real / room:.1%} (nothing is padded)"}
    else:
        room = sum(len(micro) * max(lengths[at] for at in micro) for micro in plan.micro_batches)
        share = {"padding": f"{1 - real / room:.1%} of the tokens that are computed"}
    return {
        "steps": steps,
        "times through the data": round(steps * recipe.batch_size / len(examples), 2),
        "processes": plan.processes,
        "micro-batches a step, on each": plan.accumulation,
        "tokens a step": real // steps,
        "tokens in all": real,
        **share,
    }


def _look_at_output(report: Report, recipe: Recipe, cluster: Cluster) -> None:
    output = Path(recipe.output)
    sharding = "none" if cluster.method == "one" else cluster.method
    try:
        # The hash of a large model takes a while, and an empty folder needs none.
        used = output.is_dir() and any(output.iterdir())
        keys = {**fingerprint(recipe, cluster.processes), "sharding": sharding} if used else {}
        if used and finished(output, keys) is not None:
            report.notes.append(f"{output}: output holds this run, finished: srt train would do nothing")
        elif (start := find_start(output, keys, True)).checkpoint is not None:
            report.notes.append(f"{output}: output holds this run unfinished; --resume goes on from {start.checkpoint}")
    except UserError as error:
        report.faults.append(str(error))


def _look_at_memory(
    report: Report, recipe: Recipe, memory: Memory, load: Load, plan: BatchPlan, cluster: Cluster, there: float | None
) -> None:
    shape = f"{load.rows} x {load.length} tokens, {load.trained} trained, {load.patches} patches of pictures"
    report.memory = memory
    report.figures[f"memory on each GPU, estimated ({cluster.method}, {cluster.processes} processes)"] = {
        "heaviest micro-batch": shape,
        **{name.replace("_", " "): size_told(size) for name, size in memory._asdict().items() if size},
    }
    if there is not None and memory.peak > there:
        report.faults.append(
            f"memory: about {memory.peak / 1e9:.1f} GB are needed on each GPU, and it has {there / 1e9:.1f}; "
            "what would fit is told below"
        )
        report.ways = told(ways_out(recipe, load, cluster, plan.accumulation), there)


def _gpu_bytes(given: float | None) -> float | None:
    if given is not None or not torch.cuda.is_available():
        return given
    return float(torch.cuda.get_device_properties(0).total_memory)


def _trial_figures(trial: Trial) -> dict[str, Any]:
    errors = trial.errors()
    compared = {
        f"{name}: measured, estimated, error": f"{size_told(size)}, {size_told(trial.estimated[name])}, "
        f"{errors.get(name, 0.0):+.1%}"
        for name, size in trial.measured.items()
    }
    return {
        "device": trial.device,
        "loss": round(trial.loss, 4),
        "seconds, the first step, with warm-up": round(trial.seconds, 2),
        "tokens computed": trial.tokens,
        **compared,
    }


def size_told(size: float) -> str:
    """Bytes in the unit that suits them."""
    for unit, each in (("GB", 1e9), ("MB", 1e6)):
        if size >= each:
            return f"{size / each:.3g} {unit}"
    return f"{size / 1e3:.3g} kB"
