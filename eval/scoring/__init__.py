"""From predictions to scores, and from scores to the figures of a run."""
