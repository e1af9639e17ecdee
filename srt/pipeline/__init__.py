"""The stages that read a file and write another: generate, split, solve, check and build."""
