"""Fine-tuning on traces: ``train_srt.py`` is what ``accelerate launch`` runs, and reads from top to bottom."""
