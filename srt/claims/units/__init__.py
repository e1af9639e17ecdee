"""Units in prose: which are stated with which numbers, and whether that of a computed value can be right."""
