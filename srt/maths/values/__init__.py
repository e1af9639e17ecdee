"""Exact arithmetic on closed expressions, and comparison with rounding and units."""
