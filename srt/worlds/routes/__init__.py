"""Walks on a grid: somebody starts facing one way, turns and walks; where does it end, and how far from the start?"""
