"""Faults planted in valid traces of the views world, and the oracle that judges the results."""
