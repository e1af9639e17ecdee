"""Statistics for both packages: intervals, bootstrap, agreement, significance, and power."""
