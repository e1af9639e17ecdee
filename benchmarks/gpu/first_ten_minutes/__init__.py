"""The first ten minutes on a GPU: what was only tried on a CPU is checked and measured there, step by step."""
