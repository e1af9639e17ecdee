"""The model families, loading and making models, and attention."""
