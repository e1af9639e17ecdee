"""From characters to expressions: tokens, symbols, units and the parser of one side of a claim."""
