"""Benchmarks: how each reads data, asks, grades and reports (:mod:`.benchmark`), and the :mod:`.benchmark_registry`."""
