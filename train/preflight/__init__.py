"""Find every fault of a run before a GPU is paid for: recipe, data, launch file, memory, and one real step."""
