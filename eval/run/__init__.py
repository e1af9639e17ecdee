"""A run: its recipe, its folder, and how it is generated and shared among processes."""
