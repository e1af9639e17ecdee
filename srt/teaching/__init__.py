"""Traces from language models: draft, machine check, review and repair in a loop, and people for the rest."""
