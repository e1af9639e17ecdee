"""Exact worlds: families of problems with a model that samples, solves, explains and draws them.

:mod:`.world` is what every world defines, :mod:`.world_registry` lists the worlds. The checker (:mod:`srt.checking`)
shares no code with any of them.
"""
