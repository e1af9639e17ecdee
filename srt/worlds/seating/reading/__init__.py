"""Reading a seating problem: patterns of wordings, and from text to clues, question and options."""
