"""Pictures of solids, views and plans, drawn with whole numbers alone: the same pixels on every machine."""
