"""From sequences to batches: tokens, labels, packing, and the tensors that a model takes."""
