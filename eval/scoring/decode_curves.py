"""Proved and right against tokens: arms of the same models that differ in ``decode`` alone.

Nobody declares a curve: the manifests say which runs belong together. Arms are of one study if they have the same
models and everything that decides a prediction is equal but ``decode``; of those, arms of one way whose options differ
in the budget alone are the points of one curve.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from eval.records.run_records import ARM_FIELDS, Run, given_counts
from eval.scoring.arm_summary import Share
from eval.scoring.proved_alone import is_proved, scored_share
from srt.io.records import Problem, Record

_BUDGETS = ("tokens", "samples")
"""What of the options of a way says how much it may spend."""


class DecodePoint(Record):
    """One arm: its ``budget`` (tokens a problem, or samples), the mean output ``tokens`` of a problem, how many
    ``times`` those of the arm without ``decode`` they are, and the share that is proved and right, with its interval
    over clusters and training runs."""

    arm: str
    budget: int | None
    tokens: float
    times: float | None
    proved_and_right: Share


class DecodeCurves(Record):
    """The arms of one study: ``plain`` without ``decode``, if it is there, and the points of each way by their budget.

    A way's name has its options where the same way was run with several."""

    plain: DecodePoint | None
    ways: dict[str, list[DecodePoint]]

    def by_way(self) -> list[tuple[str, list[DecodePoint]]]:
        """All points, those of ``plain`` first."""
        return [*([("none", [self.plain])] if self.plain else []), *self.ways.items()]


def decode_curves(by_arm: Mapping[str, Sequence[Run]], problems: Mapping[str, Problem]) -> list[DecodeCurves]:
    """The studies among the arms, on ``problems``: those in which a way was run with two budgets or more.

    An arm whose tokens are not given has no place on a curve."""
    studies: dict[str, list[str]] = defaultdict(list)
    for arm, runs in by_arm.items():
        studies[_study(runs)].append(arm)
    found = []
    for arms in studies.values():
        plain: DecodePoint | None = None
        curves: dict[tuple[str, str], list[DecodePoint]] = defaultdict(list)
        for arm in arms:
            settings = by_arm[arm][0].manifest.settings
            if settings is None or (point := _point(arm, by_arm[arm], problems)) is None:
                continue
            if settings.decode is None:
                plain = plain or point
                continue
            options: dict[str, Any] = getattr(settings.decode, settings.decode.way).model_dump()
            budget = next(options.pop(name) for name in _BUDGETS if name in options) or settings.max_new_tokens
            kind = ", ".join(f"{name} {value}" for name, value in options.items())
            curves[settings.decode.way, kind].append(point.model_copy(update={"budget": budget}))
        if max(map(len, curves.values()), default=0) < 2:
            continue
        ways = [way for way, _ in curves]
        found.append(
            DecodeCurves(
                plain=plain and _in_times(plain, plain),
                ways={
                    f"{way} ({kind})" if ways.count(way) > 1 else way: [
                        _in_times(point, plain) for point in sorted(points, key=lambda each: each.budget or 0)
                    ]
                    for (way, kind), points in curves.items()
                },
            )
        )
    return found


def _study(runs: Sequence[Run]) -> str:
    """What all arms of one study share."""
    manifest = runs[0].manifest.model_dump(mode="json", include={*ARM_FIELDS})
    settings = manifest["settings"] or {}
    settings.pop("decode", None)
    return json.dumps([sorted(run.manifest.fingerprint for run in runs), manifest], sort_keys=True)


def _in_times(point: DecodePoint, plain: DecodePoint | None) -> DecodePoint:
    times = point.tokens / plain.tokens if plain is not None and plain.tokens else None
    return point.model_copy(update={"times": times})


def _point(arm: str, runs: Sequence[Run], problems: Mapping[str, Problem]) -> DecodePoint | None:
    spent = [row.output_tokens for run in runs for key, row in run.predictions.items() if key[0] in problems]
    if not (tokens := given_counts(spent)):
        return None
    return DecodePoint(
        arm=arm,
        budget=None,
        tokens=sum(tokens) / len(tokens),
        times=None,
        proved_and_right=scored_share(runs, problems, lambda run, score: score.value == 1 and is_proved(run, score)),
    )
