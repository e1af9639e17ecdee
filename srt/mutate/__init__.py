"""``srt mutate``: corrupt valid traces in every class of fault, and show what the checker catches.

The mutations belong to the world of a trace (:attr:`srt.worlds.world.Extras.faults`). Some leave the trace
valid by accident; the world's oracle, which shares nothing with the checker, recognises those, and they are counted
separately. :mod:`srt.prose.faults` plants errors in the equations of a text, to measure the prose checker.
"""
