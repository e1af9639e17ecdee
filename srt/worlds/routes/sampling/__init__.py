"""Draws walks, and options that go wrong by a named mistake each."""
