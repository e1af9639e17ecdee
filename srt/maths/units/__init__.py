"""Units of measure, once for all readers: what a unit is, how it is spelled, and the phrases that name one."""
