"""The output folder of a training run: manifest, checkpoints, curves, model card."""
