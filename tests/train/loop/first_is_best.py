"""The training script, but no evaluation counts as better than the first: its weights have to be loaded at the end."""

from __future__ import annotations

import sys
from functools import partial

from train.loop import held_out, watch
from train.train_srt import main

best_is_the_first = partial(held_out.best_evaluation, threshold=99)

if __name__ == "__main__":
    held_out.best_evaluation = watch.best_evaluation = lambda log, threshold=0.0: best_is_the_first(log)
    sys.exit(main())
