"""Benchmarks: how each reads data, asks, grades and reports.

:mod:`.definition.benchmark` is the record, :mod:`.benchmark_registry` the list.
"""
