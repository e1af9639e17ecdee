"""The wordings of the sentences, in English and Chinese, and the reader of a problem's text."""
