"""Generation with vLLM: one engine in this process, or replicas of it on a Ray cluster."""
