"""Reading a seating problem apart from the solver: its scene, names, clues and question, by grammars that generate."""
