"""Solids with measures: volumes, surfaces, heights and edges of single, joined, hollowed and recast solids."""
