"""What the worlds share, for authors of new ones: splits by key, and faults to plant in steps."""
