"""The exact teacher of the views world: the derivation of each kind of problem, one inference a step."""
