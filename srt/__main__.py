"""``python -m srt`` is ``srt``: what ``accelerate launch -m srt eval`` starts in each process."""

from __future__ import annotations

from srt.cli import main

if __name__ == "__main__":
    main()
