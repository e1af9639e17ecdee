"""The records of a comparison: what ``comparison.json`` holds."""

from __future__ import annotations

from pydantic import Field

from eval.benchmarks.definition.benchmark import Table
from eval.scoring.arm_summary import ArmSummary, Share
from eval.scoring.decode_curves import DecodeCurves
from eval.scoring.differences import Difference
from eval.scoring.proved_alone import ProvedAlone
from eval.scoring.unread_differences import ArmReadings, UnreadDifference
from srt.experiment.model_stages import LearningCost
from srt.io.records import Record
from srt.statistics.intervals import Estimate


class RunAccuracy(Record):
    """One run of an arm: the fingerprint of its model, and its accuracy on the common problems."""

    fingerprint: str
    accuracy: Share


class Comparison(Record):
    """The contents of ``comparison.json``. ``title`` names experiment, model and benchmark.

    ``common`` problems are compared; ``left_out`` counts each arm's others.

    ``clusters`` is the number of groups among the common problems: those with one ``group_id`` count once.

    ``arms`` has the mean over the runs (training seeds) of each arm, ``runs`` each run alone. ``tokens_per_right`` are
    output tokens per right answer, ``None`` for an arm without any. ``tables`` are the benchmark's, if all runs are of
    one benchmark. ``unread`` has the differences that depend on how outputs without a readable answer are counted, and
    ``readings`` what a language model read in them. ``proved_alone`` has the arms that write traces of exact worlds,
    and ``decode_curves`` those of the same models that differ in ``decode`` alone. ``back_ends`` says of each two back
    ends or precisions whether they were found to agree. ``warning`` stands above everything: that the figures are of a
    rehearsal, for example. ``learning`` is what arms took that learned from their own texts, where an experiment knows
    it.
    """

    title: str
    common: int
    clusters: int
    left_out: dict[str, int]
    arms: list[ArmSummary]
    differences: list[Difference]
    tokens_per_right: dict[str, Estimate | None]
    tables: list[Table]
    runs: dict[str, list[RunAccuracy]]
    unread: list[UnreadDifference]
    readings: list[ArmReadings]
    proved_alone: list[ProvedAlone] = Field(default_factory=list)
    decode_curves: list[DecodeCurves] = Field(default_factory=list)
    back_ends: list[str] = Field(default_factory=list)
    warning: str | None = None
    learning: list[LearningCost] = Field(default_factory=list)
