"""The checker of routes: its own reading of the sentences, and what follows from what. Imports no sibling."""
