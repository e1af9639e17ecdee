"""The commands by stage: where each is defined, the first line of its help, and what Ctrl-C leaves of its work.

This table is all that ``srt --help`` and shell completion need: the module of a command is imported when it is run.
"""

from __future__ import annotations

from typing import NamedTuple

_NOTHING = "nothing was written; run the command again"
_NOTHING_IS_LOST = "nothing is lost; run the command again"


class Command(NamedTuple):
    """One command.

    Args:
        function: where it is defined, in a module of ``srt.cli`` (``trace_commands.solve``).
        summary: the first line of its docstring.
        after_ctrl_c: what is kept where it was interrupted, and how to continue.
    """

    function: str
    summary: str
    after_ctrl_c: str = _NOTHING


STAGES: dict[str, dict[str, Command]] = {
    "Problems": {
        "import": Command(
            "data_commands.import_",
            "Read a published corpus, a benchmark, or your own problems.",
            "no file of problems was written; run the command again",
        ),
        "generate": Command("data_commands.generate", "Sample problems of a world, each with a proven answer."),
        "gallery": Command("data_commands.gallery", "Write a page of sampled problems: pictures, traces, verdicts."),
        "curate": Command("data_commands.curate", "Find duplicates, leaks and wrong solutions; delete nothing."),
        "split": Command("data_commands.split", "Divide a file of problems into parts."),
    },
    "Traces": {
        "solve": Command("trace_commands.solve", "Solve problems of a world, with a proof of every step."),
        "check": Command("trace_commands.check", "Check whether each step follows from the premises it cites."),
        "mutate": Command("trace_commands.mutate", "Corrupt valid traces and count what the checker catches."),
        "lift": Command("trace_commands.lift", "Turn free traces into world traces, equation by equation."),
        "show": Command("trace_commands.show", "Write a page of your traces beside their problems."),
        "build": Command("trace_commands.build", "Write the training sequences of one arm."),
    },
    "Language-model teachers": {
        "teach": Command(
            "teaching_commands.teach",
            "Write traces with language models and check them.",
            "the replies so far are kept and not paid for again; the same command continues",
        ),
        "review": Command(
            "teaching_commands.review",
            "Open the page where people decide the remaining cases.",
            "the decisions so far are kept; the same command continues",
        ),
        "agreement": Command(
            "teaching_commands.agreement",
            "Measure how well Reviewers find planted faults.",
            "the replies so far are kept and not paid for again; the same command continues",
        ),
    },
    "Training": {
        "init-model": Command(
            "training_commands.init_model",
            "Make a small model with random weights and its tokenizer.",
            "the model is not complete; run the command again",
        ),
        "preflight": Command(
            "training_commands.preflight", "Find every fault of a training recipe before it runs.", _NOTHING_IS_LOST
        ),
        "train": Command(
            "training_commands.train",
            "Fine-tune a model on sequences.",
            "the last checkpoint is kept, if one was written; continue with --resume",
        ),
        "harvest": Command("evaluation_commands.harvest", "Keep the proved traces of runs, to train on."),
        "pairs": Command("evaluation_commands.pairs_", "Write pairs to train on: a proved trace and a faulty one."),
        "merge": Command("training_commands.merge", "Merge an adapter into its base model, and compare them."),
    },
    "Evaluation": {
        "eval": Command(
            "evaluation_commands.eval_",
            "Generate answers, score them and check the traces.",
            "the predictions so far are kept; the same command continues",
        ),
        "score": Command(
            "evaluation_commands.score",
            "Score a run again without generating.",
            "the predictions are kept; run the command again",
        ),
        "backends": Command(
            "evaluation_commands.backends", "List the back ends, or check that one agrees with transformers."
        ),
        "human": Command("evaluation_commands.human", "Score people's responses as a human baseline."),
        "predictions": Command("official_predictions.predictions", "Write the official predictions file of SpaCE2025."),
        "totals": Command(
            "official_predictions.totals", "Score an official predictions file of SpaCE2025.", _NOTHING_IS_LOST
        ),
        "benchmarks": Command(
            "evaluation_commands.benchmarks", "List the benchmarks and their options.", _NOTHING_IS_LOST
        ),
    },
    "Comparison": {
        "compare": Command(
            "comparison_commands.compare",
            "Compare runs on one page: tables, differences, plots.",
            "the runs are as they were; run the command again",
        ),
        "errors": Command(
            "comparison_commands.errors",
            "Classify wrong predictions by what failed first.",
            "the judge's replies so far are kept and not paid for again; the same command continues",
        ),
        "ask-judge": Command(
            "comparison_commands.ask_judge",
            "Ask a judge model which answers are right.",
            "the replies so far are kept and not paid for again; the same command continues",
        ),
        "power": Command(
            "comparison_commands.power",
            "Compute how many problems and runs a comparison needs.",
            _NOTHING_IS_LOST,
        ),
        "export": Command(
            "comparison_commands.export",
            "Export a run to Inspect, lm-evaluation-harness or VLMEvalKit.",
            "the run is as it was; run the command again",
        ),
    },
    "All stages": {
        "dataset": Command("all_stages_commands.dataset", "Make a data set to publish, every problem proved."),
        "experiment": Command(
            "all_stages_commands.experiment",
            "Run a whole experiment: data, training, evaluation.",
            "what is finished is kept, and checkpoints and predictions of what is not; the same command continues",
        ),
    },
    "This installation": {
        "env": Command("env_command.env", "Print versions, GPUs and optional packages.", _NOTHING_IS_LOST),
    },
}

COMMANDS: dict[str, Command] = {name: command for stage in STAGES.values() for name, command in stage.items()}
ALIASES: dict[str, str] = {"judge": "ask-judge"}
"""Old names, which are not listed. ``srt.judge`` is not this command: it asks no model."""
