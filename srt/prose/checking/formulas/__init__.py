"""The formulas of solid and plane geometry, and whether a step calculates a named quantity by one of them."""
