"""The stages of an experiment that need ``train`` and ``eval``: training in a child process, the others in this one."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import yaml

from srt.cli.data_commands import check_corpus
from srt.cli.gpu_shares import GpuShares
from srt.cli.recipe_kinds import find_launch_file
from srt.cli.trainer_process import run_shared_evaluation, run_training, status_text
from srt.experiment.experiment_blocks import BenchmarkTest, InitModel
from srt.experiment.experiment_models import example_model
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.learned_arms import learned_recipe
from srt.experiment.model_stages import Evaluation, LearningCost, RunFigures, TrainedTokens
from srt.experiment.problem_sources import CorpusSource
from srt.io.atomic_files import temporary_folder, write_atomically
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.progress import progress_bar
from srt.io.records import Lang
from srt.io.worker_processes import cores_at_hand
from srt.io.yaml_config import parse_config
from srt.language.arms import arm_named

if TYPE_CHECKING:
    from eval.run.eval_recipe import EvalRecipe

_SET_BY_EXPERIMENT = (
    "model", "adapter", "problems", "data", "lang", "benchmark", "options", "prompts", "output", "arm", "prompt", "ban",
    "run_name", "shots_from",
)  # fmt: skip
"""Keys of an evaluation recipe that an experiment sets itself."""


_STOPPED = 128 + signal.SIGTERM
"""The status of a training process that a signal has stopped, with a checkpoint."""


class TrainAndEval:
    """The real stages (:class:`srt.experiment.model_stages.ModelStages`), of which ``parallel`` train at a time."""

    def __init__(self, parallel: int = 1) -> None:
        self._parallel, self._shares = parallel, GpuShares(parallel)

    def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
        """Read all settings as their commands will, and make a new model once."""
        from eval.backends.presets import effective_settings
        from eval.benchmarks.benchmark_registry import chosen_options, find_benchmark
        from train.recipe_reader import make_recipe

        make_recipe(recipe, "train")
        for name in experiment.learned_arms:
            made = learned_recipe(experiment, name, recipe["seed"], 1, Path("m"), Path("d.jsonl"))
            make_recipe(made, f"learn: {name}")
        self._shares.divide(experiment.launch and find_launch_file(experiment.launch))
        for key in _SET_BY_EXPERIMENT:
            if key in experiment.evaluate:
                raise UserError(f"evaluate: {key}: the experiment sets this itself")
        stages = [source for stage in experiment.stages or () for source in stage.train_problems]
        for source in (*(experiment.train_problems or ()), *stages, *experiment.test_problems):
            if isinstance(source, CorpusSource):
                check_corpus(source.corpus)
        for test in experiment.benchmarks:
            chosen_options(find_benchmark(test.benchmark), test.options)
        own: dict[str, Any] = {"model": "m", "problems": "p.jsonl", "output": "o"}
        own |= {"shots_from": Path("s.jsonl")} if "shots" in experiment.evaluate else {}
        asked = _eval_recipe(experiment.evaluate, None, own)
        for arm in map(arm_named, experiment.arms):
            if arm.decode:
                _eval_recipe(experiment.evaluate, None, {**own, "decode": arm.decode})
        start = example_model(experiment)
        if isinstance(start, InitModel):
            _check_init_model(start)
        elif effective_settings(start, None, **asked.generation()).temperature == 0 and asked.repeats > 1:
            raise UserError("evaluate: repeats: greedy generation gives the same text each time; set a temperature")

    def check_launch(self, launch: Path) -> None:
        """As each start of its processes will."""
        from train.preflight.gpus_at_hand import require_gpus

        require_gpus(find_launch_file(launch))

    def reads_pictures(self, model: Path | InitModel) -> bool:
        """By the architecture, which a model's folder names in ``config.json``."""
        from train.models.families.family_registry import find_family

        if isinstance(model, InitModel):
            return find_family(model.arch).chat_template.shows_pictures
        try:
            config = orjson.loads((model / "config.json").read_bytes())
        except (OSError, ValueError):
            raise UserError(f"model: {model}: no model in this folder: config.json is missing or not JSON") from None
        return find_family(str(config.get("model_type"))).chat_template.shows_pictures

    def import_problems(self, corpus: str, path: Path, out: Path, lang: Lang | None) -> None:
        """As ``srt import``."""
        from srt.cli.data_commands import import_any

        import_any(corpus, path, out, lang=lang)

    def check_test(self, experiment: Experiment, problems: Path, benchmark: BenchmarkTest | None) -> None:
        """Form the questions of the test, without asking a model.

        Raises:
            UserError: the model could not be asked, no output could meet a gold answer, or an arm is to prove each line
                and problems are of no exact world.
        """
        from eval.benchmarks.benchmark_registry import chosen_options, find_benchmark
        from eval.benchmarks.definition.benchmark import PLAIN, Asking
        from eval.benchmarks.definition.prompt_files import read_own_prompts
        from eval.run.gold_preflight import require_gold_that_can_be_met
        from srt.checking import is_of_a_world
        from srt.judging.prefix import without_gold

        pictures = self.reads_pictures(example_model(experiment))
        held = read_problems(problems)
        blind = [problem.id for problem in held.values() if problem.images and not problem.diagram_description]
        if blind and not pictures and experiment.describe is None:
            raise UserError(
                f"{problems}: {len(blind)} problems have pictures, the first {blind[0]!r}, and the model reads none: "
                "have them described (describe: a config of srt teach), or test a vision model"
            )
        shown = [arm for arm in experiment.arms if arm_named(arm).shots]
        if shown and pictures and any(problem.images for problem in held.values()):
            raise UserError(f"arms: {shown[0]}: {problems} has pictures, and shots are for text alone; leave it out")
        if guided := [arm for arm in experiment.arms if arm_named(arm).decode]:
            of_none = [problem.id for problem in held.values() if not is_of_a_world(without_gold(problem))]
            if of_none:
                raise UserError(
                    f"arms: {guided[0]}: {problems}: {len(of_none)} problems are of no exact world, the first "
                    f"{of_none[0]!r}, so that no line can be proved; leave the arm out"
                )
        chosen = find_benchmark(PLAIN if benchmark is None else benchmark.benchmark)
        options = {} if benchmark is None else benchmark.options
        prompts = {} if benchmark is None or benchmark.prompts is None else read_own_prompts(benchmark.prompts)
        asking = Asking(experiment.prompt, pictures, chosen_options(chosen, options), prompts)
        if not any(True for _ in chosen.questions(list(held.values()), asking)):
            raise UserError(f"{problems}: the benchmark {chosen.name} asks nothing of these problems")
        require_gold_that_can_be_met(problems, chosen.name)

    def init_model(self, spec: InitModel, texts: Iterator[str], seed: int, out: Path) -> None:
        """As ``srt init-model``."""
        from train.models.init_model import init_model

        init_model(spec.arch, texts, out, seed=seed, **spec.options)

    def preflight(self, recipe: Path, launch: Path | None) -> list[str]:
        """As ``srt preflight --no-step``."""
        from train.preflight.before_launch import first_checks
        from train.preflight.checklist import run_checklist

        report = run_checklist(
            first_checks(recipe, (), launch),
            gpu_bytes=None,
            step=False,
            progress=lambda what, total: progress_bar(what, total, lines_from=1000),
        )
        return report.faults

    def train(self, recipe: Path, launch: Path | None, say: Callable[[str], None], until: int | None = None) -> None:
        """As ``srt train --resume``, line by line to ``say``."""
        from train.preflight.before_launch import finished_before
        from train.recipe_reader import load_recipe

        if (summary := finished_before(load_recipe(recipe), launch)) is not None:
            say(summary.line)
            return
        heard = _LastLine(say)
        options = ["--resume", *([] if until is None else ["--until", str(until)])]
        with self._shares.one(launch) as gpus:
            if gpus is not None:
                say(f"on GPU {gpus}")
            # What a launch file names, such as GPU 0 or a port, is the same for all runs.
            own = ["--main_process_port", "0"] if launch is not None and self._parallel > 1 else []
            own += ["--gpu_ids", "all"] if launch is not None and gpus is not None else []
            status = run_training(recipe, launch, options, own, say=heard, gpus=gpus)
        if status == _STOPPED:
            say("a signal has stopped it; the same command continues")
            raise SystemExit(_STOPPED)
        if status:
            raise UserError(f"training {recipe} ended with status {status_text(status)}: {heard.line}")

    def evaluate(self, evaluation: Evaluation) -> None:
        """As ``srt eval``, in this process or in those of the launch file."""
        from eval.evaluation import run_evaluation
        from eval.records.run_records import SUMMARY

        out = evaluation.out
        if (out / SUMMARY).exists():
            return
        arm = arm_named(evaluation.arm)
        own = {
            "model": str(evaluation.trained.model),
            "adapter": evaluation.trained.adapter,
            "problems": evaluation.problems,
            "output": out,
            "arm": evaluation.arm,
            "prompt": evaluation.prompt,
            "ban": arm.ban,
            **({"decode": arm.decode} if arm.decode else {}),
        }
        recipe = _eval_recipe(evaluation.settings, evaluation.benchmark, own)
        if evaluation.launch is not None:
            config = out.with_name(f"{out.name}.yaml")
            config.parent.mkdir(parents=True, exist_ok=True)
            chosen = recipe.model_dump(mode="json", exclude_defaults=True)
            write_atomically(config, [yaml.safe_dump(chosen, sort_keys=False).encode()])
            heard = _LastLine(lambda line: None)
            if status := run_shared_evaluation(config, evaluation.launch, heard):
                raise UserError(f"the evaluation {config} ended with status {status_text(status)}: {heard.line}")
        # Where processes shared it, this merges and scores what they left, if the last of them has not.
        if not (out / SUMMARY).exists():
            run_evaluation(recipe)

    def harvest(self, run: Path, out: Path, most: int) -> None:
        """As ``srt harvest``."""
        from eval.learning.harvest import harvest

        harvest([run], out, most=most, workers=cores_at_hand())

    def pairs(self, run: Path, out: Path, most: int) -> None:
        """As ``srt pairs`` of a run."""
        from eval.learning.sampled_pairs import sampled_pairs

        sampled_pairs([run], out, most=most, workers=cores_at_hand())

    def tokens_until(self, recipe: Path, steps: Sequence[int]) -> list[TrainedTokens]:
        """Counted from the plan of the batches; the tokens are those that the training run has cached."""
        from train.data.batches import plan_batches
        from train.data.token_cache import read_examples
        from train.models.model_files import load_tokenizer_and_processor
        from train.recipe_reader import load_recipe

        made = load_recipe(recipe)
        tokenizer, processor = load_tokenizer_and_processor(made.model.path)
        examples = read_examples(made, tokenizer, processor)
        batches = plan_batches(made, examples, 1)
        counted = []
        for step in steps:
            seen = batches.micro_batches.members[: batches.micro_batches.bounds[step * batches.accumulation]]
            counted.append(TrainedTokens(int(examples.lengths[seen].sum()), int(examples.trained_tokens[seen].sum())))
        return counted

    def figures(self, run: Path) -> RunFigures:
        """From the scores and the verdicts; a problem that was asked several times counts as right if most are."""
        from eval.errors.error_findings import find_first_fault
        from eval.records.run_records import given_counts, mean_values
        from eval.run.scored_run import read_run

        scored = read_run(run)
        values = mean_values(scored.scores.values())
        faults: Counter[str] = Counter()
        for key, score in scored.scores.items():
            if score.value < 1 and (check := scored.checked.get(key)) and check.has_steps:
                problem = scored.questions[key[:2]]
                fault = find_first_fault(problem, scored.predictions[key].read(), score, check.read())
                faults[" ".join(filter(None, (fault.op, fault.kind)))] += 1
        count = max(len(scored.predictions), 1)
        ids = [problem.id for problem in scored.scored_problems]
        proved = Counter(key[0] for key, one in scored.checked.items() if one.proved)
        certified = Counter(key[0] for key, one in scored.checked.items() if one.certified)
        asked = Counter(key[0] for key in scored.checked)
        certifiable = any(one.certified is not None for one in scored.checked.values())
        return RunFigures(
            right="".join("1" if values[problem.id] > 0.5 else "0" for problem in scored.scored_problems),
            output_tokens=round(sum(given_counts(one.output_tokens for one in scored.predictions.values())) / count, 2),
            proved=round(sum(one.proved for one in scored.checked.values()) / count, 4),
            computed=round(sum(one.computed for one in scored.checked.values()) / count, 4),
            first_wrong=dict(faults.most_common()),
            proved_each="".join("1" if 2 * proved[one] > asked[one] else "0" for one in ids),
            certified_each="".join("1" if 2 * certified[one] > asked[one] else "0" for one in ids if certifiable),
        )

    def compare(
        self,
        runs: list[Path],
        out: Path,
        title: str,
        reporting: Mapping[str, Any],
        warning: str | None,
        learning: Sequence[LearningCost],
    ) -> str:
        """As ``srt compare``."""
        from eval.report.compare import compare
        from eval.report.headline import answer
        from eval.run.wandb_settings import WandbSettings

        given = {key: value for key, value in reporting.items() if key in WandbSettings.model_fields}
        wandb = parse_config(WandbSettings, given, "evaluate")
        return answer(compare(runs, out, title=title, warning=warning, learning=learning, wandb=wandb))


class _LastLine:
    """Passes on what a process prints, and remembers the last line, for the message of a failure."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.line = "it printed nothing"
        self._say = say

    def __call__(self, line: str) -> None:
        self.line = line
        self._say(line)


def _eval_recipe(settings: dict[str, Any], benchmark: BenchmarkTest | None, own: dict[str, Any]) -> EvalRecipe:
    """The evaluation recipe of the experiment's ``settings``, those of the test, and what it sets itself."""
    from eval.run.eval_recipe import make_eval_recipe

    test = {} if benchmark is None else benchmark.model_dump(include={"benchmark", "options", "prompts"})
    return make_eval_recipe({**settings, **test, **own})


def _check_init_model(spec: InitModel) -> None:
    """Make the model once from two words in a temporary folder: wrong options fail here, before anything is written."""
    from tempfile import gettempdir

    from train.models.chat_templates import find_chat_template
    from train.models.families.family_registry import find_family
    from train.models.init_model import init_model

    find_family(spec.arch)
    if (template := spec.options.get("chat_template")) is not None:
        find_chat_template(template)
    with temporary_folder(Path(gettempdir(), "srt-model")) as folder:
        try:
            init_model(spec.arch, iter(["two words"]), folder, **spec.options)
        except (UserError, TypeError, ValueError) as error:
            raise UserError(f"model.options: {error}") from None
