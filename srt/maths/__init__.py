"""Mathematics that is written: read into expressions, evaluated exactly, with units. It knows no answers and no traces.

:mod:`.syntax` turns text into expressions, :mod:`.values` decides what they are worth, :mod:`.units` says what units
are and how they are spelled. Nothing is evaluated as code.
"""
