"""Learning from verdicts on a model's own texts: the parts of ``train/train_policy.py``."""
