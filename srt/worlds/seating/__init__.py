"""The seating world: booths, hexagons and shelves. ``docs/seating.md`` is its reference.

Data flows one way: :mod:`.reader` (text to claims, by :mod:`.patterns`), :mod:`.solver` (claims to the one placement),
:mod:`.teacher` (the derivation, step by step). :mod:`.claims` is the claim language, :mod:`.relations` its meaning.
"""
