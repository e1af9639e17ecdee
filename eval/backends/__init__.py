"""Back ends that generate: their :mod:`.protocol`, their :mod:`.registry`, and the modules of each."""
