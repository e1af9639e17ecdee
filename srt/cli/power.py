"""The command ``power``: how many problems it takes to tell two arms apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from srt.cli.output import JsonFlag, print_summary
from srt.errors import UserError

_USUAL = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""The discordances that are shown where none is known."""


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""

    @app.command()
    def power(
        difference: Annotated[
            float, typer.Option("--difference", help="Points of accuracy that are to be told apart.")
        ],
        runs: Annotated[
            tuple[Path, Path] | None,
            typer.Option("--runs", help="Two scored runs that show how often such arms disagree."),
        ] = None,
        discordance: Annotated[
            float | None,
            typer.Option(
                "--discordance", help="Or the share of problems (0 to 1) that exactly one of the two arms solves."
            ),
        ] = None,
        chance: Annotated[float, typer.Option("--power", help="The chance that the difference is found.")] = 0.8,
        level: Annotated[float, typer.Option("--level", help="The level of the two-sided test.")] = 0.05,
        as_json: JsonFlag = False,
    ) -> None:
        """How many problems it takes to tell two arms apart (McNemar's test, closed form: docs/statistics.md).

        Example: srt power --difference 3 --runs runs/cot runs/srt
        """
        if not 0 < abs(difference) <= 100:
            raise UserError(f"--difference {difference:g}: points above 0 and at most 100 were expected")
        if discordance is not None and not 0 <= discordance <= 1:
            raise UserError(f"--discordance {discordance:g}: a share from 0 to 1 was expected")
        if not (0 < chance < 1 and 0 < level < 1):
            raise UserError(f"--power {chance:g}, --level {level:g}: shares between 0 and 1 were expected")
        if runs is not None and discordance is not None:
            raise UserError("--runs and --discordance: give one of them; runs show their own discordance")
        from eval.power import problems_needed

        share = difference / 100
        how = {"power": chance, "level": level}
        if runs is not None:
            print_summary(_from_runs(runs, share, how), as_json)
            return
        needed = {
            f"{each:g}": problems_needed(share, each, power=chance, level=level)
            for each in ((discordance,) if discordance is not None else _USUAL)
            if each >= abs(share)
        }
        if not needed:
            shown = f"{discordance:g}" if discordance is not None else f"{_USUAL[-1]:g}"
            raise UserError(
                f"--difference {difference:g}: cannot be, where arms disagree on a share of {shown} at most"
            )
        print_summary({"points": difference, **how, "problems needed at discordance": needed}, as_json)


def _from_runs(folders: tuple[Path, Path], share: float, how: dict[str, float]) -> dict[str, Any]:
    from eval.differences import spread
    from eval.power import detectable_difference, problems_needed
    from eval.runs import read_run

    found = spread(*(read_run(folder) for folder in folders))
    power, level, effect = how["power"], how["level"], found.design_effect
    seen = detectable_difference(found.problems, found.discordance, power=power, level=level, effect=effect)
    return {
        "points": 100 * share,
        **how,
        "problems needed": problems_needed(share, found.discordance, power=power, level=level, effect=effect),
        "problems that both runs have": found.problems,
        "points that these can show": None if seen is None else 100 * seen,
        "points that were measured": 100 * found.difference,
        "discordance": found.discordance,
        "design effect": effect,
    }
