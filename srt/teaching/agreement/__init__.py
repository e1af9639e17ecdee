"""How well Reviewers find faults, beside the machine: on traces with one planted fault, and on untouched ones."""
