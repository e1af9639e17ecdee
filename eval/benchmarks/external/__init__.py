"""Files with other layouts than ours: a mapping says where each field is."""
