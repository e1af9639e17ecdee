"""The data formats of other trainers: which row each makes of a training sequence.

:mod:`srt.trainers.format_registry` lists them. No trainer is imported here: their pins exclude ours. ``make
test-loaders`` reads the files with the real loaders, each in an environment of its own.
"""
