"""Back ends that generate: :mod:`.protocol` is what all of them offer, the other modules are one back end each."""
