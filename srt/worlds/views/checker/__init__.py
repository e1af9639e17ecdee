"""The checker of the views world. It reads the problem's own figures and text, and shares no code with the world."""
