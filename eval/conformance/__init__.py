"""Whether two back ends give the same for one model: the same prompts, texts, counts, ends and log-probabilities."""
