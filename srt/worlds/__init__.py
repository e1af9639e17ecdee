"""Exact worlds: families of problems with a model that samples, solves, explains and draws them.

:mod:`.world` is what every world defines, :mod:`.world_registry` lists the worlds. Each lives in a folder of its own,
with its checker, which imports nothing of its siblings.
"""
