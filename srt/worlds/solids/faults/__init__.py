"""What ``srt mutate`` plants in traces of solids, and the oracle that judges the mutants."""
