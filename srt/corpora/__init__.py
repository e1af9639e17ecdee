"""Published corpora, one reader each: from the files as they were published to records of problems."""

from srt.corpora.import_corpus import CORPORA, import_file, read_corpus

__all__ = ["CORPORA", "import_file", "read_corpus"]
