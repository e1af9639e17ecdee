"""Stages over shards on a cluster: one machine ends where a file is millions of records."""
