"""``srt experiment``: arms x seeds of one model, from problems to a comparison, by one recipe."""
