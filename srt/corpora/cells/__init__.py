"""What one cell of a file holds: options in each of the forms that people write, and answers that point to them."""
