"""What is read from and written to disk: records, JSONL files, folder locks, YAML configs; progress and errors."""
