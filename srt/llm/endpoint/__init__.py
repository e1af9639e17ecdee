"""One OpenAI-compatible endpoint: connections, retries, limits, and what its responses mean."""
