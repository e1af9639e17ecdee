"""The checker of solids: its own reading, its own arithmetic, its own geometry. Imports no sibling."""
