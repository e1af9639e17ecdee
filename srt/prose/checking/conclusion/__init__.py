"""Whether the steps of a trace in prose state its answer."""
