"""The trainer, the loss, and what is logged while a model trains."""
