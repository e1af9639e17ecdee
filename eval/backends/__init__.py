"""Back ends that generate: their :mod:`.protocol`, their :mod:`.backend_registry`, and the modules of each."""
