"""SRT: structured reasoning traces, from problems to checked traces to training sequences.

This package holds the trace language, the exact worlds and the checker. It imports no deep-learning library;
``train`` and ``eval`` build on it. Nothing heavy is imported here, so that ``import srt`` stays instant.
"""

__version__ = "0.1.0"
