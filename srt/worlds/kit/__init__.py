"""What the worlds share, for whoever writes one: splits by key, and faults to plant in steps."""
