"""Draws problems, and options that come from named mistakes."""
