"""What a model learns from verdicts on its own samples: harvested traces, and pairs."""
