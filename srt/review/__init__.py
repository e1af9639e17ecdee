"""``srt review``: the page where people mend what machines could not, and audit what they let pass.

The folder is the one that ``srt teach`` writes. :mod:`.decisions` says what a list of decisions amounts to and needs no
server; the rest is the page.
"""
