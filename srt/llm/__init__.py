"""Language models behind OpenAI-compatible endpoints: paid for once, limited in rate and money, never trusted."""
