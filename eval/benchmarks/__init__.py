"""Benchmarks: how each reads its data, asks, grades and reports (:mod:`.benchmark`), and the :mod:`.registry`."""
