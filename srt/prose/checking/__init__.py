"""The checker of traces in prose: references, claims found in the prose, what nothing uses, and what is made up.

No world stands behind these problems, so a verdict reaches as far as the claims that :mod:`srt.prose` finds, and says
no more: :func:`.check_free.check_free` tells what ``computed`` means.
"""
