"""Faults planted in valid seating traces, and the brute-force oracle that judges the results."""
