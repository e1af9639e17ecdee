def env():
    """Print."""
