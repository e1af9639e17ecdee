"""The files of a run, as records: what benchmarks, scoring and reports read, and :mod:`eval.run` writes."""
