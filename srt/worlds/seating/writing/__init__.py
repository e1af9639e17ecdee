"""Writing about a seating scene: problem texts, assertions, prose of a derivation, and the seating plan."""
