"""Solids of unit cubes: their views, their symmetries, and the solids that fit given views."""
