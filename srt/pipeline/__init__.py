"""The stages from file to file: generate, solve, check, build; and the experiment of them all."""
