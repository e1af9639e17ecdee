"""The layouts in which data sets are published: each is recognised by its columns and read into our fields."""
