"""What went wrong in wrong predictions: found by machine, by a judge model, by human annotators."""
