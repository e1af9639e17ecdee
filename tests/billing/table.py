"""What servers bill and what the client reports, as a table: one row for each way of billing.

    python -m tests.billing.table 0.5                  # the budget of each row; 400 requests to two models

``over`` is how many of the largest requests the bill is above the budget: the promise is at most one of each model.
``reported`` is what is certain, ``at most`` what may have been billed beside.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from srt.llm.config import Price
from srt.teaching.teach_config import load_teach_config
from tests.billing.doubtful_modes import ASIDE, BUDGET_OF, DOUBTFUL, DOUBTFUL_REPORTED, TRUSTED
from tests.billing.modes import MODES, REPORTED
from tests.billing.run import PRICE, bill
from tests.simulated_time import simulate

RECIPE = Path(__file__).parents[2] / "recipes" / "teach" / "openai.yaml"


def shipped_price() -> Price:
    """The price that trusts a model as our recipe does."""
    shipped = load_teach_config(RECIPE).prices["gpt-4o"].unforeseen_tokens
    return PRICE.model_copy(update={"unforeseen_tokens": shipped})


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("budget", type=float, nargs="?", default=0.5)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--only", nargs="*")
    chosen = parser.parse_args()
    print(
        "| way of billing | budget | billed | reported | at most beside | over the budget |\n|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, mode in (DOUBTFUL | MODES | ASIDE).items():
            if chosen.only and name not in chosen.only:
                continue
            price = shipped_price() if name in TRUSTED else PRICE
            budget = BUDGET_OF.get(name, chosen.budget)
            server, said = simulate(
                bill(Path(folder) / name, name, mode, budget, chosen.requests, price=price, retries=6)
            )
            over = server.billed - budget
            reported = name in REPORTED | DOUBTFUL_REPORTED
            broken = over > sum(server.largest.values()) or (reported and abs(said.kept / server.billed - 1) > 0.01)
            row = (f"{budget:g}", f"{server.billed:.3f}", f"{said.certain:.3f}", f"{said.kept - said.certain:.3f}")
            hidden = "" if said.kept >= server.billed * (1 - 1e-9) else ", more than was reported"
            words = f"{max(0.0, over):.3f}" + (" **(promise broken)**" if broken else "") + hidden
            print(f"| {name} | {' | '.join(row)} | {words} |", flush=True)


if __name__ == "__main__":
    main()
