"""The text of problems, claims as sentences, the two kinds of prose, the drawing."""
