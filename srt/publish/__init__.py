"""``srt dataset``: a data set of proved problems as hubs publish it: Parquet with pictures, a card, checksums."""
