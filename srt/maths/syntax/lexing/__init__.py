"""Text to tokens."""
