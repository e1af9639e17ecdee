"""Errors planted in the equations of a text; the reader here shares no code with :mod:`srt.maths`, which it tests."""
