"""A provider's own list of what it billed, laid beside the journal."""
