"""Samples of a world on one page, for people who want to see its problems and traces before they train."""
