"""Statistics for both packages: intervals, tests, agreement, and power."""
