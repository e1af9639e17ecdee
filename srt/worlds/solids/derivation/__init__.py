"""From a statement to the steps that its question needs."""
