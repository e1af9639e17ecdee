"""Files the small results of the ladder's learning curves, and makes the ladder's pages in docs/ from them."""
