"""The families of models that can be trained, a file for each."""
