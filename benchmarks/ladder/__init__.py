"""Files the small results of the ladder's learning curves, and makes docs/does-structure-pay.md and docs/ladder-*.md from them."""
