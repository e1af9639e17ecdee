"""Images of problems: opened with care, stored, normalised, resized within limits, and sent as data URIs."""
