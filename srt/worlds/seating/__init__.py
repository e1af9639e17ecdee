"""The seating world: booths, hexagons and shelves. ``docs/seating.md`` is its reference.

Data flows one way: :mod:`.reading` (text to claims), :mod:`.derivation` (claims to the one placement, and the trace
that derives it), :mod:`.writing` (claims to text, prose and pictures). :mod:`.claim_language` defines the claims,
:mod:`.relations` what they mean in a scene, :mod:`.sampling` makes new problems.
"""
