"""The tables of benchmarks, and the published rows in them."""
