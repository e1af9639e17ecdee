"""From a walk to the steps that its question needs."""
