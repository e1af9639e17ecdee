"""The command ``srt``. ``python -m srt`` is the same; ``accelerate launch -m srt eval`` starts it in each process."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line. Ctrl-C ends it without a traceback, status 130, also while its modules are loaded."""
    try:
        from srt.cli import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    # ``python -m`` puts the current folder first on the path: a file eval.py or torch.py there would be imported
    # instead of ours. Drop it before anything else is imported, unless it is the folder that this package is in.
    our_root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != our_root:
        del sys.path[0]
    main()
