"""Where the numbers in a step come from: the premises, a calculation, or the constant of a formula."""
