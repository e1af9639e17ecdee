"""Small pretrained models from the package index, as folders that can be trained."""
