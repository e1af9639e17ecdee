"""The loop around language-model teachers: draft, check by machine, review, repair, and people for the rest."""
