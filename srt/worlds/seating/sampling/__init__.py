"""New problems of the seating world."""
