"""Drawing that worlds share: marks on a grid of pixels, and letters."""
