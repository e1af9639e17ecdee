"""The wordings of problems, in English and Chinese, and the reader of a text."""
