"""Solving a seating problem, and the derivation of the answer as steps of a trace."""
