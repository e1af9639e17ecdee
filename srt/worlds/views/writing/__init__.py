"""Questions, descriptions of figures, claims and derivations in words, in English and Chinese."""
