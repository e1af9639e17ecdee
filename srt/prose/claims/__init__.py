"""Finds the claims of a text, equations, inequalities, counts and units, and decides them exactly."""
