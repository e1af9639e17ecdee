"""From a problem to the figures that it shows and what it asks of them."""
