"""Requests that are sent in batches: answered within a day, at half the price, by the same endpoint."""
